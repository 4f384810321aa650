// SPDX-License-Identifier: MIT
// Devices as configuration files and the measurement protocol name them. Not a public header, as json_reader.h.
#pragma once

#include <vector>

#include "runtime/config/json_reader.h"
#include "runtime/config/machine.h"

namespace pbrt::json {

/// A list of `{"name": …, "driver": …}`.
[[nodiscard]] Json devices_to_json(const std::vector<DeviceId>& devices);
/// Errors: throws ConfigError at the place of what is no such list; `driver` may be missing
[[nodiscard]] std::vector<DeviceId> devices_of(const Node& node);

}  // namespace pbrt::json
