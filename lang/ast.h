// SPDX-License-Identifier: MIT
// The program as written, after the preprocessor: the result of the parser, and the input of frontend/resolve. No name
// is bound yet: formulas hold only SymbolKind::Unresolved, and a `function` is not yet a transform of one rule. Plain
// data; every node has the span of its text.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/body/body.h"
#include "lang/formula.h"
#include "lang/span.h"
#include "lang/store.h"
#include "lang/types.h"

namespace pb::ast {

struct Name {
  std::string text;
  Span span;
};

/// A number of a header clause: `3`, `-1.5`, `1e-9`.
struct Number {
  double value = 0;
  bool is_integer = false;  ///< then `integer` holds it exactly
  std::int64_t integer = 0;
  Span span;
};

// ---- Header clauses ----------------------------------------------------------

/// `M<n>` (first absent) or `M<a..b>`.
struct Versions {
  std::optional<Formula> first;
  Formula last;
  Span span;
};

/// `-1..1` of `X[n] in -1..1`.
struct ValueRange {
  Formula lo;
  Formula hi;
  Span span;
};

/// `float IN<0..k>[w, h] in 0..1`; also a rule's `using` temporary.
struct Matrix {
  std::optional<ElementType> element;  ///< absent: ElementT
  Span element_span;
  Name name;
  std::optional<Versions> versions;
  std::vector<Formula> extents;     ///< empty: a single number
  std::optional<ValueRange> range;  ///< only in header clauses: the range of generated data
  Span span;
};

enum class MatrixClauseKind : std::uint8_t { From, To, Through };
struct MatrixClause {
  MatrixClauseKind kind = MatrixClauseKind::From;
  std::vector<Matrix> matrices;
  Span span;
};

/// `A(lo,hi)` of `template < >`.
struct TemplateParam {
  Name name;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  Span span;
};

enum class TunableClauseKind : std::uint8_t { Config, Tunable, AccuracyVariable };
struct Tunable {
  TunableClauseKind kind = TunableClauseKind::Tunable;
  Name name;
  bool is_real = false;           ///< `double` or `float`
  bool is_size_specific = false;  ///< true only if the source says so; `accuracy_variable` alone does not set it
  bool has_accuracy_hint = false;
  std::optional<std::int64_t> array_extent;
  std::optional<Number> initial, min, max;
  Span span;
};

struct Tolerance {
  Number rel;
  std::optional<Number> abs;
  Span span;
};

// ---- Rules -------------------------------------------------------------------

enum class Accessor : std::uint8_t { Whole, All, Cell, Row, Column, Region };

/// `M`, `M<k>.cell(x, y)`.
struct Region {
  Name matrix;
  std::optional<Formula> version;
  Accessor accessor = Accessor::Whole;  ///< Whole: no accessor written
  std::vector<Formula> coords;
  Span span;
};

/// A region with its name in the body; without a name only as the output of a return form.
struct RegionBinding {
  Region region;
  std::optional<Name> name;
  std::optional<Formula> missing_value;  ///< optional input; absent if it is `OPTIONAL`
  bool is_optional_marker = false;       ///< `= OPTIONAL`
  Span span;
};

/// Conditions of `where`: a relation, or two or more conditions joined by `&&` or `||`.
struct Condition;
struct Junction {
  bool is_or = false;
  std::vector<Condition> operands;
};
struct Condition {
  std::variant<Relation, Junction> node;
  Span span;
};

struct Duplicate {
  Name name;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  Span span;
};

struct Rule {
  std::optional<Name> label;
  int priority = 1;
  Span priority_span;  ///< unknown if none is written
  bool is_rotatable = false;
  bool is_distinct = false;
  bool is_recursive = false;
  std::optional<Formula> recursive_size;
  std::vector<Duplicate> duplicates;
  bool is_return_form = false;  ///< then exactly one output, without a name
  std::vector<RegionBinding> outputs;
  std::vector<RegionBinding> inputs;
  std::vector<Matrix> temporaries;
  std::optional<Condition> where;
  Body body;
  Span span;  ///< the rule's header, without its body
};

// ---- Items -------------------------------------------------------------------

enum class TransformKind : std::uint8_t {
  Transform,
  Function,  ///< one or more `alternatives`, no rules
  Forward,   ///< header and `;` only
};

struct Transform {
  TransformKind kind = TransformKind::Transform;
  Name name;
  bool is_main = false;
  Span main_span;
  bool is_memoized = false;
  std::vector<MatrixClause> matrix_clauses;  ///< in order as written
  std::vector<Name> params;
  std::vector<TemplateParam> template_params;
  std::optional<Name> accuracy_metric;
  std::vector<Number> accuracy_bins;
  Span accuracy_bins_span;
  std::optional<Name> generator;
  std::vector<Name> input_features;
  std::vector<Tunable> tunables;  ///< `config`, `tunable`, `accuracy_variable`, as written
  std::optional<Tolerance> tolerance;
  std::optional<Name> verify;
  std::vector<Rule> rules;
  std::vector<Body> alternatives;  ///< bodies of a function
  Span span;                       ///< of the header
};

/// A `%{ … %}` block, preprocessed. NativeLine tokens are whole lines.
struct NativeBlock {
  std::vector<BodyToken> tokens;
  Span span;
};

}  // namespace pb::ast

namespace pb {

/// The sizes, tunables and parameters that a header names; not its matrices.
[[nodiscard]] std::set<std::string> names_of_header(const ast::Transform& transform);

struct Ast {
  std::vector<std::variant<ast::NativeBlock, ast::Transform>> items;  ///< in order of appearance
  FileId main_file = kNoFile;

  /// The transforms (functions and forward declarations too), in order.
  [[nodiscard]] std::vector<const ast::Transform*> transforms() const;
  [[nodiscard]] std::vector<const ast::NativeBlock*> native_blocks() const;
};

/// Text for `--emit=ast`: headers in canonical form, bodies as indented trees.
[[nodiscard]] std::string to_string(const Ast& ast);
/// The tree of one body: one node per line, two blanks per level.
[[nodiscard]] std::string to_string(const Body& body, int indent = 0);

/// The text of a range of a body's tokens, blanks and newlines as written, without the leading ones of the first.
[[nodiscard]] std::string text_of(const Body& body, TokenRange range);

}  // namespace pb
