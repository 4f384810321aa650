// SPDX-License-Identifier: MIT
// Configurations as JSON values, for the files that hold entries. Not a public header (nlohmann/json).
#pragma once

#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/json_reader.h"

namespace pbrt {

/// An object with `global` and `transforms`.
[[nodiscard]] json::Json configuration_to_value(const InfoIndex& index, const Configuration& configuration);
/// Reads the members `global` and `transforms` of `node`, and no others. `named` may be null.
[[nodiscard]] Configuration configuration_of(const json::Node& node, const InfoIndex& index, ConfigWarnings& warnings,
                                             NamedParts* named);

}  // namespace pbrt
