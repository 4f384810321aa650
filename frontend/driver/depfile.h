// SPDX-License-Identifier: MIT
// What `--depfile` writes: the files that an output was made of, as a rule of make. Build systems read it to know when
// to call pbc again. Used by the driver.
#pragma once

#include <string>
#include <vector>

namespace pb {

/// `target: file file`, with a backslash before blanks and `#`, and `$$` for a dollar sign. Backslashes that stand
/// before a blank or `#` are doubled. Between two names stand a blank, a backslash, a newline and two blanks.
[[nodiscard]] std::string depfile_text(const std::string& target, const std::vector<std::string>& files);

}  // namespace pb
