// SPDX-License-Identifier: MIT
#include "runtime/gpu/residency/residence.h"

#include <algorithm>

namespace pbrt::gpu {

bool Residence::host_in_use(const BoxSet& boxes) const { return host_in_way(boxes, true); }

bool Residence::host_in_way(const BoxSet& boxes, bool writes) const {
  return std::any_of(host_parts.begin(), host_parts.end(), [&](const OperationPart* part) {
    return (part->writes_host || writes) && part->host_use.overlaps(boxes);
  });
}

void Residence::remove_host_use(BoxSet& boxes) const {
  for (const OperationPart* part : host_parts) boxes.remove(part->host_use);
}

bool Residence::device_in_use(const BoxSet& boxes, bool writes, bool only_beside) const {
  return std::any_of(parts.begin(), parts.end(), [&](const OperationPart* part) {
    return (part->is_beside || !only_beside) && (part->writes_device || writes) && part->device_use.overlaps(boxes);
  });
}

BoxSet Residence::settled(BoxSet boxes) const {
  for (const OperationPart* part : parts)
    if (part->writes_device) boxes.remove(part->device_use);
  return boxes;
}

BoxSet Residence::missing(const GridBox& box) const {
  if (valid.has_whole(box)) return {};
  BoxSet boxes(box);
  boxes.remove(valid);
  return boxes;
}

BoxSet Residence::dirty_not_under_way(const GridBox& box) const {
  BoxSet missing = dirty.intersect(box);
  for (const OperationPart* part : parts) missing.remove(part->host_result);
  return missing;
}

}  // namespace pbrt::gpu
