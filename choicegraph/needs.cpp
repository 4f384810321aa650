// SPDX-License-Identifier: MIT
// What has to be computed (docs/reference/language.md 6.4): the cells of temporaries from which some result follows,
// whatever is chosen; and, among the steps of a plan, those that run for the sake of others only.
#include <algorithm>
#include <utility>

#include "choicegraph/analysis.h"

namespace pb::choices {
namespace {

bool writes_any(const Rule& rule, const std::vector<Region>& needed) {
  return std::any_of(rule.outputs.begin(), rule.outputs.end(), [&](const RegionAccess& access) {
    return access.cells.range().intersects(needed[access.matrix.index()]);
  });
}

/// Whether no two instances of the rule write one cell by this access.
bool is_private(const Rule& rule, const RegionAccess& access) { return rule.vars.empty() || access.cells.is_injective(); }

}  // namespace

std::vector<Region> needed_cells(const Analysis& analysis) {
  std::vector<Region> out;
  bool has_temporaries = false;
  for (const MatrixId matrix : analysis.transform.matrices.ids()) {
    const Region& all = analysis.cells[matrix.index()];
    const bool is_temporary = analysis.matrix(matrix).role == MatrixRole::Through;
    has_temporaries = has_temporaries || is_temporary;
    out.push_back(is_temporary ? Region::nothing(analysis.context, all.dims()) : all);
  }
  if (!has_temporaries) return out;
  std::vector<RuleId> idle;
  for (const RuleId id : analysis.transform.rules.ids()) idle.push_back(id);
  for (std::size_t before = idle.size() + 1; idle.size() < before;) {
    before = idle.size();
    std::erase_if(idle, [&](RuleId id) {
      const Rule& rule = analysis.rule(id);
      if (!writes_any(rule, out)) return false;
      for (const RegionAccess& access : rule.inputs) {
        Region& cells = out[access.matrix.index()];
        cells = cells.unite(access.cells.range()).coalesce();
      }
      return true;
    });
  }
  return out;
}

bool is_idle(const Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix, const Region& cells) {
  if (analysis.matrix(matrix).role != MatrixRole::Through || cells.intersects(needed[matrix.index()])) return false;
  int num_writers = 0;
  for (const Rule& rule : analysis.transform.rules) {
    if (!writes_any(rule, needed)) continue;
    int num_accesses = 0;
    for (const RegionAccess& access : rule.outputs) {
      if (access.matrix != matrix || !access.cells.range().intersects(cells)) continue;
      ++num_accesses;
      if (!is_private(rule, access)) return false;
    }
    if (num_accesses > 1 && !rule.vars.empty()) return false;
    num_writers += num_accesses > 0 ? 1 : 0;
  }
  return num_writers <= 1;
}

}  // namespace pb::choices

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

  /// Steps that `id` is needed by, through any number of others; with itself.
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
  std::vector<std::vector<StepId>> readers_;  ///< by step
  std::vector<State> state_;
  std::vector<StepNeed> out_;
};

}  // namespace

std::vector<StepNeed> needs_of(const TransformPlan& plan, const Transform& transform) {
  return Needs(plan, transform).find();
}

}  // namespace pb
