// SPDX-License-Identifier: MIT
#include "choicegraph/plan/verify_plan.h"

#include <algorithm>
#include <map>

#include "lang/check.h"

namespace pb {
namespace {

void verify_segments(const TransformPlan& plan, const Transform& transform) {
  for (const SegmentId id : plan.segments.ids()) {
    const Segment& segment = plan.segments[id];
    PB_CHECK(segment.matrix.index() < transform.matrices.size(), "a segment lies in a matrix of its transform");
    const Matrix& matrix = transform.matrices[segment.matrix];
    PB_CHECK(matrix.role != MatrixRole::From, "inputs are not computed");
    PB_CHECK(static_cast<int>(segment.box.size()) == matrix.num_dims(), "a segment has a range per dimension");
    PB_CHECK(!segment.candidates.empty(), "a segment has a candidate");
    for (const RuleId rule : segment.candidates)
      PB_CHECK(rule.index() < transform.rules.size(), "candidates are rules");
    PB_CHECK(segment.site.index() < plan.sites.size(), "a segment belongs to a site");
    PB_CHECK(segment.part < plan.sites[segment.site].parts.size(), "a segment belongs to a part of its site");
    const std::vector<SegmentId>& of_site = plan.sites[segment.site].segments;
    PB_CHECK(std::find(of_site.begin(), of_site.end(), id) != of_site.end(), "a site lists its segments");
  }
}

/// Folds are loops of their rules' bodies, and each lies in an earlier one or in none.
void verify_computations(const TransformPlan& plan, const Transform& transform) {
  PB_CHECK(plan.computations.empty() || plan.computations.size() == transform.rules.size(), "a computation per rule");
  for (std::size_t rule = 0; rule < plan.computations.size(); ++rule) {
    const std::vector<Fold>& folds = plan.computations[rule].folds;
    const Body& body = transform.rules[RuleId(rule)].body;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      PB_CHECK(std::holds_alternative<ForStmt>(body.stmts[folds[i].loop].node), "a fold is a `for` loop");
      PB_CHECK(!folds[i].accumulators.empty() && folds[i].step != 0, "a fold counts and has an accumulator");
      PB_CHECK(!folds[i].outer || *folds[i].outer < i, "outer folds come first");
    }
  }
}

void verify_displaced(const TransformPlan& plan, const Transform& transform) {
  for (const Displacement& each : plan.displaced) {
    PB_CHECK(each.rule.index() < transform.rules.size() && each.by.index() < transform.rules.size(),
             "displaced are rules, by rules");
    PB_CHECK(each.matrix.index() < transform.matrices.size() && transform.matrices[each.matrix].has_versions,
             "they are displaced in a matrix with versions");
  }
  for (const RuleId rule : plan.left_out)
    PB_CHECK(rule.index() < transform.rules.size(), "instances of rules are left out");
}

void verify_fixed_levels(const Site& site, const Transform& transform) {
  std::map<int, std::int64_t> last;  // by what levels test
  for (std::size_t i = 0; i < site.fixed.size(); ++i) {
    const FixedLevel& level = site.fixed[i];
    const bool is_ordered = i == 0 ? level.from == 0 && level.by == 0 : level.from > last[level.by];
    PB_CHECK(is_ordered, "fixed levels start at 0 and increase");
    last[level.by] = level.from;
    PB_CHECK(level.by >= 0 && static_cast<std::size_t>(level.by) <= transform.size_vars.size(),
             "fixed levels test size variables");
    PB_CHECK(level.schedule >= 0, "and have a schedule");
    PB_CHECK(level.alternative < site.alternatives.size(), "fixed levels name alternatives");
    const std::vector<Version>& versions = site.alternatives[level.alternative].versions;
    PB_CHECK(std::find(versions.begin(), versions.end(), level.version) != versions.end(), "and versions of them");
  }
}

void verify_sites(const TransformPlan& plan, const Transform& transform) {
  for (const Site& site : plan.sites) {
    PB_CHECK(!site.alternatives.empty(), "a site has an alternative");
    PB_CHECK(!site.segments.empty(), "a site decides about a segment");
    for (const Alternative& alternative : site.alternatives) {
      PB_CHECK(alternative.rules.size() == site.parts.size(), "an alternative has a rule per part");
      for (const RuleId rule : alternative.rules)
        PB_CHECK(rule.index() < transform.rules.size(), "alternatives are rules");
      PB_CHECK(!alternative.versions.empty() && alternative.versions.front() == Version::Cpu,
               "every rule runs on the CPU");
    }
    for (const SegmentId id : site.segments) PB_CHECK(id.index() < plan.segments.size(), "a site's segments exist");
    verify_fixed_levels(site, transform);
  }
}

bool names_only(const IndexExpr& expr, const std::vector<std::string>& names, const Rule& rule) {
  const std::vector<std::string> symbols = symbols_of(expr);
  return std::all_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
    const bool is_var =
        std::any_of(rule.vars.begin(), rule.vars.end(), [&](const RuleVar& v) { return v.name == symbol; });
    return !is_var || std::find(names.begin(), names.end(), symbol) != names.end();
  });
}

/// Bounds of a loop name the rule variables of the loops outside of it and no others.
void verify_bounds(const Step& step, const Rule& rule) {
  std::vector<std::string> outer;
  for (const LoopDim& loop : step.loops) {
    PB_CHECK(names_only(loop.range.lo, {}, rule) && names_only(loop.range.hi, {}, rule), "ranges name sizes alone");
    for (const auto* list : {&loop.lower, &loop.upper})
      for (const IndexExpr& bound : *list) PB_CHECK(names_only(bound, outer, rule), "bounds name the loops outside");
    PB_CHECK(loop.stride >= 1 && names_only(loop.offset, outer, rule), "strides name the loops outside");
    outer.push_back(loop.var);
  }
}

void verify_step(const TransformPlan& plan, const Transform& transform, const Step& step) {
  PB_CHECK(step.rule.index() < transform.rules.size(), "a step applies a rule");
  const Rule& rule = transform.rules[step.rule];
  PB_CHECK(step.site.index() < plan.sites.size(), "a step belongs to a site");
  PB_CHECK(!step.segments.empty(), "a step writes a segment");
  for (const SegmentId id : step.segments)
    PB_CHECK(id.index() < plan.segments.size(), "a step writes segments that exist");
  for (const SegmentId id : step.reads) PB_CHECK(id.index() < plan.segments.size(), "a step reads segments that exist");
  PB_CHECK(step.loops.size() == rule.vars.size(), "a step loops over its rule's variables");
  for (const LoopDim& loop : step.loops) {
    PB_CHECK(std::any_of(rule.vars.begin(), rule.vars.end(), [&](const RuleVar& var) { return var.name == loop.var; }),
             "loops are over rule variables");
    PB_CHECK(!step.is_data_parallel || loop.order == LoopOrder::Parallel, "data-parallel loops have no direction");
  }
  verify_bounds(step, rule);
  for (const InputBox& box : step.input_boxes) PB_CHECK(box.hi.size() == box.lo.size(), "an input's box has an end");
  PB_CHECK(step.input_boxes.empty() || step.input_boxes.size() == rule.inputs.size(), "an input box per input");
  const Site& site = plan.sites[step.site];
  PB_CHECK(std::any_of(site.alternatives.begin(), site.alternatives.end(),
                       [&](const Alternative& a) { return runs(plan, a, step); }),
           "a step runs under an alternative of its site");
}

void verify_nest(const TransformPlan& plan, const Transform& transform, const Nest& nest) {
  PB_CHECK(!nest.rows.empty() && !nest.members.empty(), "a nest has rows and members");
  const bool is_sliced = nest.rows.front().kind == RowKind::Slices;
  for (const NestRow& row : nest.rows) {
    PB_CHECK(row.coefficients.size() == nest.rows.size(), "a nest has as many rows as coordinates");
    PB_CHECK((row.kind == RowKind::Slices) == is_sliced, "all rows of a nest are slices, or none");
  }
  for (const NestMember& member : nest.members) {
    PB_CHECK(member.step.index() < plan.steps.size(), "members of a nest are steps");
    const Step& step = plan.steps[member.step];
    std::size_t num_vars = member.loops.size();
    for (const NestCoordinate& coordinate : member.coordinates) num_vars += coordinate.var.empty() ? 0 : 1;
    PB_CHECK(member.coordinates.size() == nest.rows.size(), "a member of a nest has all coordinates");
    PB_CHECK(num_vars == transform.rules[step.rule].vars.size(), "a member of a nest uses each rule variable once");
  }
}

void verify_fused(const TransformPlan& plan, const FusedSteps& steps) {
  PB_CHECK(steps.size() > 1, "a loop is fused of several");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    PB_CHECK(steps[i].index() < plan.steps.size(), "fused loops are those of steps");
    const Step& step = plan.steps[steps[i]];
    PB_CHECK(step.is_data_parallel && is_box(step), "fused loops are data parallel and over boxes");
    PB_CHECK(step.loops.size() == plan.steps[steps[0]].loops.size(), "fused loops have as many dimensions");
    for (std::size_t k = 0; k < i; ++k) {
      PB_CHECK(steps[k] < steps[i] && may_run_together(plan, plan.steps[steps[k]], step),
               "fused loops run in the same calls");
      PB_CHECK(!has_edge(plan, steps[k], steps[i]), "fused loops have no order");
    }
  }
}

void verify_tunable(const PlanTunable& tunable) {
  PB_CHECK(static_cast<int>(tunable.initial.size()) == tunable.count, "an initial value per element of a tunable");
  const std::size_t num_values = tunable.initial.size() * (tunable.is_size_specific ? 32 : 1);
  PB_CHECK(tunable.fixed.size() % num_values == 0, "a fixed value per element and range of sizes, or schedule");
  PB_CHECK(tunable.fixed.size() <= num_values || tunable.rule, "only what belongs to a rule is in schedules");
}

/// If there is no common order, every pair of edges in both directions must depend on choices or lie inside of a nest.
void verify_order(const TransformPlan& plan) {
  const bool has_choices =
      std::any_of(plan.sites.begin(), plan.sites.end(), [](const Site& site) { return site.alternatives.size() > 1; });
  PB_CHECK(has_choices || is_ordered(plan), "steps stand in the order of the edges");
  for (const StepEdge& edge : plan.edges)
    PB_CHECK(edge.before.index() < plan.steps.size() && edge.after.index() < plan.steps.size(), "edges join steps");
  for (const ForbiddenChoice& choice : plan.forbidden)
    for (const auto& [site, alternative] : choice)
      PB_CHECK(site.index() < plan.sites.size() && alternative < plan.sites[site].alternatives.size(),
               "forbidden choices are choices");
}

}  // namespace

void verify(const Plan& plan, const Program& program) {
  PB_CHECK(plan.transforms.size() == program.transforms.size(), "a plan per transform");
  for (std::size_t i = 0; i < plan.transforms.size(); ++i) {
    const TransformPlan& transform_plan = plan.transforms[i];
    PB_CHECK(transform_plan.transform == TransformId(i), "plans stand in the order of the transforms");
    const Transform& transform = program.transforms[transform_plan.transform];
    verify_segments(transform_plan, transform);
    verify_sites(transform_plan, transform);
    verify_displaced(transform_plan, transform);
    verify_computations(transform_plan, transform);
    for (const Step& step : transform_plan.steps) verify_step(transform_plan, transform, step);
    verify_order(transform_plan);
    for (const Nest& nest : transform_plan.nests) verify_nest(transform_plan, transform, nest);
    for (const FusedSteps& steps : transform_plan.fused) verify_fused(transform_plan, steps);
    for (const PlanTunable& tunable : transform_plan.tunables) verify_tunable(tunable);
  }
}

}  // namespace pb
