// SPDX-License-Identifier: MIT
// The resolved program: what the later stages read. Macros, templates, `duplicate` and
// `function` are gone; every name is bound; each rule's domain and accesses are known as
// exact sets (lang/region). Made by frontend/, never changed afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/tunable_role.h"
#include "lang/body/body.h"
#include "lang/border.h"
#include "lang/formula.h"
#include "lang/region/region.h"
#include "lang/span.h"
#include "lang/store.h"
#include "lang/types.h"

namespace pb {

using TransformId = Id<struct TransformTag>;
using TemplateId = Id<struct TemplateTag>;
using MatrixId = Id<struct MatrixTag>;    // index within its transform, header order: from, to, through as written
using RuleId = Id<struct RuleTag>;        // index within its transform
using TunableId = Id<struct TunableTag>;  // index within its transform

enum class MatrixRole : std::uint8_t { From, To, Through };

/// `in LO..HI` after an input: the range of generated data. A range of integers includes both ends; one of real numbers
/// is [lo, hi).
struct ValueRange {
  Formula lo, hi;
  Span span;
};
/// `-1..n-1`
[[nodiscard]] std::string to_string(const ValueRange& range);

struct Matrix {
  std::string name;
  MatrixRole role = MatrixRole::From;
  ElementType element = ElementType::Double;
  bool is_element_t = true;         ///< declared without a type: follows --element
  std::vector<Formula> extents;     ///< dimension 0 first; empty: a single number
  bool has_versions = false;        ///< the last dimension is that of versions (docs/reference/language.md 4.15)
  std::int64_t first_version = 0;   ///< versions below it are never needed
  std::optional<ValueRange> range;  ///< only for inputs
  Span span;                        ///< of the name

  [[nodiscard]] int num_dims() const { return static_cast<int>(extents.size()); }
};

/// How a call finds one size variable. `solution` uses size variables that were solved earlier and the symbol
/// `kActualSize`, the size of dimension `dim` of `matrix`. Without a matrix the variable is a `param` that no size
/// determines: the run gives its value, and no body calls the transform (docs/reference/language.md 4.4). Params that
/// occur in no size formula come last; they may be any integers.
inline constexpr const char* kActualSize = "pb_actual";
struct SizeVar {
  std::string name;
  MatrixId matrix;
  int dim = 0;
  Formula solution;
  Span span;

  bool is_size = true;  ///< it occurs in a size formula: it counts when sizes are compared, and is assumed to be large
  /// True if `solution` is the dimension's own formula, which contains the variable: a call searches for the value that
  /// fits. Such a formula never shrinks when the variable grows.
  bool is_searched = false;

  [[nodiscard]] bool is_given_by_run() const { return matrix.is_none(); }
};

/// A tunable that the program declares. Its role is one of those for the program's own tunables.
struct UserTunable {
  std::string name;
  TunableRole role = TunableRole::User;
  bool is_real = false;
  bool is_size_specific = false;
  int array_extent = 0;  ///< 0: not an array
  double initial = 0, min = 0, max = 0;
  Span span;
};

enum class AccessKind : std::uint8_t { Cell, Row, Column, Region, All };

/// One region of a rule: `In.region(x, y, x+K, y+K) in`.
struct RegionAccess {
  MatrixId matrix;
  AccessKind kind = AccessKind::All;  ///< always Cell for a 0-D matrix
  /// Box of the access in coordinates of the matrix, one pair per dimension, half-open:
  /// rows, columns, cells and whole matrices are written out as boxes too.
  std::vector<Formula> lo, hi;
  /// Dimensions of an input whose coordinates are not affine in the rule variables. `cells` has all positions in these
  /// dimensions, and instances test their own.
  std::vector<std::size_t> tested_dims;
  bool is_guest = false;         ///< an input of a rule in Rule::tried: that rule's body reads it, not this rule's
  bool is_slice = false;         ///< `M<k>`: the last dimension has one position, which the body does not see
  std::string binding;           ///< region name in the body; empty in the return form
  Border border = Border::None;  ///< only for a `.cell` input (docs/reference/language.md 5.7)
  std::optional<Formula> missing_value;  ///< only for Border::Default
  /// The number of leading coordinates that the border maps: all except a version. 0 unless maps_cells(border).
  std::size_t num_mapped_dims = 0;
  Span span;  ///< where the region `In.region(…)` is written
  Span binding_span;

  /// True if the region in the body lacks dimension `dim` of the matrix, as a row lacks `y`, and a slice the dimension
  /// of versions.
  [[nodiscard]] bool is_fixed_dim(std::size_t dim) const;
  /// Number of dimensions of the region in the body; 0 for a single element.
  [[nodiscard]] int num_body_dims() const;
  /// True if the cell may be missing.
  [[nodiscard]] bool is_optional() const { return border == Border::Default || border == Border::Optional; }
  /// True if coordinates in dimension `dim` that lie outside of the matrix stand for others inside.
  [[nodiscard]] bool is_mapped_dim(std::size_t dim) const { return dim < num_mapped_dims; }
  /// True if instances exist whose coordinates lie outside of the matrix.
  [[nodiscard]] bool may_be_outside() const { return border != Border::None; }

  /// Instance (rule variables) -> cells of the matrix; parameters are size variables.
  RegionMap cells;
};

/// `or` in a `where`: one of the conjunctions holds.
struct Disjunction {
  std::vector<std::vector<Relation>> any;
  Span span;
};

struct RuleVar {
  std::string name;
  Span span;
};

struct RuleTemporary {
  std::string name;
  ElementType element = ElementType::Double;
  bool is_element_t = true;
  std::vector<Formula> extents;
  Span span;
};

/// A name of a body with the same value in every instance: a template parameter, a `duplicate` variable,
/// ACCURACY_BIN or ACCURACY_TARGET. Trees hold the value; the user's text keeps the name.
struct Constant {
  std::string name;
  std::variant<std::int64_t, double> value;
};

/// One template argument of a call: an expression of the body, or a value that the call leaves out (the bin).
struct TemplateArg {
  ExprId expr;  ///< none: `value`
  std::int64_t value = 0;
};

/// What a call of a transform in a body means (docs/reference/language.md 4.6, 7.4).
struct TransformCall {
  StmtId stmt;
  /// The callee; with `choice` every instance of the template that may be chosen, perhaps none.
  std::vector<TransformId> targets;
  /// Chooses the instance at run time, by template parameter; empty: `targets` is the one callee.
  std::vector<TemplateArg> choice;
  TemplateId of_template;    ///< meaningful with `choice`
  std::vector<ExprId> args;  ///< outputs, then inputs
  /// Indices of `args` that are variables of another type than the single-number output for which they stand. Results
  /// are converted for them.
  std::vector<std::size_t> converted;
};

struct Rule {
  std::string name;  ///< label, or `OUT#1`; unique in the transform (docs/reference/language.md 20.3)
  bool has_label = false;
  int priority = 1;
  bool is_return_form = false;
  bool is_distinct = false;  ///< rounds of its loops that store at computed places store at different ones
  std::vector<RegionAccess> outputs;
  std::vector<RegionAccess> inputs;
  std::vector<RuleTemporary> temporaries;
  std::vector<Relation> where;         ///< all of them hold
  std::vector<Disjunction> where_any;  ///< and one conjunction of each
  /// True if a part of `where` is not affine, so that instances test it. Such a rule is not an alternative to rules
  /// without such a part (docs/reference/language.md 5.8).
  bool is_dynamic = false;
  /// Rules with a dynamic `where` that an instance tries first, in this order. They have the same variables, by
  /// position, and the same outputs; their inputs are among `inputs`, as guests.
  std::vector<RuleId> tried;
  std::vector<RuleVar> vars;  ///< in order of the centre's coordinates: var 0 belongs to x where possible
  /// Instances whose regions all lie inside their matrices and whose `where` holds: a set over `vars`.
  Region domain;
  std::vector<Constant> constants;
  Body body;
  BodyTypes body_types;
  std::vector<TransformCall> calls;  ///< the body's calls in the order of the text; filled by check_types
  Span span;                         ///< the rule's header, without its body
  /// True if it calls a transform that frontend/splice_calls made of another rule's calls. Sites are not named by it.
  bool is_spliced = false;
};

struct Tolerance {
  std::optional<double> rel, abs;  ///< docs/reference/language.md 20.5; absent: the default of the element type
};

/// How good a result is (docs/reference/language.md 4.7).
struct Accuracy {
  std::optional<double> target;       ///< only for the instance of a bin; on the scale of the metric
  std::optional<TransformId> metric;  ///< absent: every result has accuracy 1
  bool higher_is_better = true;
};

/// The rule of whose calls frontend/splice_calls made a transform.
struct SplicedRule {
  TransformId caller;
  RuleId rule;
};

struct Transform {
  std::string name;         ///< unique; `T<3,1>`, `T<bin 0>` for instances, `T<spliced R>` for the calls of a rule
  std::string source_name;  ///< as declared; that of no declaration for a transform made of calls
  std::optional<SplicedRule> spliced;       ///< only for a transform made of calls
  std::vector<std::int64_t> template_args;  ///< only for an instance: one per parameter of its template
  Span span;                                ///< of the name
  std::vector<Formula> params;              ///< names of `param`s as symbols
  Store<MatrixId, Matrix> matrices;
  std::vector<SizeVar> size_vars;  ///< in the order in which a call solves them
  /// Ways to find, from inputs alone, the size variables that a call takes from outputs. A main transform needs them,
  /// because its outputs do not exist before it runs. They stand in the order in which they are solved.
  std::vector<SizeVar> sizes_from_inputs;
  Store<TunableId, UserTunable> tunables;
  Store<RuleId, Rule> rules;
  std::optional<TransformId> generator;
  std::optional<Accuracy> accuracy;
  std::optional<TransformId> verifier;      ///< `verify`: judges whether two results agree
  std::vector<std::string> input_features;  ///< names of transforms; exported only
  Tolerance tolerance;
  bool is_memoized = false;

  /// Ids of the matrices of `role`, in header order.
  [[nodiscard]] std::vector<MatrixId> matrices_of(MatrixRole role) const;
  /// Names of the size variables that are sizes (docs/reference/language.md 6.7).
  [[nodiscard]] std::vector<std::string> size_names() const;
  /// A `param` that keeps bodies from calling the transform; null if there is none.
  [[nodiscard]] const SizeVar* param_of_run() const;
};

/// A parameter of a template. The accuracy bin is a parameter, too, and stands last.
struct TemplateParam {
  std::string name;             ///< `bin` for the accuracy bin
  std::int64_t lo = 0, hi = 0;  ///< inclusive
  bool is_bin = false;

  [[nodiscard]] std::int64_t count() const { return hi - lo + 1; }
};

/// A transform that is compiled once per combination of its parameters. Later stages see only its instances, which are
/// transforms like any other. A call that chooses an instance at run time uses the template.
struct Template {
  std::string name;                   ///< as declared
  std::vector<TemplateParam> params;  ///< the first is the fastest in the number of an instance
  TransformId first;                  ///< instance 0; the others follow

  [[nodiscard]] std::size_t num_instances() const;
  /// The arguments of an instance, by parameter.
  [[nodiscard]] std::vector<std::int64_t> args_of(std::size_t instance) const;
  /// `T<3,bin 0>`.
  [[nodiscard]] std::string name_of(const std::vector<std::int64_t>& args) const;
};

/// A `%{ … %}` block: preprocessed C++ text, copied to the start of the generated code.
struct NativeBlock {
  std::vector<BodyToken> tokens;
  Span span;
};

struct Program {
  std::string name;                           ///< name of the main source file, without its ending
  ElementType element = ElementType::Double;  ///< the type that ElementT stands for
  std::vector<NativeBlock> native_blocks;
  Store<TransformId, Transform> transforms;
  Store<TemplateId, Template> templates;
  TransformId main;
  /// Names that the functions of no transform may have, because words of the program's own C++ begin like the names of
  /// generated functions. `run_FFT` takes `FFT`; `call_FFT_2` takes `FFT` and `FFT_2`.
  std::set<std::string> taken_stems;

  /// The transform declared with this name, or instance 0 of the template; nothing if there is none.
  [[nodiscard]] std::optional<TransformId> find_transform(std::string_view declared_name) const;
  [[nodiscard]] std::optional<TemplateId> find_template(std::string_view declared_name) const;
  /// The names that calls of the program use, each once.
  [[nodiscard]] std::vector<std::string> transform_names() const;
  /// The note of a message that only a later instance of a template has: it names the instance. Empty for others.
  [[nodiscard]] std::string instance_note(TransformId id) const;
};

/// Text of the whole program for `--emit=program`: headers, size solutions, domains and accesses as isl text, bodies as
/// text.
[[nodiscard]] std::string to_string(const Program& program);
/// `In[w, h]`, or the name alone if there are no extents.
[[nodiscard]] std::string header_of(const std::string& name, const std::vector<Formula>& extents);

/// Aborts with the broken condition: ids in range, domains' spaces match `vars`, bodies have a type per expression.
void verify(const Program& program);

}  // namespace pb
