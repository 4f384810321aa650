// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/checked_sum_code.h"

#include <algorithm>
#include <string>
#include <vector>

#include "clgen/cpp/rules/instance_code.h"
#include "clgen/cpp/rules/rule_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns the rule as it is printed for the sum.
RuleCode in_wider_numbers(const CppContext& context, TransformId transform, const CheckedSum& sum) {
  RuleCode code(context, transform, sum.rule);
  code.stem += "_wide";
  code.wide = &sum;
  code.folds = {};
  code.tuned_params.clear();
  return code;
}

/// Declares what the rule uses: inputs of the transform, sizes, and its variables, which are the cell's coordinates.
void emit_names(Writer& out, const RuleCode& code) {
  const std::vector<MatrixId> inputs = code.transform.matrices_of(MatrixRole::From);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto is_it = [&](const RuleMatrix& use) { return use.matrix == inputs[i]; };
    if (std::none_of(code.matrices.begin(), code.matrices.end(), is_it)) continue;
    const Matrix& matrix = code.matrix(inputs[i]);
    out.declare("const auto", matrix.name, typed_matrix(matrix, "pb_inputs[" + std::to_string(i) + "]") + ".view()");
  }
  const auto declare = [&](const std::string& name, const std::string& value) {
    out.declare("const IndexT", name, "static_cast<IndexT>(" + value + ")");
  };
  for (std::size_t i = 0; i < code.transform.size_vars.size(); ++i)
    declare(code.transform.size_vars[i].name, "pb_sizes[" + std::to_string(i) + "]");
  const std::vector<Formula>& cell = code.rule.outputs.front().lo;
  for (std::size_t d = 0; d < cell.size(); ++d)
    declare(std::get<SymbolRef>(cell[d].node).name, "pb_cell[" + std::to_string(d) + "]");
}

}  // namespace

void emit_checked_sums(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::vector<MatrixId> outputs = transform.matrices_of(MatrixRole::To);
  std::vector<std::string> entries;
  for (const CheckedSum& sum : lowered_of(context, id).sums) {
    const RuleCode code = in_wider_numbers(context, id, sum);
    emit_rule_function(out, context, code);
    const std::string name = "sum_" + code.stem;
    Writer body;
    body.indent();
    emit_names(body, code);
    if (code.rule.is_return_form) {
      body.line("return " + value_text(code) + ".terms();");
    } else {
      body.declare("pbrt::WideSum", kWideCell, "0");
      body.line(value_text(code) + ";");
      body.line("return " + std::string(kWideCell) + ".terms();");
    }
    emit_function(out, "PB_COLD static pbrt::SumOfTerms " + name,
                  {{"const pbrt::AnyMatrix*", "pb_inputs"},
                   {"const std::int64_t*", "pb_sizes"},
                   {"const std::int64_t*", "pb_cell"}},
                  body);
    const auto output = std::find(outputs.begin(), outputs.end(), sum.output) - outputs.begin();
    entries.push_back("{" + std::to_string(output) + ", " + name + "}");
  }
  if (entries.empty()) return;
  out.line("constexpr pbrt::CheckedSumDesc kSums_" + identifier_of(context.program, id) + "[] = {" + joined(entries) +
           "};");
}

}  // namespace pb
