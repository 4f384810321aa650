// SPDX-License-Identifier: MIT
// Training information as JSON (docs/reference/formats.md 2).
#pragma once

#include <string>
#include <string_view>

#include "runtime/config/info.h"

namespace pbrt {

/// JSON, two blanks of indentation, ends in a newline; same value -> same bytes.
[[nodiscard]] std::string to_json(const TrainingInfo& info);
/// `name` is for messages: a file's name. Throws ConfigError (file:line:column: reason).
[[nodiscard]] TrainingInfo parse_training_info(std::string_view text, const std::string& name);
/// Throws IoError, ConfigError.
[[nodiscard]] TrainingInfo read_training_info(const std::string& path);

}  // namespace pbrt
