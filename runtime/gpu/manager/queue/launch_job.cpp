// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/launch_job.h"

namespace pbrt::gpu {

BoxSet LaunchRegion::written_boxes() const {
  if (written.empty()) return BoxSet(record->box_of(touched));
  BoxSet boxes;
  for (const OwnedView& part : written) boxes.add(record->box_of(part));
  return boxes;
}

}  // namespace pbrt::gpu
