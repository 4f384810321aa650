// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/independence.h"

#include <algorithm>

#include "clgen/facts/rule_facts.h"
#include "clgen/lower/analysis/lane_accesses.h"
#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/math_functions.h"
#include "lang/body/operands.h"
#include "lang/overloaded.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// The most iterations of a loop that compilers unroll as a whole.
constexpr std::int64_t kMaxUnrolled = 16;

class Check {
 public:
  explicit Check(const Rule& rule) : body_(rule.body), types_(rule.body_types) {}

  bool run() {
    walk(
        body_, body_.root, [&](StmtId id) { fits_ = fits_ && fits(body_.stmts[id]); },
        [&](ExprId id) { fits_ = fits_ && fits(id); });
    return fits_;
  }

 private:
  bool fits(const Stmt& stmt) const {
    return std::visit(Overloaded{
                          [](const EmptyStmt&) { return true; },
                          [](const BlockStmt&) { return true; },
                          [](const IfStmt&) { return true; },
                          [](const ReturnStmt&) { return true; },
                          [](const ExprStmt&) { return true; },
                          [&](const ForStmt& node) { return is_short(node); },
                          [&](const DeclStmt& node) { return is_scalar(node); },
                          [](const WhileStmt&) { return false; },
                          [](const DoStmt&) { return false; },
                          [](const ForEnoughStmt&) { return false; },
                          [](const SwitchStmt&) { return false; },
                          [](const CaseStmt&) { return false; },
                          [](const BreakStmt&) { return false; },
                          [](const ContinueStmt&) { return false; },
                          [](const TransformCallStmt&) { return false; },
                          [](const SyncStmt&) { return false; },
                          [](const OpaqueStmt&) { return false; },
                      },
                      stmt.node);
  }

  /// Whether all declared variables are scalars. An array would be one place in memory for all instances.
  static bool is_scalar(const DeclStmt& decl) {
    bool is_scalar = !decl.is_static && is_number(decl.type);
    for (const Declarator& declarator : decl.declarators)
      is_scalar = is_scalar && declarator.extents.empty() && declarator.pointer_depth == 0 && !declarator.is_reference;
    return is_scalar;
  }

  /// Whether the loop has few iterations that are known here: `for (int i = 0; i < 3; ++i)`.
  bool is_short(const ForStmt& loop) const {
    const ExprId counted = incremented_operand(body_, loop.step);
    if (loop.init.is_none() || loop.condition.is_none() || counted.is_none()) return false;
    const auto* decl = std::get_if<DeclStmt>(&body_.stmts[loop.init].node);
    const auto* test = std::get_if<BinaryExpr>(&body_.exprs[loop.condition].node);
    if (decl == nullptr || decl->declarators.size() != 1 || test == nullptr) return false;
    if (test->op != BinaryOp::Less && test->op != BinaryOp::LessEqual) return false;
    const auto first = constant_value(body_, decl->declarators[0].init);
    const auto last = constant_value(body_, test->rhs);
    return first && last && *last - *first <= kMaxUnrolled && is_name(body_, test->lhs, decl->declarators[0].name) &&
           is_name(body_, counted, decl->declarators[0].name);
  }

  bool fits(ExprId id) const {
    return std::visit(Overloaded{
                          [](const IntegerExpr&) { return true; },
                          [](const FloatExpr&) { return true; },
                          [](const CharExpr&) { return true; },
                          [](const BoolExpr&) { return true; },
                          [](const BinaryExpr&) { return true; },
                          [](const ConditionalExpr&) { return true; },
                          [&](const NameExpr&) { return is_known(types_.bindings[id.index()].kind); },
                          [](const UnaryExpr& node) { return kind_of(node.op) != OperatorKind::Pointer; },
                          [&](const AssignExpr& node) { return is_local(node.lhs); },
                          [&](const CallExpr& node) { return is_math(id, node); },
                          [&](const MemberExpr& node) { return is_near_cell(node); },
                          [](const CastExpr& node) { return is_number(node.type); },
                          [](const SubscriptExpr&) { return false; },
                          [](const InitListExpr&) { return false; },
                          [](const StringExpr&) { return false; },
                          [](const LambdaExpr&) { return false; },
                          [](const OpaqueExpr&) { return false; },
                      },
                      body_.exprs[id].node);
  }

  static bool is_known(NameKind kind) {
    return kind == NameKind::Local || kind == NameKind::Input || kind == NameKind::SizeVar ||
           kind == NameKind::RuleVar || kind == NameKind::Tunable || kind == NameKind::ScalarInput ||
           kind == NameKind::Constant;
  }

  bool is_local(ExprId id) const {
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) &&
           types_.bindings[id.index()].kind == NameKind::Local;
  }

  bool is_math(ExprId id, const CallExpr& call) const {
    const bool is_known = find_math_function(call.callee) != nullptr || find_numeric_limit(call.callee) ||
                          find_bit_cast(call.callee) || call.callee == "IS_MISSING";
    return types_.bindings[id.index()].kind == NameKind::BuiltIn && is_known;
  }

  /// Whether the expression may be part of a sum of names and numbers, or of a clamp such as `max(x-1, 0)`.
  static bool is_near_part(const Expr& expr) {
    if (const auto* binary = std::get_if<BinaryExpr>(&expr.node)) return kind_of(binary->op) == OperatorKind::Sum;
    if (const auto* call = std::get_if<CallExpr>(&expr.node)) {
      const MathFunction* function = find_math_function(call->callee);
      return function != nullptr && (function->name == "min" || function->name == "max");
    }
    return std::holds_alternative<NameExpr>(expr.node) || std::holds_alternative<IntegerExpr>(expr.node);
  }

  /// Whether the cell is one of an input at sums of names and numbers, which may be clamped. At other computed places,
  /// compilers would gather cells that lie far apart.
  bool is_near_cell(const MemberExpr& cell) const {
    if (!is_cell_call(cell)) return false;
    if (!std::holds_alternative<NameExpr>(body_.exprs[cell.object].node)) return false;
    if (types_.bindings[cell.object.index()].kind != NameKind::Input) return false;
    bool is_near = true;
    for (const ExprId arg : cell.args)
      walk_expr(body_, arg, [&](ExprId id) { is_near = is_near && is_near_part(body_.exprs[id]); });
    return is_near;
  }

  const Body& body_;
  const BodyTypes& types_;
  bool fits_ = true;
};

}  // namespace

namespace {

/// Whether neighbouring instances write neighbouring cells of a row, and read single cells that move along their rows
/// at most as fast, as in `C.cell(x/2, y)`. Packs cannot read such cells; vectors that compilers make can.
bool reads_quotients(const Rule& rule, const Step& step, bool all_exist) {
  if (!step.is_data_parallel || rule.is_dynamic || !rule.tried.empty() || !rule.temporaries.empty()) return false;
  const std::string& var = step.loops.back().var;
  const auto moves_along = [&](const RegionAccess& access, bool may_divide) {
    for (std::size_t d = 0; d < access.lo.size(); ++d) {
      const auto along = coefficient_of(access.lo[d], var);
      const bool fits = d > 0 ? along == 0 : along ? *along == 0 || *along == 1 : may_divide;
      if (!fits) return false;
    }
    return is_element(access);
  };
  const RegionAccess& output = rule.outputs[0];
  if (output.lo.empty() || coefficient_of(output.lo[0], var) != 1 || !moves_along(output, false)) return false;
  return std::all_of(rule.inputs.begin(), rule.inputs.end(), [&](const RegionAccess& input) {
    return (all_exist || !input.may_be_outside()) && input.tested_dims.empty() && moves_along(input, true);
  });
}

}  // namespace

bool has_independent_body(const Rule& rule) { return rule.is_return_form && Check(rule).run(); }

bool has_independent_instances(const Rule& rule, const Step& step, bool all_exist) {
  if (!rule.is_return_form) return false;
  const auto accesses = find_lane_accesses(rule, step, all_exist);
  const bool are_near = accesses && !accesses->has_own_rows();
  return (are_near || reads_quotients(rule, step, all_exist)) && has_independent_body(rule);
}

// Note [Independent instances]
// Each instance of a data-parallel step writes a cell of its own, and reads none that another instance writes. So no
// iteration of the loop over instances depends on another one through matrices. Iterations might also share memory of
// the body: arrays, and what pointers and references lead to. Compilers give a local array of the loop's body one place
// on the stack; in a loop that is declared independent, a lane may then read what another lane wrote there. Bodies with
// such memory are left out, and so are bodies with text that is only passed on to C++. Only bodies that return one
// value are taken: its store stands at the end, outside of all branches.

}  // namespace pb
