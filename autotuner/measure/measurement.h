// SPDX-License-Identifier: MIT
// Measures configurations through a long-lived child of the tuned program (`--serve`, docs/reference/formats.md 3). A
// crash, a hang or a wrong output is an outcome; the child is started again after one and given its inputs and
// reference back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/measure/child_process.h"
#include "autotuner/measure/kernel_builder.h"
#include "autotuner/trials/evaluator.h"
#include "runtime/config/formats/protocol.h"

namespace pbtune {

struct MeasureOptions {
  std::vector<std::string> command;                         ///< program and options; `--serve` is added
  std::vector<std::pair<std::string, std::int64_t>> sizes;  ///< fixed size variables
  std::vector<std::pair<std::string, std::string>> given;   ///< values of params and inputs that are single numbers
  std::vector<std::string> files;  ///< the user's inputs; with them the size asked for has no effect
  std::uint64_t seed = 1;          ///< seed of generated inputs
  bool is_resident = false;
  bool verifies = true;   ///< outputs are compared with a reference
  double tolerance = -1;  ///< < 0: the program's own
  /// Outputs are compared with those of this configuration; absent: the default.
  std::optional<Configuration> reference{};
  double patience_s = 60;       ///< limit for the default to make the reference
  double last_patience_s = 60;  ///< the same for what nothing can stand in for: inputs, another maker of the reference
  /// Of the child that builds kernels: on a busy machine, it must not lengthen what is measured.
  ChildProcess::Priority build_priority = ChildProcess::Priority::WhenIdle;
  double grace_s = 2;  ///< time for work beside the trials: putting outputs back, comparing them
};

class Measurement {
 public:
  /// `on_tick` is called about ten times a second while waiting and may throw Interrupted. `on_build` is told before a
  /// run how many kernels the program must build for it.
  /// Keeps a reference to `index`.
  Measurement(const InfoIndex& index, MeasureOptions options, std::function<void()> on_tick,
              std::function<void(int num_kernels)> on_build = {});
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  /// Starts the program. Throws IoError; ConfigError if it is another program or speaks a newer protocol.
  const pbrt::protocol::Hello& start();
  /// Makes inputs and their reference. If the default is too slow on one thread, the trusted configuration makes it,
  /// or, where none is known, the default on all threads.
  [[nodiscard]] Prepared prepare(const PrepareSpec& spec);
  /// Makes other inputs of the same size, of another seed and in other memory; a configuration makes the reference. If
  /// that does not work, those of before are made again. Files are read again.
  ///
  /// Pre:     prepare() made inputs
  /// Errors:  throws IoError if the program does not run any more
  [[nodiscard]] Prepared renew(const Configuration& reference);
  [[nodiscard]] Outcome run(const Configuration& configuration, const RunSpec& spec);
  /// Says which configurations will probably be run next, soonest first: the kernels of those that use a device are
  /// built beside the runs before them.
  void expect(std::span<const Configuration> configurations);
  /// Reads the user's input files: the largest size variable, -1 if the program does not say. Throws UserError.
  [[nodiscard]] std::int64_t size_of_inputs();
  [[nodiscard]] int num_restarts() const { return num_restarts_; }
  /// Nanoseconds that all trials took together, and how many of them were waits for processors; neither is part of any
  /// outcome.
  [[nodiscard]] double total_ns() const { return total_ns_; }
  [[nodiscard]] double waited_ns() const { return waited_ns_; }

 private:
  struct Answer {
    ChildProcess::Read how = ChildProcess::Read::Ended;
    pbrt::protocol::Reply reply;
    double wall_ms = 0;
  };
  using Clock = std::chrono::steady_clock;

  Answer ask(pbrt::protocol::Request request, double limit_s);
  /// Makes sure that child, inputs and reference are there. Throws IoError if that does not work any more.
  void ensure_ready();
  /// How long the inputs and the reference may take.
  struct Patience {
    double inputs_s = 0, reference_s = 0;
  };
  [[nodiscard]] Patience usual_patience() const { return {options_.last_patience_s, options_.last_patience_s}; }
  /// Makes the inputs, and the reference by `reference_config_`.
  Prepared send_inputs(const Patience& patience);
  [[nodiscard]] Prepared make_inputs(double patience_s);
  [[nodiscard]] Prepared make_reference(double patience_s);
  [[nodiscard]] pbrt::protocol::Request inputs_request() const;
  /// Removes the child and says why it is gone: its end and its last words.
  std::string bury();
  /// Notes the choices on a device that run for the first time since the child was started. Returns their number.
  [[nodiscard]] int note_kernels(const Configuration& configuration);
  [[nodiscard]] double patience_for(const Configuration& configuration, const RunSpec& spec);
  /// The times that the trials would have taken on processors of their own.
  [[nodiscard]] Sample own_times(const pbrt::protocol::Reply& reply);
  [[nodiscard]] Outcome outcome_of(const pbrt::protocol::Reply& reply, const RunSpec& spec);
  [[nodiscard]] Outcome run_once(const Configuration& configuration, const RunSpec& spec);

  const InfoIndex& index_;
  MeasureOptions options_;
  std::function<void()> on_tick_;
  std::function<void(int num_kernels)> on_build_;
  KernelBuilder builder_;
  std::unique_ptr<ChildProcess> child_;
  pbrt::protocol::Hello hello_;
  bool was_started_ = false;
  bool is_input_slow_ = false;  ///< making the inputs took too long, not the reference
  std::int64_t n_ = -1, next_id_ = 1;
  std::uint64_t seed_ = 1;        ///< of the inputs
  std::string reference_config_;  ///< empty: the default
  double prepare_s_ = 0;          ///< what making inputs and reference took last, as a new child would
  double overhead_ms_ = 0;        ///< the most that a run took beside its trials at this size
  int num_restarts_ = 0;
  double total_ns_ = 0, waited_ns_ = 0;
  double slowdown_ = 1;            ///< factor by which the load of other programs lengthened recent trials
  std::vector<std::string> warm_;  ///< choices on a device that ran since the child was started
};

}  // namespace pbtune
