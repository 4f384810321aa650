// SPDX-License-Identifier: MIT
// The names of one transform's header (docs/reference/language.md 4.1: one scope for matrices, size
// variables, tunables and params), shared by the parts of resolve. Private to this folder.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb::resolving {

/// What resolves one transform: its declaration, the transform being built, and its names.
struct TransformScope {
  const ast::Transform& source;
  Transform& out;
  Diagnostics& diags;
  ElementType element = ElementType::Double;
  std::map<std::string, Formula> constants;  ///< values of the template parameters

  std::map<std::string, MatrixId> matrices;
  std::map<std::string, TunableId> tunables;
  std::set<std::string> size_vars;  ///< params, and all identifiers of size formulas that mean nothing else
  int num_for_enough = 0;           ///< loops met so far
  std::set<std::string> unusable;   ///< names whose declaration had an error: no further messages about them

  /// All names that a coordinate may use, for suggestions.
  [[nodiscard]] std::vector<std::string> formula_names() const;
};

/// Fills matrices, tunables, params and size variables of `scope.out` from the header.
void resolve_header(TransformScope& scope);
/// Binds the ranges of inputs and checks those that are constants. Part of resolve_header.
void bind_ranges(TransformScope& scope);
/// Finds for each size variable the dimension that defines it (docs/reference/language.md 4.3). Part of resolve_header.
void solve_size_vars(TransformScope& scope);
/// The parameters and bins of a declaration with `template` or `accuracy_bins`.
struct TemplateHeader {
  std::vector<TemplateParam> params;
  std::vector<double> targets;  ///< accuracy of each bin, on the scale of the metric; empty: no bins
  bool higher_is_better = true;
};
/// Reads these of a declaration; nothing if it has neither, or after an error.
[[nodiscard]] std::optional<TemplateHeader> read_template(const ast::Transform& transform, Diagnostics& diags);
/// Names that the body of the instance sees beside its template parameters: ACCURACY_BIN, which old
/// programs call `_acc_bin`, and ACCURACY_TARGET.
[[nodiscard]] std::vector<Constant> accuracy_constants(const Transform& instance);

/// Fills the rules of `scope.out`.
void resolve_rules(TransformScope& scope);

/// The number of versions as a formula whose names are not bound: `0..k` has `k+1`.
[[nodiscard]] Formula extent_of_versions(const ast::Versions& versions);

/// What a name in a formula may be bound to.
struct FormulaNames {
  const TransformScope& scope;
  const std::set<std::string>* rule_vars = nullptr;           ///< null: none are visible here
  const std::map<std::string, Formula>* constants = nullptr;  ///< `duplicate` variables; may be null
  const char* where = "size";                                 ///< for messages: `size`, `coordinate`
  bool may_be_real = false;                                   ///< whether real numbers are allowed
};
/// The value of FormulaNames::where for a formula after the `=` of an input.
inline constexpr const char* kDefaultValue = "default value";
/// Whether a formula may use the name.
[[nodiscard]] bool may_name(const FormulaNames& names, const std::string& name);
/// `formula` with every name bound; an unknown name is reported once and becomes the number 0.
/// Sets `ok` to false, and never to true, after an error.
[[nodiscard]] Formula bind_formula(const Formula& formula, const FormulaNames& names, bool& ok);
/// Binds the names in the sides of a relation, as bind_formula does. Where the sides hold fractions both are
/// multiplied: `i < 2.5` becomes `i*2 < 5`.
[[nodiscard]] std::pair<Formula, Formula> bind_sides(const Formula& lhs, const Formula& rhs, const FormulaNames& names,
                                                     bool& ok);

}  // namespace pb::resolving
