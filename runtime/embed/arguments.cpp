// SPDX-License-Identifier: MIT
#include "runtime/embed/arguments.h"

#include <algorithm>
#include <string>

#include "runtime/embed/shared_runtime.h"
#include "runtime/gpu/launch.h"
#include "runtime/main/inputs/problem.h"

namespace pbrt {

namespace {

// Matrices that devices use in the host's memory are as aligned as the runtime's own.
constexpr std::uintptr_t kDeviceAlignment = 128;

[[noreturn]] void refuse(const MatrixDesc& desc, const std::string& why) {
  throw UserError("`" + header_of(desc) + "`: " + why);
}

/// Refuses a matrix of another type or rank than the header's.
void check_type(const MatrixDesc& desc, const pb_matrix* matrix) {
  if (matrix == nullptr) refuse(desc, "the matrix is null");
  if (matrix->rank != desc.num_dims)
    refuse(desc, "the matrix has rank " + std::to_string(matrix->rank) + ", the header says " +
                     std::to_string(desc.num_dims));
  const auto kind = static_cast<ElementKind>(matrix->element);
  if (kind != desc.element)
    refuse(desc, "its elements are " +
                     (is_known(matrix->element) ? std::string(element_name(kind)) : "of no known type") +
                     ", the header says " + element_name(desc.element));
}

GivenMatrix given_for(const MatrixDesc& desc, const pb_matrix* matrix) {
  check_type(desc, matrix);
  try {
    return GivenMatrix(*matrix);
  } catch (const UserError& error) {
    refuse(desc, error.what());
  }
}

}  // namespace

CallArguments::CallArguments(const TransformDesc& transform, const pb_matrix* const* arguments, int num)
    : transform_(transform) {
  if (arguments == nullptr && num != 0) throw UserError("the list of matrices is null");
  arguments_.reserve(static_cast<std::size_t>(num));
  for (std::size_t i = 0; i < static_cast<std::size_t>(num); ++i) {
    const Argument& argument = arguments_.emplace_back(given_for(desc_of(i), arguments[i]));
    if (is_output(i) && !argument.given.has_own_cells()) refuse(desc_of(i), "by its strides, its cells may overlap");
  }
}

bool CallArguments::is_output(std::size_t argument) const {
  return argument >= static_cast<std::size_t>(transform_.num_inputs);
}

const MatrixDesc& CallArguments::desc_of(std::size_t argument) const {
  const auto num_inputs = static_cast<std::size_t>(transform_.num_inputs);
  return argument < num_inputs ? transform_.inputs[argument] : transform_.outputs[argument - num_inputs];
}

std::vector<std::int64_t> CallArguments::solve_sizes(const RunContext& context, std::int64_t* values,
                                                     bool* is_known) const {
  const auto num = static_cast<std::size_t>(transform_.num_inputs) + static_cast<std::size_t>(transform_.num_outputs);
  std::vector<const IndexT*> sizes(num, nullptr);
  for (std::size_t i = 0; i < arguments_.size(); ++i) sizes[i] = arguments_[i].given.sizes();
  std::size_t num_extents = 0;
  for (std::size_t i = 0; i < num; ++i) num_extents += static_cast<std::size_t>(desc_of(i).num_dims);
  transform_.solve(context, sizes.data(), values, is_known);
  for (int v = 0; v < transform_.num_size_vars; ++v)
    if (!is_known[v])
      throw UserError(std::string("no matrix says how large ") + transform_.size_vars[v] + " of " + transform_.name +
                      " is");
  std::vector<std::int64_t> extents(num_extents);
  transform_.extents(context, values, extents.data());
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    for (int d = 0; d < arguments_[i].given.num_dims(); ++d, ++next)
      if (extents[next] != arguments_[i].given.sizes()[d])
        throw UserError(wrong_size_text(desc_of(i), d, arguments_[i].given.sizes()[d], extents[next],
                                        for_sizes_text(transform_, {values, values + transform_.num_size_vars})));
  return extents;
}

bool CallArguments::overlaps_another(std::size_t output) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (i != output && arguments_[i].given.overlaps(arguments_[output].given)) return true;
  return false;
}

void CallArguments::place(bool for_device) {
  const ResidentMemory& resident = SharedRuntime::get().resident_memory();
  matrices_.reserve(arguments_.size());
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const MatrixDesc& desc = desc_of(i);
    auto& [given, memory, is_copied] = arguments_[i];
    memory = resident.find(given.begin(), given.end());
    const bool is_resident = !memory.is_empty();
    const bool suits_device = is_resident || (given.is_aligned(kDeviceAlignment) && given.has_nested_rows());
    is_copied = given.has_negative_stride() || !given.has_own_cells() ||
                !given.is_aligned(element_bytes(desc.element)) || (for_device && !suits_device) ||
                (is_resident && !given.is_box_of(memory)) || (is_output(i) && overlaps_another(i));
    if (is_copied)
      matrices_.push_back(AnyMatrix::allocate(desc.element, desc.num_dims, given.sizes()));
    else
      matrices_.push_back(is_resident ? given.part_of(memory) : given.in_place());
  }
}

bool CallArguments::may_be_on_device() const {
  return std::any_of(arguments_.begin(), arguments_.end(), [](const Argument& argument) {
    return !argument.resident.is_empty() && gpu::device_state(argument.resident) != 0;
  });
}

bool CallArguments::has_resident_output() const {
  return std::any_of(arguments_.begin() + transform_.num_inputs, arguments_.end(),
                     [](const Argument& argument) { return argument.stays(); });
}

void CallArguments::forget_lost_outputs() const {
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (is_output(i) && arguments_[i].stays() && !desc_of(i).is_read_initially) forget_lost(matrices_[i]);
}

void CallArguments::make_copies(Frame& root) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const auto& [given, memory, is_copied] = arguments_[i];
    // A call takes the values of numbers when it begins.
    if (!is_copied && !memory.is_empty() && desc_of(i).num_dims == 0) need_on_host(root, matrices_[i]);
    if (!is_copied || !desc_of(i).is_read_initially) continue;
    if (!memory.is_empty()) need_on_host(root, memory);
    given.copy_to(matrices_[i]);
  }
}

void CallArguments::bring_results(Frame& root) const {
  const auto first = static_cast<std::size_t>(transform_.num_inputs);
  for (std::size_t i = first; i < arguments_.size(); ++i)
    if (!arguments_[i].stays()) gpu::fetch(root, matrices_[i]);
  for (std::size_t i = first; i < arguments_.size(); ++i) {
    const auto& [given, memory, is_copied] = arguments_[i];
    if (arguments_[i].stays()) continue;
    need_on_host(root, matrices_[i]);
    if (!is_copied) continue;
    if (memory.is_empty()) {
      given.copy_from(matrices_[i]);
      continue;
    }
    const AnyMatrix hull = given.hull_in(memory);
    given.is_box_of(memory) ? before_host_overwrite(root, hull) : before_host_write(root, hull);
    given.copy_from(matrices_[i]);
    wrote_on_host(root, hull);
  }
}

}  // namespace pbrt
