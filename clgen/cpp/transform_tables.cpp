// SPDX-License-Identifier: MIT
#include "clgen/cpp/transform_tables.h"

// The tables of runtime/main/program/program_desc.h for one transform.
#include <algorithm>
#include <set>

#include "clgen/cpp/calls/call_context.h"
#include "clgen/cpp/calls/call_sizes.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/rules/checked_sum_code.h"
#include "clgen/cpp/rules/rule_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/initial_reads.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Inputs, then outputs: how the runtime numbers a transform's matrices.
std::vector<MatrixId> table_matrices(const Transform& transform) {
  std::vector<MatrixId> out = transform.matrices_of(MatrixRole::From);
  for (const MatrixId id : transform.matrices_of(MatrixRole::To)) out.push_back(id);
  return out;
}

std::string formulas_name(const std::string& stem, const Matrix& matrix) {
  return "kFormulas_" + stem + "_" + matrix.name;
}

void emit_matrices(Writer& out, const CppContext& context, TransformId id, MatrixRole role, const std::string& name) {
  const Transform& transform = context.program.transforms[id];
  const std::string stem = identifier_of(context.program, id);
  const std::vector<MatrixId> matrices = transform.matrices_of(role);
  if (matrices.empty()) return;
  for (const MatrixId matrix_id : matrices) {
    const Matrix& matrix = transform.matrices[matrix_id];
    if (matrix.extents.empty()) continue;
    std::vector<std::string> formulas;
    for (const Formula& extent : matrix.extents) formulas.push_back(quoted(to_string(extent)));
    out.line("constexpr const char* " + formulas_name(stem, matrix) + "[] = {" + joined(formulas) + "};");
  }
  out.open("constexpr pbrt::MatrixDesc " + name + "[] =");
  for (const MatrixId matrix_id : matrices) {
    const Matrix& matrix = transform.matrices[matrix_id];
    const bool is_read = role == MatrixRole::From || is_read_initially(context.program, id, matrix_id);
    out.line("{" + quoted(matrix.name) + ", pbrt::kElementKindOf<" + element_text(matrix.element, matrix.is_element_t) +
             ">, " + std::to_string(matrix.extents.size()) + ", " +
             (matrix.extents.empty() ? "nullptr" : formulas_name(stem, matrix)) + ", " + (is_read ? "true" : "false") +
             (matrix.range ? ", " + quoted(to_string(*matrix.range)) : "") + "},");
  }
  out.close(";");
}

/// Declares the configuration values that formulas of headers may name: the size-specific ones, for size `pb_n`, or the
/// others.
void emit_configuration_values(Writer& out, const CppContext& context, TransformId id, bool is_size_specific) {
  const Transform& transform = context.program.transforms[id];
  const TransformPlan& plan = context.plan.transforms[id.index()];
  for (std::size_t i = 0; i < plan.tunables.size(); ++i) {
    if (!plan.tunables[i].user) continue;
    const UserTunable& tunable = transform.tunables[*plan.tunables[i].user];
    if (tunable.is_real || tunable.array_extent > 0 || tunable.is_size_specific != is_size_specific) continue;
    out.declare("const std::int64_t", tunable.name,
                tunable_value(context, id, i, "pb_context", is_size_specific ? "pb_n" : "1"));
  }
}

void emit_solve(Writer& to, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  Writer out;
  out.indent();
  emit_configuration_values(out, context, id, false);
  const std::vector<MatrixId> matrices = table_matrices(transform);
  const auto index_of = [&](const std::string& name) {
    std::size_t k = 0;
    while (transform.size_vars[k].name != name) ++k;
    return k;
  };
  std::vector<const SizeVar*> equations;
  for (const SizeVar& var : transform.size_vars) equations.push_back(&var);
  for (const SizeVar& var : transform.sizes_from_inputs) equations.push_back(&var);
  for (const SizeVar* equation : equations) {
    const SizeVar& var = *equation;
    if (var.is_given_by_run()) continue;
    const std::string index = std::to_string(index_of(var.name));
    const std::vector<std::string> symbols = symbols_of(var.solution, SymbolKind::SizeVar);
    std::set<std::string> needed(symbols.begin(), symbols.end());
    needed.erase(kActualSize);
    needed.erase(var.name);  // a search names the size that it looks for
    const auto position = std::find(matrices.begin(), matrices.end(), var.matrix) - matrices.begin();
    std::vector<std::string> terms = {"!pb_known[" + index + "]",
                                      "pb_sizes[" + std::to_string(position) + "] != nullptr"};
    for (const std::string& name : needed) terms.push_back("pb_known[" + std::to_string(index_of(name)) + "]");
    out.open("if (" + joined(terms, " && ") + ")");
    for (const std::string& name : needed)
      out.line("const std::int64_t " + name + " = pb_values[" + std::to_string(index_of(name)) + "];");
    out.line("const std::int64_t " + std::string(kActualSize) + " = pb_sizes[" + std::to_string(position) + "][" +
             std::to_string(var.dim) + "];");
    out.line("pb_values[" + index + "] = " + solution_text(var, kActualSize) + ";");
    out.line("pb_known[" + index + "] = true;");
    out.close();
  }
  emit_function(to, "PB_COLD static void solve_" + identifier_of(context.program, id),
                {{"const pbrt::RunContext&", "pb_context"},
                 {"const pbrt::IndexT* const*", "pb_sizes"},
                 {"std::int64_t*", "pb_values"},
                 {"bool*", "pb_known"}},
                out);
}

/// Declares the values that formulas of headers may name: size variables and values of the configuration.
void emit_formula_values(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  emit_configuration_values(out, context, id, false);
  for (std::size_t i = 0; i < transform.size_vars.size(); ++i)
    out.declare("const std::int64_t", transform.size_vars[i].name, "pb_values[" + std::to_string(i) + "]");
  emit_largest_size(out, transform);
  emit_configuration_values(out, context, id, true);
}

void emit_extents(Writer& to, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  Writer out;
  out.indent();
  emit_formula_values(out, context, id);
  int next = 0;
  for (const MatrixId matrix : table_matrices(transform))
    for (const Formula& extent : transform.matrices[matrix].extents)
      out.line("pb_out[" + std::to_string(next++) + "] = " + to_extent_cpp(extent) + ";");
  emit_function(
      to, "PB_COLD static void extents_" + identifier_of(context.program, id),
      {{"const pbrt::RunContext&", "pb_context"}, {"const std::int64_t*", "pb_values"}, {"std::int64_t*", "pb_out"}},
      out);
}

bool has_ranges(const Transform& transform) {
  const std::vector<MatrixId> inputs = transform.matrices_of(MatrixRole::From);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](MatrixId id) { return transform.matrices[id].range.has_value(); });
}

/// Prints the function `ranges_T`, which computes the ranges of generated inputs.
void emit_ranges(Writer& to, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  if (!has_ranges(transform)) return;
  Writer out;
  out.indent();
  emit_formula_values(out, context, id);
  const std::vector<MatrixId> inputs = transform.matrices_of(MatrixRole::From);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Matrix& matrix = transform.matrices[inputs[i]];
    if (!matrix.range) continue;
    const bool is_real = is_floating(matrix.element);
    const auto text = [&](const Formula& bound) { return is_real ? to_real_c(bound) : to_checked_c(bound); };
    out.line("pb_out[" + std::to_string(i) + "] = pbrt::ValueRange::" + (is_real ? "of_reals(" : "of_integers(") +
             text(matrix.range->lo) + ", " + text(matrix.range->hi) + ");");
  }
  emit_function(to, "PB_COLD static void ranges_" + identifier_of(context.program, id),
                {{"const pbrt::RunContext&", "pb_context"},
                 {"const std::int64_t*", "pb_values"},
                 {"pbrt::ValueRange*", "pb_out"}},
                out);
}

void emit_enter(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::string name = identifier_of(context.program, id);
  std::vector<std::string> args = {"pb_frame"};
  int next_output = 0;
  int next_input = 0;
  for (const MatrixId matrix_id : call_matrices(transform)) {
    const Matrix& matrix = transform.matrices[matrix_id];
    const bool is_output = matrix.role == MatrixRole::To;
    const std::string from = is_output ? "pb_outputs[" + std::to_string(next_output++) + "]"
                                       : "pb_inputs[" + std::to_string(next_input++) + "]";
    args.push_back(typed_matrix(matrix, from));
  }
  Writer body;
  body.indent();
  body.line("call_" + name + "(" + joined(args) + ");");
  emit_function(
      out, "PB_COLD static void enter_" + name,
      {{"pbrt::Frame&", "pb_frame"}, {"const pbrt::AnyMatrix*", "pb_outputs"}, {"const pbrt::AnyMatrix*", "pb_inputs"}},
      body);
}

}  // namespace

void emit_transform_tables(Writer& out, const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::string name = identifier_of(context.program, id);
  emit_matrices(out, context, id, MatrixRole::From, "kInputs_" + name);
  emit_matrices(out, context, id, MatrixRole::To, "kOutputs_" + name);
  std::vector<std::string> sizes;
  std::vector<std::string> params;
  for (const SizeVar& var : transform.size_vars) sizes.push_back(quoted(var.name));
  for (const Formula& param : transform.params) {
    const std::string param_name = to_string(param);
    for (std::size_t i = 0; i < transform.size_vars.size(); ++i)
      if (transform.size_vars[i].name == param_name) params.push_back(std::to_string(i));
  }
  if (!sizes.empty()) out.line("constexpr const char* kSizes_" + name + "[] = {" + joined(sizes) + "};");
  if (!params.empty()) out.line("constexpr int kParams_" + name + "[] = {" + joined(params) + "};");
  emit_solve(out, context, id);
  emit_extents(out, context, id);
  emit_ranges(out, context, id);
  emit_enter(out, context, id);
  emit_checked_sums(out, context, id);
  out.blank();
}

std::string transform_entry(const CppContext& context, TransformId id) {
  const Transform& transform = context.program.transforms[id];
  const std::string name = identifier_of(context.program, id);
  const auto list = [&](const char* prefix, std::size_t count) {
    return (count == 0 ? std::string("nullptr") : prefix + name) + ", " + std::to_string(count);
  };
  std::size_t num_params = 0;
  for (const Formula& param : transform.params)
    for (const SizeVar& var : transform.size_vars) num_params += var.name == to_string(param) ? 1 : 0;
  const auto index_text = [](std::optional<TransformId> which) {
    return which ? std::to_string(which->index()) : std::string("-1");
  };
  const std::string metric = index_text(transform.accuracy.value_or(Accuracy{}).metric);
  const std::vector<CheckedSum>& sums = lowered_of(context, id).sums;
  const bool has_sums = !sums.empty();
  std::vector<std::string> template_names = {"nullptr", "nullptr"};
  if (!transform.template_args.empty())
    template_names = {quoted(transform.source_name), quoted(instance_name(transform))};
  return "{" + quoted(transform.name) + ", " + list("kInputs_", transform.matrices_of(MatrixRole::From).size()) + ", " +
         list("kOutputs_", transform.matrices_of(MatrixRole::To).size()) + ", " +
         list("kSizes_", transform.size_vars.size()) + ", " + list("kParams_", num_params) + ", solve_" + name +
         ", extents_" + name + ", enter_" + name + ", " + index_text(transform.generator) + ", " +
         joined(template_names) + ", " + metric + ", " + index_text(transform.verifier) + ", " +
         std::to_string(transform.size_vars.size() - transform.size_names().size()) +
         (has_ranges(transform) ? ", ranges_" + name
          : has_sums            ? ", nullptr"
                                : "") +
         (has_sums ? ", " + list("kSums_", sums.size()) : "") + "}";
}

}  // namespace pb
