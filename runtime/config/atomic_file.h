// SPDX-License-Identifier: MIT
// Files that appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace pbrt {

/// Writes `text` beside `path`, flushes it to the disk and renames it: readers see the old file or the new one. A
/// signal waits until that is done, so none leaves a part of a file behind. Symbolic links are followed first, so that
/// the file they lead to is replaced or made. A file that may not be written is not replaced either. Permissions of an
/// existing file are kept; devices and pipes are written directly.
///
/// Errors:  throws IoError; nothing is left behind
/// Threads: only signals of the calling thread wait; one that another thread gets may still end the process halfway
void write_file_atomically(const std::string& path, std::string_view text);

}  // namespace pbrt
