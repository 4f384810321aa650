// SPDX-License-Identifier: MIT
// C++ of one rule: the function with the user's body, and the parameters and arguments of the functions around it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/checked_sums.h"
#include "choicegraph/plan/plan.h"
#include "clgen/cpp/context/cpp_context.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/rules/task_loop_code.h"
#include "clgen/facts/rule_facts.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// Which size variables, tunables and rule variables a function gets.
enum class ScalarSet : std::uint8_t {
  Body,   ///< scalars that the body may use
  Loops,  ///< scalars that loops over instances may use: the header, the body, bounds beyond a box
  Step,   ///< scalars that step functions may use
};

/// A value of the configuration that says how a rule's loops run.
struct TunedParam {
  RuleId rule;
  Parameter param;
  ScalarSet innermost = ScalarSet::Body;  ///< the functions that need it, and those around them
};

/// One rule of one transform, with what is known of it.
struct RuleCode : RuleShape {
  RuleCode(const CppContext& context, TransformId transform_id, RuleId rule_id);

  std::vector<MatrixId> scalar_inputs;
  std::string stem;  ///< `Convolve2D_0`
  /// File and line of the rule if the program checks copies (EmitOptions::checks_copies); else empty.
  std::string origin;
  std::string checked_place;  ///< file and line of the rule if the program is checked: `scale.pbcc:5`; else empty
  std::map<std::string, ConstantText> constants;  ///< fixed tunables of the user, by name
  FoldNames folds;                                ///< values that say how its folds run
  std::vector<TunedParam> tuned_params;           ///< its own, and those of the rules that it joins
  const CheckedSum* wide = nullptr;    ///< its function adds up this sum in wider numbers (checked_sum_code.h)
  std::vector<RuleCode> tried;         ///< rules that an instance tries first
  std::set<std::string> header_names;  ///< names in accesses, temporaries and loops over instances
  std::set<std::string> step_names;    ///< names that step functions need beside `header_names`

  /// Adds what `other` needs, for functions that run instances of both rules.
  void join(const RuleCode& other);

  /// Whether the function of its body gets a frame, because it calls transforms or divides folds among tasks.
  [[nodiscard]] bool has_frame() const { return facts.has_calls || !folds.chunk.empty(); }
  /// Whether functions that run instances do, by this rule or by one that is tried first.
  [[nodiscard]] bool needs_frame() const;

 private:
  void join_tried(RuleCode guest);
  void add_fold_names(const LoweredTransform& lowered);
  void add_loop_values();
  void add_step_names(const TransformPlan& plan, const Step& step);
};

[[nodiscard]] std::vector<Parameter> scalar_params(const RuleCode& code, ScalarSet set);
[[nodiscard]] std::vector<std::string> scalar_args(const RuleCode& code, ScalarSet set);
/// Declares those scalars of the set that are constants. The declarations are the first statements of a function that
/// has `scalar_params`.
void emit_scalar_constants(Writer& out, const RuleCode& code, ScalarSet set);
/// Returns the rule variables that the body, or an extent of its temporaries, may use.
[[nodiscard]] std::vector<std::string> used_rule_vars(const RuleCode& code);
/// Opens a function. In a long list each parameter gets a line of its own.
void open_function(Writer& out, const std::string& head, const std::vector<Parameter>& params);
/// Prints a whole function. `body` holds its statements, one level deep.
void emit_function(Writer& out, const std::string& head, const std::vector<Parameter>& params, const Writer& body);

/// Returns the expression for a matrix that the runtime knows as the AnyMatrix `any`.
[[nodiscard]] std::string typed_matrix(const Matrix& matrix, const std::string& any);

/// Returns the expression that an instance gets for an access: `In.region(x, y, x+KWIDTH, y+KWIDTH)`, `In.cell(x, y)`,
/// `In`.
[[nodiscard]] std::string access_text(const RuleCode& code, const RegionAccess& access);
/// Returns the name of the template parameter that is the type of a view. Names of programs do not begin with `pb_`.
[[nodiscard]] inline std::string view_type(const std::string& name) { return "pb_View_" + name; }
/// Returns the expression for an access to the matrix that generated code calls `matrix`, such as `In.view()`.
[[nodiscard]] std::string access_text(const RegionAccess& access, std::string matrix);

/// Returns the coordinates of an access without its version: `x, y, x+KWIDTH, y+KWIDTH`.
[[nodiscard]] std::vector<std::string> coordinates(const RegionAccess& access);
/// Returns the element type of an access's matrix.
[[nodiscard]] std::string element_of(const RuleCode& code, const RegionAccess& access);

/// Returns the type of a box of the step's loops: `pbrt::Box<2>`.
[[nodiscard]] std::string box_type(const Step& step);

/// Returns the name of the constant that names a rule, or a nest, in traces.
[[nodiscard]] inline std::string rule_constant(const std::string& stem) { return "kRule_" + stem; }

/// Opens a block in which errors of accesses get the rule's name, if the program checks copies; else prints nothing.
void open_watched(Writer& out, const RuleCode& code);
/// Closes the block that `open_watched` opened.
void close_watched(Writer& out, const RuleCode& code);

/// Prints the user's body as a function, with a comment that says where its rule is in the source.
void emit_rule_function(Writer& out, const CppContext& context, const RuleCode& code);

}  // namespace pb
