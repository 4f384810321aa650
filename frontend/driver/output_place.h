// SPDX-License-Identifier: MIT
// Where the driver's output files are made before they get their names. Used by the driver.
#pragma once

#include <string>

namespace pb {

/// Returns a path beside `target` for a file that will be renamed to it.
[[nodiscard]] std::string temporary_beside(const std::string& target);

/// Tells whether files can be made in the folder of `target` at all, before time is spent on their contents.
///
/// Errors:  throws IoError: the folder is missing, is no folder, or cannot be written; `target` is a folder, a device or a pipe
void check_output_place(const std::string& target);

}  // namespace pb
