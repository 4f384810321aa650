// SPDX-License-Identifier: MIT
// One kernel: its parameters as runtime/gpu/launch.h fixes them, and its source. clgen/cpp
// writes the launch from the same description.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

struct KernelScalar {
  std::string name;
  std::string type;             ///< in OpenCL C
  std::string value;            ///< C++ at the launch
  bool is_specialized = false;  ///< its value becomes a macro: it bounds loops of the body
};

/// An input that the work-group copies to local memory.
struct KernelTile {
  std::size_t input = 0;                          ///< index into Rule::inputs
  std::vector<IndexExpr> extent;                  ///< of one instance's box, dimension 0 first
  std::vector<std::array<std::int64_t, 3>> step;  ///< per dimension: how it moves with each loop, fastest first
};

struct Kernel {
  TransformId transform;
  RuleId rule;
  std::vector<StepId> steps;  ///< that run it: they differ in their boxes alone
  Version version = Version::OpenCl;
  std::string name;                  ///< of the __kernel function
  std::vector<RuleMatrix> matrices;  ///< regions, in order of parameters; 0-D inputs are scalars
  std::vector<KernelScalar> scalars;
  std::vector<KernelTile> tiles;
  std::vector<std::size_t> pointers;  ///< inputs whose `pb_at_` is a pointer, not an index of the matrix's data
  bool needs_fp64 = false;
  std::string source;  ///< without PB_KERNEL_PRELUDE, which comes first
};

/// What is the same for all kernels of a program.
struct KernelContext {
  const SourceManager& sources;
  bool is_strict = false;  ///< `--fp=strict`
};

/// All kernels of the program: transforms, steps, then the basic before the local-memory version.
[[nodiscard]] std::vector<Kernel> make_kernels(const Program& program, const Plan& plan, const KernelContext& context);

}  // namespace pb
