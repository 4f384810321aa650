// SPDX-License-Identifier: MIT
// What a launch writes, as its check sees it (run_checked.h). Private to runtime/gpu.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/config/info.h"
#include "runtime/gpu/layout.h"
#include "runtime/gpu/region_ref.h"
#include "runtime/matrix/storage.h"

namespace pbrt::gpu {

class DeviceCheck;
class Launch;

/// A view with sizes and strides of its own, and a reference to its storage.
struct KeptView {
  StorageRef storage;  ///< empty: a number on its own
  ElementKind kind = ElementKind::Double;
  int num_dims = 0;
  void* base = nullptr;
  std::array<IndexT, kMaxDims> sizes = {};
  std::array<std::int64_t, kMaxDims> strides = {};

  [[nodiscard]] RawView raw() const { return {kind, num_dims, base, sizes.data(), strides.data()}; }
  [[nodiscard]] RegionRef ref() const { return {storage.get(), raw()}; }
  [[nodiscard]] static KeptView of(const RegionRef& region);
  [[nodiscard]] static KeptView of(const StorageRef& storage, const OwnedView& view, ElementKind kind);
};

/// Cells that a kernel writes.
struct CheckedPart {
  KeptView written;
  int output = 0;                                 ///< of how many that the launch writes, from 0 on
  std::array<std::int64_t, kMaxDims> first = {};  ///< coordinates of the first cell in its matrix
  bool is_read = false;  ///< the kernel may read their earlier contents, here or as cells of another region
  /// A number in whose place the kernel writes; else the CPU writes the same cells as the kernel.
  std::optional<KeptView> stands_for;
};

/// The parts that the launch writes; none if it has no instances. Before Launch::run().
[[nodiscard]] std::vector<CheckedPart> checked_parts(const Launch& launch);

/// The elements of a view, x fastest. Pre: they are on the host
[[nodiscard]] std::vector<std::byte> cells_of(const RawView& view);
/// Puts elements back that cells_of gave. Pre: the host may write them
void put_cells(const RawView& view, const std::vector<std::byte>& cells);

/// What a kernel computed in a part, against what the CPU did: the first cell that differs, in words; empty if none
/// does. Whole numbers are the same; real ones differ by no more than the tolerance, or their type's if it is not
/// given, for each of `num_steps` that made it, and by any amount where both are NaN.
[[nodiscard]] std::string first_difference(const CheckedPart& part, const std::vector<std::byte>& on_device,
                                           const RawView& on_cpu, const ToleranceInfo& tolerance,
                                           std::int64_t num_steps = 1);

}  // namespace pbrt::gpu
