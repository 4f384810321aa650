// SPDX-License-Identifier: MIT
// Device versions of steps, lowered: what a kernel gets, and its loops as a tree. Printers of OpenCL C and of other
// dialects make text of it, clgen/cpp the launch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

/// Where a kernel's number comes from at the launch.
enum class ScalarSource : std::uint8_t {
  Matrix,    ///< the cell of a matrix without dimensions
  Size,      ///< a size variable
  Tunable,   ///< a tunable
  OfTunable  ///< one element of an array tunable
};
/// How a kernel has it. A device knows no parameters smaller than an int.
enum class ScalarType : std::uint8_t { Int, Double, OfMatrix };

struct KernelScalar {
  ScalarSource source = ScalarSource::Size;
  ScalarType type = ScalarType::Int;
  std::string name;             ///< that the kernel's body has for it
  std::string origin;           ///< name of the matrix, size variable or tunable
  MatrixId matrix = {};         ///< of Matrix
  int element = 0;              ///< of OfTunable
  bool is_specialized = false;  ///< its value becomes a macro when the kernel is built: it bounds loops of the body

  bool operator==(const KernelScalar&) const = default;
};

struct KernelTree {
  TransformId transform;
  StepId step;
  RuleId rule;
  Version version = Version::OpenCl;
  std::vector<RuleMatrix> matrices;   ///< with dimensions, in order of parameters
  std::vector<KernelScalar> scalars;  ///< in order of parameters
  std::vector<std::string> vars;      ///< of the loops, the fastest first
  bool needs_fp64 = false;
  LoopTree tree;
};

/// That the device runs the work-items of a group one after the other, as CPUs do: known when a kernel is built.
[[nodiscard]] Condition device_is_cpu();

/// Whether two kernels do the same at the same parameters: then their steps differ in their boxes alone and share one.
[[nodiscard]] bool is_same(const KernelTree& a, const KernelTree& b);

/// The kernel of a step in a device version that the Plan gives it.
[[nodiscard]] KernelTree lower_kernel(const Program& program, const TransformPlan& plan, StepId step, Version version);

/// What an instance of the step reads of an input; null if that is not known.
[[nodiscard]] const InputBox* box_of(const Step& step, std::size_t input);

/// Whether a value of the body has type double.
[[nodiscard]] bool has_doubles(const Transform& transform, const Rule& rule);

}  // namespace pb
