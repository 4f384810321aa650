// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/region_uses.h"

#include <algorithm>

#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb::choices {
namespace {

bool names(const Rule& rule, ExprId id, const NameBinding& of) {
  return std::holds_alternative<NameExpr>(rule.body.exprs[id].node) && rule.body_types.bindings[id.index()] == of;
}

/// The loop whose variable the expression is; none if it is something else.
std::optional<std::size_t> loop_of(const Rule& rule, ExprId id, const std::vector<std::uint32_t>& locals) {
  const NameBinding& binding = rule.body_types.bindings[id.index()];
  if (!std::holds_alternative<NameExpr>(rule.body.exprs[id].node) || binding.kind != NameKind::Local)
    return std::nullopt;
  const auto found = std::find(locals.begin(), locals.end(), binding.index);
  return found == locals.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - locals.begin()));
}

/// Whether a line has the size that the member of its plane says. `dim` is the line's dimension in the plane.
bool is_size_of_line(const MemberExpr& member, std::size_t dim) {
  return member.name == (dim == 0 ? "width" : "height");
}

/// Whether a region is written as one with a single place in a dimension, as `A.region(0, y, n, y+1)` is.
bool has_one_place(const RegionAccess& region, std::size_t dim) {
  const auto* sum = std::get_if<BinaryFormula>(&region.hi[dim].node);
  if (region.kind != AccessKind::Region || sum == nullptr || sum->op != FormulaOp::Add) return false;
  const auto* one = std::get_if<IntLiteral>(&sum->operands[1].node);
  return one != nullptr && one->value == 1 && to_string(sum->operands[0]) == to_string(region.lo[dim]);
}

}  // namespace

RegionUses uses_of(const Rule& rule, StmtId below, const NameBinding& of) {
  RegionUses out;
  std::size_t num_mentions = 0;
  walk(
      rule.body, below, [](StmtId) {},
      [&](ExprId id) {
        if (names(rule, id, of)) {
          ++num_mentions;
          if (!out.span.is_known()) out.span = rule.body.exprs[id].span;
        }
        const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
        if (member == nullptr || !names(rule, member->object, of)) return;
        const bool is_size = member->is_call && !member->is_arrow && is_size_member(member->name);
        if (is_cell_call(*member) || is_size) return out.members.push_back(id);
        if (out.is_plain) out.span = rule.body.exprs[id].span;
        out.is_plain = false;
      });
  out.is_plain = out.is_plain && num_mentions == out.members.size();
  return out;
}

std::optional<BoundAccess> bound_access(const Rule& rule, const RegionUses& uses, const RegionAccess& region,
                                        const std::vector<std::uint32_t>& locals) {
  BoundAccess out;
  for (std::size_t d = 0; d < region.lo.size(); ++d)
    if (!region.is_fixed_dim(d)) out.dims.push_back(d);
  const std::size_t num_dims = out.dims.size();
  bool is_first = true;
  bool has_sizes = false;
  std::vector<bool> is_zero(num_dims, true);
  out.loops.resize(num_dims);
  for (const ExprId id : uses.members) {
    const auto& member = std::get<MemberExpr>(rule.body.exprs[id].node);
    if (!is_cell_call(member)) {
      has_sizes = true;
      continue;
    }
    for (std::size_t d = 0; d < num_dims; ++d) {
      const auto loop = loop_of(rule, member.args[d], locals);
      if (is_first) out.loops[d] = loop;
      if (out.loops[d] != loop) out.loops[d] = std::nullopt;
      is_zero[d] = is_zero[d] && constant_value(rule.body, member.args[d]) == 0;
    }
    is_first = false;
  }
  const auto is_bound = [](const auto& loop) { return loop.has_value(); };
  const auto num_bound = std::count_if(out.loops.begin(), out.loops.end(), is_bound);
  if (!uses.is_plain || num_bound == 0) return std::nullopt;
  std::size_t num_shared = 0;
  for (std::size_t d = 0; d < num_dims; ++d)
    if (out.is_shared(d) && !(is_zero[d] && has_one_place(region, out.dims[d]))) ++num_shared;
  if (num_shared == 0) return has_sizes ? std::nullopt : std::optional(out);
  if (num_dims != 2 || region.kind != AccessKind::All) return std::nullopt;
  out.kind = out.loops[1] ? AccessKind::Row : AccessKind::Column;
  const std::size_t dim = out.loops[1] ? 0 : 1;
  const bool fits = std::all_of(uses.members.begin(), uses.members.end(), [&](ExprId id) {
    const auto& member = std::get<MemberExpr>(rule.body.exprs[id].node);
    return is_cell_call(member) || is_size_of_line(member, dim);
  });
  return fits ? std::optional(out) : std::nullopt;
}

}  // namespace pb::choices
