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
#include "clgen/lower/cpu_loops.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// Functions that a transform's steps have so far: steps that differ in their boxes alone share them.
struct SharedLoops {
  RuleId rule;
  CpuLoops loops;
  HostParts around;  ///< what each instance announces, if it does
  std::string stem;
};

/// How the step's CPU function is cut into tasks, and so which last argument it takes: none, the split size, or
/// a pointer to the extents of its tiles.
enum class StepPieces : std::uint8_t { None, Split, Tiles };
[[nodiscard]] StepPieces pieces_of(const TransformPlan& plan, StepId step);

/// What decides the text of a step's function, apart from its name.
struct StepForm {
  RuleId rule;
  Version version = Version::Cpu;
  std::string loops;            ///< stem of the functions of its loops; empty: it has none
  std::vector<StepBox> params;  ///< the boxes that it is given, without their bounds
  std::vector<StepBox> boxes;   ///< the boxes that it makes
  HostParts hosted;             ///< what it announces
  StepPieces pieces = StepPieces::None;
  std::string kernel;                ///< of a device version: its name
  std::vector<std::string> regions;  ///< of a device version: how the launch has them

  bool operator==(const StepForm&) const = default;
};
struct SharedFunction {
  StepForm form;
  std::string name;
};
struct StepFunctions {
  std::vector<SharedLoops> loops;
  std::set<std::string> taken_by_loops;
  std::vector<SharedFunction> functions;
  std::map<Version, std::set<std::string>> taken;  ///< stems
};

/// `step_X_cpu` with the loops it needs, unless there are the same already. Returns its name.
std::string emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                          StepFunctions& done);

/// `step_X_opencl` or `step_X_opencl_local`: true if the kernel ran, which it counts, as it counts the reason if not.
/// Returns its name.
std::string emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                             const Kernel& kernel, StepFunctions& done);

}  // namespace pb
