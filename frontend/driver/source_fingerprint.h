// SPDX-License-Identifier: MIT
// The fingerprint by which configurations and searches know the program that they are about. Used by the driver.
#pragma once

#include <string>

#include "frontend/driver/pbc_options.h"

namespace pb {

class SourceManager;

/// `sha256:…` of the texts of all files, in the order in which they were read, and of the options that change what the
/// program computes or what may be chosen in it; `main` is the name of its main transform. Where the files lie, and
/// what is merely tested at run time, does not matter.
[[nodiscard]] std::string source_fingerprint(const SourceManager& sources, const Options& options,
                                             const std::string& main);

}  // namespace pb
