// SPDX-License-Identifier: MIT
// The JSON of DeviceCosts. Private to runtime/config.
#pragma once

#include "runtime/config/formats/device_costs.h"
#include "runtime/config/formats/json_reader.h"

namespace pbrt::json {

[[nodiscard]] Json device_costs_to_json(const DeviceCosts& costs);
/// Reads what is there; the rest is 0.
///
/// Errors:  throws ConfigError
[[nodiscard]] DeviceCosts device_costs_of(const Node& node);

}  // namespace pbrt::json
