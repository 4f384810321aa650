// SPDX-License-Identifier: MIT
#include "clgen/lower/launches/shared_kernel.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace pb {
namespace {

/// Each box that is tested costs a launch that many scalars, and instances that many comparisons.
constexpr std::size_t kMaxBoxes = 8;

bool is_input_of(const KernelTree& kernel, MatrixId matrix) {
  return std::any_of(kernel.matrices.begin(), kernel.matrices.end(),
                     [&](const RuleMatrix& use) { return use.matrix == matrix && !use.is_output; });
}

/// Adds a parameter, unless there is one of this name. All kernels of a launch are in one slice.
void add_scalar(KernelTree& to, const KernelScalar& scalar) {
  const auto known = std::find_if(to.scalars.begin(), to.scalars.end(), [&](const KernelScalar& other) {
    const bool is_slice = scalar.source == ScalarSource::Slice && other.source == ScalarSource::Slice;
    return is_slice || other.name == scalar.name;
  });
  if (known == to.scalars.end()) {
    to.scalars.push_back(scalar);
  } else {
    known->is_specialized = known->is_specialized || scalar.is_specialized;
  }
}

}  // namespace

void add_parameters(KernelTree& to, const KernelTree& kernel) {
  to.needs_fp64 = to.needs_fp64 || kernel.needs_fp64;
  for (const RuleMatrix& use : kernel.matrices)
    if (!use.is_output && !is_input_of(to, use.matrix)) to.matrices.push_back(use);
  for (const KernelScalar& scalar : kernel.scalars) add_scalar(to, scalar);
  for (const MatrixId matrix : kernel.with_versions)
    if (std::find(to.with_versions.begin(), to.with_versions.end(), matrix) == to.with_versions.end())
      to.with_versions.push_back(matrix);
}

void add_bounds(KernelTree& to, std::size_t box, const BoxBounds& bounds) {
  for (std::size_t d = 0; d < bounds.size(); ++d)
    for (const bool is_upper : {false, true}) {
      KernelScalar scalar{ScalarSource::Bound, ScalarType::Int, box_bound_name(box, is_upper, d), ""};
      scalar.bound = is_upper ? bounds[d].hi : bounds[d].lo;
      to.scalars.push_back(std::move(scalar));
    }
}

bool runs_single_instances(const KernelTree& kernel) {
  bool out = kernel.tree.buffers.empty();
  walk(kernel.tree.root, [&](const TreeNode& node) {
    const auto* instance = std::get_if<RuleInstance>(&node.node);
    const bool is_loop = std::holds_alternative<TreeLoop>(node.node);
    out = out && (is_loop || (instance != nullptr && instance->conditions.empty()));
  });
  return out;
}

std::optional<KernelTree> shared_kernel(const std::vector<SharedStep>& steps, std::size_t main) {
  KernelTree out = *steps[main].kernel;
  std::vector<RuleId> rules{out.rule};
  for (const SharedStep& step : steps) {
    add_parameters(out, *step.kernel);
    if (std::find(rules.begin(), rules.end(), step.kernel->rule) == rules.end()) rules.push_back(step.kernel->rule);
  }
  if (rules.size() == 1) return out;
  // Only the last part needs no boxes.
  std::size_t num_boxes = 0;
  for (const RuleId rule : rules) {
    KernelPart part;
    for (const SharedStep& step : steps) {
      if (step.kernel->rule != rule) continue;
      part.kernel = *step.kernel;
      part.vars = variables_of(step.cells);
      if (rule == rules.back()) continue;
      part.boxes.push_back(num_boxes);
      add_bounds(out, num_boxes++, cell_box(step.cells));
    }
    out.parts.push_back(std::move(part));
  }
  return num_boxes <= kMaxBoxes ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace pb
