// SPDX-License-Identifier: MIT
// `pbc --emit=status`: docs/status.md, made from the table of diagnostics.
#pragma once

#include <string>

namespace pb {

/// Returns the page that lists what is not supported yet.
[[nodiscard]] std::string status_page();

}  // namespace pb
