// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/piece_code.h"

#include <algorithm>

#include "clgen/cpp/context/condition_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Whether the body itself writes elements of a matrix and reads others. Compilers can vectorise such a body only if
/// they know that the matrices share no memory.
bool writes_among_reads(const RuleCode& code) {
  if (!code.tried.empty()) return false;
  const bool writes = std::any_of(code.rule.outputs.begin(), code.rule.outputs.end(),
                                  [](const RegionAccess& output) { return !is_element(output); });
  return writes && code.matrices.size() > 1;
}

/// Whether the rule knows the matrix by one name only.
bool has_one_name(const RuleCode& code, MatrixId id) {
  const auto is_it = [&](const RegionAccess& access) { return access.matrix == id; };
  return std::count_if(code.rule.outputs.begin(), code.rule.outputs.end(), is_it) +
             std::count_if(code.rule.inputs.begin(), code.rule.inputs.end(), is_it) ==
         1;
}

/// Returns the matrices as arguments of a loop function: handles where the loops need them, else views. If `is_fast`,
/// they are unit views or apart views.
std::vector<std::string> matrix_args(const RuleCode& code, bool is_fast) {
  std::vector<std::string> args;
  const bool is_apart = writes_among_reads(code);
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    if (use.needs_handle) {
      args.push_back(matrix.name);
    } else if (!is_fast || matrix.num_dims() == 0) {
      args.push_back(matrix.name + ".view()");
    } else {
      args.push_back(matrix.name + (is_apart && has_one_name(code, use.matrix) ? ".apart_view()" : ".unit_view()"));
    }
  }
  return args;
}

}  // namespace

std::vector<Parameter> step_params(const RuleCode& code) {
  std::vector<Parameter> params = {{"pbrt::Frame&", "pb_frame"}};
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    params.push_back({"const " + region_type(matrix, matrix.role == MatrixRole::From) + "&", matrix.name});
  }
  for (Parameter& param : scalar_params(code, ScalarSet::Step)) params.push_back(std::move(param));
  return params;
}

std::vector<std::string> step_args(const RuleCode& code, const std::string& frame) {
  std::vector<std::string> args = {frame};
  for (const RuleMatrix& use : code.matrices) args.push_back(code.matrix(use.matrix).name);
  for (std::string& arg : scalar_args(code, ScalarSet::Step)) args.push_back(std::move(arg));
  return args;
}

std::optional<Condition> unit_condition(const RuleCode& code) {
  std::vector<Condition> terms;
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    if (!use.needs_handle && matrix.num_dims() > 0) terms.push_back(has_unit_stride(use.matrix));
  }
  if (terms.empty()) return std::nullopt;
  for (std::size_t i = 0; i < code.matrices.size() && writes_among_reads(code); ++i) {
    if (!code.matrices[i].is_output) continue;
    for (std::size_t k = 0; k < code.matrices.size(); ++k) {
      if (k == i || (k < i && code.matrices[k].is_output)) continue;
      terms.push_back(are_apart(code.matrices[i].matrix, code.matrices[k].matrix));
    }
  }
  return Condition::all_of(std::move(terms));
}

std::optional<Condition> declare_unit(Writer& out, const RuleCode& code, const std::string& name) {
  const std::optional<Condition> unit = unit_condition(code);
  if (!unit) return std::nullopt;
  const auto view = [&](MatrixId matrix) { return code.matrix(matrix).name + ".view()"; };
  out.line("const bool " + name + " = " + to_cpp(*unit, {.view = view}) + ";");
  return Condition::named(name);
}

std::string loops_call(const RuleCode& code, const std::string& function, bool is_unit, const std::string& box) {
  std::vector<std::string> args;
  if (code.has_calls()) args.emplace_back("pb_inner");
  for (std::string& arg : matrix_args(code, is_unit)) args.push_back(std::move(arg));
  for (std::string& arg : scalar_args(code, ScalarSet::Loops)) args.push_back(std::move(arg));
  if (!box.empty()) args.push_back(box);
  return function + "(" + joined(args) + ");";
}

void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, bool has_packs,
                const std::optional<Condition>& unit, const std::string& box) {
  if (!unit) {
    out.line(loops_call(code, "loops_" + stem, false, box));
    return;
  }
  out.open(if_text(*unit));
  out.line(loops_call(code, (has_packs ? "lanes_" : "loops_") + stem, true, box));
  out.reopen("else");
  out.line(loops_call(code, "loops_" + stem, false, box));
  out.close();
}

}  // namespace pb
