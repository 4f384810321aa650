// SPDX-License-Identifier: MIT
// Output files that appear whole or not at all. Used by the driver.
#pragma once

#include <string>
#include <string_view>

namespace pb {

/// Returns a path beside `target` for a file that will be renamed to it.
[[nodiscard]] std::string temporary_beside(const std::string& target);

/// Tells whether files can be made in the folder of `target` at all, before time is spent on their contents.
///
/// Errors:  throws IoError: the folder is missing, is no folder, or cannot be written; `target` is a folder, a device or a pipe
void check_output_place(const std::string& target);

/// Writes `text` beside `target` and renames; into a device or a pipe directly.
///
/// Errors:  throws IoError, and then `target` is as it was before
void write_file_atomically(const std::string& target, std::string_view text);

}  // namespace pb
