// SPDX-License-Identifier: MIT
// Include guards: the lines around a file that let a second reading of it give nothing.
#pragma once

#include "lang/source.h"

namespace pb {

/// Whether `#ifndef X`, `#define X` begin the file, and the `#endif` of it ends the file.
[[nodiscard]] bool has_include_guard(FileId file, const SourceManager& sources);

}  // namespace pb
