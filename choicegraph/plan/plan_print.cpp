// SPDX-License-Identifier: MIT
// The Plan's text form. plan_parse.cpp reads exactly this.
#include <charconv>

#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/plan_words.h"

namespace pb {
namespace {

using choices::word_of;

/// Prints one transform's plan; names come from the program.
class Printer {
 public:
  Printer(const TransformPlan& plan, const Transform& transform, const Program& program)
      : plan_(plan), transform_(transform), program_(program) {}

  std::string print() {
    out_ = "transform " + transform_.name + "\n";
    for (const SegmentId id : plan_.segments.ids()) print_segment(id);
    for (const SiteId id : plan_.sites.ids()) print_site(id);
    for (const StepId id : plan_.steps.ids()) print_step(id);
    for (const StepEdge& edge : plan_.edges)
      line(1, "edge " + number(edge.before.index()) + " -> " + number(edge.after.index()));
    for (const Nest& nest : plan_.nests) print_nest(nest);
    for (const MatrixId id : plan_.two_versions) line(1, "two-versions " + matrix_name(id));
    for (const MatrixId id : plan_.in_place) line(1, "in-place " + matrix_name(id));
    for (const WholeVersions& each : plan_.whole_versions)
      line(1, "all-versions " + matrix_name(each.matrix) + " because " + each.why);
    for (const FusedSteps& steps : plan_.fused) line(1, "fused" + ids_text(steps));
    for (const ForbiddenChoice& choice : plan_.forbidden) print_forbidden(choice);
    for (const Displacement& each : plan_.displaced)
      line(1, "displaced " + rule_name(each.rule) + " by " + rule_name(each.by) + " in " + matrix_name(each.matrix));
    for (const RuleId rule : plan_.left_out) line(1, "left-out " + rule_name(rule));
    for (const UncoveredBox& box : plan_.uncovered)
      line(1,
           "uncovered " + matrix_name(box.matrix) + box_text(box.box) + where(box.conditions) + condition(box.guards));
    for (const PlanTunable& tunable : plan_.tunables) print_tunable(tunable);
    if (!plan_.calls.empty()) print_calls();
    for (std::size_t i = 0; i < plan_.computations.size(); ++i)
      for (const Fold& fold : plan_.computations[i].folds) print_fold(RuleId(i), fold);
    return std::move(out_);
  }

 private:
  static std::string number(std::size_t value) { return std::to_string(value); }
  static std::string real(double value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
  }
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
  }
  const std::string& matrix_name(MatrixId id) const { return transform_.matrices[id].name; }
  const std::string& rule_name(RuleId id) const { return transform_.rules[id].name; }

  static std::string range_text(const IndexRange& range) {
    return "[" + to_string(range.lo) + ", " + to_string(range.hi) + ")";
  }
  static std::string box_text(const std::vector<IndexRange>& box) {
    std::string out;
    for (const IndexRange& range : box) out += (out.empty() ? " " : " x ") + range_text(range);
    return out;
  }
  static std::string condition(const std::vector<IndexExpr>& guards) {
    std::string out;
    for (const IndexExpr& guard : guards) out += (out.empty() ? " if " : " and ") + to_string(guard) + " >= 0";
    return out;
  }
  static std::string where(const std::vector<IndexExpr>& conditions) {
    std::string out;
    for (const IndexExpr& item : conditions) out += (out.empty() ? " where " : " and ") + to_string(item) + " >= 0";
    return out;
  }
  template <class IdT>
  static std::string ids_text(const std::vector<IdT>& ids) {
    std::string out;
    for (const IdT id : ids) out += " " + number(id.index());
    return out;
  }
  template <class Number>
  static std::string numbers_text(const std::vector<Number>& items) {
    std::string out;
    for (const Number item : items) out += " " + std::to_string(item);
    return out;
  }
  static std::string tuple_text(const std::vector<IndexExpr>& items) {
    std::string out;
    for (const IndexExpr& item : items) out += (out.empty() ? "" : ", ") + to_string(item);
    return "(" + out + ")";
  }

  void print_segment(SegmentId id) {
    const Segment& segment = plan_.segments[id];
    std::string text = "segment " + number(id.index()) + ": " + matrix_name(segment.matrix) + box_text(segment.box) +
                       where(segment.conditions) + " by";
    for (const RuleId rule : segment.candidates) text += " " + rule_name(rule);
    text += " at " + number(segment.site.index());
    if (plan_.sites[segment.site].parts.size() > 1) text += "." + number(segment.part);
    if (segment.only_small_sizes) text += " small";
    line(1, text + condition(segment.guards));
  }

  void print_site(SiteId id) {
    const Site& site = plan_.sites[id];
    line(1, "site " + number(id.index()) + ": " + site.name);
    for (const Alternative& alternative : site.alternatives) {
      std::string text = alternative.name + ":";
      for (const Version version : alternative.versions) text += std::string(" ") + to_string(version);
      line(2, text);
      if (alternative.why_not_device) line(3, "no opencl: " + alternative.why_not_device->reason);
      if (alternative.why_not_local_memory) line(3, "no opencl_local: " + alternative.why_not_local_memory->reason);
    }
    for (const FixedLevel& level : site.fixed) {
      std::string text = "fixed from " + std::to_string(level.from) + ": " + site.alternatives[level.alternative].name +
                         " " + to_string(level.version);
      if (level.schedule != 0) text += " schedule " + std::to_string(level.schedule);
      if (level.by != 0) text += " by " + std::to_string(level.by);
      line(2, text);
    }
  }

  void print_step(StepId id) {
    const Step& step = plan_.steps[id];
    std::string text = "step " + number(id.index()) + ": " + rule_name(step.rule) + " at " + number(step.site.index()) +
                       " writes" + ids_text(step.segments);
    if (!step.left_to_others.empty()) text += " leaves" + ids_text(step.left_to_others);
    if (!step.reads.empty()) text += " reads" + ids_text(step.reads);
    line(1, text + condition(step.guards));
    for (const LoopDim& loop : step.loops) print_loop(2, loop);
    if (!step.conditions.empty()) line(2, where(step.conditions).substr(1));
    if (step.device_share)
      line(2,
           "shared at " + step.loops[step.device_share->loop].var + " along" + numbers_text(step.device_share->dims));
    for (const InputBox& box : step.input_boxes) {
      std::string input = "input " + number(box.input) + ": at " + tuple_text(box.lo);
      input += box.extent_is_uniform ? " extent " + tuple_text(box.extent) : " to " + tuple_text(box.hi);
      if (box.is_same_for_all_instances) input += " same";
      line(2, input);
    }
  }

  void print_loop(int depth, const LoopDim& loop) {
    std::string text = "for " + loop.var + " in " + range_text(loop.range);
    if (!loop.lower.empty()) text += " from " + tuple_text(loop.lower);
    if (!loop.upper.empty()) text += " to " + tuple_text(loop.upper);
    if (loop.stride > 1) text += " step " + std::to_string(loop.stride) + " at " + tuple_text({loop.offset});
    line(depth, text + " " + std::string(word_of(choices::kOrderWords, loop.order)));
  }

  void print_nest(const Nest& nest) {
    line(1, "nest");
    for (const NestRow& row : nest.rows) {
      line(2, "row" + numbers_text(row.coefficients) + " " + std::string(word_of(choices::kRowWords, row.kind)));
    }
    for (const NestMember& member : nest.members) {
      std::vector<IndexExpr> at;
      for (const NestCoordinate& coordinate : member.coordinates) at.push_back(to_index_expr(coordinate));
      line(2, "member " + number(member.step.index()) + ": at " + tuple_text(at));
      for (const LoopDim& loop : member.loops) print_loop(3, loop);
    }
  }

  void print_forbidden(const ForbiddenChoice& choice) {
    std::string text = "forbidden";
    for (const auto& [site, alternative] : choice)
      text += " " + number(site.index()) + " " + plan_.sites[site].alternatives[alternative].name;
    line(1, text);
  }

  void print_tunable(const PlanTunable& tunable) {
    std::string text = "tunable " + tunable.name + ": " + to_string(tunable.role);
    if (tunable.is_real) text += " real";
    if (tunable.is_size_specific) text += " sizespecific";
    for (const double value : tunable.initial) text += " " + real(value);
    text += " in " + real(tunable.min) + ".." + real(tunable.max);
    if (tunable.rule) text += " of " + rule_name(*tunable.rule) + " " + to_string(tunable.version);
    if (!tunable.fixed.empty()) text += " fixed";
    for (const double value : tunable.fixed) text += " " + real(value);
    line(1, text);
  }

  void print_calls() {
    std::string text = "calls";
    for (const TransformId id : plan_.calls) text += " " + program_.transforms[id].name;
    line(1, text);
  }

  void print_fold(RuleId rule, const Fold& fold) {
    std::string text = "fold " + rule_name(rule) + ": " + fold.var + " loop " + number(fold.loop.index()) + " step " +
                       std::to_string(fold.step);
    if (fold.outer) text += " in " + number(*fold.outer);
    line(1, text);
    for (const Accumulator& each : fold.accumulators) {
      text = "accumulator " + each.name + " " + spelling(each.op) + " ";
      text += word_of(choices::kRegroupingWords, each.regrouping);
      for (std::size_t i = 0; i < each.places.size(); ++i) text += (i == 0 ? " with " : " ") + each.places[i].name;
      line(2, text);
    }
  }

  const TransformPlan& plan_;
  const Transform& transform_;
  const Program& program_;
  std::string out_;
};

}  // namespace

std::string to_string(const Plan& plan, const Program& program) {
  std::string out;
  for (const TransformPlan& transform : plan.transforms) {
    if (!out.empty()) out += "\n";
    out += Printer(transform, program.transforms[transform.transform], program).print();
  }
  return out;
}

}  // namespace pb
