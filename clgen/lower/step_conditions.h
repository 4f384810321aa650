// SPDX-License-Identifier: MIT
// Under which choices and sizes of a call the steps of a transform run, where they run, and what follows them: from the
// Plan alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// Where a device version leaves what it wrote; the words of runtime/gpu/launch.h.
enum class CopyOut : std::uint8_t { May, Must, Reused, Result, Eager };
/// `pbrt::gpu::CopyOut::May`.
[[nodiscard]] std::string to_cpp(CopyOut copy_out);

/// The first case that holds, else `otherwise`.
struct CopyOutChoice {
  struct Case {
    Condition condition;
    CopyOut copy_out = CopyOut::May;

    bool operator==(const Case&) const = default;
  };
  std::vector<Case> cases;  ///< no condition is known to hold, or not to
  CopyOut otherwise = CopyOut::May;

  bool operator==(const CopyOutChoice&) const = default;
};
/// `(pb_choice_1 == 0) ? pbrt::gpu::CopyOut::Must : pbrt::gpu::CopyOut::May`.
[[nodiscard]] std::string to_cpp(const CopyOutChoice& choice);

/// A flag of the call: whether one of the steps that read what others make runs.
struct NeedFlag {
  std::string name;  ///< `pb_needed_0`
  Condition condition;
  std::vector<StepId> steps;  ///< which run only if it is set
};

class StepConditions {
 public:
  /// Both live as long as this.
  StepConditions(const Transform& transform, const TransformPlan& plan);

  /// In the order in which they are declared: later ones may depend on earlier ones.
  [[nodiscard]] const std::vector<NeedFlag>& needs() const { return needs_; }

  /// When the step runs.
  [[nodiscard]] Condition runs(StepId step) const;
  /// When all of the steps run.
  [[nodiscard]] Condition all_run(const std::vector<StepId>& steps) const;
  /// When a step that has device versions tries one of them.
  [[nodiscard]] Condition tries_device(StepId step) const;
  /// Choices that make the step run, whoever needs it.
  [[nodiscard]] Condition choices(const Step& step) const;
  /// Choices under which the step runs in one of `versions`.
  [[nodiscard]] Condition chosen(const Step& step, std::span<const Version> versions) const;
  /// Whether one of the nest's steps is needed.
  [[nodiscard]] Condition is_needed(const Nest& nest) const;
  /// When the nest of that number runs, the flags of larger nests being `flag_of`.
  [[nodiscard]] Condition nest_runs(std::size_t nest, const std::function<Condition(std::size_t)>& flag_of) const;

  /// When some step that runs may read the matrix.
  [[nodiscard]] Condition is_read(MatrixId matrix) const;
  /// When some step that runs may read or write the matrix.
  [[nodiscard]] Condition is_used(MatrixId matrix) const;
  /// When some step that runs has the matrix as a whole, of whatever size.
  [[nodiscard]] Condition is_touched_whole(MatrixId matrix) const;

  /// Whether the site's choice is made in each call.
  [[nodiscard]] bool is_decided(SiteId site) const;
  /// Whether some device version of the step may be chosen.
  [[nodiscard]] bool has_device(StepId step) const;

  /// For a device version that computes all of the step.
  [[nodiscard]] CopyOutChoice copy_out(StepId step) const;
  /// For one that may be shared and is not: its instances write their part of the outputs once.
  [[nodiscard]] CopyOutChoice copy_out_of_whole(StepId step) const;
  /// For the device's share of a step. What the CPU needs of it afterwards is read back while the CPU does its
  /// own part. Results of the whole run are needed; of those of other calls nobody knows how much.
  [[nodiscard]] CopyOutChoice copy_out_of_part(StepId step) const;

 private:
  struct Followers {
    Condition on_cpu, on_device;
  };
  [[nodiscard]] Followers followers_of(StepId step) const;
  [[nodiscard]] CopyOutChoice copy_out_with(StepId step, const CopyOutChoice& of_output) const;
  [[nodiscard]] bool writes_temporaries(StepId step) const;
  [[nodiscard]] Condition need_of(StepId step) const;
  [[nodiscard]] Condition with_needs_and_guards(StepId step, Condition choices) const;
  [[nodiscard]] Condition any_runs(const std::function<bool(const Rule&)>& concerns) const;

  const Transform& transform_;
  const TransformPlan& plan_;
  std::vector<NeedFlag> needs_;
};

}  // namespace pb
