// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/windows/find_windows.h"

#include <algorithm>

namespace pbrt::gpu {
namespace {

/// Buffers begin at such places of their storage, so that what is aligned there is aligned in them.
constexpr std::int64_t kAlignment = 256;

/// The bytes of the storage from the first cell of a view to the end of its last row, with a halo. The last row has the
/// length of the others, because NVIDIA's driver refuses to copy some columns of a buffer that ends within a row.
struct Span {
  std::int64_t lo = 0, hi = 0;
};

Span span_of(const OwnedView& view, const Halo& halo) {
  if (view.is_empty()) return {};
  std::int64_t lo = view.offset, hi = view.offset + 1, whole_rows = 0;
  for (int d = 0; d < view.num_dims; ++d) {
    const auto at = static_cast<std::size_t>(d);
    lo -= halo[at] * view.strides[at];
    hi += (view.sizes[at] - 1 + halo[at]) * view.strides[at];
    if (view.sizes[at] > 1) whole_rows = std::max(whole_rows, view.sizes[at] * view.strides[at]);
  }
  hi = std::max(hi, view.offset + whole_rows);
  return {std::max<std::int64_t>(lo, 0) * view.element_bytes, hi * view.element_bytes};
}

Span united(const Span& a, const Span& b) {
  if (a.lo >= a.hi) return b;
  if (b.lo >= b.hi) return a;
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// What the launch touches of a storage.
Span touched_of(const LaunchPlan& plan, const StorageRecord& record, const Halo& halo) {
  Span span;
  for (const LaunchRegion& region : plan.regions)
    if (region.record == &record) span = united(span, span_of(region.touched, region.is_written ? Halo{} : halo));
  return span;
}

}  // namespace

bool may_have_window(const LaunchPlan& plan, const StorageRecord& record) {
  return std::none_of(plan.regions.begin(), plan.regions.end(),
                      [&](const LaunchRegion& region) { return region.record == &record && region.has_versions; });
}

std::vector<LaunchWindow> windows_of(const LaunchPlan& plan, const Halo& halo) {
  std::vector<LaunchWindow> windows;
  for (const LaunchRegion& region : plan.regions) {
    const StorageRecord& record = *region.record;
    const bool is_known =
        std::any_of(windows.begin(), windows.end(), [&](const LaunchWindow& each) { return each.record == &record; });
    if (is_known || !may_have_window(plan, record)) continue;
    const auto size = static_cast<std::int64_t>(record.storage().bytes());
    const Span span = touched_of(plan, record, halo);
    const std::int64_t first = span.lo / kAlignment * kAlignment;
    const std::int64_t length = std::max<std::int64_t>(span.hi - first, 1);
    if (length >= size) continue;
    LaunchWindow& window = windows.emplace_back();
    window.record = &record;
    window.first_byte = static_cast<std::size_t>(first);
    window.num_bytes = static_cast<std::size_t>(length);
  }
  return windows;
}

}  // namespace pbrt::gpu

// Note [Windows]
//
// A storage has one buffer of its size, which stays on the device from launch to launch. If the buffers of a launch do
// not fit together, the launch gets a window of each storage of which it touches a part only: a buffer for the bytes
// from the first to the last cell that it touches. Kernels see the same strides and a smaller offset, which may be
// negative. Storages that are touched as a whole keep their buffers, and so do those of versions.
//
// What is in a window is not in the residency table. Before such a launch the host gets what is newer on the device;
// the launch copies what it reads in, and what it wrote out, and its fiber waits for that. So for all others it is as
// if the host had run it (StorageRecord::wrote_on_host).
//
// Groups that copy tiles or panels to local memory may copy cells of instances beyond the end of the range, inside of
// the matrix. A window has room for these cells, the halo; nothing is copied there.
//
// A launch that does not fit with windows either is cut by the program, which knows what a part of its instances
// touches (runtime/gpu/share.h).
