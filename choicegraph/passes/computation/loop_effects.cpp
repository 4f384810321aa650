// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/loop_effects.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <type_traits>

#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/math_functions.h"
#include "lang/body/std_names.h"
#include "lang/overloaded.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

/// Whether that many `[]` of a type are all of vectors and arrays of C++'s library, and of pointers in them.
bool has_plain_levels(std::string_view type, std::size_t num_subscripts) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  for (; num_subscripts > 0; --num_subscripts) {
    type = without_std(type);
    if (!type.starts_with("vector<") && !type.starts_with("array<")) {
      const std::string_view element = type.substr(0, type.find_first_of(",>"));
      return num_subscripts <= static_cast<std::size_t>(std::count(element.begin(), element.end(), '*'));
    }
    type.remove_prefix(type.find('<') + 1);  // the elements' type is what follows
  }
  return true;
}

class EffectsReader {
 public:
  EffectsReader(const Rule& rule, StmtId loop, std::uint32_t loop_local, const std::vector<std::uint32_t>& declarators)
      : body_(rule.body), types_(rule.body_types), loop_(loop), loop_local_(loop_local), declarators_(declarators) {}

  LoopEffects run() {
    const auto& loop = std::get<ForStmt>(body_.stmts[loop_].node);
    walk(
        body_, loop.body, [&](StmtId id) { note_declared(id); }, [](ExprId) {});
    read_stmt(loop.body, false);
    read_expr(loop.condition, {});
    return std::move(out_);
  }

 private:
  void refuse(std::string reason, Span span) {
    if (!out_.reason.empty()) return;
    out_.reason = std::move(reason);
    out_.span = span;
  }

  void note_declared(StmtId id) {
    const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
    if (decl == nullptr) return;
    for (std::size_t i = 0; i < decl->declarators.size(); ++i)
      declared_.insert(declarators_[id.index()] + static_cast<std::uint32_t>(i));
  }

  /// `is_within`: a `break` here leaves an inner loop or switch.
  void read_stmt(StmtId id, bool is_within) {
    const Stmt& stmt = body_.stmts[id];
    check_stmt(stmt, is_within);
    if (std::holds_alternative<IfStmt>(stmt.node)) out_.ifs.push_back(id);
    const bool catches_break = is_loop(stmt) || std::holds_alternative<SwitchStmt>(stmt.node);
    const StmtId own = std::holds_alternative<ExprStmt>(stmt.node) ? id : StmtId();
    for_each_child(
        stmt, [&](StmtId child) { read_stmt(child, is_within || catches_break); },
        [&](ExprId expr) { read_expr(expr, own); });
  }

  void check_stmt(const Stmt& stmt, bool is_within) {
    std::visit(
        Overloaded{
            [&](const BreakStmt&) {
              if (!is_within) refuse("`break` ends it early", stmt.span);
            },
            [&](const ReturnStmt&) { refuse("`return` ends it early", stmt.span); },
            [&](const TransformCallStmt& call) { refuse("it calls the transform `" + call.callee + "`", stmt.span); },
            [&](const SyncStmt&) { refuse("it waits for spawned calls", stmt.span); },
            [&](const ForEnoughStmt&) { refuse("it has a `for_enough`", stmt.span); },
            [&](const OpaqueStmt& opaque) { refuse(opaque.reason, stmt.span); },
            [&](const DeclStmt& decl) {
              if (decl.is_static) refuse("a static variable keeps its value from round to round", stmt.span);
            },
            [](const EmptyStmt&) {},
            [](const BlockStmt&) {},
            [](const IfStmt&) {},
            [](const ForStmt&) {},
            [](const WhileStmt&) {},
            [](const DoStmt&) {},
            [](const SwitchStmt&) {},
            [](const CaseStmt&) {},
            [](const ContinueStmt&) {},
            [](const ExprStmt&) {},
        },
        stmt.node);
  }

  /// `own`: the statement that is this expression and no more; none for other expressions.
  void read_expr(ExprId id, StmtId own) {
    if (id.is_none()) return;
    const Expr& expr = body_.exprs[id];
    if (std::holds_alternative<LambdaExpr>(expr.node)) return refuse("it has a lambda", expr.span);
    check_expr(id);
    if (const auto* assign = std::get_if<AssignExpr>(&expr.node)) note_assigned(id, assign->lhs, own);
    const auto* unary = std::get_if<UnaryExpr>(&expr.node);
    if (unary != nullptr && kind_of(unary->op) == OperatorKind::Step) note_assigned(id, unary->operand, own);
    if (std::holds_alternative<NameExpr>(expr.node)) ++out_.num_mentions[key_of(types_.bindings[id.index()])];
    for_each_operand(expr, [&](ExprId operand) { read_expr(operand, {}); });
  }

  void check_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (const auto* opaque = std::get_if<OpaqueExpr>(&expr.node)) refuse(opaque->reason, expr.span);
    if (const auto* call = std::get_if<CallExpr>(&expr.node)) check_call(id, *call);
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) check_member(*member, expr.span);
    const auto* unary = std::get_if<UnaryExpr>(&expr.node);
    if (unary != nullptr && kind_of(unary->op) == OperatorKind::Pointer) refuse("it uses pointers", expr.span);
    const auto* subscript = std::get_if<SubscriptExpr>(&expr.node);
    if (subscript != nullptr && !has_plain_elements(subscript->object))
      refuse("its `[]` may do more than read an element", expr.span);
  }

  /// Whether `[]` of the object is an element that stays: of an array, a pointer or a vector of C++'s library, and not
  /// of a map, where it makes what is missing. Names from outside of the body are the program's own affair.
  [[nodiscard]] bool has_plain_elements(ExprId object) const {
    std::size_t num_subscripts = 1;
    while (const auto* outer = std::get_if<SubscriptExpr>(&body_.exprs[object].node)) {
      object = outer->object;
      ++num_subscripts;
    }
    const Kind kind = types_.types[object.index()].kind;
    if (kind == Kind::Array || kind == Kind::Pointer) return true;
    if (!std::holds_alternative<NameExpr>(body_.exprs[object].node)) return false;
    const NameBinding& binding = types_.bindings[object.index()];
    return binding.kind != NameKind::Local || has_plain_elements(binding.index, num_subscripts);
  }
  [[nodiscard]] bool has_plain_elements(std::uint32_t local, std::size_t num_subscripts) const {
    bool is_plain = false;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
          const std::uint32_t first = declarators_[id.index()];
          if (decl == nullptr || local < first || local - first >= decl->declarators.size()) return;
          const Declarator& declarator = decl->declarators[local - first];
          const std::size_t own = declarator.extents.size() + static_cast<std::size_t>(declarator.pointer_depth);
          is_plain = num_subscripts <= own || has_plain_levels(decl->type_text, num_subscripts - own);
        },
        [](ExprId) {});
    return is_plain;
  }

  void check_call(ExprId id, const CallExpr& call) {
    const bool is_builtin = types_.bindings[id.index()].kind == NameKind::BuiltIn;
    const bool is_pure = is_builtin && (find_numeric_limit(call.callee) || call.callee == "IS_MISSING" ||
                                        find_math_function(call.callee) != nullptr || find_bit_cast(call.callee));
    if (!is_pure)
      refuse("it calls `" + call.callee + "`, which may do more than compute a value", body_.exprs[id].span);
  }

  void check_member(const MemberExpr& member, Span span) {
    const bool is_known = member.is_call && !member.is_arrow && (member.name == "cell" || is_size_member(member.name));
    if (!is_known || types_.types[member.object.index()].kind != Kind::Region)
      refuse("it uses `." + member.name + "`, which folds do not know", span);
  }

  void note_assigned(ExprId id, ExprId target, StmtId own) {
    const Expr& expr = body_.exprs[target];
    const auto* subscript = std::get_if<SubscriptExpr>(&expr.node);
    const ExprId named = subscript != nullptr ? subscript->object : target;
    if (std::holds_alternative<NameExpr>(body_.exprs[named].node)) {
      const NameBinding& binding = types_.bindings[named.index()];
      if (binding.kind == NameKind::Local && declared_.contains(binding.index)) return;
      const std::string& name = std::get<NameExpr>(body_.exprs[named].node).text;
      if (binding.kind == NameKind::Local && binding.index == loop_local_)
        return refuse("its body changes `" + name + "`", expr.span);
      if (subscript != nullptr) return refuse("it assigns to elements of `" + name + "`", expr.span);
      if (binding.kind != NameKind::Local && binding.kind != NameKind::Output)
        return refuse("it assigns to `" + name + "`, which is not the rule's own", expr.span);
      out_.assignments.push_back({own, id, target, key_of(binding)});
      return;
    }
    const auto* cell = std::get_if<MemberExpr>(&expr.node);
    if (cell == nullptr || !is_cell_call(*cell) || !std::holds_alternative<NameExpr>(body_.exprs[cell->object].node))
      return refuse("what it assigns to is no variable", expr.span);
    out_.assignments.push_back({own, id, target, key_of(types_.bindings[cell->object.index()])});
  }

  const Body& body_;
  const BodyTypes& types_;
  StmtId loop_;
  std::uint32_t loop_local_;
  const std::vector<std::uint32_t>& declarators_;
  std::set<std::uint32_t> declared_;  ///< locals of the loop's body
  LoopEffects out_;
};

/// Whether two nodes are alike apart from their operands.
bool is_same_node(const Expr& a, const Expr& b) {
  if (a.node.index() != b.node.index()) return false;
  return std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        const auto& other = std::get<Node>(b.node);
        if constexpr (std::is_same_v<Node, IntegerExpr> || std::is_same_v<Node, FloatExpr> ||
                      std::is_same_v<Node, CharExpr> || std::is_same_v<Node, NameExpr>) {
          return node.text == other.text;
        } else if constexpr (std::is_same_v<Node, BoolExpr>) {
          return node.value == other.value;
        } else if constexpr (std::is_same_v<Node, UnaryExpr> || std::is_same_v<Node, BinaryExpr>) {
          return node.op == other.op;
        } else if constexpr (std::is_same_v<Node, CallExpr>) {
          return node.callee == other.callee && node.args.size() == other.args.size();
        } else if constexpr (std::is_same_v<Node, MemberExpr>) {
          return node.name == other.name && node.is_call == other.is_call && node.args.size() == other.args.size();
        } else if constexpr (std::is_same_v<Node, CastExpr>) {
          return node.type == other.type;
        } else {
          return std::is_same_v<Node, ConditionalExpr> || std::is_same_v<Node, SubscriptExpr>;
        }
      },
      a.node);
}

}  // namespace

LoopEffects read_loop_effects(const Rule& rule, StmtId loop, std::uint32_t loop_local,
                              const std::vector<std::uint32_t>& declarators) {
  return EffectsReader(rule, loop, loop_local, declarators).run();
}

bool is_same_expr(const Rule& rule, ExprId a, ExprId b) {
  if (a == b) return true;
  const Expr& left = rule.body.exprs[a];
  const Expr& right = rule.body.exprs[b];
  if (!is_same_node(left, right)) return false;
  if (std::holds_alternative<NameExpr>(left.node) &&
      key_of(rule.body_types.bindings[a.index()]) != key_of(rule.body_types.bindings[b.index()]))
    return false;
  std::vector<ExprId> of_left, of_right;
  for_each_operand(left, [&](ExprId operand) { of_left.push_back(operand); });
  for_each_operand(right, [&](ExprId operand) { of_right.push_back(operand); });
  for (std::size_t i = 0; i < of_left.size(); ++i)
    if (!is_same_expr(rule, of_left[i], of_right[i])) return false;
  return true;
}

int count_mentions(const Rule& rule, ExprId expr, const VariableKey& variable) {
  int count = 0;
  walk_expr(rule.body, expr, [&](ExprId id) {
    const bool is_name = std::holds_alternative<NameExpr>(rule.body.exprs[id].node);
    if (is_name && key_of(rule.body_types.bindings[id.index()]) == variable) ++count;
  });
  return count;
}

}  // namespace pb::choices
