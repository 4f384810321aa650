// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/reads_ahead.h"

#include <algorithm>
#include <utility>

#include "base/loop_forms.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/operands.h"

namespace pb {
namespace {

class ReadsAheadFinder {
 public:
  explicit ReadsAheadFinder(const RuleShape& shape)
      : rule_(shape.rule),
        body_(shape.rule.body),
        facts_(shape.facts),
        lines_(shape.loop_value(TunableRole::ReadAhead, kReadLinesAhead)) {}

  std::vector<ReadsAhead> run() {
    walk(
        body_, body_.root,
        [&](StmtId id) {
          if (const auto* loop = std::get_if<ForStmt>(&body_.stmts[id].node)) add(*loop);
        },
        [](ExprId) {});
    return std::move(found_);
  }

 private:
  void add(const ForStmt& loop) {
    const NameExpr* var = counter_of(loop);
    // Compilers unroll loops whose end is a constant of the program.
    if (var == nullptr || has_constant_end(body_, loop) || has_loops(loop.body)) return;
    std::vector<std::string> in_order;
    bool is_indirect = false;
    bool writes_in_order = false;
    ExprId target;  // left side of an assignment, which is written and not read
    const auto visit = [&](ExprId id) {
      const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
      if (assign != nullptr && !assign->is_compound) target = assign->lhs;
      const auto* cell = cell_of(id);
      if (cell == nullptr) return;
      if (!is_counter(cell->args[0])) {
        is_indirect = is_indirect || (id != target && reads_in_order(cell->args[0]));
      } else if (const NameExpr* input = input_of(cell->object)) {
        if (std::find(in_order.begin(), in_order.end(), input->text) == in_order.end()) in_order.push_back(input->text);
      } else {
        writes_in_order = writes_in_order || rule_.body_types.bindings[cell->object.index()].kind != NameKind::Input;
      }
    };
    walk(
        body_, loop.body, [](StmtId) {}, visit);
    // A loop that also writes in order gets no requests: compilers may run it in vectors, but not with requests inside.
    if (!is_indirect || writes_in_order) return;
    if (!in_order.empty()) found_.push_back({loop.step, var->text, std::move(in_order), lines_});
  }

  /// Returns the local that the loop's step increments, and makes it the counter. Returns null if the step does
  /// something else.
  const NameExpr* counter_of(const ForStmt& loop) {
    const ExprId operand = incremented_operand(body_, loop.step);
    if (operand.is_none()) return nullptr;
    const NameBinding& binding = rule_.body_types.bindings[operand.index()];
    const bool is_integer = rule_.body_types.types[operand.index()].kind == BodyType::Kind::Int;
    if (binding.kind != NameKind::Local || !is_integer) return nullptr;
    counter_ = binding.index;
    return std::get_if<NameExpr>(&body_.exprs[operand].node);
  }

  bool is_counter(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    return binding.kind == NameKind::Local && binding.index == counter_ &&
           std::holds_alternative<NameExpr>(body_.exprs[id].node);
  }

  bool has_loops(StmtId stmt) const {
    bool has = false;
    walk(
        body_, stmt, [&](StmtId id) { has = has || is_loop(body_.stmts[id]); }, [](ExprId) {});
    return has;
  }

  /// Returns the expression if it is `region.cell(index)` with one index, else null.
  const MemberExpr* cell_of(ExprId id) const {
    const auto* cell = std::get_if<MemberExpr>(&body_.exprs[id].node);
    return cell != nullptr && is_cell_call(*cell) && cell->args.size() == 1 ? cell : nullptr;
  }

  /// Returns the name of an input that the body knows as a view; null if the expression is something else.
  const NameExpr* input_of(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    if (binding.kind != NameKind::Input || facts_.inputs[binding.index].needs_handle) return nullptr;
    return std::get_if<NameExpr>(&body_.exprs[id].node);
  }

  /// Whether the expression depends on an input's element at the counter.
  bool reads_in_order(ExprId expr) const {
    bool reads = false;
    walk_expr(body_, expr, [&](ExprId id) {
      const MemberExpr* cell = cell_of(id);
      reads = reads || (cell != nullptr && is_counter(cell->args[0]) && input_of(cell->object) != nullptr);
    });
    return reads;
  }

  const Rule& rule_;
  const Body& body_;
  const RuleFacts& facts_;
  const IndexExpr lines_;
  std::uint32_t counter_ = 0;  ///< number of the declarator of the current loop's counter
  std::vector<ReadsAhead> found_;
};

}  // namespace

std::vector<ReadsAhead> find_reads_ahead(const RuleShape& rule) { return ReadsAheadFinder(rule).run(); }

}  // namespace pb
