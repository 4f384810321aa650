// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/lift_loops.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "choicegraph/passes/analysis/body_formulas.h"
#include "choicegraph/passes/computation/loop_effects.h"
#include "choicegraph/passes/computation/loop_head.h"
#include "choicegraph/passes/computation/region_uses.h"
#include "choicegraph/passes/computation/rewrite_loops.h"
#include "lang/body/body_walk.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

using choices::are_equal, choices::never_holds, choices::range_of;
using choices::bound_access, choices::BoundAccess, choices::BoundRegion, choices::count_mentions, choices::RegionUses;
using choices::first_declarators, choices::LoopEffects, choices::LoopHead, choices::OuterAssignment;
using choices::read_loop_effects, choices::read_loop_head, choices::rewrite_loops, choices::uses_of;

/// Why loops do not become variables; nothing prevents it if `reason` is empty.
struct Refusal {
  std::string reason;
  Span span;
};

/// The one statement of a block, apart from empty ones; none if there are others.
StmtId only_stmt(const Body& body, StmtId id) {
  const auto* block = std::get_if<BlockStmt>(&body.stmts[id].node);
  if (block == nullptr) return id;
  StmtId out;
  for (const StmtId each : block->stmts) {
    if (std::holds_alternative<EmptyStmt>(body.stmts[each].node)) continue;
    if (!out.is_none()) return {};
    out = each;
  }
  return out.is_none() ? out : only_stmt(body, out);
}

/// The loop that is all that a statement does and that is written as a loop; none if there is none.
StmtId only_loop(const Body& body, StmtId id) {
  const StmtId stmt = only_stmt(body, id);
  return !stmt.is_none() && std::holds_alternative<ForStmt>(body.stmts[stmt].node) ? stmt : StmtId();
}

std::vector<std::string> names_of(const Rule& rule) {
  std::vector<std::string> out;
  for (const RuleVar& var : rule.vars) out.push_back(var.name);
  return out;
}

/// Whether it is known which versions a region has: those of a matrix as a whole are a dimension like others only where
/// all of them are meant.
bool is_known_part(const Transform& transform, const RegionAccess& access) {
  return access.is_slice || !transform.matrices[access.matrix].has_versions;
}

bool has_affine_where(const Rule& rule) {
  const auto are_affine = [](const std::vector<Relation>& all) {
    return std::all_of(all.begin(), all.end(), [](const Relation& relation) { return is_affine(relation); });
  };
  return are_affine(rule.where) && std::all_of(rule.where_any.begin(), rule.where_any.end(), [&](const auto& any) {
           return std::all_of(any.any.begin(), any.any.end(), are_affine);
         });
}

class Lifter {
 public:
  Lifter(const RegionContext& context, const Transform& transform, Rule& rule)
      : transform_(transform),
        rule_(rule),
        body_(rule.body),
        known_(known_sizes(context, transform)),
        scope_(formula_scope(transform, known_)),
        instances_(Region::universe(context, names_of(rule)).intersect_parameters(known_)) {}

  /// Changes the rule, and returns the loops that became variables.
  std::vector<std::string> run() {
    find_loops();
    std::vector<std::string> out;
    while (!loops_.empty()) {
      const Refusal found = lift();
      if (found.reason.empty()) {
        for (const Fold& loop : loops_) out.push_back(loop.var);
        return out;
      }
      refusal_ = found;
      loops_.pop_back();
    }
    return out;
  }

  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 private:
  /// Finds the outermost loops of which each is all that the one before does.
  void find_loops() {
    std::size_t most = kMostDims;
    for (const RegionAccess& output : rule_.outputs)
      most = std::min(most, static_cast<std::size_t>(output.num_body_dims()));
    const std::vector<std::uint32_t> declarators = first_declarators(body_);
    for (StmtId at = only_loop(body_, body_.root); !at.is_none() && loops_.size() < most;) {
      const auto& loop = std::get<ForStmt>(body_.stmts[at].node);
      LoopHead head = read_loop_head(rule_, at, loop.init.is_none() ? 0 : declarators[loop.init.index()]);
      refusal_ = {head.reason, head.span};
      if (refusal_.reason.empty()) refusal_ = why_no_variable(head.fold);
      if (refusal_.reason.empty()) refusal_ = why_not_apart(head.fold, declarators);
      if (!refusal_.reason.empty()) return;
      loops_.push_back(std::move(head.fold));
      at = only_loop(body_, loop.body);
    }
  }

  /// Why the loop's variable cannot be one of the rule.
  [[nodiscard]] Refusal why_no_variable(const Fold& loop) const {
    const Span span = body_.stmts[loop.loop].span;
    const BodyType& type = loop.var_type;
    // The text of `for (T v : region)` has no such head, which frontend/check_types made.
    if (body_.exprs[loop.first].tokens == TokenRange{}) return {"it has no variable that counts", span};
    if (type.kind != BodyType::Kind::Int || type.is_unsigned || type.narrow_bytes != 0)
      return {"`" + loop.var + "` is no `int`", span};
    int num_declared = 0;
    for (const Stmt& stmt : body_.stmts)
      if (const auto* decl = std::get_if<DeclStmt>(&stmt.node))
        for (const Declarator& each : decl->declarators) num_declared += each.name == loop.var ? 1 : 0;
    if (num_declared > 1 || is_name_of_header(loop.var)) return {"`" + loop.var + "` names something else, too", span};
    return why_changeable(loop);
  }

  /// A reference by which a round may change the loop's variable: those of a rule are constants.
  [[nodiscard]] Refusal why_changeable(const Fold& loop) const {
    Refusal out;
    const auto visit = [&](StmtId id) {
      const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
      if (decl == nullptr || decl->type.is_const) return;
      for (const Declarator& each : decl->declarators)
        if (each.is_reference && may_be(each.init, loop))
          out = {"`" + each.name + "` may stand for `" + loop.var + "`", each.name_span};
    };
    walk(body_, loop.loop, visit, [](ExprId) {});
    return out;
  }

  /// Whether an expression may be the loop's variable itself. Cells and elements are not, wherever they lie.
  [[nodiscard]] bool may_be(ExprId id, const Fold& loop) const {
    if (id.is_none()) return false;
    const Expr& expr = body_.exprs[id];
    if (std::holds_alternative<MemberExpr>(expr.node) || std::holds_alternative<SubscriptExpr>(expr.node)) return false;
    return count_mentions(rule_, id, {NameKind::Local, loop.local}) > 0;
  }

  [[nodiscard]] bool is_name_of_header(const std::string& name) const {
    std::set<std::string> names;
    for (const Matrix& matrix : transform_.matrices) names.insert(matrix.name);
    for (const SizeVar& var : transform_.size_vars) names.insert(var.name);
    for (const SizeVar& var : transform_.sizes_from_inputs) names.insert(var.name);
    for (const UserTunable& tunable : transform_.tunables) names.insert(tunable.name);
    for (const Constant& constant : rule_.constants) names.insert(constant.name);
    for (const RuleVar& var : rule_.vars) names.insert(var.name);
    for (const auto* accesses : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *accesses) names.insert(access.binding);
    return names.contains(name);
  }

  /// What of the loop's statements keeps its rounds from running apart, whatever cells they store.
  [[nodiscard]] Refusal why_not_apart(const Fold& loop, const std::vector<std::uint32_t>& declarators) const {
    const LoopEffects effects = read_loop_effects(rule_, loop.loop, loop.local, declarators);
    if (!effects.reason.empty()) return {effects.reason, effects.span};
    const StmtId inside = std::get<ForStmt>(body_.stmts[loop.loop].node).body;
    if (has_continue(body_, inside)) return {"`continue` ends its rounds early", body_.stmts[loop.loop].span};
    for (const OuterAssignment& each : effects.assignments)
      if (!std::holds_alternative<MemberExpr>(body_.exprs[each.target].node))
        return {"its rounds change a variable from outside of it", body_.exprs[each.expr].span};
    return {};
  }

  /// Why rounds as instances of their own might read what others of their instance write; nothing if they do not.
  [[nodiscard]] Refusal why_not_apart_from_inputs() const {
    for (const RegionAccess& output : rule_.outputs)
      for (const RegionAccess& input : rule_.inputs)
        if (input.matrix == output.matrix && !are_apart(input, output))
          return {"the rule may also read cells of `" + transform_.matrices[output.matrix].name + "` that it writes",
                  input.span};
    return {};
  }

  /// Whether no cell is in both, whatever the instance.
  [[nodiscard]] bool are_apart(const RegionAccess& a, const RegionAccess& b) const {
    if (a.may_be_outside() || b.may_be_outside()) return false;
    for (std::size_t d = 0; d < a.lo.size(); ++d)
      if (never_holds(instances_, a.lo[d], RelationOp::Less, b.hi[d], scope_) ||
          never_holds(instances_, b.lo[d], RelationOp::Less, a.hi[d], scope_))
        return true;
    return false;
  }

  /// Makes the loops variables if that is possible with all of them.
  [[nodiscard]] Refusal lift() {
    if (Refusal found = why_not_apart_from_inputs(); !found.reason.empty()) return found;
    inside_ = std::get<ForStmt>(body_.stmts[loops_.back().loop].node).body;
    locals_.clear();
    sizes_of_loops_.assign(loops_.size(), std::nullopt);
    for (const Fold& loop : loops_) locals_.push_back(loop.local);
    std::vector<BoundRegion> regions;
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i) {
      const NameBinding of{NameKind::Output, static_cast<std::uint32_t>(i)};
      if (Refusal found = bind_output(of, regions); !found.reason.empty()) return found;
    }
    const std::vector<std::size_t> vars = variables(regions);
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i)
      bind_input({NameKind::Input, static_cast<std::uint32_t>(i)}, regions);
    rewrite_loops(rule_, loops_, vars, regions);
    return {};
  }

  /// Whether each round stores cells of its own, and the rounds are all of them.
  [[nodiscard]] Refusal bind_output(const NameBinding& of, std::vector<BoundRegion>& regions) {
    const RegionAccess& output = rule_.outputs[of.index];
    const RegionUses uses = uses_of(rule_, inside_, of);
    const Span outermost = body_.stmts[loops_.front().loop].span;
    const Span span = uses.span.is_known() ? uses.span : outermost;
    auto access = bound_access(rule_, uses, output, locals_);
    if (!access || !has_each_once(*access))
      return {"its rounds do not each use cells of `" + output.binding + "` of their own", span};
    for (std::size_t i = 0; i < access->loops.size(); ++i) {
      if (access->is_shared(i)) continue;
      const Fold& loop = loops_[*access->loops[i]];
      if (!has_all(output, access->dims[i]))
        return {"`" + output.binding + "` may be a part of `" + transform_.matrices[output.matrix].name + "` along `" +
                    loop.var + "`",
                output.span};
      const auto range = range_of(rule_, loop);
      const Formula& size = output.hi[access->dims[i]];
      if (!range || !are_equal(instances_, range->lowest, {IntLiteral{0}, {}}, scope_) ||
          !are_equal(instances_, range->end, size, scope_))
        return {"the values of `" + loop.var + "` are not known to be all coordinates of `" + output.binding + "`",
                body_.stmts[loop.loop].span};
      sizes_of_loops_[*access->loops[i]] = size;
    }
    regions.push_back({of, std::move(*access), uses.members});
    return {};
  }

  /// An input becomes smaller if it has all of these cells wherever the outputs have theirs.
  void bind_input(const NameBinding& of, std::vector<BoundRegion>& regions) {
    const RegionAccess& input = rule_.inputs[of.index];
    const RegionUses uses = uses_of(rule_, inside_, of);
    if (!is_known_part(transform_, input) || input.num_body_dims() == 0 || input.may_be_outside() ||
        uses.members.empty())
      return;
    auto access = bound_access(rule_, uses, input, locals_);
    if (!access) return;
    for (std::size_t i = 0; i < access->loops.size(); ++i)
      if (!access->is_shared(i) &&
          (!has_all(input, access->dims[i]) || !never_holds(instances_, input.hi[access->dims[i]], RelationOp::Less,
                                                            *sizes_of_loops_[*access->loops[i]], scope_)))
        return;
    regions.push_back({of, std::move(*access), uses.members});
  }

  /// Whether the region has all places of its matrix in that dimension. A variable runs over all of them, and an
  /// instance applies wherever its cells exist.
  [[nodiscard]] bool has_all(const RegionAccess& region, std::size_t dim) const {
    return are_equal(instances_, region.lo[dim], {IntLiteral{0}, {}}, scope_) &&
           are_equal(instances_, region.hi[dim], transform_.matrices[region.matrix].extents[dim], scope_);
  }

  [[nodiscard]] bool has_each_once(const BoundAccess& access) const {
    return std::all_of(locals_.begin(), locals_.end(), [&, i = std::size_t{0}](std::uint32_t) mutable {
      return std::count(access.loops.begin(), access.loops.end(), std::optional(i++)) == 1;
    });
  }

  /// The loops in the order of the coordinates of the output with the most dimensions, of several the first.
  [[nodiscard]] std::vector<std::size_t> variables(const std::vector<BoundRegion>& outputs) const {
    const auto centre = std::max_element(
        outputs.begin(), outputs.end(),
        [](const BoundRegion& a, const BoundRegion& b) { return a.access.loops.size() < b.access.loops.size(); });
    std::vector<std::size_t> out;
    for (const auto& loop : centre->access.loops)
      if (loop) out.push_back(*loop);
    return out;
  }

  static constexpr std::size_t kMostDims = 16;

  const Transform& transform_;
  Rule& rule_;
  const Body& body_;
  const Region known_;
  const FormulaScope scope_;
  const Region instances_;
  std::vector<Fold> loops_;  ///< outermost first
  StmtId inside_;            ///< what the innermost of them runs
  std::vector<std::uint32_t> locals_;
  std::vector<std::optional<Formula>> sizes_of_loops_;  ///< by loop: how many rounds it has
  Refusal refusal_;
};

/// Why a rule whose body is a loop keeps it, whatever the loop does.
std::string why_not_this_rule(const Transform& transform, const Rule& rule) {
  const auto is_known = [&](const RegionAccess& access) { return is_known_part(transform, access); };
  if (!std::all_of(rule.outputs.begin(), rule.outputs.end(), is_known)) return "the rule writes ranges of versions";
  if (!has_affine_where(rule)) return "the rule has a `where` that is not affine";
  if (!rule.temporaries.empty()) return "the rule has matrices of its own";
  return "";
}

}  // namespace

std::vector<LiftedLoops> lift_loops(Program& program) {
  std::vector<LiftedLoops> out;
  const RegionContext context;
  for (const TransformId id : program.transforms.ids()) {
    Transform& transform = program.transforms[id];
    for (const RuleId rule_id : transform.rules.ids()) {
      Rule& rule = transform.rules[rule_id];
      const StmtId loop = only_loop(rule.body, rule.body.root);
      const bool has_number = std::any_of(rule.outputs.begin(), rule.outputs.end(),
                                          [](const RegionAccess& output) { return output.num_body_dims() == 0; });
      if (loop.is_none() || rule.is_return_form || has_number) continue;
      LiftedLoops lifted{id, rule_id, {}, why_not_this_rule(transform, rule), rule.body.stmts[loop].span};
      if (lifted.reason.empty()) {
        const RegionLimit limit(context);
        Lifter lifter(context, transform, rule);
        lifted.vars = lifter.run();
        if (lifted.vars.empty()) lifted.reason = lifter.refusal().reason;
        if (lifted.vars.empty()) lifted.span = lifter.refusal().span;
        context.clear_limit_exceeded();
      }
      out.push_back(std::move(lifted));
    }
  }
  return out;
}

}  // namespace pb
