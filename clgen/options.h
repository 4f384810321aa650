// SPDX-License-Identifier: MIT
// What the driver tells the code generators beside Program and Plan.
#pragma once

#include <string>

namespace pb {

struct EmitOptions {
  std::string source_hash;           ///< `sha256:…` of the main source text; recorded in the training information
  std::string fp_mode = "contract";  ///< `strict`, `contract` or `reassociate`
  bool is_checked = false;           ///< every index is tested, on the CPU
};

}  // namespace pb
