// SPDX-License-Identifier: MIT
// The places of files that are put in place as a whole: where a path leads, and names beside it. Used by what writes
// configurations, outputs of programs and pages.
#pragma once

#include <string>
#include <string_view>

namespace pbrt {

/// The folder that the file at `path` lies in; `.` for a mere name.
[[nodiscard]] std::string folder_of(const std::string& path);

/// Where symbolic links lead, also to a file that does not exist yet.
[[nodiscard]] std::string follow_links(std::string path);

/// `path` with `ending` behind it. A name that would be too long for the file system loses its end.
[[nodiscard]] std::string name_beside(const std::string& path, std::string_view ending);

}  // namespace pbrt
