// SPDX-License-Identifier: MIT
// Tells whether a file has changed between two runs of pbtune. Used for journals.
#pragma once

#include <string>

namespace pbtune {

/// A hash of what is in the file; empty for one that cannot be read, and for pipes and devices, which can be read once.
[[nodiscard]] std::string file_fingerprint(const std::string& path);

}  // namespace pbtune
