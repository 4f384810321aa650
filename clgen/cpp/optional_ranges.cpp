// SPDX-License-Identifier: MIT
#include "clgen/cpp/optional_ranges.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "clgen/cpp/strips.h"
#include "clgen/names.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Whether the cell moves by at most one element per instance, so that the instances in which it exists are a range.
bool is_range(const RegionAccess& input, const std::string& var) {
  if (input.is_slice || !input.tested_dims.empty()) return false;
  return std::all_of(input.lo.begin(), input.lo.end(), [&](const Formula& at) {
    const auto step = coefficient_of(at, var);
    const auto exact = to_rational(at, {});
    return step && *step >= -1 && *step <= 1 && exact && exact->denominator == 1;
  });
}

}  // namespace

bool has_optional_ranges(const RuleCode& code, const Step& step) {
  if (step.loops.empty() || !code.tried.empty() || code.rule.is_dynamic || has_strips(code, step)) return false;
  const LoopDim& loop = step.loops.back();
  if (loop.order == LoopOrder::Decreasing || loop.stride > 1) return false;
  bool has_optional = false;
  for (const RegionAccess& input : code.rule.inputs) {
    if (input.is_guest || !input.is_optional()) continue;
    if (!is_range(input, loop.var)) return false;
    has_optional = true;
  }
  return has_optional;
}

void emit_optional_range(Writer& out, const RuleCode& code, const Step& step) {
  const std::string& var = step.loops.back().var;
  std::vector<std::string> first = {"pb_lo_" + var};
  std::vector<std::string> last = {"pb_hi_" + var};
  std::vector<std::string> same;
  const auto add = [](std::vector<std::string>& terms, std::string term) {
    if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(std::move(term));
  };
  for (const RegionAccess& input : code.rule.inputs) {
    if (input.is_guest || !input.is_optional()) continue;
    for (std::size_t dim = 0; dim < input.lo.size(); ++dim) {
      const IndexExpr at = to_rational(input.lo[dim], {})->numerator;
      const IndexExpr size = index_symbol(code.matrix_name(input) + ".size(" + std::to_string(dim) + ")");
      const std::int64_t step_of_var = coefficient_of(input.lo[dim], var).value_or(0);
      const IndexExpr rest = index_sub(at, index_mul(index_const(step_of_var), index_symbol(var)));
      if (step_of_var == 0) {
        if (!at.is_const(0)) add(same, to_cpp(at) + " >= 0");
        add(same, to_cpp(at) + " < " + to_cpp(size));
      } else if (step_of_var == 1) {
        add(first, to_cpp(index_sub(index_const(0), rest)));
        add(last, to_cpp(index_sub(size, rest)));
      } else {
        add(first, to_cpp(index_sub(index_add(rest, index_const(1)), size)));
        add(last, to_cpp(index_add(rest, index_const(1))));
      }
    }
  }
  out.line("// Where all optional cells exist.");
  out.line("const std::int64_t pb_from_" + var + " = pbrt::index_max(" + joined(first) + ");");
  out.line("const std::int64_t pb_to_" + var + " = pbrt::index_min(" + joined(last) + ");");
  const std::string exist = (same.empty() ? "" : joined(same, " && ") + " && ") + "pb_from_" + var + " < pb_to_" + var;
  out.line("const bool pb_exist = " + exist + ";");
  out.line("const IndexT pb_first_" + var + " = pb_exist ? static_cast<IndexT>(pb_from_" + var + ") : pb_hi_" + var + ";");
  out.line("const IndexT pb_last_" + var + " = pb_exist ? static_cast<IndexT>(pb_to_" + var + ") : pb_hi_" + var + ";");
}

}  // namespace pb
