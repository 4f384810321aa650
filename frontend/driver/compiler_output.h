// SPDX-License-Identifier: MIT
// What the C++ compiler says about generated code, brought back to the user's program:
// messages at lines of `.pbcc` files become diagnostics, noise of generated code goes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostics.h"
#include "lang/source.h"

namespace pb {

/// What the user wrote: files, and the names of transforms.
struct UserProgram {
  const SourceManager& sources;
  std::vector<std::string> transforms;
};

/// Reads the output of a failed run of the C++ compiler on `generated`.
///
/// Errors:  CxxError, LinkError on `diags`
/// Returns true if something could be said at a place of the user's; else the raw output must be shown.
[[nodiscard]] bool report_compiler_output(std::string_view output, std::string_view generated, const UserProgram& user,
                                          Diagnostics& diags);

}  // namespace pb
