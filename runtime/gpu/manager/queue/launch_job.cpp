// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/launch_job.h"

#include <algorithm>
#include <utility>

namespace pbrt::gpu {

std::span<const OwnedView> LaunchRegion::written_parts() const {
  return written.empty() ? std::span(&touched, 1) : std::span(written);
}

BoxSet LaunchRegion::written_boxes() const {
  BoxSet boxes;
  for (const OwnedView& part : written_parts()) boxes.add(record->box_of(part));
  return boxes;
}

bool is_changed_in_place(const LaunchRegion& region, std::span<const LaunchRegion> regions) {
  if (!region.is_written || region.is_read) return region.is_written;
  const auto reads_what_is_written = [&](const LaunchRegion& other) {
    if (!other.is_read || other.storage.get() != region.storage.get()) return false;
    const int bytes = region.view.element_bytes;
    const Layout elements(static_cast<std::int64_t>(region.storage.get()->bytes()) / bytes, bytes);
    const std::span<const OwnedView> parts = region.written_parts();
    return std::any_of(parts.begin(), parts.end(),
                       [&](const OwnedView& part) { return elements.may_meet(part, other.touched); });
  };
  return std::any_of(regions.begin(), regions.end(), reads_what_is_written);
}

const LaunchWindow* LaunchJob::window_of(const StorageRecord& record) const {
  const auto found =
      std::find_if(windows.begin(), windows.end(), [&](const LaunchWindow& each) { return each.record == &record; });
  return found == windows.end() ? nullptr : &*found;
}

LaunchWindow* LaunchJob::window_of(const StorageRecord& record) {
  return const_cast<LaunchWindow*>(std::as_const(*this).window_of(record));
}

}  // namespace pbrt::gpu
