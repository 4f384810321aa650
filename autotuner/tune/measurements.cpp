// SPDX-License-Identifier: MIT
#include "autotuner/tune/measurements.h"

#include <algorithm>

namespace pbtune {
namespace {

/// Options for a measurement with this budget: if the default takes longer than a share of the time, another
/// configuration makes the reference. Nothing can stand in for that one, nor for the inputs.
MeasureOptions patient(MeasureOptions options, double budget_s) {
  constexpr double kShare = 0.3, kLeastS = 5, kGraceShare = 0.2, kLastShare = 0.5;
  options.patience_s = std::max(std::min(kLeastS, budget_s), kShare * budget_s);
  options.last_patience_s = std::max(options.patience_s, kLastShare * budget_s);
  options.grace_s = std::min(options.grace_s, kGraceShare * budget_s);
  return options;
}

template <class Value>
void keep_known(std::vector<std::pair<std::string, Value>>& named, const std::vector<std::string>& known) {
  std::erase_if(named,
                [&](const auto& one) { return std::find(known.begin(), known.end(), one.first) == known.end(); });
}

}  // namespace

MeasureOptions measure_options_of(const TuneOptions& options, const pbrt::TrainingInfo& info,
                                  const std::vector<Target>& targets, const MeasuredProblem& problem, double budget_s) {
  const std::size_t target = problem.target;
  MeasureOptions out = patient(measure_options(options.run, options.is_resident, problem.case_id), budget_s);
  if (has_bins(targets)) out.command.insert(out.command.end(), {"--transform", targets[target].transform});
  if (is_called_by_main(targets, target)) {
    // The person's files, sizes and numbers are those of the main transform.
    out.files.clear();
    const pbrt::TransformInfo& transform = *find_transform(info, targets[target].transform);
    keep_known(out.sizes, transform.sizes);
    keep_known(out.given, transform.numbers);
  }
  out.seed += static_cast<std::uint64_t>(problem.variant);
  return out;
}

Measurements::Measurements(const TuneOptions& options, const InfoIndex& index, const std::vector<Target>& targets,
                           std::function<void()> on_tick, std::function<void(int num_kernels)> on_build)
    : options_(options),
      index_(index),
      targets_(targets),
      on_tick_(std::move(on_tick)),
      on_build_(std::move(on_build)) {}

Measurements::Slot& Measurements::slot_of(const MeasuredProblem& problem) {
  Slot& slot = slots_[problem];
  if (slot.measurement != nullptr) return slot;
  MeasureOptions how = measure_options_of(options_, index_.info(), targets_, problem, budget_s_);
  if (is_main_of_bins(targets_, problem.target)) how.reference = reference_;
  slot.measurement = std::make_unique<Measurement>(index_, std::move(how), on_tick_, on_build_);
  return slot;
}

Measurement& Measurements::of(const MeasuredProblem& problem) { return *slot_of(problem).measurement; }

Outcome Measurements::run_on(const MeasuredProblem& problem, const PrepareSpec& inputs,
                             const Configuration& configuration, const RunSpec& spec) {
  Slot& slot = slot_of(problem);
  if (slot.variant_n != inputs.n) {
    slot.variant_n = -1;
    if (slot.measurement->prepare(inputs).status == PrepareStatus::Ready) slot.variant_n = inputs.n;
  }
  if (slot.variant_n == inputs.n) return slot.measurement->run(configuration, spec);
  Outcome out;  // an outcome that is Ok
  out.kind = OutcomeKind::Ok;
  return out;
}

std::unique_ptr<Measurement> Measurements::profiled(const MeasuredProblem& problem) const {
  MeasureOptions how = measure_options_of(options_, index_.info(), targets_, problem, budget_s_);
  how.command.emplace_back("--profile");
  how.verifies = false;
  return std::make_unique<Measurement>(index_, std::move(how), on_tick_, on_build_);
}

std::int64_t Measurements::size_of_inputs(std::size_t case_id) const {
  return Measurement(index_, measure_options(options_.run, options_.is_resident, case_id), on_tick_).size_of_inputs();
}

}  // namespace pbtune
