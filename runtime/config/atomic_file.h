// SPDX-License-Identifier: MIT
// Files that appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace pbrt {

/// Writes `text` beside `path`, flushes it to the disk and renames it: readers see the old file or the
/// new one. Symbolic links are followed first, so that the file they lead to is replaced. Permissions
/// of an existing file are kept; devices and pipes are written directly.
///
/// Errors: throws IoError; nothing is left behind
void write_file_atomically(const std::string& path, std::string_view text);

}  // namespace pbrt
