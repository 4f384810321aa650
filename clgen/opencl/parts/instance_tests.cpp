// SPDX-License-Identifier: MIT
#include "clgen/opencl/parts/instance_tests.h"

#include <cstddef>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/index/index_bounds.h"

namespace pb {
namespace {

/// Names of ours stand as they are.
IndexExpr in_kernel(IndexExpr expr, bool is_wide) {
  if (expr.op == IndexExpr::Op::Symbol) {
    const bool is_ours = expr.symbol.starts_with("pb_") || expr.symbol.starts_with("PB_");
    expr.symbol = (is_wide ? "(long)" : "") + (is_ours ? expr.symbol : opencl_name(expr.symbol));
  }
  for (IndexExpr& operand : expr.operands) operand = in_kernel(std::move(operand), is_wide);
  return expr;
}

}  // namespace

std::string exists_text(const Transform& transform, const std::vector<IndexExpr>& conditions) {
  std::vector<std::string> terms;
  for (const IndexExpr& condition : conditions)
    terms.push_back(to_opencl(in_kernel(condition, !fits_int(condition, transform))) + " >= 0");
  return joined(terms, " && ");
}

void print_group_exit(Writer& out, const KernelDialect& dialect, const std::vector<std::string>& vars,
                      const std::vector<IndexExpr>& conditions) {
  SymbolRanges group;
  for (std::size_t d = 0; d < vars.size(); ++d) {
    const IndexExpr first = index_symbol(group_var(static_cast<int>(d)));
    const IndexExpr last = index_add(first, index_sub(index_symbol("PB_SPAN" + std::to_string(d)), index_const(1)));
    group.emplace_back(vars[d], IndexInterval{first, last});
  }
  std::vector<std::string> terms;
  for (const IndexExpr& condition : conditions)
    if (const auto bounds = bounds_of(condition, group))
      terms.push_back(to_opencl(in_kernel(bounds->last, true)) + " < 0");
  if (terms.empty()) return;
  // Where some groups return before a barrier, PoCL makes wrong code, whatever its device counts as.
  if (dialect.may_run_on_cpus) out.verbatim("#ifndef POCL_DEVICE_ADDRESS_BITS\n");
  out.line("if (" + joined(terms, " || ") + ") return;");
  if (dialect.may_run_on_cpus) out.verbatim("#endif\n");
}

}  // namespace pb
