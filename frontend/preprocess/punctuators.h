// SPDX-License-Identifier: MIT
// How punctuation is spelled. The operators come from the table lang/operators.def; what C++ has beside them is listed
// in punctuators.cpp.
#pragma once

#include <string_view>

namespace pb {

/// The longest punctuator at the front of `text`, as a part of `text`; empty if there is none.
[[nodiscard]] std::string_view punctuator_at_front(std::string_view text);

}  // namespace pb
