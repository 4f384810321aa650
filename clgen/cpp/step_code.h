// SPDX-License-Identifier: MIT
// C++ of the steps of one transform: a function per step and version, on the CPU and as a
// launch of a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/cpp/step_boxes.h"
#include "clgen/lower/condition.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// Parameters that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_params(const RuleCode& code);
/// Arguments that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_args(const RuleCode& code, const std::string& frame);

/// Functions that a transform's steps have so far, by their text under the rule's own name: steps that differ in their
/// boxes alone share them.
struct SharedLoops {
  std::string stem;
  bool has_packs = false;
};
struct StepFunctions {
  std::map<std::string, SharedLoops> loops;
  std::set<std::string> taken_by_loops;
  std::map<std::string, std::string> functions;        ///< their names
  std::map<std::string, std::set<std::string>> taken;  ///< stems, by version
};

/// `step_X_cpu` with the loops it needs, unless there are the same already. Returns its name.
std::string emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                          StepFunctions& done);

/// `step_X_opencl` or `step_X_opencl_local`: true if the kernel ran, which it counts, as it counts the reason if not.
/// Returns its name.
std::string emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                             const Kernel& kernel, StepFunctions& done);

/// How the step's CPU function is cut into tasks, and so which last argument it takes: none, the split size, or
/// a pointer to the extents of its tiles.
enum class StepPieces : std::uint8_t { None, Split, Tiles };
[[nodiscard]] StepPieces pieces_of(const TransformPlan& plan, StepId step);

/// When dimension 0 of all matrices that the loops get as views is contiguous and, where the body writes among its
/// reads, matrices have no cells in common; none if there are no views.
[[nodiscard]] std::optional<Condition> unit_condition(const RuleCode& code);
/// Declares it as a bool of that name, which the result then tests; none where there are no views.
std::optional<Condition> declare_unit(Writer& out, const RuleCode& code, const std::string& name);
/// A call of a step's loops; frame `pb_inner` if it needs one.
[[nodiscard]] std::string loops_call(const RuleCode& code, const std::string& function, bool is_unit,
                                     const std::string& box);
/// The call of a step's loops over `box`: over unit views, with packs if there are, where `unit` holds; it is none
/// where no matrix is a view.
void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, bool has_packs,
                const std::optional<Condition>& unit, const std::string& box);

}  // namespace pb
