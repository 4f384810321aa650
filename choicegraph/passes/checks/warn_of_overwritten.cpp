// SPDX-License-Identifier: MIT
#include "choicegraph/passes/checks/warn_of_overwritten.h"

#include <algorithm>
#include <utility>

#include "choicegraph/passes/segments/report_uncovered.h"
#include "lang/region/nest.h"

namespace pb::choices {
namespace {

/// A rule keeps little if it keeps less than one in this many of its cells. The cells are counted at sizes of 1000, at
/// which borders hardly count.
constexpr std::int64_t kShare = 10;
constexpr std::int64_t kSampleSize = 1000;

SymbolValues sample_sizes(const Analysis& analysis) {
  SymbolValues out;
  for (const SizeVar& var : analysis.transform.size_vars) out.emplace_back(var.name, kSampleSize);
  for (const UserTunable& tunable : analysis.transform.tunables)
    out.emplace_back(tunable.name, static_cast<std::int64_t>(tunable.initial));
  return out;
}

/// The number of cells at the sample sizes, conditions aside; none if it cannot be said.
std::optional<std::int64_t> count_cells(const Analysis& analysis, const Region& cells) {
  const auto pieces = disjoint_pieces(cells, analysis.known);
  if (!pieces) return std::nullopt;
  const SymbolValues sizes = sample_sizes(analysis);
  std::int64_t out = 0;
  for (const RegionBox& piece : *pieces) {
    std::int64_t count = 1;
    for (const Interval& dim : piece.dims) {
      const auto lo = evaluate(dim.lo, sizes);
      const auto hi = evaluate(dim.hi, sizes);
      if (!lo || !hi) return std::nullopt;
      count *= std::clamp<std::int64_t>(*hi - *lo, 0, kSampleSize * kSampleSize);
    }
    out += count;
  }
  return out;
}

/// What happens to the cells of one matrix that a step writes.
struct Fate {
  MatrixId matrix;
  Region kept, overwritten;
};

/// A step that runs by default, or whatever is chosen.
class Overwritten {
 public:
  Overwritten(Analysis& analysis, StepId id)
      : analysis_(analysis),
        plan_(analysis.plan),
        step_(analysis.plan.steps[id]),
        sets_(analysis.step_sets[id.index()]) {}

  void warn() {
    const auto& alternatives = plan_.sites[step_.site].alternatives;
    if (!always_runs(plan_, step_) && !runs(plan_, alternatives.front(), step_)) return;
    bool keeps_little = false;
    for (const Fate& fate : fates()) {
      if (fate.overwritten.is_empty()) {
        if (!fate.kept.is_empty()) return;
        continue;
      }
      const auto num_kept = count_cells(analysis_, fate.kept);
      const auto num_overwritten = count_cells(analysis_, fate.overwritten);
      if (!num_kept || !num_overwritten || *num_kept * kShare >= *num_overwritten) return;
      if (*num_kept == 0) continue;
      keeps_little = true;
      kept_text_ += (kept_text_.empty() ? "" : ", ") + cells_in_words(analysis_, fate.matrix, fate.kept) + " of `" +
                    analysis_.matrix(fate.matrix).name + "`";
    }
    if (keeps_little) emit();
  }

 private:
  std::vector<Fate> fates() {
    const std::vector<RegionAccess>& outputs = analysis_.rule(step_.rule).outputs;
    std::vector<Fate> out;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const MatrixId matrix = outputs[i].matrix;
      const Region none = Region::nothing(analysis_.context, analysis_.cells[matrix.index()].dims());
      Fate& fate = out.emplace_back(Fate{matrix, none, none});
      for (const SegmentId id : plan_.segments.ids()) {
        if (plan_.segments[id].matrix != matrix) continue;
        const Region cells = sets_.writes[i].intersect(analysis_.segment_sets[id.index()]);
        if (cells.is_empty()) continue;
        const auto other = overwriter_of(id);
        Region& all = other ? fate.overwritten : fate.kept;
        all = all.unite(cells).coalesce();
        if (other && (!by_ || (other->second && !is_by_default_))) {
          by_ = other->first;
          is_by_default_ = other->second;
        }
      }
    }
    return out;
  }

  /// The rule that owns a segment while the step runs, and whether it does by default; none if the step does.
  std::optional<std::pair<RuleId, bool>> overwriter_of(SegmentId id) const {
    const Segment& segment = plan_.segments[id];
    const bool is_here = segment.site == step_.site;
    const std::vector<Alternative>& alternatives = plan_.sites[segment.site].alternatives;
    for (const Alternative& alternative : alternatives) {
      const bool is_default = &alternative == &alternatives.front();
      if (is_here ? !runs(plan_, alternative, step_) : !is_default && !always_runs(plan_, step_)) continue;
      const RuleId owner = alternative.rules[segment.part];
      if (owner != step_.rule) return std::pair{owner, is_default};
    }
    return std::nullopt;
  }

  void emit() {
    const Rule& rule = analysis_.rule(step_.rule);
    const Rule& by = analysis_.rule(*by_);
    analysis_.diags.emit(DiagKind::RuleOverwritten, rule.span)
        .arg(rule.name)
        .arg(kept_text_)
        .arg(by.name)
        .arg(is_by_default_ ? "" : " where it is chosen")
        .note(by.span, "the rule that overwrites")
        .hint("a rule that makes " + kept_text_ + " alone and comes first, by its priority or its place, spares that");
  }

  Analysis& analysis_;
  const TransformPlan& plan_;
  const Step& step_;
  const StepSets& sets_;
  std::optional<RuleId> by_;
  bool is_by_default_ = false;
  std::string kept_text_;
};

}  // namespace

void warn_of_overwritten(Analysis& analysis) {
  for (const StepId id : analysis.plan.steps.ids())
    if (!is_cell_rule(analysis.rule(analysis.plan.steps[id].rule))) Overwritten(analysis, id).warn();
}

}  // namespace pb::choices
