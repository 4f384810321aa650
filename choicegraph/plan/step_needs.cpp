// SPDX-License-Identifier: MIT
#include "choicegraph/plan/step_needs.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pb {
namespace {

bool reads_from(const Step& reader, const Step& writer) {
  return std::any_of(reader.reads.begin(), reader.reads.end(), [&](SegmentId id) {
    return std::find(writer.segments.begin(), writer.segments.end(), id) != writer.segments.end();
  });
}

/// Finds the needs of one plan. Steps that read each other, directly or not, are one group.
class Needs {
 public:
  Needs(const TransformPlan& plan, const Transform& transform)
      : plan_(plan), transform_(transform), readers_(plan.steps.size()), state_(plan.steps.size(), State::Unseen) {
    for (const StepId writer : plan.steps.ids())
      for (const StepId reader : plan.steps.ids())
        if (reader != writer && reads_from(plan.steps[reader], plan.steps[writer]))
          readers_[writer.index()].push_back(reader);
  }

  std::vector<StepNeed> find() {
    for (const StepId id : plan_.steps.ids()) visit(id);
    return std::move(out_);
  }

 private:
  enum class State : std::uint8_t { Unseen, Needed, Conditional };

  [[nodiscard]] bool writes_result(StepId id) const {
    const std::vector<SegmentId>& segments = plan_.steps[id].segments;
    return std::any_of(segments.begin(), segments.end(), [&](SegmentId segment) {
      return transform_.matrices[plan_.segments[segment].matrix].role != MatrixRole::Through;
    });
  }

  /// The steps that need `id`, directly or through others, and `id` itself.
  [[nodiscard]] std::vector<bool> reached_from(StepId id) const {
    std::vector<bool> seen(plan_.steps.size(), false);
    std::vector<StepId> next{id};
    seen[id.index()] = true;
    while (!next.empty()) {
      const StepId step = next.back();
      next.pop_back();
      for (const StepId reader : readers_[step.index()]) {
        if (seen[reader.index()]) continue;
        seen[reader.index()] = true;
        next.push_back(reader);
      }
    }
    return seen;
  }

  void visit(StepId id) {
    if (state_[id.index()] != State::Unseen) return;
    StepNeed need;
    const std::vector<bool> reached = reached_from(id);
    for (const StepId other : plan_.steps.ids())
      if (reached[other.index()] && reached_from(other)[id.index()]) need.steps.push_back(other);
    for (const StepId member : need.steps)
      for (const StepId reader : readers_[member.index()])
        if (std::find(need.steps.begin(), need.steps.end(), reader) == need.steps.end() &&
            std::find(need.readers.begin(), need.readers.end(), reader) == need.readers.end())
          need.readers.push_back(reader);
    for (const StepId reader : need.readers) visit(reader);
    const bool is_needed =
        std::any_of(need.steps.begin(), need.steps.end(), [&](StepId step) { return writes_result(step); }) ||
        std::any_of(need.readers.begin(), need.readers.end(), [&](StepId reader) {
          const Step& step = plan_.steps[reader];
          return state_[reader.index()] == State::Needed && always_runs(plan_, step) && step.guards.empty();
        });
    for (const StepId step : need.steps) state_[step.index()] = is_needed ? State::Needed : State::Conditional;
    if (!is_needed) out_.push_back(std::move(need));
  }

  const TransformPlan& plan_;
  const Transform& transform_;
  std::vector<std::vector<StepId>> readers_;  ///< the readers of each step
  std::vector<State> state_;
  std::vector<StepNeed> out_;
};

}  // namespace

std::vector<StepNeed> needs_of(const TransformPlan& plan, const Transform& transform) {
  return Needs(plan, transform).find();
}

}  // namespace pb
