// SPDX-License-Identifier: MIT
// Which state of the sources pbc was built from. The build writes the definition (cmake/Commit.cmake).
#pragma once

namespace pb {

/// `f8ce63e0a1b2`, with `+changes` behind it if files differed from that commit; empty if the build did not know.
extern const char* const kCommit;

}  // namespace pb
