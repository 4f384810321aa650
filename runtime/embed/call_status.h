// SPDX-License-Identifier: MIT
// Results of the C interface.
#pragma once

#include <string_view>

#include "runtime/embed/polybricks.h"

namespace pbrt {

/// A status whose message is `text` in one line, cut behind a whole letter where it is too long.
[[nodiscard]] pb_status make_status(pb_code code, std::string_view text) noexcept;

/// The status for an exception outside of rules that is being handled. Those that do not say what failed have the code
/// `otherwise`.
///
/// Pre:     called in a handler of an exception
[[nodiscard]] pb_status status_of_exception(pb_code otherwise) noexcept;

}  // namespace pbrt
