// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/launch_job.h"

#include <algorithm>
#include <utility>

namespace pbrt::gpu {

BoxSet LaunchRegion::written_boxes() const {
  if (written.empty()) return BoxSet(record->box_of(touched));
  BoxSet boxes;
  for (const OwnedView& part : written) boxes.add(record->box_of(part));
  return boxes;
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
