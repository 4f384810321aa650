// SPDX-License-Identifier: MIT
// Loops over the cells of a region, `for (T v : region)`: the tree gets a loop over indices per dimension, dimension 0
// innermost, so that kernels and packs know no other loops than these. A variable that is a reference is `.cell(…)`
// wherever it is named, which also exists in OpenCL C.
#include "frontend/check_types/range_loops.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check_types/settle_locals.h"
#include "lang/body/body_walk.h"

namespace pb::checking {
namespace {

/// The region that the loop runs over.
struct Range {
  std::string name;
  int num_dims = 0;
  bool is_input = false;
};

class RangeLoops {
 public:
  explicit RangeLoops(Rule& rule) : rule_(rule), body_(rule.body) {}

  void run() {
    const std::size_t count = body_.stmts.size();
    for (std::size_t i = 0; i < count; ++i) {
      const StmtId id(static_cast<std::uint32_t>(i));
      const auto* loop = std::get_if<ForStmt>(&body_.stmts[id].node);
      if (loop != nullptr && !loop->range.is_none()) rewrite(id, ForStmt(*loop));
    }
  }

 private:
  void rewrite(StmtId id, const ForStmt& loop) {
    const std::optional<Range> range = range_of(loop.range);
    if (!range || (range->num_dims > 1 && has_break(loop.body))) return;
    DeclStmt variable = std::get<DeclStmt>(body_.stmts[loop.variable].node);
    Declarator& declarator = variable.declarators.front();
    // Nothing writes to an input meanwhile, so a reference to its element may become a copy.
    const bool is_copy = !declarator.is_reference || (variable.type.is_const && range->is_input);
    const bool is_renamed = is_auto(variable.type_text) || !variable.type.is_const;
    if (declarator.pointer_depth > 0 || variable.is_static) return;
    if (!is_copy && (!is_renamed || declares(loop.body, declarator.name))) return;
    origin_ = loop.range;
    std::vector<StmtId> stmts;
    if (is_copy) {
      declarator.is_reference = false;
      declarator.init = cell(*range, declarator.name);
      body_.stmts[loop.variable].node = variable;
      stmts.push_back(loop.variable);
    } else {
      put_cells(loop.body, *range, declarator.name);
    }
    if (const auto* block = std::get_if<BlockStmt>(&body_.stmts[loop.body].node)) {
      stmts.insert(stmts.end(), block->stmts.begin(), block->stmts.end());
    } else {
      stmts.push_back(loop.body);
    }
    StmtId inner = add_stmt(BlockStmt{std::move(stmts)}, id);
    for (int dim = 0; dim + 1 < range->num_dims; ++dim)
      inner = add_stmt(index_loop(*range, declarator.name, dim, inner), id);
    ForStmt outer = index_loop(*range, declarator.name, range->num_dims - 1, inner);
    // The head of the loop is not opaque any more.
    body_.exprs[loop.condition].node = body_.exprs[outer.condition].node;
    outer.condition = loop.condition;
    body_.stmts[id].node = outer;
  }

  /// The region of the rule that an expression names, unless a variable of the body has the same name.
  std::optional<Range> range_of(ExprId id) const {
    const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
    if (name == nullptr || is_variable(name->text)) return std::nullopt;
    for (const RuleTemporary& temporary : rule_.temporaries)
      if (temporary.name == name->text) return region(name->text, static_cast<int>(temporary.extents.size()), false);
    for (const auto* accesses : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *accesses)
        if (access.binding == name->text)
          return region(name->text, access.kind == AccessKind::Cell ? 0 : access.num_body_dims(),
                        accesses == &rule_.inputs);
    return std::nullopt;
  }

  /// The range of a region with `num_dims` dimensions; none if it is a single element.
  static std::optional<Range> region(const std::string& name, int num_dims, bool is_input) {
    return num_dims == 0 ? std::nullopt : std::optional(Range{name, num_dims, is_input});
  }

  static bool declares(const Stmt& stmt, const std::string& name) {
    const auto* decl = std::get_if<DeclStmt>(&stmt.node);
    return decl != nullptr && std::any_of(decl->declarators.begin(), decl->declarators.end(),
                                          [&](const Declarator& declarator) { return declarator.name == name; });
  }

  /// Whether the body has a variable of this name anywhere.
  bool is_variable(const std::string& name) const {
    return std::any_of(body_.stmts.begin(), body_.stmts.end(), [&](const Stmt& stmt) { return declares(stmt, name); });
  }

  /// Whether a statement inside of `stmt`, perhaps a loop that stays opaque, declares the name again.
  bool declares(StmtId stmt, const std::string& name) const {
    bool found = false;
    walk(
        body_, stmt,
        [&](StmtId id) {
          const auto* loop = std::get_if<ForStmt>(&body_.stmts[id].node);
          const bool is_opaque = loop != nullptr && !loop->variable.is_none();
          found =
              found || declares(body_.stmts[id], name) || (is_opaque && declares(body_.stmts[loop->variable], name));
        },
        [](ExprId) {});
    return found;
  }

  /// Whether the body has a `break` for this loop. It would end only the innermost of several loops.
  bool has_break(StmtId id) const {
    const Stmt& stmt = body_.stmts[id];
    if (std::holds_alternative<BreakStmt>(stmt.node)) return true;
    if (is_loop(stmt) || std::holds_alternative<SwitchStmt>(stmt.node)) return false;
    bool has = false;
    for_each_child(
        stmt, [&](StmtId child) { has = has || has_break(child); }, [](ExprId) {});
    return has;
  }

  /// Puts `.cell(…)` where the body names the variable.
  void put_cells(StmtId body, const Range& range, const std::string& variable) {
    std::vector<ExprId> uses;
    walk(
        body_, body, [](StmtId) {},
        [&](ExprId id) {
          const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
          if (name != nullptr && name->text == variable) uses.push_back(id);
        });
    for (const ExprId use : uses) {
      const ExprId element = cell(range, variable);
      body_.exprs[use].node = body_.exprs[element].node;
    }
  }

  static std::string index_name(const std::string& variable, int dim) {
    return "pb_" + variable + "_" + std::to_string(dim);
  }

  /// Makes `region.cell(i, j)` with the loops' indices.
  ExprId cell(const Range& range, const std::string& variable) {
    MemberExpr member;
    member.object = add(NameExpr{range.name});
    member.name = "cell";
    member.is_call = true;
    for (int dim = 0; dim < range.num_dims; ++dim) member.args.push_back(add(NameExpr{index_name(variable, dim)}));
    return add(std::move(member));
  }

  /// Makes `for (IndexT i = 0; i < region.size(dim); i += 1) body`. The step is not `++i`, because requests for later
  /// elements are inserted into the text of such steps, and this step has no text.
  ForStmt index_loop(const Range& range, const std::string& variable, int dim, StmtId body) {
    const std::string name = index_name(variable, dim);
    Declarator index;
    index.name = name;
    index.name_span = body_.exprs[origin_].span;
    index.init = add(IntegerExpr{"0"});
    body_.exprs[index.init].tokens = {};  // its tokens hold no name
    BodyType type;
    type.kind = BodyType::Kind::Int;
    MemberExpr size;
    size.object = add(NameExpr{range.name});
    size.name = "size";
    size.is_call = true;
    size.args.push_back(add(IntegerExpr{std::to_string(dim)}));
    ForStmt loop;
    loop.init = add_stmt(DeclStmt{type, "IndexT", false, {std::move(index)}}, body);
    const ExprId at = add(NameExpr{name});
    loop.condition = add(BinaryExpr{BinaryOp::Less, at, add(std::move(size))});
    const ExprId target = add(NameExpr{name});
    loop.step = add(AssignExpr{true, BinaryOp::Add, target, add(IntegerExpr{"1"})});
    loop.body = body;
    return loop;
  }

  /// Adds an expression, which gets the place of the range in the source.
  template <class Node>
  ExprId add(Node node) {
    const Expr& origin = body_.exprs[origin_];
    return body_.exprs.add(Expr{std::move(node), origin.tokens, origin.span});
  }
  template <class Node>
  StmtId add_stmt(Node node, StmtId origin) {
    const Stmt& from = body_.stmts[origin];
    return body_.stmts.add(Stmt{std::move(node), from.tokens, from.span});
  }

  Rule& rule_;
  Body& body_;
  ExprId origin_;  ///< the range of the current loop
};

}  // namespace

void make_range_loops(Rule& rule) { RangeLoops(rule).run(); }

}  // namespace pb::checking
