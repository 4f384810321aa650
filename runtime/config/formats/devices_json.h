// SPDX-License-Identifier: MIT
// JSON for devices, as configuration files and the measurement protocol hold it. The header is for .cpp files that read
// or write JSON, because it includes nlohmann/json through json_reader.h.
#pragma once

#include <vector>

#include "runtime/config/formats/json_reader.h"
#include "runtime/config/machine.h"

namespace pbrt::json {

/// Returns a list of `{"name": …, "driver": …}`, in the order of `devices`.
[[nodiscard]] Json devices_to_json(const std::vector<DeviceId>& devices);
/// Reads a list of `{"name": …, "driver": …}`. A `driver` that is missing is read as an empty text.
///
/// Errors: throws ConfigError, with the place in the file, if the value is not a list of devices
[[nodiscard]] std::vector<DeviceId> devices_of(const Node& node);

}  // namespace pbrt::json
