// SPDX-License-Identifier: MIT
#include "runtime/gpu/check/checked_part.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/matrix/compare/cell_error.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt::gpu {

KeptView KeptView::of(const RegionRef& region) {
  KeptView out;
  if (region.storage != nullptr) {
    region.storage->retain();
    out.storage = StorageRef::adopt(region.storage);
  }
  out.kind = region.view.kind;
  out.num_dims = region.view.num_dims;
  out.base = region.view.base;
  std::copy_n(region.view.sizes, out.num_dims, out.sizes.begin());
  std::copy_n(region.view.strides, out.num_dims, out.strides.begin());
  return out;
}

KeptView KeptView::of(const StorageRef& storage, const OwnedView& view, ElementKind kind) {
  KeptView out;
  out.storage = storage;
  out.kind = kind;
  out.num_dims = view.num_dims;
  out.base = static_cast<std::byte*>(storage.get()->data()) + view.offset * view.element_bytes;
  for (std::size_t d = 0; d < static_cast<std::size_t>(view.num_dims); ++d) {
    out.sizes[d] = static_cast<IndexT>(view.sizes[d]);
    out.strides[d] = view.strides[d];
  }
  return out;
}

std::vector<std::byte> cells_of(const RawView& view) {
  const std::size_t size = element_bytes(view.kind);
  std::vector<std::byte> out;
  std::size_t count = size;
  for (int d = 0; d < view.num_dims; ++d) count *= static_cast<std::size_t>(std::max<IndexT>(0, view.sizes[d]));
  out.resize(count);
  std::byte* next = out.data();
  for_each_offset(view, [&](std::int64_t offset) {
    std::memcpy(next, static_cast<const std::byte*>(view.base) + offset * static_cast<std::int64_t>(size), size);
    next += size;
  });
  return out;
}

void put_cells(const RawView& view, const std::vector<std::byte>& cells) {
  const std::size_t size = element_bytes(view.kind);
  const std::byte* next = cells.data();
  for_each_offset(view, [&](std::int64_t offset) {
    std::memcpy(static_cast<std::byte*>(view.base) + offset * static_cast<std::int64_t>(size), next, size);
    next += size;
  });
}

namespace {

/// `cell (3, 1)`, where `index` counts the part's cells.
std::string cell_text(const CheckedPart& part, std::int64_t index) {
  if (part.written.num_dims == 0) return "the number";
  std::string text = "cell (";
  for (std::size_t d = 0; d < static_cast<std::size_t>(part.written.num_dims); ++d) {
    text += (d == 0 ? "" : ", ") + std::to_string(part.first[d] + index % part.written.sizes[d]);
    index /= part.written.sizes[d];
  }
  return text + ")";
}

template <class T>
double largest_magnitude(const std::vector<T>& values) {
  double largest = 0;
  for (const T value : values)
    if (std::isfinite(static_cast<double>(value))) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return largest;
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& cells) {
  std::vector<T> out(cells.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), cells.data(), cells.size());
  return out;
}

/// How much cells may differ: by a share of each, or by a number.
struct Allowed {
  double everywhere = 0;
  double share = 0;
};

template <class T>
Allowed allowed_in(const std::vector<T>& expected, const ToleranceInfo& tolerance) {
  if constexpr (std::is_integral_v<T>) return {};
  if (tolerance.is_given && tolerance.abs >= 0) return {tolerance.abs, tolerance.rel};
  return {(tolerance.is_given ? tolerance.rel : default_tolerance(kElementKindOf<T>)) * largest_magnitude(expected), 0};
}

}  // namespace

std::string first_difference(const CheckedPart& part, const std::vector<std::byte>& on_device, const RawView& on_cpu,
                             const ToleranceInfo& tolerance, std::int64_t num_steps) {
  return visit_kind(part.written.kind, [&]<class T>(T*) -> std::string {
    const std::vector<T> found = values_of<T>(on_device), expected = values_of<T>(cells_of(on_cpu));
    Allowed allowed = allowed_in(expected, tolerance);
    allowed.everywhere *= static_cast<double>(num_steps);
    allowed.share *= static_cast<double>(num_steps);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double error = error_of(found[i], expected[i]);
      if (error <= allowed.everywhere || error <= allowed.share * std::fabs(static_cast<double>(expected[i]))) continue;
      return cell_text(part, static_cast<std::int64_t>(i)) +
             (part.output == 0 ? "" : " of output " + std::to_string(part.output + 1)) + " is " +
             number_text(found[i]) + ", on the CPU " + number_text(expected[i]);
    }
    return {};
  });
}

}  // namespace pbrt::gpu
