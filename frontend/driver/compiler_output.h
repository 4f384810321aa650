// SPDX-License-Identifier: MIT
// Translates what the C++ compiler says about generated code back to the user's program: messages at lines of `.pbcc`
// files become diagnostics, and messages about generated code alone are dropped.
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
/// Errors:  CxxError, LinkError on `diags` Returns true if there was a message about a place in the user's files; else
/// the raw output must be shown.
[[nodiscard]] bool report_compiler_output(std::string_view output, std::string_view generated, const UserProgram& user,
                                          Diagnostics& diags);

}  // namespace pb
