// SPDX-License-Identifier: MIT
// Header clauses of a transform: matrices, tunables, params.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/scope.h"
#include "lang/overloaded.h"

namespace pb::resolving {
namespace {

MatrixRole role_of(ast::MatrixClauseKind kind) {
  switch (kind) {
    case ast::MatrixClauseKind::From:
      return MatrixRole::From;
    case ast::MatrixClauseKind::To:
      return MatrixRole::To;
    case ast::MatrixClauseKind::Through:
      return MatrixRole::Through;
  }
  return MatrixRole::From;
}

/// Versions are one more dimension, the last one (docs/reference/language.md 4.15).
void add_versions(const ast::Matrix& declared, Matrix& matrix, const TransformScope& scope) {
  if (!declared.versions) return;
  const ast::Versions& versions = *declared.versions;
  matrix.has_versions = true;
  matrix.extents.push_back(extent_of_versions(versions));
  if (!versions.first) return;
  const auto first = affine_form(substitute(*versions.first, scope.constants));
  const auto last = affine_form(substitute(versions.last, scope.constants));
  const bool is_constant = first && first->terms.empty() && first->constant.is_integer() && first->constant.num >= 0;
  const bool is_last_constant = last && last->terms.empty() && last->constant.is_integer();
  if (!is_constant || (is_last_constant && last->constant.num < first->constant.num)) {
    scope.diags.emit(DiagKind::VersionRange, versions.span)
        .arg(to_string(*versions.first))
        .arg(to_string(versions.last));
    return;
  }
  matrix.first_version = first->constant.num;
}

/// The range of an input, not bound yet. Only inputs are generated.
std::optional<ValueRange> read_range(const ast::Matrix& declared, MatrixRole role, TransformScope& scope) {
  if (!declared.range) return std::nullopt;
  const ast::ValueRange& range = *declared.range;
  if (role != MatrixRole::From) {
    scope.diags.emit(DiagKind::RangeOfNoInput, range.span)
        .arg(declared.name.text)
        .arg(role == MatrixRole::To ? "an output" : "an intermediate matrix")
        .hint("a range says what generated inputs hold; rules make all other matrices");
    return std::nullopt;
  }
  if (scope.source.generator) {
    scope.diags.emit(DiagKind::RangeWithGenerator, range.span)
        .arg(declared.name.text)
        .arg(scope.source.generator->text)
        .label(scope.source.generator->span, "the generator")
        .hint("leave one of the two out");
    return std::nullopt;
  }
  return ValueRange{range.lo, range.hi, range.span};
}

void declare_matrices(TransformScope& scope) {
  for (const ast::MatrixClause& clause : scope.source.matrix_clauses) {
    for (const ast::Matrix& declared : clause.matrices) {
      const auto [found, is_new] = scope.matrices.emplace(declared.name.text, MatrixId());
      if (!is_new) {
        Matrix& first = scope.out.matrices[found->second];
        DiagBuilder diagnostic = scope.diags.emit(DiagKind::DuplicateMatrix, declared.name.span)
                                     .arg(declared.name.text)
                                     .label(first.span, "first declared here");
        if ((first.role == MatrixRole::To) != (clause.kind == ast::MatrixClauseKind::To)) {
          diagnostic.hint("a matrix that is changed in place stands in `to` alone: bodies may read what it held");
          first.role = MatrixRole::To;  // so that the other clause causes no further messages
        }
        continue;
      }
      Matrix matrix;
      matrix.name = declared.name.text;
      matrix.role = role_of(clause.kind);
      matrix.element = declared.element.value_or(scope.element);
      matrix.is_element_t = !declared.element;
      matrix.extents = declared.extents;  // bound once all names are known
      add_versions(declared, matrix, scope);
      matrix.range = read_range(declared, matrix.role, scope);
      matrix.span = declared.name.span;
      found->second = scope.out.matrices.add(std::move(matrix));
    }
  }
}

/// Checks the names of template parameters, which share the scope of the other names.
void check_constants(TransformScope& scope) {
  for (const ast::TemplateParam& param : scope.source.template_params) {
    const auto matrix = scope.matrices.find(param.name.text);
    if (matrix == scope.matrices.end()) continue;
    scope.diags.emit(DiagKind::DuplicateName, param.name.span)
        .arg(param.name.text)
        .label(scope.out.matrices[matrix->second].span, "first declared here");
  }
}

/// The role of a tunable; `accuracyhint` means the same as `accuracy_variable`.
TunableRole role_of(const ast::Tunable& tunable) {
  switch (tunable.kind) {
    case ast::TunableClauseKind::Config:
      return TunableRole::Config;
    case ast::TunableClauseKind::Tunable:
      return tunable.has_accuracy_hint ? TunableRole::Accuracy : TunableRole::User;
    case ast::TunableClauseKind::AccuracyVariable:
      return TunableRole::Accuracy;
  }
  return TunableRole::User;
}

/// Value of one number of a tunable, checked to be whole where the tunable is an integer.
double number_or(const std::optional<ast::Number>& number, double otherwise, const ast::Tunable& tunable,
                 Diagnostics& diags) {
  if (!number) return otherwise;
  const double limit = std::numeric_limits<int>::max();
  if (!tunable.is_real && (!number->is_integer || std::abs(number->value) > limit)) {
    diags.emit(DiagKind::TunableNotInteger, number->span)
        .arg(tunable.name.text)
        .hint("write `double " + tunable.name.text + "` for a real-valued tunable");
    return otherwise;
  }
  return number->value;
}

UserTunable read_tunable(const ast::Tunable& source, Diagnostics& diags) {
  UserTunable out;
  out.name = source.name.text;
  out.role = role_of(source);
  out.is_real = source.is_real;
  out.is_size_specific = source.is_size_specific || source.kind == ast::TunableClauseKind::AccuracyVariable;
  out.array_extent = static_cast<int>(source.array_extent.value_or(0));
  out.initial = number_or(source.initial, 0, source, diags);
  out.min = number_or(source.min, source.is_real ? std::numeric_limits<double>::lowest() : 0, source, diags);
  out.max = number_or(source.max, source.is_real ? std::numeric_limits<double>::max() : std::numeric_limits<int>::max(),
                      source, diags);
  out.span = source.name.span;
  return out;
}

/// A name declared twice merges: greatest initial, greatest min, least max (docs/reference/language.md 4.5).
void merge_tunable(UserTunable& into, const UserTunable& other, Diagnostics& diags) {
  if (into.is_real != other.is_real || into.array_extent != other.array_extent || into.role != other.role) {
    diags.emit(DiagKind::TunableMismatch, other.span).arg(other.name).label(into.span, "first declared here");
    return;
  }
  into.is_size_specific |= other.is_size_specific;
  into.initial = std::max(into.initial, other.initial);
  into.min = std::max(into.min, other.min);
  into.max = std::min(into.max, other.max);
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<long long>(value));
  std::string text = std::to_string(value);
  while (text.ends_with('0')) text.pop_back();
  return text;
}

void declare_tunables(TransformScope& scope) {
  for (const ast::Tunable& source : scope.source.tunables) {
    if (const auto matrix = scope.matrices.find(source.name.text); matrix != scope.matrices.end()) {
      scope.diags.emit(DiagKind::DuplicateName, source.name.span)
          .arg(source.name.text)
          .label(scope.out.matrices[matrix->second].span, "first declared here");
      continue;
    }
    if (scope.constants.contains(source.name.text)) {
      scope.diags.emit(DiagKind::DuplicateName, source.name.span).arg(source.name.text);
      continue;
    }
    if (source.array_extent && *source.array_extent < 1) {
      scope.diags.emit(DiagKind::TunableArrayExtent, source.name.span).arg(source.name.text).arg(*source.array_extent);
      scope.unusable.insert(source.name.text);
      continue;
    }
    UserTunable tunable = read_tunable(source, scope.diags);
    const auto [found, is_new] = scope.tunables.emplace(tunable.name, TunableId());
    if (is_new) {
      found->second = scope.out.tunables.add(std::move(tunable));
    } else {
      merge_tunable(scope.out.tunables[found->second], tunable, scope.diags);
    }
  }
  for (const UserTunable& tunable : scope.out.tunables) {
    if (tunable.min <= tunable.initial && tunable.initial <= tunable.max) continue;
    scope.diags.emit(DiagKind::TunableRange, tunable.span)
        .arg(tunable.name)
        .arg(number_text(tunable.initial))
        .arg(number_text(tunable.min))
        .arg(number_text(tunable.max))
        .hint("the list after the name is (initial, min, max)");
  }
}

void declare_params(TransformScope& scope) {
  for (const ast::Name& param : scope.source.params) {
    const bool is_taken = scope.matrices.contains(param.text) || scope.tunables.contains(param.text) ||
                          scope.constants.contains(param.text);
    if (is_taken || !scope.size_vars.insert(param.text).second) {
      auto diag = scope.diags.emit(DiagKind::DuplicateName, param.span).arg(param.text);
      if (scope.matrices.contains(param.text)) {
        diag.label(scope.out.matrices[scope.matrices.at(param.text)].span, "first declared here");
      } else if (scope.tunables.contains(param.text)) {
        diag.label(scope.out.tunables[scope.tunables.at(param.text)].span, "first declared here");
      }
      continue;
    }
    scope.out.params.push_back({SymbolRef{SymbolKind::SizeVar, param.text}, param.span});
  }
}

/// Binds the extents: every name of a size formula that is nothing else is a size variable.
void bind_extents(TransformScope& scope) {
  for (const Matrix& matrix : scope.out.matrices) {
    for (const Formula& extent : matrix.extents) {
      for (const std::string& name : names_in(extent)) {
        const bool is_known =
            scope.matrices.contains(name) || scope.tunables.contains(name) || scope.constants.contains(name);
        if (!is_known) scope.size_vars.insert(name);
      }
    }
  }
  bool ok = true;
  for (Matrix& matrix : scope.out.matrices) {
    for (Formula& extent : matrix.extents) extent = bind_formula(extent, {scope}, ok);
  }
}

}  // namespace

Formula extent_of_versions(const ast::Versions& versions) {
  return make_binary(FormulaOp::Add, versions.last, make_int(1, versions.last.span));
}

void resolve_header(TransformScope& scope) {
  declare_matrices(scope);
  check_constants(scope);
  declare_tunables(scope);
  declare_params(scope);
  bind_extents(scope);
  bind_ranges(scope);
  if (scope.out.matrices_of(MatrixRole::To).empty()) {
    scope.diags.emit(DiagKind::NoOutputMatrix, scope.source.name.span)
        .arg(scope.source.name.text)
        .hint("outputs have a clause of their own: `to OUT[n]` behind that of the inputs");
  }
  solve_size_vars(scope);
  if (scope.source.tolerance) {
    const ast::Tolerance& tolerance = *scope.source.tolerance;
    scope.out.tolerance.rel = tolerance.rel.value;
    if (tolerance.abs) scope.out.tolerance.abs = tolerance.abs->value;
    if (tolerance.rel.value < 0 || (tolerance.abs && tolerance.abs->value < 0)) {
      scope.diags.emit(DiagKind::NegativeTolerance, tolerance.span);
    }
  }
}

}  // namespace pb::resolving
