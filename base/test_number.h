// SPDX-License-Identifier: MIT
// Numbers that the environment of a test run sets: PB_SEED, PB_CASES.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace pb::testing {

/// The number in this environment variable, or `otherwise` if it is not set or empty.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace pb::testing
