// SPDX-License-Identifier: MIT
// SHA-256, to recognise sources and headers. Used by the driver.
#pragma once

#include <string>
#include <string_view>

namespace pb {

/// Returns the digest of `text` as 64 hexadecimal digits.
///
/// Source:  FIPS 180-4
[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace pb
