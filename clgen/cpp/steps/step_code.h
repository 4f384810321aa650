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

#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/accesses/launch_regions.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/schedule/step_pieces.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// The functions of a step's loops, which steps that differ only in their boxes share.
struct SharedLoops {
  RuleId rule;
  CpuLoops loops;
  HostParts around;  ///< what each instance announces, if it does
  std::string stem;
};

/// What decides the text of a step's function, apart from its name.
struct StepForm {
  RuleId rule;
  Version version = Version::Cpu;
  std::string loops;            ///< stem of the functions of its loops; empty: it has none
  std::vector<StepBox> params;  ///< the boxes that it is given, without their bounds
  std::vector<StepBox> boxes;   ///< the boxes that it declares itself
  HostParts hosted;             ///< what it announces
  StepPieces pieces = StepPieces::None;
  std::string kernel;                 ///< only for a device version: the name of its kernel
  bool has_pieces = false;            ///< only for a device version: it may be given pieces of the step
  std::vector<LaunchRegion> regions;  ///< only for a device version: what its launch says of the matrices
  std::vector<InsideTest> inside;     ///< only for a device version: what its launch needs

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
  std::map<Version, std::set<std::string>> taken;  ///< stems that are in use
};

/// Returns the shape of the pieces of a step that runs in tiles.
[[nodiscard]] std::string shape_of_tiles(const Step& step);

/// Returns the value that a launch gives for a parameter of its kernel.
[[nodiscard]] std::string launch_value(const KernelScalar& scalar);

/// Prints the statements that tell the launch about one of the kernel's matrices, such as `pb_launch.output(Out,
/// pb_box, pb_copy_out);`. Programs that check copies also hear exactly what is read.
void emit_launch_region(Writer& out, const RuleCode& code, const LaunchRegion& region);

/// Brings the numbers that a launch of several steps passes to its kernel to the host: one that is no argument may be
/// on a device.
void emit_arrivals(Writer& out, const Transform& transform, const KernelTree& kernel, const std::string& frame);

/// Prints `step_X_cpu` and the loops that it needs, unless an equal function exists already. Returns its name.
std::string emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                          StepFunctions& done);

/// Prints `step_X_opencl` or `step_X_opencl_local`, unless an equal function exists already. Returns its name. The
/// printed function returns true if the kernel ran. It counts the run, or the reason for which there was none.
std::string emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                             const Kernel& kernel, StepFunctions& done);

}  // namespace pb
