// SPDX-License-Identifier: MIT
// Devices as configuration files and the measurement protocol name them. This header is not public, and neither is
// json_reader.h.
#pragma once

#include <vector>

#include "runtime/config/formats/json_reader.h"
#include "runtime/config/machine.h"

namespace pbrt::json {

/// A list of `{"name": …, "driver": …}`.
[[nodiscard]] Json devices_to_json(const std::vector<DeviceId>& devices);
/// `driver` may be missing.
///
/// Errors: throws ConfigError, with the place in the file, if the value is not a list of devices
[[nodiscard]] std::vector<DeviceId> devices_of(const Node& node);

}  // namespace pbrt::json
