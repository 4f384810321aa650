// SPDX-License-Identifier: MIT
// The measurements of one run of pbtune: one of the program per target, per case that the configuration serves, and per
// variant of the case's inputs. Variant 0 is what the target is tuned on; the others, with other seeds, say whether it
// is accurate elsewhere.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "autotuner/measure/measurement.h"
#include "autotuner/space/tuning_targets.h"
#include "autotuner/tune/tune_options.h"

namespace pbtune {

/// What is measured: a target, for one of the cases, on a variant of its inputs.
struct MeasuredProblem {
  std::size_t target = 0;
  std::size_t case_id = 0;
  int variant = 0;
  auto operator<=>(const MeasuredProblem&) const = default;
};

/// How a target's program is run. An instance for a bin that the main transform calls gets
/// only those of the person's sizes and numbers that it knows, and no files.
///
/// Units:  `budget_s` is what the search may take: a reference that takes longer than a share of it is given up
[[nodiscard]] MeasureOptions measure_options_of(const TuneOptions& options, const pbrt::TrainingInfo& info,
                                                const std::vector<Target>& targets, const MeasuredProblem& problem,
                                                double budget_s);

class Measurements {
 public:
  /// Keeps references. `on_tick` and `on_build` are as in Measurement.
  Measurements(const TuneOptions& options, const InfoIndex& index, const std::vector<Target>& targets,
               std::function<void()> on_tick, std::function<void(int num_kernels)> on_build);

  /// What the search under way may take: measurements made from now on are as patient as that allows.
  void set_budget(double budget_s) { budget_s_ = budget_s; }

  /// The measurement of a problem; its program is started when it is needed.
  [[nodiscard]] Measurement& of(const MeasuredProblem& problem);

  /// Measurements of a main transform that calls instances for bins compare outputs with those of `configuration`:
  /// they depend on what the instances were tuned to.
  ///
  /// Pre:    of() was not called for that target
  void set_reference(Configuration configuration) { reference_ = std::move(configuration); }

  /// Runs a configuration on inputs that are made as `inputs` says. If there are none, the outcome is Ok, without
  /// times.
  [[nodiscard]] Outcome run_on(const MeasuredProblem& problem, const PrepareSpec& inputs,
                               const Configuration& configuration, const RunSpec& spec);

  /// A measurement of a problem that says what devices cost (Outcome::device_costs), in a program of its own: profiled
  /// runs may take longer. Outputs are not verified.
  [[nodiscard]] std::unique_ptr<Measurement> profiled(const MeasuredProblem& problem) const;

  /// Reads the person's input files for a case: their largest size variable, -1 if the program does not say.
  ///
  /// Errors: throws UserError
  [[nodiscard]] std::int64_t size_of_inputs(std::size_t case_id) const;

 private:
  struct Slot {
    std::unique_ptr<Measurement> measurement;
    std::int64_t variant_n = -1;  ///< the size of the inputs that run_on made
  };
  Slot& slot_of(const MeasuredProblem& problem);

  const TuneOptions& options_;
  const InfoIndex& index_;
  const std::vector<Target>& targets_;
  std::function<void()> on_tick_;
  std::function<void(int num_kernels)> on_build_;
  double budget_s_ = 0;
  std::optional<Configuration> reference_;
  std::map<MeasuredProblem, Slot> slots_;
};

}  // namespace pbtune
