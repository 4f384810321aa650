// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/repeated_reads.h"

#include <set>
#include <string>
#include <variant>

#include "lang/body/body_walk.h"

namespace pb {
namespace {

/// The variables that the head of a loop declares.
std::set<std::string> variables_of(const Body& body, const Stmt& loop) {
  std::set<std::string> out;
  const auto* head = std::get_if<ForStmt>(&loop.node);
  if (head == nullptr || head->init.is_none()) return out;
  if (const auto* decl = std::get_if<DeclStmt>(&body.stmts[head->init].node))
    for (const Declarator& declarator : decl->declarators) out.insert(declarator.name);
  return out;
}

/// The variables of all loops of the body.
std::set<std::string> loop_variables(const Body& body) {
  std::set<std::string> out;
  walk(
      body, body.root, [&](StmtId id) { out.merge(variables_of(body, body.stmts[id])); }, [](ExprId) {});
  return out;
}

class RepeatedReadFinder {
 public:
  RepeatedReadFinder(const Rule& rule, std::size_t input)
      : body_(rule.body), types_(rule.body_types), input_(input), loop_vars_(loop_variables(rule.body)) {}

  [[nodiscard]] bool run() const {
    bool result = false;
    walk(
        body_, body_.root, [&](StmtId id) { result |= is_loop(body_.stmts[id]) && repeats_a_read(id); }, [](ExprId) {});
    return result;
  }

 private:
  /// Whether a read below the loop has the same places in each of its rounds.
  [[nodiscard]] bool repeats_a_read(StmtId loop) const {
    const std::set<std::string> own_vars = variables_of(body_, body_.stmts[loop]);
    bool result = false;
    walk(
        body_, loop, [](StmtId) {},
        [&](ExprId id) {
          const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
          result |= member != nullptr && is_cell_call(*member) && is_of_input(*member) && !moves(*member, own_vars);
        });
    return result;
  }

  [[nodiscard]] bool is_of_input(const MemberExpr& member) const {
    const NameBinding& binding = types_.bindings[member.object.index()];
    return binding.kind == NameKind::Input && binding.index == input_;
  }

  /// Whether an index names one of the variables, or a local whose value may depend on them.
  [[nodiscard]] bool moves(const MemberExpr& cell, const std::set<std::string>& vars) const {
    bool result = false;
    for (const ExprId arg : cell.args)
      walk_expr(body_, arg, [&](ExprId id) {
        const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
        if (name == nullptr || types_.bindings[id.index()].kind != NameKind::Local) return;
        result |= vars.contains(name->text) || !loop_vars_.contains(name->text);
      });
    return result;
  }

  const Body& body_;
  const BodyTypes& types_;
  std::size_t input_;
  std::set<std::string> loop_vars_;
};

}  // namespace

bool reads_again(const Rule& rule, std::size_t input) { return RepeatedReadFinder(rule, input).run(); }

}  // namespace pb
