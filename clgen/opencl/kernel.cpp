// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns a name of a length that drivers accept, which make file names of it. A long name is cut and ends in a hash
/// of all of it (FNV-1a).
std::string short_name(const std::string& name) {
  constexpr std::size_t kLongest = 100;
  if (name.size() <= kLongest) return name;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{}_{:016x}", name.substr(0, kLongest - 17), hash);
}

/// Returns the name of a step's kernel. It has the number of the step if `is_for_step`.
std::string kernel_name(const Program& program, const KernelTree& lowered, bool is_for_step) {
  const std::string step = is_for_step ? "_s" + std::to_string(lowered.step.index()) : "";
  return short_name(rule_stem(program, lowered.transform, lowered.rule) + step) +
         (lowered.version == Version::OpenClLocal ? "_local" : "_basic");
}

/// Adds the step's kernel or, if there is one that does the same, adds the step to it.
void add(std::vector<Kernel>& kernels, const Program& program, KernelTree lowered) {
  for (Kernel& kernel : kernels) {
    if (!is_same(kernel.lowered, lowered)) continue;
    kernel.steps.push_back(lowered.step);
    return;
  }
  std::string name = kernel_name(program, lowered, false);
  const bool is_taken =
      std::any_of(kernels.begin(), kernels.end(), [&](const Kernel& other) { return other.name == name; });
  if (is_taken) name = kernel_name(program, lowered, true);
  const StepId step = lowered.step;
  kernels.push_back({std::move(lowered), {step}, std::move(name), {}});
}

}  // namespace

std::string joint_kernel_name(const Program& program, const JointLaunch& launch) {
  return short_name(rule_stem(program, launch.kernel.transform, launch.kernel.rule) + "_s" +
                    std::to_string(launch.main.index())) +
         "_joint";
}

std::string tile_kernel_name(const Program& program, const TileLaunch& launch) {
  return short_name(rule_stem(program, launch.kernel.transform, launch.kernel.rule) + "_s" +
                    std::to_string(launch.steps.reader.index())) +
         "_tiled";
}

static std::string stem_of(const Program& program, const VersionLaunch& launch) {
  const KernelTree& kernel = launch.tile ? *launch.tile : *launch.kernel;
  return short_name(rule_stem(program, kernel.transform, kernel.rule) + "_s" + std::to_string(kernel.step.index()));
}

std::string version_kernel_name(const Program& program, const VersionLaunch& launch) {
  return stem_of(program, launch) + "_version";
}

std::string time_tile_name(const Program& program, const VersionLaunch& launch) {
  return stem_of(program, launch) + "_tile";
}

std::vector<Kernel> make_kernels(const Program& program, const LoweredProgram& lowered, const KernelContext& context) {
  std::vector<Kernel> out;
  for (const LoweredTransform& transform : lowered.transforms) {
    for (const LoweredStep& step : transform.steps)
      for (const LoweredKernel& kernel : step.kernels) add(out, program, kernel.tree);
    for (const JointLaunch& launch : transform.launches)
      if (!launch.kernel.parts.empty()) out.push_back({launch.kernel, {}, joint_kernel_name(program, launch), {}});
    for (const TileLaunch& launch : transform.tiles)
      out.push_back({launch.kernel, {}, tile_kernel_name(program, launch), {}});
    for (const VersionLaunch& launch : transform.versions) {
      if (launch.kernel) out.push_back({*launch.kernel, {}, version_kernel_name(program, launch), {}});
      if (launch.tile) out.push_back({*launch.tile, {}, time_tile_name(program, launch), {}});
    }
  }
  for (Kernel& kernel : out) kernel.source = kernel_text(program, kernel.lowered, kernel.name, context);
  return out;
}

}  // namespace pb
