// SPDX-License-Identifier: MIT
// Derives from the Plan under which choices and sizes of a call the steps of a transform run, where they run, and what
// follows them.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/copy_out.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shapes.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// The first case that holds, else `otherwise`.
struct CopyOutChoice {
  struct Case {
    Condition condition;
    CopyOut copy_out = CopyOut::May;

    bool operator==(const Case&) const = default;
  };
  std::vector<Case> cases;  ///< conditions that only a call can decide
  CopyOut otherwise = CopyOut::May;

  bool operator==(const CopyOutChoice&) const = default;
};

/// A flag of a call: whether some step runs that reads what certain other steps write.
struct NeedFlag {
  std::string name;  ///< `pb_needed_0`
  Condition condition;
  std::vector<StepId> steps;  ///< those other steps, which run only if the flag is set

  bool operator==(const NeedFlag&) const = default;
};

class StepConditions {
 public:
  /// Pre: the transform and its Plan outlive this object
  StepConditions(const Transform& transform, const TransformPlan& plan, const RuleShapes& rules);

  /// The flags, in the order of their declarations: later ones may depend on earlier ones.
  [[nodiscard]] const std::vector<NeedFlag>& needs() const { return needs_; }

  /// When the step runs.
  [[nodiscard]] Condition runs(StepId step) const;
  /// When all of the steps run.
  [[nodiscard]] Condition all_run(const std::vector<StepId>& steps) const;
  /// When a step that has device versions tries one of them.
  [[nodiscard]] Condition tries_device(StepId step) const;
  /// When the choices make the step run, whether or not a step needs its results.
  [[nodiscard]] Condition choices(const Step& step) const;
  /// When the choices make the step run in one of `versions`.
  [[nodiscard]] Condition chosen(const Step& step, std::span<const Version> versions) const;
  /// Whether one of the nest's steps is needed.
  [[nodiscard]] Condition is_needed(const Nest& nest) const;
  /// When the nest of that number runs. `flag_of` gives the flags of the larger nests, which exclude it.
  [[nodiscard]] Condition nest_runs(std::size_t nest, const std::function<Condition(std::size_t)>& flag_of) const;

  /// When some step that runs may read the matrix.
  [[nodiscard]] Condition is_read(MatrixId matrix) const;
  /// When some step that runs may read or write the matrix.
  [[nodiscard]] Condition is_used(MatrixId matrix) const;
  /// When some step that runs accesses the matrix as a whole, even if the matrix is empty.
  [[nodiscard]] Condition is_touched_whole(MatrixId matrix) const;

  /// Whether the site's choice is made in each call.
  [[nodiscard]] bool is_decided(SiteId site) const;
  /// Whether some device version of the step may be chosen.
  [[nodiscard]] bool has_device(StepId step) const;

  /// Where the outputs of a device version go that always computes all of the step.
  [[nodiscard]] CopyOutChoice copy_out(StepId step) const;
  /// Where the outputs of a device version go that may be shared with the CPU and is not. Its instances write their
  /// part of the outputs once.
  [[nodiscard]] CopyOutChoice copy_out_of_whole(StepId step) const;
  /// Where the outputs go of a slice that is a launch of its own: later slices may need them at once, on either side.
  [[nodiscard]] CopyOutChoice copy_out_of_slice(StepId step) const;
  /// Where the outputs of the device's share of a step go. What the CPU needs of them afterwards is read back while the
  /// CPU computes its own part. The results of the whole run are needed; how much of the results of another call is
  /// needed is not known.
  [[nodiscard]] CopyOutChoice copy_out_of_part(StepId step) const;

 private:
  struct Followers {
    Condition on_cpu, on_device;
  };
  [[nodiscard]] Followers followers_of(StepId step) const;
  /// Whether the host code of `after` may look at cells that `before` writes, instead of only passing them to calls.
  [[nodiscard]] bool touches_result(const Step& after, const Step& before) const;
  [[nodiscard]] CopyOutChoice copy_out_with(StepId step, const CopyOutChoice& of_output) const;
  [[nodiscard]] bool writes_temporaries(StepId step) const;
  [[nodiscard]] Condition need_of(StepId step) const;
  [[nodiscard]] Condition with_needs_and_guards(StepId step, Condition choices) const;
  [[nodiscard]] Condition any_runs(const std::function<bool(const Rule&)>& concerns) const;

  const Transform& transform_;
  const TransformPlan& plan_;
  std::vector<NeedFlag> needs_;
  std::set<std::pair<RuleId, MatrixId>> passed_on_;  ///< matrices that a rule's body only passes to calls
};

}  // namespace pb
