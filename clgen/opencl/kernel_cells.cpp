// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_cells.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"
#include "lang/region/affine.h"
#include "runtime/config/border_functions.h"

namespace pb {
namespace {

/// Returns the formula with names as the kernel spells them, in 64 bits.
Formula in_kernel(const Formula& formula) {
  return with_spelling(formula, [](const std::string& name) { return "(long)" + opencl_name(name); });
}

/// Returns the value with its symbols as the kernel spells them, in 64 bits.
IndexExpr in_kernel(IndexExpr value) {
  if (value.op == IndexExpr::Op::Symbol) value.symbol = "(long)" + opencl_name(value.symbol);
  for (IndexExpr& operand : value.operands) operand = in_kernel(std::move(operand));
  return value;
}

/// Returns the condition that coordinate `dim` lies inside as the fraction that it is, not only as computed. None if it
/// is not affine.
std::optional<std::string> fraction_text(const RegionAccess& input, std::size_t dim, const std::string& size) {
  const auto values = inside_terms(input, dim, index_symbol(size), {});
  if (!values) return std::nullopt;
  std::vector<std::string> terms;
  for (const IndexExpr& value : *values) terms.push_back("(" + to_opencl(in_kernel(value)) + ") >= 0");
  return joined(terms, " && ");
}

std::string missing_value_text(ElementType element) {
  if (element == ElementType::Double) return "as_double(0x7ff8000000000b1dUL)";
  return element == ElementType::Float ? "as_float(0x7fc00b1du)" : "0";
}

}  // namespace

std::string border_functions(const std::vector<const Rule*>& rules, const std::string& head) {
  const auto is_mapped = [](const RegionAccess& input) { return input.num_mapped_dims > 0; };
  const auto has_any = [&](const Rule* rule) {
    return std::any_of(rule->inputs.begin(), rule->inputs.end(), is_mapped);
  };
  if (std::none_of(rules.begin(), rules.end(), has_any)) return {};
  std::string out;
  std::istringstream lines(PB_BORDER_KERNEL_TEXT);
  for (std::string line; std::getline(lines, line);) out += head + line + "\n";
  return out;
}

void print_cell_with_border(Writer& out, const Transform& transform, const RegionAccess& input,
                            ElementType default_element, const std::string& name) {
  const Matrix& matrix = transform.matrices[input.matrix];
  std::string cell = name + "_offset";
  std::vector<std::string> inside;
  for (std::size_t d = 0; d < input.lo.size(); ++d) {
    const std::string size = name + "_size" + std::to_string(d);
    std::string at = to_c(in_kernel(input.lo[d]));
    if (input.is_mapped_dim(d)) at = "pb_" + std::string(function_of(input.border)) + "(" + at + ", " + size + ")";
    inside.push_back("(" + at + ") >= 0 && (" + at + ") < " + size);
    if (input.is_optional() && may_be_cut_off(input.lo[d]))
      if (auto fraction = fraction_text(input, d, size)) inside.push_back(std::move(*fraction));
    cell += " + (PB_INDEX)(" + at + ") * " + stride_name(name, d);
  }
  const ElementType element = matrix.is_element_t ? default_element : matrix.element;
  const std::string variable = "const " + element_word(matrix) + " " + opencl_name(input.binding) + " = ";
  const std::string value = name + "_data[" + cell + "]";
  if (!input.is_optional()) return out.line(variable + value + ";");
  const std::string flag = "pb_missing_" + input.binding;
  const std::string missing = input.missing_value
                                  ? "(" + opencl_type(element) + ")(" + to_c(in_kernel(*input.missing_value)) + ")"
                                  : missing_value_text(element);
  out.line("const bool " + flag + " = !(" + joined(inside, " && ") + ");");
  out.line(variable + flag + " ? " + missing + " : " + value + ";");
}

std::string missing_text(const RegionAccess& input) {
  return input.border == Border::Optional ? "pb_missing_" + input.binding : "false";
}

}  // namespace pb
