// SPDX-License-Identifier: MIT
#include "runtime/gpu/residency/other_devices.h"

#include "runtime/gpu/storage_record.h"

namespace pbrt::gpu {
namespace {

template <class Visit>
void for_each_other(const Residence& home, const Visit& visit) {
  for (const auto& each : home.record().residences())
    if (each.get() != &home) visit(*each);
}

}  // namespace

BoxSet newer_elsewhere(const Residence& home, const BoxSet& boxes) {
  BoxSet newer;
  for_each_other(home, [&](const Residence& other) {
    for (const GridBox& box : boxes.boxes()) newer.add(other.dirty.intersect(box));
  });
  return newer;
}

bool others_in_way(const Residence& home, const BoxSet& boxes, bool writes) {
  bool is_any = false;
  for_each_other(home, [&](const Residence& other) { is_any = is_any || other.host_in_way(boxes, writes); });
  return is_any;
}

BoxSet free_of_others(const Residence& home, BoxSet boxes) {
  for_each_other(home, [&](const Residence& other) { other.remove_host_use(boxes); });
  return boxes;
}

}  // namespace pbrt::gpu
