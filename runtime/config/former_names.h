// SPDX-License-Identifier: MIT
// Configurations of PetaBricks (LANGUAGE 13, 8.4): one `NAME = VALUE` a line. They are not read: rules had numbers then,
// which say nothing of this program's. Who has one learns what each of its names is called now. For the reader of files.
#pragma once

#include <string>
#include <string_view>

#include "runtime/config/info.h"

namespace pbrt {

/// Whether the first line that says something is `NAME = VALUE`.
[[nodiscard]] bool is_former_configuration(std::string_view text);

/// Why the text is no configuration: a line, then one for each of its names.
///
/// Pre:     is_former_configuration(text)
[[nodiscard]] std::string about_former_configuration(std::string_view text, const std::string& path, const InfoIndex& index);

/// What was called so in PetaBricks, in words for a message: "`transforms.Half.tunables.split_size`"; empty if nothing was.
[[nodiscard]] std::string former_name_now(std::string_view name, const InfoIndex& index);

}  // namespace pbrt
