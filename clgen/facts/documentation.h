// SPDX-License-Identifier: MIT
// What the comment above a declaration says: hosts of libraries show it to people, as Python does in docstrings.
#pragma once

#include <string>

#include "lang/source.h"

namespace pb {

/// Returns the text of the comment that ends on the line above `declaration`, without its signs and the blanks that all
/// its lines begin with; "" if there is none. A comment that stands behind code on its first line is none.
[[nodiscard]] std::string documentation_of(const SourceManager& sources, Span declaration);

}  // namespace pb
