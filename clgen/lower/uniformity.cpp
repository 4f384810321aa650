// SPDX-License-Identifier: MIT
#include "clgen/lower/uniformity.h"

#include <algorithm>
#include <string>

#include "clgen/rule_facts.h"
#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/math_functions.h"
#include "lang/overloaded.h"
#include "lang/region/affine.h"

namespace pb {

namespace {

using Kind = BodyType::Kind;

/// Whether the extents of a region stay the same when `symbol` advances.
bool keeps_extents(const RegionAccess& access, std::string_view symbol) {
  if (access.kind != AccessKind::Region) return true;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto lo = coefficient_of(access.lo[d], symbol);
    if (!lo || lo != coefficient_of(access.hi[d], symbol)) return false;
  }
  return true;
}

/// Finds how an access moves. Returns false if packs cannot follow it. `rows_fit` becomes false if only one row at a
/// time can.
bool find_lane_access(const RegionAccess& access, std::string_view lane_var, std::string_view row_var,
                      LaneAccess& result, bool& rows_fit) {
  const bool is_row = access.kind == AccessKind::Row;
  if (!keeps_extents(access, lane_var)) return false;
  rows_fit = rows_fit && (row_var.empty() || keeps_extents(access, row_var));
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto along = coefficient_of(access.lo[d], lane_var);
    if (!along || *along < 0 || *along > 1) return false;
    if (*along == 1 && (d != 0 || is_row)) return false;
    if (*along == 1) result.moves_along_row = true;
    if (row_var.empty()) continue;
    const auto across = coefficient_of(access.lo[d], row_var);
    if (!across || *across == 0) {
      rows_fit = rows_fit && across.has_value();
      continue;
    }
    // Rows and columns lose a dimension, so their other dimension has another number than in the matrix.
    const bool is_line = access.kind == AccessKind::Row || access.kind == AccessKind::Column;
    const bool is_hidden = access.is_slice && d + 1 == access.lo.size();
    const bool fits = *across == 1 && result.row_dim < 0 && !is_line && !is_hidden;
    rows_fit = rows_fit && fits;
    result.row_dim = static_cast<int>(d);
  }
  return true;
}

/// Whether the access is a column, or a region like one, so that neighbouring instances have neighbouring columns.
bool is_one_wide(const RegionAccess& access) {
  if (access.kind != AccessKind::Region) return access.kind == AccessKind::Column;
  const auto lo = to_rational(access.lo[0], {});
  const auto hi = to_rational(access.hi[0], {});
  return lo && hi && lo->denominator == 1 && hi->denominator == 1 &&
         index_sub(hi->numerator, lo->numerator).is_const(1);
}

class Uniformity {
 public:
  Uniformity(const Rule& rule, const Step& step, ElementType element, bool all_exist)
      : element_(element), all_exist_(all_exist), rule_(rule), body_(rule.body), types_(rule.body_types), step_(step) {}

  bool has_accesses() { return find_accesses(); }

  std::optional<PackFacts> run() {
    if (!find_accesses()) return std::nullopt;
    facts_.is_varying.assign(body_.exprs.size(), false);
    do {
      changed_ = false;
      next_local_ = 0;
      mark_stmt(body_.root);
    } while (changed_);
    next_local_ = 0;
    find_returns();
    walk(
        body_, body_.root, [&](StmtId id) { check_stmt(id); }, [&](ExprId id) { check_expr(id); });
    if (!is_fit_) return std::nullopt;
    facts_.is_plain = !facts_.writes_regions && is_straight_line() && (!facts_.is_tall || num_reads() <= kFewReads);
    return std::move(facts_);
  }

 private:
  // ---- accesses

  bool find_accesses() {
    if (rule_.is_dynamic || !rule_.tried.empty()) return false;
    if (!step_.is_data_parallel || !rule_.temporaries.empty()) return false;
    facts_.lane_var = step_.loops.back().var;
    if (step_.loops.size() > 1) facts_.row_var = step_.loops[step_.loops.size() - 2].var;
    bool rows_fit = !facts_.row_var.empty();
    for (const RegionAccess& output : rule_.outputs) {
      LaneAccess lanes;
      if (!find_lane_access(output, facts_.lane_var, facts_.row_var, lanes, rows_fit) || !lanes.moves_along_row)
        return false;
      if (!is_element(output)) {
        if (!is_one_wide(output)) return false;
        facts_.writes_regions = true;
        rows_fit = false;
      }
      rows_fit = rows_fit && lanes.row_dim >= 0;
      facts_.outputs.push_back(lanes);
    }
    for (const RegionAccess& input : rule_.inputs) {
      LaneAccess lanes;
      if ((input.may_be_outside() && !all_exist_) || !input.tested_dims.empty()) return false;
      if (!find_lane_access(input, facts_.lane_var, facts_.row_var, lanes, rows_fit)) return false;
      facts_.inputs.push_back(lanes);
    }
    facts_.is_tall = rows_fit && rows_share_reads();
    // If packs cover one row, the row variable is the same for all lanes.
    if (!facts_.is_tall)
      for (auto* list : {&facts_.inputs, &facts_.outputs})
        for (LaneAccess& lanes : *list) lanes.row_dim = -1;
    return true;
  }

  /// Whether neighbouring rows read cells in common.
  bool rows_share_reads() const {
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) {
      const LaneAccess& lanes = facts_.inputs[i];
      if (!lanes.moves_along_row) continue;
      for (std::size_t k = 0; k < i; ++k)
        if (lanes.row_dim >= 0 && rule_.inputs[k].matrix == rule_.inputs[i].matrix &&
            facts_.inputs[k].row_dim == lanes.row_dim)
          return true;
      for (const InputBox& box : step_.input_boxes)
        if (box.input == i && box.extent_is_uniform && lanes.row_dim >= 0 &&
            !box.extent[static_cast<std::size_t>(lanes.row_dim)].is_const(1))
          return true;
    }
    return false;
  }

  // ---- straight-line bodies

  /// Whether the body has neither loops nor branches that differ between instances.
  bool is_straight_line() const {
    bool result = true;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const auto& node = body_.stmts[id].node;
          if (std::holds_alternative<ForStmt>(node) || std::holds_alternative<WhileStmt>(node) ||
              std::holds_alternative<DoStmt>(node))
            result = false;
        },
        [&](ExprId id) {
          const auto* choice = std::get_if<ConditionalExpr>(&body_.exprs[id].node);
          if (choice != nullptr && varies(choice->condition)) result = false;
        });
    return result;
  }

  /// Up to this number of reads per instance, a body counts as one with few reads. With many reads, several rows at
  /// once save loads.
  static constexpr int kFewReads = 10;
  int num_reads() const {
    int count = 0;
    for (const RegionAccess& input : rule_.inputs) count += is_element(input) ? 1 : 0;
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
          count += member != nullptr && member->name == "cell" ? 1 : 0;
        });
    return count;
  }

  // ---- which values vary

  void set_varying(ExprId id) {
    if (facts_.is_varying[id.index()]) return;
    facts_.is_varying[id.index()] = true;
    changed_ = true;
  }
  void set_local_varying(std::uint32_t local) {
    if (facts_.varying_locals.insert(local).second) changed_ = true;
  }

  void mark_stmt(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) {
      for (const Declarator& declarator : decl->declarators) {
        const std::uint32_t local = next_local_++;
        for (ExprId extent : declarator.extents)
          if (!extent.is_none()) mark_expr(extent);
        if (declarator.init.is_none()) continue;
        mark_expr(declarator.init);
        if (facts_.is_varying[declarator.init.index()]) set_local_varying(local);
      }
      return;
    }
    for_each_child(
        stmt, [&](StmtId child) { mark_stmt(child); }, [&](ExprId expr) { mark_expr(expr); });
  }

  void mark_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    bool varies = false;
    for_each_operand(expr, [&](ExprId operand) {
      mark_expr(operand);
      varies |= facts_.is_varying[operand.index()];
    });
    if (std::holds_alternative<NameExpr>(expr.node)) varies = name_varies(id);
    if (is_missing_call(id)) varies = false;
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) varies = member->name == "cell" && varies;
    if (const auto* assign = std::get_if<AssignExpr>(&expr.node); assign != nullptr && varies) mark_target(assign->lhs);
    if (varies) set_varying(id);
  }

  void mark_target(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (const auto* subscript = std::get_if<SubscriptExpr>(&expr.node)) return mark_target(subscript->object);
    if (!std::holds_alternative<NameExpr>(expr.node)) return;
    const NameBinding& binding = types_.bindings[id.index()];
    if (binding.kind == NameKind::Local) set_local_varying(binding.index);
  }

  bool name_varies(ExprId id) const {
    const NameBinding& binding = types_.bindings[id.index()];
    switch (binding.kind) {
      case NameKind::Local:
        return facts_.varying_locals.contains(binding.index);
      case NameKind::Output:
        return true;
      case NameKind::Input:
        return !facts_.inputs[binding.index].is_uniform();
      case NameKind::RuleVar: {
        const std::string& name = rule_.vars[binding.index].name;
        return name == facts_.lane_var || (facts_.is_tall && name == facts_.row_var);
      }
      case NameKind::Temporary:
      case NameKind::SizeVar:
      case NameKind::Tunable:
      case NameKind::Param:
      case NameKind::ScalarInput:
      case NameKind::BuiltIn:
      case NameKind::Constant:
      case NameKind::Unknown:
        return false;
    }
    return false;
  }

  // ---- what packs can do

  void refuse() { is_fit_ = false; }
  bool varies(ExprId id) const { return !id.is_none() && facts_.is_varying[id.index()]; }
  const BodyType& type_of(ExprId id) const { return types_.types[id.index()]; }
  static bool is_number(const BodyType& type) {
    return type.kind == Kind::Char || type.kind == Kind::Int || type.kind == Kind::Long || type.kind == Kind::Float ||
           type.kind == Kind::Double;
  }

  /// In the return form, there must be one `return` with a value, at the end; else there must be none.
  void find_returns() {
    if (!rule_.is_return_form) return;
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block == nullptr || block->stmts.empty()) return refuse();
    last_ = block->stmts.back();
    if (!std::holds_alternative<ReturnStmt>(body_.stmts[last_].node)) refuse();
  }

  void check_stmt(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    const auto uniform = [&](ExprId condition) {
      if (varies(condition)) refuse();
    };
    std::visit(Overloaded{
                   [&](const EmptyStmt&) {},
                   [&](const BlockStmt&) {},
                   [&](const BreakStmt&) {},
                   [&](const ContinueStmt&) {},
                   [&](const IfStmt& node) { uniform(node.condition); },
                   [&](const ForStmt& node) { uniform(node.condition); },
                   [&](const WhileStmt& node) { uniform(node.condition); },
                   [&](const DoStmt& node) { uniform(node.condition); },
                   [&](const ReturnStmt& node) {
                     if (id != last_ || node.value.is_none() || type_of(node.value).kind == Kind::Bool) refuse();
                   },
                   [&](const ExprStmt& node) { stores_.push_back(node.expr); },
                   [&](const DeclStmt& node) { check_decl(node); },
                   [&](const SwitchStmt&) { refuse(); },
                   [&](const CaseStmt&) { refuse(); },
                   [&](const ForEnoughStmt&) { refuse(); },
                   [&](const TransformCallStmt&) { refuse(); },
                   [&](const SyncStmt&) { refuse(); },
                   [&](const OpaqueStmt&) { refuse(); },
               },
               stmt.node);
  }

  void check_decl(const DeclStmt& decl) {
    if (decl.is_static) refuse();
    for (const Declarator& declarator : decl.declarators) {
      const bool is_varying = facts_.varying_locals.contains(next_local_++);
      if (declarator.pointer_depth > 0 || declarator.is_reference) refuse();
      if (!is_number(decl.type) && (is_varying || decl.type.kind != Kind::Bool)) refuse();
      const bool is_list =
          !declarator.init.is_none() && std::holds_alternative<InitListExpr>(body_.exprs[declarator.init].node);
      if (is_list && declarator.extents.empty()) refuse();
      if (is_varying && !declarator.init.is_none() && type_of(declarator.init).kind == Kind::Bool) refuse();
      if (is_varying) note_type(decl.type);
    }
  }

  void note_type(const BodyType& type) {
    // In a declaration, `ElementT` is not yet the type that --element says.
    if (type.is_element && element_ != ElementType::Double && element_ != ElementType::Long) return;
    if (type.kind == Kind::Double || type.kind == Kind::Long) facts_.is_wide_type = true;
  }

  void check_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (varies(id)) {
      const BodyType& type = type_of(id);
      const bool is_region = std::holds_alternative<NameExpr>(expr.node) && type.kind == Kind::Region;
      const bool is_list = std::holds_alternative<InitListExpr>(expr.node) || type.kind == Kind::Array;
      if (!is_number(type) && type.kind != Kind::Bool && !is_region && !is_list) refuse();
      note_type(type);
    }
    std::visit(Overloaded{
                   [&](const NameExpr&) { check_name(id); },
                   [&](const UnaryExpr& node) { check_unary(id, node); },
                   [&](const BinaryExpr& node) { check_binary(id, node); },
                   [&](const ConditionalExpr& node) { check_conditional(id, node); },
                   [&](const AssignExpr& node) { check_assign(id, node); },
                   [&](const CallExpr& node) { check_call(id, node); },
                   [&](const MemberExpr& node) { check_member(node); },
                   [&](const SubscriptExpr& node) {
                     if (varies(node.index) || !std::holds_alternative<NameExpr>(body_.exprs[node.object].node))
                       refuse();
                   },
                   [&](const CastExpr& node) {
                     if (!is_number(node.type) || (varies(id) && type_of(node.operand).kind == Kind::Bool)) refuse();
                   },
                   [&](const StringExpr&) { refuse(); },
                   [&](const LambdaExpr&) { refuse(); },
                   [&](const OpaqueExpr&) { refuse(); },
                   [&](const IntegerExpr&) {},
                   [&](const FloatExpr&) {},
                   [&](const CharExpr&) {},
                   [&](const BoolExpr&) {},
                   [&](const InitListExpr&) {},
               },
               expr.node);
  }

  void check_name(ExprId id) {
    const NameBinding& binding = types_.bindings[id.index()];
    if (binding.kind == NameKind::Unknown || binding.kind == NameKind::Temporary) refuse();
    const bool is_region = type_of(id).kind == Kind::Region;
    const bool is_object = std::find(region_objects_.begin(), region_objects_.end(), id) != region_objects_.end();
    const bool is_of_header = binding.kind == NameKind::Input || binding.kind == NameKind::Output;
    if (is_region && (!is_object || !is_of_header)) refuse();
  }

  /// Checks an assignment. To an element of a region it must be a statement of its own, because the printer writes such
  /// statements in another way.
  void check_assign(ExprId id, const AssignExpr& node) {
    if (varies(id) && (type_of(node.lhs).kind == Kind::Bool || type_of(node.rhs).kind == Kind::Bool)) refuse();
    const bool is_stored = std::holds_alternative<MemberExpr>(body_.exprs[node.lhs].node);
    if (is_stored && std::find(stores_.begin(), stores_.end(), id) == stores_.end()) refuse();
  }

  void check_unary(ExprId id, const UnaryExpr& node) {
    const OperatorKind kind = kind_of(node.op);
    if (kind == OperatorKind::Pointer || (varies(id) && kind == OperatorKind::Step)) refuse();
    if (varies(id) && (node.op == UnaryOp::Not) != (type_of(node.operand).kind == Kind::Bool)) refuse();
  }

  void check_binary(ExprId id, const BinaryExpr& node) {
    if (!varies(id)) return;
    const bool is_logical = kind_of(node.op) == OperatorKind::Logical;
    for (ExprId side : {node.lhs, node.rhs})
      if ((type_of(side).kind == Kind::Bool) != is_logical) refuse();
    if (node.op == BinaryOp::Comma || (is_logical && !may_always_run(node.rhs))) refuse();
  }

  void check_conditional(ExprId id, const ConditionalExpr& node) {
    if (!varies(id)) return;
    if (type_of(node.if_true).kind == Kind::Bool || type_of(node.if_false).kind == Kind::Bool) refuse();
    if (!varies(node.condition)) return;
    if (type_of(node.condition).kind != Kind::Bool || !may_always_run(node.if_true) || !may_always_run(node.if_false))
      refuse();
  }

  /// Whether the expression may be computed in instances that do not need it.
  bool may_always_run(ExprId expr) const {
    bool is_harmless = true;
    walk_expr(body_, expr, [&](ExprId id) {
      const auto& node = body_.exprs[id].node;
      const auto* unary = std::get_if<UnaryExpr>(&node);
      const auto* binary = std::get_if<BinaryExpr>(&node);
      const bool steps = unary != nullptr && kind_of(unary->op) == OperatorKind::Step;
      const bool divides = binary != nullptr && kind_of(binary->op) == OperatorKind::Quotient &&
                           type_of(id).kind != Kind::Double && type_of(id).kind != Kind::Float;
      const auto* subscript = std::get_if<SubscriptExpr>(&node);
      const bool reads =
          std::holds_alternative<MemberExpr>(node) ||
          (subscript != nullptr && !std::holds_alternative<IntegerExpr>(body_.exprs[subscript->index].node));
      if (steps || divides || reads || std::holds_alternative<AssignExpr>(node)) is_harmless = false;
    });
    return is_harmless;
  }

  /// Whether the expression is `IS_MISSING(a)`, which is false because packs run where all cells exist.
  bool is_missing_call(ExprId id) const {
    const auto* call = std::get_if<CallExpr>(&body_.exprs[id].node);
    return call != nullptr && call->callee == "IS_MISSING" && types_.bindings[id.index()].kind == NameKind::BuiltIn;
  }

  void check_call(ExprId id, const CallExpr& node) {
    if (is_missing_call(id)) return;
    const bool is_builtin = types_.bindings[id.index()].kind == NameKind::BuiltIn;
    if (is_builtin && find_numeric_limit(node.callee)) return;
    const MathFunction* function = is_builtin ? find_math_function(node.callee) : nullptr;
    if (function == nullptr || function->num_args > 2 || static_cast<int>(node.args.size()) != function->num_args)
      return refuse();
    for (ExprId arg : node.args)
      if (!is_number(type_of(arg))) refuse();
  }

  void check_member(const MemberExpr& node) {
    const bool is_name = std::holds_alternative<NameExpr>(body_.exprs[node.object].node);
    if (!is_name || !node.is_call || node.is_arrow || type_of(node.object).kind != Kind::Region) return refuse();
    const bool is_size = node.name == "size" || node.name == "width" || node.name == "height" || node.name == "depth" ||
                         node.name == "count";
    if (node.name != "cell" && !is_size) refuse();
    // If the indices differed between instances, the access would be a gather.
    for (ExprId arg : node.args)
      if (varies(arg)) refuse();
    region_objects_.push_back(node.object);
  }

  ElementType element_;
  bool all_exist_;
  const Rule& rule_;
  const Body& body_;
  const BodyTypes& types_;
  const Step& step_;
  PackFacts facts_;
  std::vector<ExprId> region_objects_;
  std::vector<ExprId> stores_;  ///< expressions that are statements
  StmtId last_;
  std::uint32_t next_local_ = 0;
  bool changed_ = false;
  bool is_fit_ = true;
};

}  // namespace

std::optional<PackFacts> find_pack_facts(const Rule& rule, const Step& step, ElementType element, bool all_exist) {
  return Uniformity(rule, step, element, all_exist).run();
}

bool has_pack_accesses(const Rule& rule, const Step& step, bool all_exist) {
  return Uniformity(rule, step, ElementType::Double, all_exist).has_accesses();
}

}  // namespace pb
