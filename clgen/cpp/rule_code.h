// SPDX-License-Identifier: MIT
// C++ of one rule: the function with the user's body, and the loops over its instances.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/cpp_context.h"
#include "clgen/cpp/tunable_code.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/rule_facts.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// One rule of one transform, with what is known of it.
struct RuleCode : RuleShape {
  RuleCode(const CppContext& context, TransformId transform_id, RuleId rule_id);

  std::vector<MatrixId> scalar_inputs;
  std::string stem;           ///< `Convolve2D_0`
  std::string origin;         ///< file and line where functions say which rule used what is not there; else empty
  std::string checked_place;  ///< of a checked program: `scale.pbcc:5`; else empty
  std::map<std::string, ConstantText> constants;  ///< fixed tunables of the user, by name
  std::vector<RuleCode> tried;                    ///< rules that an instance tries first
  std::set<std::string> header_names;             ///< names in accesses, temporaries and loops over instances
  std::set<std::string> step_names;               ///< names that step functions need beside these

  /// Adds what functions need that run instances of both rules.
  void join(const RuleCode& other);

 private:
  void join_tried(RuleCode guest);
  void add_step_names(const TransformPlan& plan, const Step& step);
};

/// Which size variables, tunables and rule variables a function gets.
enum class ScalarSet : std::uint8_t {
  Body,   ///< those that the body may use
  Loops,  ///< those that loops over instances may use: the header, the body, bounds beyond a box
  Step,   ///< those that step functions may use
};
[[nodiscard]] std::vector<Parameter> scalar_params(const RuleCode& code, ScalarSet set);
[[nodiscard]] std::vector<std::string> scalar_args(const RuleCode& code, ScalarSet set);
/// Those of the set that are constants: declarations, the first statements of a function with `scalar_params`.
void emit_scalar_constants(Writer& out, const RuleCode& code, ScalarSet set);
/// Rule variables that the body may use.
[[nodiscard]] std::vector<std::string> used_rule_vars(const RuleCode& code);
/// Whether a parameter of that name may be without a use in the body.
[[nodiscard]] bool may_be_unused(const RuleCode& code, const std::string& name);
/// Opens a function; long parameter lists get lines of their own.
void open_function(Writer& out, const std::string& head, const std::vector<Parameter>& params);
/// The whole function; parameters that `body`, statements one level deep, uses are not marked.
void emit_function(Writer& out, const std::string& head, std::vector<Parameter> params, const Writer& body);

/// What an instance gets for an access: `In.region(x, y, x+KWIDTH, y+KWIDTH)`, `In.cell(x, y)`, `In`.
[[nodiscard]] std::string access_text(const RuleCode& code, const RegionAccess& access);

/// Arguments of its accessor, without the version: `x, y, x+KWIDTH, y+KWIDTH`.
[[nodiscard]] std::vector<std::string> coordinates(const RegionAccess& access);
/// Element type of its matrix.
[[nodiscard]] std::string element_of(const RuleCode& code, const RegionAccess& access);

/// `pbrt::Box<2>`: a box of the step's loops.
[[nodiscard]] std::string box_type(const Step& step);

/// What traces call the rule of that stem, or the nest.
[[nodiscard]] inline std::string rule_constant(const std::string& stem) { return "kRule_" + stem; }

/// Statements around which errors of accesses get the rule's name, in programs that look for them.
void open_watched(Writer& out, const RuleCode& code);
void close_watched(Writer& out, const RuleCode& code);

/// The user's body as a function, with its comment of origin.
void emit_rule_function(Writer& out, const CppContext& context, const RuleCode& code);

}  // namespace pb
