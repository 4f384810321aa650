// SPDX-License-Identifier: MIT
// The kernels of a program. Each has a lowered tree, whose parameters stand in the order of runtime/gpu/launch.h, and
// its source. clgen/cpp writes the launches from the same trees.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/lower.h"
#include "clgen/opencl/kernel_printer.h"
#include "lang/program.h"

namespace pb {

struct Kernel {
  KernelTree lowered;
  std::vector<StepId> steps;  ///< the steps that run the kernel, and differ only in their boxes; of a joint launch none
  std::string name;           ///< name of its function
  std::string source;         ///< without the dialect's prelude, which comes first
};

/// Returns the name of the kernel of a joint launch that has parts.
[[nodiscard]] std::string joint_kernel_name(const Program& program, const JointLaunch& launch);

/// Returns the name of the kernel of a launch that computes temporaries, too.
[[nodiscard]] std::string tile_kernel_name(const Program& program, const TileLaunch& launch);

/// Returns the names of the kernels of a nest that makes versions: of one version, and of a time tile.
[[nodiscard]] std::string version_kernel_name(const Program& program, const VersionLaunch& launch);
[[nodiscard]] std::string time_tile_name(const Program& program, const VersionLaunch& launch);

/// Returns all kernels of the program, in the order of transforms, steps and versions: the basic version comes before
/// the one with local memory. Steps share a kernel if their trees are equal. Those of a transform's joint launches
/// follow if they have parts, then those of launches
/// that compute temporaries, and those of nests that make versions.
[[nodiscard]] std::vector<Kernel> make_kernels(const Program& program, const LoweredProgram& lowered,
                                               const KernelContext& context);

}  // namespace pb
