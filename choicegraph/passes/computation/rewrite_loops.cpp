// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/rewrite_loops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

Formula variable(const std::string& name, Span span) { return {SymbolRef{SymbolKind::RuleVar, name}, span}; }

Formula after(const Formula& first) {
  return {BinaryFormula{FormulaOp::Add, {first, {IntLiteral{1}, first.span}}}, first.span};
}

class Rewriter {
 public:
  Rewriter(Rule& rule, const std::vector<Fold>& loops) : rule_(rule), body_(rule.body), loops_(loops) {}

  void run(const std::vector<std::size_t>& vars, const std::vector<BoundRegion>& regions) {
    open_body();
    for (const BoundRegion& region : regions) bind(region);
    add_variables(vars, regions);
    clear_unreached();
    drop_tokens();
  }

 private:
  [[nodiscard]] const ForStmt& stmt_of(std::size_t loop) const {
    return std::get<ForStmt>(body_.stmts[loops_[loop].loop].node);
  }

  [[nodiscard]] Span name_span(std::size_t loop) const {
    return std::get<DeclStmt>(body_.stmts[stmt_of(loop).init].node).declarators[0].name_span;
  }

  /// The body becomes what the innermost of the loops runs.
  void open_body() {
    const StmtId inside = stmt_of(loops_.size() - 1).body;
    const Stmt& stmt = body_.stmts[inside];
    TokenRange kept = stmt.tokens;
    std::vector<StmtId> stmts{inside};
    if (const auto* block = std::get_if<BlockStmt>(&stmt.node)) {
      kept = {kept.begin + 1, kept.end - 1};
      stmts = block->stmts;
    }
    is_kept_.assign(body_.tokens.size(), false);
    std::fill(is_kept_.begin() + kept.begin, is_kept_.begin() + kept.end, true);
    body_.stmts[body_.root].node = BlockStmt{std::move(stmts)};
  }

  void drop(std::uint32_t begin, std::uint32_t end) {
    std::fill(is_kept_.begin() + begin, is_kept_.begin() + end, false);
  }

  [[nodiscard]] std::uint32_t find_token(std::uint32_t from, const char* text) const {
    while (body_.tokens[from].text != text) ++from;
    return from;
  }

  void bind(const BoundRegion& region) {
    RegionAccess& access = (region.of.kind == NameKind::Output ? rule_.outputs : rule_.inputs)[region.of.index];
    access.kind = region.access.kind;
    if (access.kind == AccessKind::Cell) access.is_slice = false;
    for (std::size_t i = 0; i < region.access.dims.size(); ++i) {
      if (region.access.is_shared(i)) continue;
      const std::size_t d = region.access.dims[i];
      access.lo[d] = variable(loops_[*region.access.loops[i]].var, access.span);
      access.hi[d] = after(access.lo[d]);
    }
    for (const ExprId use : region.uses) {
      if (access.kind == AccessKind::Cell) {
        become_name(use);
      } else {
        become_line(use, access.kind == AccessKind::Row);
      }
    }
  }

  /// `c.cell(x, y)` becomes `c`.
  void become_name(ExprId use) {
    const MemberExpr member = std::get<MemberExpr>(body_.exprs[use].node);
    drop(body_.exprs[member.object].tokens.end, body_.exprs[use].tokens.end);
    body_.exprs[use].node = body_.exprs[member.object].node;
    rule_.body_types.bindings[use.index()] = rule_.body_types.bindings[member.object.index()];
  }

  /// `c.cell(i, y)` becomes `c.cell(i)`, and the height of a column its width.
  void become_line(ExprId use, bool is_row) {
    auto& member = std::get<MemberExpr>(body_.exprs[use].node);
    rule_.body_types.types[member.object.index()].num_dims = 1;
    const std::uint32_t open = find_token(body_.exprs[member.object].tokens.end, "(");
    if (!is_cell_call(member)) {
      member.name = "width";
      body_.tokens[find_token(body_.exprs[member.object].tokens.end, ".") + 1].text = member.name;
      return;
    }
    const std::uint32_t comma = find_token(body_.exprs[member.args[0]].tokens.end, ",");
    if (is_row) {
      drop(comma, body_.exprs[use].tokens.end - 1);
      member.args.pop_back();
    } else {
      drop(open + 1, comma + 1);
      member.args.erase(member.args.begin());
    }
  }

  /// Loops along the first dimensions become the fastest variables, as they were before.
  void add_variables(const std::vector<std::size_t>& vars, const std::vector<BoundRegion>& regions) {
    const auto num_before = static_cast<std::uint32_t>(rule_.vars.size());
    const auto is_along_first = [](const BoundRegion& region) {
      return region.of.kind == NameKind::Output && region.access.dims.front() == 0;
    };
    const bool is_first = std::any_of(regions.begin(), regions.end(), is_along_first);
    std::vector<RuleVar> added;
    for (const std::size_t loop : vars) added.push_back({loops_[loop].var, name_span(loop)});
    rule_.vars.insert(is_first ? rule_.vars.begin() : rule_.vars.end(), added.begin(), added.end());
    rebind(vars, is_first ? 0 : num_before);
  }

  /// The names of the loops' variables mean the rule's, of which `vars` begin at number `begin`.
  void rebind(const std::vector<std::size_t>& vars, std::uint32_t begin) {
    const auto num_loops = static_cast<std::uint32_t>(loops_.size());
    for (NameBinding& binding : rule_.body_types.bindings) {
      if (binding.kind == NameKind::RuleVar && binding.index >= begin) binding.index += num_loops;
      if (binding.kind != NameKind::Local) continue;
      if (binding.index >= num_loops) {
        binding.index -= num_loops;
        continue;
      }
      const auto at = std::find(vars.begin(), vars.end(), std::size_t{binding.index}) - vars.begin();
      binding = {NameKind::RuleVar, begin + static_cast<std::uint32_t>(at)};
    }
  }

  /// Nodes that the tree has no more must not look like uses of what they named.
  void clear_unreached() {
    std::vector<bool> has_stmt(body_.stmts.size(), false);
    std::vector<bool> has_expr(body_.exprs.size(), false);
    walk(
        body_, body_.root, [&](StmtId id) { has_stmt[id.index()] = true; },
        [&](ExprId id) { has_expr[id.index()] = true; });
    for (const StmtId id : body_.stmts.ids())
      if (!has_stmt[id.index()]) body_.stmts[id] = {EmptyStmt{}, {}, body_.stmts[id].span};
    for (const ExprId id : body_.exprs.ids()) {
      if (has_expr[id.index()]) continue;
      body_.exprs[id] = {IntegerExpr{"0"}, {}, body_.exprs[id].span};
      rule_.body_types.types[id.index()] = number_type(ElementType::Int);
      rule_.body_types.bindings[id.index()] = {};
    }
  }

  void drop_tokens() {
    std::vector<std::uint32_t> moved(body_.tokens.size() + 1);
    std::vector<BodyToken> kept;
    for (std::size_t i = 0; i < body_.tokens.size(); ++i) {
      moved[i] = static_cast<std::uint32_t>(kept.size());
      if (is_kept_[i]) kept.push_back(std::move(body_.tokens[i]));
    }
    moved.back() = static_cast<std::uint32_t>(kept.size());
    body_.tokens = std::move(kept);
    const auto move = [&](TokenRange& range) { range = {moved[range.begin], moved[range.end]}; };
    for (Stmt& stmt : body_.stmts) move(stmt.tokens);
    for (Expr& expr : body_.exprs) move(expr.tokens);
    body_.stmts[body_.root].tokens = {0, static_cast<std::uint32_t>(body_.tokens.size())};
  }

  Rule& rule_;
  Body& body_;
  const std::vector<Fold>& loops_;
  std::vector<bool> is_kept_;  ///< by token
};

}  // namespace

void rewrite_loops(Rule& rule, const std::vector<Fold>& loops, const std::vector<std::size_t>& vars,
                   const std::vector<BoundRegion>& regions) {
  Rewriter(rule, loops).run(vars, regions);
}

}  // namespace pb::choices
