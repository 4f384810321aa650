// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/call_sizes.h"

#include <algorithm>
#include <set>

#include "clgen/cpp/context/tunable_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

Formula with_actual(const Formula& formula, const std::string& actual) {
  Formula out = formula;
  if (auto* symbol = std::get_if<SymbolRef>(&out.node)) {
    if (symbol->name == kActualSize) symbol->name = actual;
  } else if (auto* binary = std::get_if<BinaryFormula>(&out.node)) {
    for (Formula& operand : binary->operands) operand = with_actual(operand, actual);
  } else if (auto* negated = std::get_if<NegatedFormula>(&out.node)) {
    for (Formula& operand : negated->operand) operand = with_actual(operand, actual);
  }
  return out;
}

/// Whether the size variable was read from this very extent as it is.
bool is_definition(const Transform& transform, MatrixId id, std::size_t d) {
  return std::any_of(transform.size_vars.begin(), transform.size_vars.end(), [&](const SizeVar& var) {
    const auto* symbol = std::get_if<SymbolRef>(&var.solution.node);
    return var.matrix == id && var.dim == static_cast<int>(d) && symbol != nullptr && symbol->name == kActualSize;
  });
}

/// Declares a tunable. Reading its value from the run may stop the run.
void declare_tunable(Writer& out, const CallContext& call, const UserTunable& tunable, std::size_t index) {
  if (const auto constant = constant_text(call.plan.tunables[index], tunable))
    return out.declare(constant->type, tunable.name, constant->value);
  const std::string n = tunable.is_size_specific ? "pb_n" : "1";
  if (tunable.array_extent > 0)
    return out.declare("const " + tunable_type(tunable), tunable.name,
                       "pbrt::tunable_values<" + std::string(tunable.is_real ? "double, " : "IndexT, ") +
                           std::to_string(tunable.array_extent) + ">(" +
                           tunable_elements(call.context, call.id, index, "pb_parent.context()", n) + ")");
  out.declare(tunable.is_real ? "const double" : "const std::int64_t", tunable.name,
              tunable_value(call.context, call.id, index, "pb_parent.context()", n));
}

void emit_tunables(Writer& out, const CallContext& call, bool is_size_specific) {
  for (const TunableId id : call.transform.tunables.ids()) {
    const UserTunable& tunable = call.transform.tunables[id];
    if (tunable.is_size_specific != is_size_specific) continue;
    for (std::size_t i = 0; i < call.plan.tunables.size(); ++i) {
      if (call.plan.tunables[i].user != id) continue;
      declare_tunable(out, call, tunable, i);
    }
  }
}

/// Calls check the sizes of what they pass on, so a transform made of calls checks those of its temporaries.
void emit_temporary_checks(Writer& out, const Transform& transform) {
  for (const MatrixId id : transform.matrices_of(MatrixRole::Through)) {
    const Matrix& matrix = transform.matrices[id];
    for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
      if (std::holds_alternative<SymbolRef>(matrix.extents[d].node)) continue;
      const std::string size = to_wide_c(matrix.extents[d]);
      out.line("pbrt::check_size(" + quoted(transform.name) + ", " + quoted(matrix.name) + ", " + std::to_string(d) +
               ", " + quoted(to_string(matrix.extents[d])) + ", " + size + ", " + size + ");");
    }
  }
}

}  // namespace

std::string solution_text(const SizeVar& var, const std::string& actual) {
  if (!var.is_searched) return to_solution_c(with_actual(var.solution, actual));
  return "pbrt::fitting_size(" + actual + ", [&](const std::int64_t " + var.name + ") { return " +
         to_growing_cpp(var.solution) + "; })";
}

void emit_largest_size(Writer& out, const Transform& transform) {
  std::vector<std::string> sizes = transform.size_names();
  sizes.insert(sizes.begin(), "1");
  out.declare("const std::int64_t", "pb_n", "pbrt::index_max(" + joined(sizes) + ")");
}

void emit_sizes(Writer& out, const CallContext& call) {
  emit_tunables(out, call, false);  // sizes may follow from them
  for (std::size_t i = 0; i < call.transform.size_vars.size(); ++i) {
    const SizeVar& var = call.transform.size_vars[i];
    if (var.is_given_by_run()) {
      out.declare("const std::int64_t", var.name, "pb_parent.context().run_size(" + std::to_string(i) + ")");
      continue;
    }
    const std::string actual = call.transform.matrices[var.matrix].name + ".size(" + std::to_string(var.dim) + ")";
    out.declare("const std::int64_t", var.name, solution_text(var, actual));
  }
  emit_largest_size(out, call.transform);
  emit_tunables(out, call, true);
  for (const MatrixId id : call_matrices(call.transform)) {
    const Matrix& matrix = call.transform.matrices[id];
    for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
      const std::string dim = std::to_string(d);
      const std::string actual = matrix.name + ".size(" + dim + ")";
      const std::string expected = to_wide_c(matrix.extents[d]);
      if (is_definition(call.transform, id, d)) continue;
      out.line("pbrt::check_size(" + quoted(call.transform.name) + ", " + quoted(matrix.name) + ", " + dim + ", " +
               quoted(to_string(matrix.extents[d])) + ", " + expected + ", " + actual + ");");
    }
  }
  if (call.transform.spliced) emit_temporary_checks(out, call.transform);
}

void emit_tuned_values(Writer& out, const CallContext& call) {
  for (std::size_t i = 0; i < call.plan.tunables.size(); ++i) {
    const PlanTunable& tunable = call.plan.tunables[i];
    if (tunable.role == TunableRole::FoldOrder)
      out.declare("const bool", fold_order_name(*tunable.rule),
                  tunable_value(call.context, call.id, i, "pb_context", "pb_n") + " != 0");
    if (tunable.role == TunableRole::FoldChunk)
      out.declare("const std::int64_t", fold_chunk_name(*tunable.rule),
                  tunable_value(call.context, call.id, i, "pb_context", "pb_n"));
    if (is_loop_value(tunable.role) && !tunable.is_constant())
      out.declare("const std::int64_t", loop_value_name(tunable.role, *tunable.rule),
                  tunable_value(call.context, call.id, i, "pb_context", "pb_n"));
  }
}

void emit_variable_checks(Writer& out, const CallContext& call) {
  std::set<std::string> done;
  for (const Step& step : call.plan.steps) {
    for (const LoopDim& loop : step.loops) {
      if (has_int_values(loop.range, call.transform)) continue;
      const std::string line = "pbrt::check_rule_variable(" +
                               quoted(call.transform.name + "." + call.transform.rules[step.rule].name) + ", " +
                               quoted(loop.var) + ", " + to_cpp(loop.range.lo) + ", " + to_cpp(loop.range.hi) + ");";
      if (done.insert(line).second) out.line(line);
    }
  }
}

}  // namespace pb
