// SPDX-License-Identifier: MIT
#include "runtime/config/formats/devices_json.h"

namespace pbrt::json {

Json devices_to_json(const std::vector<DeviceId>& devices) {
  Json out = Json::array();
  for (const DeviceId& device : devices) out.push_back({{"name", device.name}, {"driver", device.driver}});
  return out;
}

std::vector<DeviceId> devices_of(const Node& node) {
  std::vector<DeviceId> out;
  node.each_item([&](const Node& item) { out.push_back({item.at("name").string(), item.string_or("driver", "")}); });
  return out;
}

}  // namespace pbrt::json
