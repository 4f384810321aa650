// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <vector>

#include "base/seeded_fault.h"
#include "frontend/check_slips/slips.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/overloaded.h"
#include "lang/region/affine.h"

namespace pb::slips {
namespace {

/// The size of a handle in each dimension, if it is a constant of the program.
using Extents = std::vector<std::optional<std::int64_t>>;

std::optional<std::int64_t> constant_of(const IndexExpr& expr) {
  return expr.op == IndexExpr::Op::Const ? std::optional(expr.value) : std::nullopt;
}

Extents extents_of(const RegionAccess& access) {
  Extents out;
  if (access.kind == AccessKind::Cell) return out;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    if (access.is_fixed_dim(d)) continue;
    const auto lo = to_index_expr(access.lo[d], {});
    const auto hi = to_index_expr(access.hi[d], {});
    out.push_back(lo && hi ? constant_of(index_sub(*hi, *lo)) : std::nullopt);
  }
  return out;
}

Extents extents_of(const RuleTemporary& temporary) {
  Extents out;
  for (const Formula& extent : temporary.extents) {
    const auto value = to_index_expr(extent, {});
    out.push_back(value ? constant_of(*value) : std::nullopt);
  }
  return out;
}

/// Walks a body in the order of its text. If a rule has constants (template parameters, `duplicate`), its body may test
/// them before it uses an index. Then only statements that run in any case are looked at.
class IndexSearch {
 public:
  IndexSearch(const Rule& rule, Diagnostics& diags) : rule_(rule), body_(rule.body), diags_(diags) {}

  void run() { visit(body_.root, true); }

 private:
  /// `is_certain`: the statement runs in each instance.
  void visit(StmtId id, bool is_certain) {
    if (id.is_none() || (!rule_.constants.empty() && (!is_certain || may_have_left_))) return;
    const Stmt& stmt = body_.stmts[id];
    const bool is_conditional =
        !std::holds_alternative<BlockStmt>(stmt.node) && !std::holds_alternative<DoStmt>(stmt.node);
    if (const auto* branch = std::get_if<IfStmt>(&stmt.node)) {
      visit(branch->condition, is_certain);
      const auto condition = constant_value(body_, branch->condition);
      if (!condition || *condition != 0) visit(branch->then_stmt, false);
      if (!condition || *condition == 0) visit(branch->else_stmt, false);
    } else {
      for_each_child(
          stmt, [&](StmtId child) { visit(child, is_certain && !is_conditional); },
          [&](ExprId expr) { visit(expr, is_certain); });
    }
    if (is_conditional && may_leave(id)) may_have_left_ = true;
  }

  /// Whether the body may end within the statement, before what follows it.
  bool may_leave(StmtId id) const {
    bool found = false;
    walk(
        body_, id,
        [&](StmtId inner) {
          const auto& node = body_.stmts[inner].node;
          found = found || std::holds_alternative<ReturnStmt>(node) || std::holds_alternative<OpaqueStmt>(node) ||
                  std::holds_alternative<BreakStmt>(node) || std::holds_alternative<ContinueStmt>(node);
        },
        [](ExprId) {});
    return found;
  }

  void visit(ExprId id, bool is_certain) {
    if (id.is_none()) return;
    const Expr& expr = body_.exprs[id];
    if (std::holds_alternative<LambdaExpr>(expr.node)) return visit(std::get<LambdaExpr>(expr.node).body, false);
    if (!rule_.constants.empty() && !is_certain) return;
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) check(*member);
    const auto* binary = std::get_if<BinaryExpr>(&expr.node);
    const bool is_choice = std::holds_alternative<ConditionalExpr>(expr.node) ||
                           (binary != nullptr && kind_of(binary->op) == OperatorKind::Logical);
    bool is_first = true;
    for_each_operand(expr, [&](ExprId operand) {
      visit(operand, is_certain && (is_first || !is_choice));
      is_first = false;
    });
  }

  /// The sizes of the handle that an expression gives, as far as they are constants; empty if it gives no handle.
  Extents extents(ExprId id) const {
    const Expr& expr = body_.exprs[id];
    if (std::holds_alternative<NameExpr>(expr.node)) return extents_of_name(rule_.body_types.bindings[id.index()]);
    const auto* member = std::get_if<MemberExpr>(&expr.node);
    if (member == nullptr || !member->is_call || member->is_arrow) return {};
    Extents out = extents(member->object);
    if (member->name == "all" || out.empty()) return out;
    if (member->name == "transposed") return {out.rbegin(), out.rend()};
    const auto without = [&](std::size_t dim) {
      if (dim >= out.size()) return Extents{};
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(dim));
      return out;
    };
    if (member->name == "row") return without(1);
    if (member->name == "column" || member->name == "col") return without(0);
    if (member->name == "slice" && member->args.size() == 2) {
      const auto dim = constant_value(body_, member->args[0]);
      return dim && *dim >= 0 ? without(static_cast<std::size_t>(*dim)) : Extents{};
    }
    if (member->name != "region" || member->args.size() != 2 * out.size()) return {};
    for (std::size_t d = 0; d < out.size(); ++d) {
      const auto begin = constant_value(body_, member->args[d]);
      const auto end = constant_value(body_, member->args[out.size() + d]);
      out[d] = begin && end ? std::optional(*end - *begin) : std::nullopt;
    }
    return out;
  }

  Extents extents_of_name(const NameBinding& binding) const {
    if (binding.kind == NameKind::Input) return extents_of(rule_.inputs[binding.index]);
    if (binding.kind == NameKind::Output) return extents_of(rule_.outputs[binding.index]);
    if (binding.kind == NameKind::Temporary) return extents_of(rule_.temporaries[binding.index]);
    return {};
  }

  void check(const MemberExpr& member) {
    if (!member.is_call || member.is_arrow) return;
    const Extents sizes = extents(member.object);
    if (member.name == "cell" && member.args.size() == sizes.size()) {
      for (std::size_t d = 0; d < sizes.size(); ++d) check_index(member, member.args[d], d, sizes[d]);
    } else if (member.args.size() == 1 && sizes.size() >= 2 && member.name == "row") {
      check_index(member, member.args[0], 1, sizes[1]);
    } else if (member.args.size() == 1 && !sizes.empty() && (member.name == "column" || member.name == "col")) {
      check_index(member, member.args[0], 0, sizes[0]);
    }
  }

  void check_index(const MemberExpr& member, ExprId index, std::size_t dim, std::optional<std::int64_t> size) {
    const auto value = constant_value(body_, index);
    const std::int64_t behind = PB_FAULT(index_at_the_end_passes) ? 1 : 0;
    // A region that ends before it begins is a slip of another kind.
    if (!value || (size && *size < 0) || (*value >= 0 && (!size || *value < *size + behind))) return;
    auto diag = diags_.emit(DiagKind::IndexOutside, body_.exprs[index].span);
    diag.arg(*value)
        .arg(std::to_string(dim))
        .arg(name_of(member.object))
        .arg(size ? "of size " + std::to_string(*size) : "indexed from 0");
    if (const RegionAccess* access = access_of(member.object)) diag.label(access->span, "the region");
    if (*value < 0) {
      diag.hint("indices count from the begin of the region: let it begin earlier");
    } else if (*size > 0) {
      diag.hint((*size == 1 ? "its only index is 0" : "indices go from 0 to " + std::to_string(*size - 1)) +
                std::string("; the end of a region does not belong to it"));
    }
  }

  std::string name_of(ExprId id) const {
    std::string out;
    const TokenRange range = body_.exprs[id].tokens;
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      out += (i > range.begin ? body_.tokens[i].leading : "") + body_.tokens[i].text;
    return out;
  }

  const RegionAccess* access_of(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    if (binding.kind == NameKind::Input) return &rule_.inputs[binding.index];
    if (binding.kind == NameKind::Output) return &rule_.outputs[binding.index];
    return nullptr;
  }

  const Rule& rule_;
  const Body& body_;
  Diagnostics& diags_;
  bool may_have_left_ = false;
};

}  // namespace

void find_indices_outside(const Transform&, const Rule& rule, Diagnostics& diags) { IndexSearch(rule, diags).run(); }

}  // namespace pb::slips
