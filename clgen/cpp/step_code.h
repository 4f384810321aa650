// SPDX-License-Identifier: MIT
// C++ of the steps of one transform: a function per step and version, on the CPU and as a
// launch of a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// `Convolve2D_0`; with the step's number where one rule has several steps.
[[nodiscard]] std::string step_stem(const CppContext& context, const RuleCode& code, StepId step);

/// Parameters and arguments that every step function of a rule takes: frame, matrices, scalars.
[[nodiscard]] std::vector<std::string> step_params(const RuleCode& code);
[[nodiscard]] std::vector<std::string> step_args(const RuleCode& code, const std::string& frame);

/// Loops that were emitted: by their text under the rule's own name, for steps that differ in their boxes alone.
struct SharedLoops {
  std::string stem;
  bool has_packs = false;
};
using LoopsByText = std::map<std::string, SharedLoops>;

/// `step_X_cpu` with the loops it needs, unless `loops` has the same ones.
void emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step, LoopsByText& loops);

/// `step_X_opencl` or `step_X_opencl_local`: true if the kernel ran; counts the reason if not.
void emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step, const Kernel& kernel);

/// How the step's CPU function is cut into tasks, and so which last argument it takes: none, the split size, or
/// a pointer to the extents of its tiles.
enum class StepPieces : std::uint8_t { None, Split, Tiles };
[[nodiscard]] StepPieces pieces_of(const TransformPlan& plan, StepId step);

/// Statements before and after the instances of a step: what it reads and writes is on the host.
void emit_arrivals(Writer& out, const TransformPlan& plan, const RuleCode& code, const Step& step);
void emit_departures(Writer& out, const TransformPlan& plan, const RuleCode& code, const Step& step);
/// When dimension 0 of all matrices that the loops get as views is contiguous and, where the body writes among its reads,
/// matrices have no cells in common; empty: there are no views.
[[nodiscard]] std::string unit_condition(const RuleCode& code);
/// A call of a step's loops; frame `pb_inner` if it needs one.
[[nodiscard]] std::string loops_call(const RuleCode& code, const std::string& function, bool is_unit,
                                     const std::string& box);
/// `{{lo, …}, {hi, …}}` of the step's loops, dimension 0 first.
[[nodiscard]] std::string box_initializer(const Step& step);
/// The call of a step's loops over `box`: over unit views, with packs if there are, where the variable `unit` says so;
/// `unit` is empty where no matrix is a view.
void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, bool has_packs, const std::string& unit,
                const std::string& box);

}  // namespace pb
