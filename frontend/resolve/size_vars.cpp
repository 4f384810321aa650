// SPDX-License-Identifier: MIT
// How a call finds its size variables (docs/reference/language.md 4.3). The order is that of the rules there, each over
// the whole header: first the dimensions that are a single variable, then those that can be inverted without division,
// then the rest. An equation counts as soon as only one of its variables is unknown.
#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/scope.h"

namespace pb::resolving {
namespace {

struct Candidate {
  std::string name;
  MatrixId matrix;
  int dim = 0;
  Solution solution;
};

/// The only size variable of `extent` that is not in `known`; none if there are none or several.
std::optional<std::string> only_unknown(const Formula& extent, const std::set<std::string>& known) {
  std::optional<std::string> unknown;
  for (const std::string& name : symbols_of(extent, SymbolKind::SizeVar)) {
    if (known.contains(name)) continue;
    if (unknown) return std::nullopt;
    unknown = name;
  }
  return unknown;
}

/// A value that depends on the sizes themselves cannot help to find them.
bool names_size_specific(const TransformScope& scope, const Formula& formula) {
  const std::vector<std::string> names = symbols_of(formula, SymbolKind::Tunable);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return scope.out.tunables[scope.tunables.at(name)].is_size_specific;
  });
}

/// The best equation for a variable that is still unknown: smallest rank, then the order of inspection.
std::optional<Candidate> best_candidate(const TransformScope& scope, const std::vector<MatrixId>& order,
                                        const std::set<std::string>& known) {
  std::optional<Candidate> best;
  for (const MatrixId id : order) {
    const Matrix& matrix = scope.out.matrices[id];
    for (int dim = 0; dim < matrix.num_dims(); ++dim) {
      const Formula& extent = matrix.extents[static_cast<std::size_t>(dim)];
      const auto name = only_unknown(extent, known);
      if (!name) continue;
      const Formula actual{SymbolRef{SymbolKind::SizeVar, kActualSize}, extent.span};
      auto solution = solve_for(*name, extent, actual);
      if (!solution || names_size_specific(scope, extent)) continue;
      if (best && best->solution.rank <= solution->rank) continue;
      best = Candidate{*name, id, dim, std::move(*solution)};
    }
  }
  return best;
}

Span first_use(const TransformScope& scope, const std::string& name) {
  for (const ast::Name& param : scope.source.params) {
    if (param.text == name) return param.span;
  }
  for (const Matrix& matrix : scope.out.matrices) {
    for (const Formula& extent : matrix.extents) {
      const auto names = names_in(extent);
      if (std::find(names.begin(), names.end(), name) != names.end()) return extent.span;
    }
  }
  return scope.source.name.span;
}

void report_unsolved(TransformScope& scope, const std::set<std::string>& known) {
  for (const std::string& name : scope.size_vars) {
    if (known.contains(name)) continue;
    scope.diags.emit(DiagKind::SizeVariableNotFound, first_use(scope, name))
        .arg(name)
        .note(
            "a call finds a size variable from the size of a `from` or `to` matrix whose formula can be solved for it")
        .hint("declare it with `config` or `tunable`, or give a matrix the size `" + name + "`");
  }
}

/// Solves for all variables that the sizes of `matrices` determine; adds them to `known`.
std::vector<SizeVar> solve_from(const TransformScope& scope, const std::vector<MatrixId>& matrices,
                                std::set<std::string>& known) {
  std::vector<SizeVar> out;
  while (auto found = best_candidate(scope, matrices, known)) {
    known.insert(found->name);
    SizeVar var;
    var.name = found->name;
    var.matrix = found->matrix;
    var.dim = found->dim;
    var.solution = std::move(found->solution.value);
    var.is_searched = found->solution.rank == SolutionRank::BySearch;
    var.span = first_use(scope, found->name);
    out.push_back(std::move(var));
  }
  return out;
}

/// The params that are not in `known`: those of size formulas, then the others.
std::vector<SizeVar> params_of_run(const TransformScope& scope, const std::set<std::string>& known) {
  std::set<std::string> in_sizes;
  for (const Matrix& matrix : scope.out.matrices)
    for (const Formula& extent : matrix.extents)
      for (std::string& name : symbols_of(extent, SymbolKind::SizeVar)) in_sizes.insert(std::move(name));
  std::vector<SizeVar> out;
  for (const bool is_size : {true, false}) {
    for (const Formula& param : scope.out.params) {
      const std::string& name = std::get<SymbolRef>(param.node).name;
      if (!known.contains(name) && in_sizes.contains(name) == is_size)
        out.push_back({name, {}, 0, {}, param.span, is_size});
    }
  }
  return out;
}

}  // namespace

void solve_size_vars(TransformScope& scope) {
  const std::vector<MatrixId> inputs = scope.out.matrices_of(MatrixRole::From);
  std::vector<MatrixId> all = inputs;
  for (const MatrixId id : scope.out.matrices_of(MatrixRole::To)) all.push_back(id);
  std::set<std::string> known;
  std::set<std::string> known_from_inputs;
  scope.out.size_vars = solve_from(scope, all, known);
  // A param that no size determines gets its value from the run, and may help to find others.
  for (const SizeVar& param : params_of_run(scope, known)) {
    if (!known.insert(param.name).second) continue;
    known_from_inputs.insert(param.name);
    scope.out.size_vars.push_back(param);
    for (SizeVar& found : solve_from(scope, all, known)) scope.out.size_vars.push_back(std::move(found));
  }
  report_unsolved(scope, known);
  const bool needs_outputs =
      std::any_of(scope.out.size_vars.begin(), scope.out.size_vars.end(), [&](const SizeVar& var) {
        return !var.is_given_by_run() && scope.out.matrices[var.matrix].role == MatrixRole::To;
      });
  if (needs_outputs) scope.out.sizes_from_inputs = solve_from(scope, inputs, known_from_inputs);
}

}  // namespace pb::resolving
