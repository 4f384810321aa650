// SPDX-License-Identifier: MIT
// The preprocessor of docs/reference/language.md 2.3 and 2.4, on tokens: includes,
// conditionals, object-like and function-like macros, line markers. The system
// preprocessor cannot do this: it would open the `#include <…>` of C++ prefix blocks and lose columns.
#pragma once

#include <optional>
#include <string>

#include "lang/diagnostics.h"
#include "lang/source.h"
#include "lang/token.h"

namespace pb {

/// Reads `path` with everything it includes and returns the tokens after macro replacement.
///
/// Errors: no value if `path` itself cannot be read; all else is on `diags` and the rest of the tokens is returned
[[nodiscard]] std::optional<TokenStream> preprocess(const std::string& path, SourceManager& sources,
                                                    Diagnostics& diags);

/// Returns the tokens after macro replacement of a file that is already in `sources` (a text in memory, in tests).
[[nodiscard]] TokenStream preprocess(FileId main_file, SourceManager& sources, Diagnostics& diags);

}  // namespace pb
