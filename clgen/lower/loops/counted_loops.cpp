// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/counted_loops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/operands.h"
#include "lang/types.h"

namespace pb {
namespace {

/// The most rounds that packs unroll as a whole, counted over a nest of loops.
constexpr std::int64_t kMostConstantRounds = 64;

/// Reads the heads of loops, and says what is in their bodies.
class LoopReader {
 public:
  explicit LoopReader(const Rule& rule) : rule_(rule), body_(rule.body) {}

  /// The loop, if its head is `for (int i = a; i < b; i++)`, or with `<=`, and its body leaves i and b alone.
  [[nodiscard]] std::optional<CountedLoop> read(StmtId id) const {
    const auto* node = std::get_if<ForStmt>(&body_.stmts[id].node);
    if (node == nullptr) return std::nullopt;
    const ForStmt& loop = *node;
    if (loop.init.is_none() || loop.condition.is_none() || loop.step.is_none()) return std::nullopt;
    const auto* decl = std::get_if<DeclStmt>(&body_.stmts[loop.init].node);
    if (decl == nullptr || decl->declarators.size() != 1 || decl->type.kind != BodyType::Kind::Int) return std::nullopt;
    const Declarator& variable = decl->declarators[0];
    const auto* test = std::get_if<BinaryExpr>(&body_.exprs[loop.condition].node);
    if (variable.init.is_none() || test == nullptr) return std::nullopt;
    if (test->op != BinaryOp::Less && test->op != BinaryOp::LessEqual) return std::nullopt;
    if (!is_name(body_, test->lhs, variable.name) || !is_increment(loop.step, variable.name)) return std::nullopt;
    if (rule_.body_types.types[test->rhs.index()].kind != BodyType::Kind::Int) return std::nullopt;
    if (!keeps_signs(decl->type, variable.init, test->rhs)) return std::nullopt;
    if (!leaves_alone(loop.body, variable.name, test->rhs)) return std::nullopt;
    return CountedLoop{id, variable.name, decl->type_text, variable.init, test->rhs, test->op == BinaryOp::LessEqual};
  }

  /// Whether the statement has only statements of these kinds in it: no jumps, and no loops but `for` if `with_loops`.
  [[nodiscard]] bool is_straight(StmtId stmt, bool with_loops) const {
    bool is_straight = true;
    walk(
        body_, stmt,
        [&](StmtId id) {
          const auto& node = body_.stmts[id].node;
          const bool fits = std::holds_alternative<BlockStmt>(node) || std::holds_alternative<ExprStmt>(node) ||
                            std::holds_alternative<DeclStmt>(node) || std::holds_alternative<EmptyStmt>(node) ||
                            std::holds_alternative<IfStmt>(node) ||
                            (with_loops && std::holds_alternative<ForStmt>(node));
          is_straight = is_straight && fits;
        },
        [](ExprId) {});
    return is_straight;
  }

 private:
  bool is_increment(ExprId id, const std::string& name) const {
    if (const ExprId operand = incremented_operand(body_, id); !operand.is_none()) return is_name(body_, operand, name);
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
    if (assign == nullptr || !assign->is_compound || assign->op != BinaryOp::Add || !is_name(body_, assign->lhs, name))
      return false;
    const auto* one = std::get_if<IntegerExpr>(&body_.exprs[assign->rhs].node);
    return one != nullptr && one->text == "1";
  }

  /// Whether C++ compares the values of a variable and its limit. Where only one of them has a sign, a negative value
  /// of it would count as a large one.
  bool keeps_signs(const BodyType& variable, ExprId first, ExprId limit) const {
    const BodyType& end = rule_.body_types.types[limit.index()];
    const auto has_sign = [](const BodyType& type) { return !type.is_unsigned || type.narrow_bytes > 0; };
    if (has_sign(variable) == has_sign(end)) return true;
    if (has_sign(end)) return end.is_unsigned || is_count(limit);
    const auto value = constant_value(body_, first);
    return value && *value >= 0 && *value <= INT8_MAX;  // fits every type
  }

  /// Whether an expression is a sum or a product of sizes and numbers, which is never negative.
  bool is_count(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (const auto* binary = std::get_if<BinaryExpr>(&node))
      return (binary->op == BinaryOp::Add || binary->op == BinaryOp::Mul) && is_count(binary->lhs) &&
             is_count(binary->rhs);
    const bool is_size = rule_.body_types.bindings[id.index()].kind == NameKind::SizeVar;
    return std::holds_alternative<IntegerExpr>(node) || (std::holds_alternative<NameExpr>(node) && is_size);
  }

  /// Whether the body of a loop changes neither the variable nor the limit, which is made of other names and numbers.
  bool leaves_alone(StmtId stmt, const std::string& variable, ExprId limit) const {
    bool is_left = true;
    std::set<std::string> limit_names;
    walk_expr(body_, limit, [&](ExprId id) {
      const auto& node = body_.exprs[id].node;
      if (const auto* name = std::get_if<NameExpr>(&node)) limit_names.insert(name->text);
      const bool is_plain = std::holds_alternative<NameExpr>(node) || std::holds_alternative<IntegerExpr>(node) ||
                            std::holds_alternative<BinaryExpr>(node);
      is_left = is_left && is_plain;
    });
    is_left = is_left && !limit_names.contains(variable);
    walk(
        body_, stmt, [](StmtId) {},
        [&](ExprId id) {
          const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
          const ExprId target = assign != nullptr ? assign->lhs : stepped_operand(body_, id);
          if (target.is_none()) return;
          const auto* name = std::get_if<NameExpr>(&body_.exprs[target].node);
          if (name != nullptr && (name->text == variable || limit_names.contains(name->text))) is_left = false;
        });
    return is_left;
  }

  const Rule& rule_;
  const Body& body_;
};

/// Finds nests whose rounds are all known.
class ConstantLoopFinder {
 public:
  explicit ConstantLoopFinder(const Rule& rule) : body_(rule.body), reader_(rule) {}

  [[nodiscard]] std::vector<CountedLoop> run() {
    std::vector<CountedLoop> out;
    std::set<StmtId> seen;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const auto* loop = std::get_if<ForStmt>(&body_.stmts[id].node);
          if (loop == nullptr || seen.contains(id) || !reader_.is_straight(loop->body, true)) return;
          nest_.clear();
          values_.clear();
          const auto rounds = count_rounds(id);
          if (!rounds || *rounds > kMostConstantRounds || !indexes_array(id)) return;
          for (const CountedLoop& each : nest_) seen.insert(each.loop);
          out.insert(out.end(), nest_.begin(), nest_.end());
        },
        [](ExprId) {});
    return out;
  }

 private:
  using Value = std::optional<std::int64_t>;

  /// The rounds of a loop and of those inside of it, all together; none if they are not known, or too many.
  Value count_rounds(StmtId id) {
    const auto loop = reader_.read(id);
    if (!loop || values_.contains(loop->var)) return std::nullopt;
    const auto value_of = [&](ExprId name) { return value_of_name(name); };
    const Value first = constant_value(body_, loop->first, value_of);
    const Value last = constant_value(body_, loop->last, value_of);
    if (!first || !last || *last > kMostConstantRounds || *first < -kMostConstantRounds) return std::nullopt;
    if (!fits_type(id, std::min(*first, *last))) return std::nullopt;
    if (std::find(nest_.begin(), nest_.end(), *loop) == nest_.end()) nest_.push_back(*loop);
    std::int64_t rounds = 0;
    for (std::int64_t value = *first; value < *last + (loop->is_inclusive ? 1 : 0); ++value) {
      values_[loop->var] = value;
      const Value inner = rounds_inside(std::get<ForStmt>(body_.stmts[id].node).body);
      if (!inner) return std::nullopt;
      rounds += 1 + *inner;
      if (rounds > kMostConstantRounds) return std::nullopt;
    }
    values_.erase(loop->var);
    return rounds;
  }

  /// Whether the variable of a loop may have that value, which is small unless it is negative.
  bool fits_type(StmtId loop, std::int64_t value) const {
    const StmtId init = std::get<ForStmt>(body_.stmts[loop].node).init;
    const bool is_unsigned = std::get<DeclStmt>(body_.stmts[init].node).type.is_unsigned;
    return value >= (is_unsigned ? 0 : INT8_MIN);
  }

  /// The rounds of the loops in a statement.
  Value rounds_inside(StmtId id) {
    if (std::holds_alternative<ForStmt>(body_.stmts[id].node)) return count_rounds(id);
    Value rounds = 0;
    for_each_child(
        body_.stmts[id],
        [&](StmtId child) {
          const Value inner = rounds ? rounds_inside(child) : std::nullopt;
          rounds = inner ? Value(*rounds + *inner) : std::nullopt;
        },
        [](ExprId) {});
    return rounds;
  }

  Value value_of_name(ExprId id) const {
    const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
    const auto found = name == nullptr ? values_.end() : values_.find(name->text);
    return found == values_.end() ? std::nullopt : Value(found->second);
  }

  /// Whether a nest indexes an array of the body by something that has a variable of the nest in it.
  bool indexes_array(StmtId nest) const {
    bool found = false;
    walk(
        body_, nest, [](StmtId) {},
        [&](ExprId id) {
          const auto* subscript = std::get_if<SubscriptExpr>(&body_.exprs[id].node);
          if (subscript == nullptr) return;
          walk_expr(body_, subscript->index, [&](ExprId part) {
            for (const CountedLoop& loop : nest_) found = found || is_name(body_, part, loop.var);
          });
        });
    return found && !hides_variable(nest);
  }

  /// Whether a nest declares a name of one of its variables again.
  bool hides_variable(StmtId nest) const {
    std::map<std::string, int> declared;
    walk(
        body_, nest,
        [&](StmtId id) {
          if (const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node))
            for (const Declarator& declarator : decl->declarators) ++declared[declarator.name];
        },
        [](ExprId) {});
    std::map<std::string, int> variables;
    for (const CountedLoop& loop : nest_) ++variables[loop.var];
    return std::any_of(variables.begin(), variables.end(),
                       [&](const auto& variable) { return declared[variable.first] != variable.second; });
  }

  const Body& body_;
  const LoopReader reader_;
  std::vector<CountedLoop> nest_;               ///< the loops of the nest that is looked at
  std::map<std::string, std::int64_t> values_;  ///< of the variables around the statement that is looked at
};

}  // namespace

std::vector<CountedLoop> find_counted_loops(const Rule& rule, const std::vector<CountedLoop>& constant_loops) {
  const LoopReader reader(rule);
  std::vector<CountedLoop> out;
  walk(
      rule.body, rule.body.root,
      [&](StmtId id) {
        auto loop = find_loop(constant_loops, id) != nullptr ? std::nullopt : reader.read(id);
        if (!loop || loop->is_inclusive) return;
        if (reader.is_straight(std::get<ForStmt>(rule.body.stmts[id].node).body, false))
          out.push_back(std::move(*loop));
      },
      [](ExprId) {});
  return out;
}

std::vector<CountedLoop> find_constant_loops(const Rule& rule) { return ConstantLoopFinder(rule).run(); }

}  // namespace pb
