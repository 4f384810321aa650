// SPDX-License-Identifier: MIT
// Why the calls of a body do not become one transform. Private to this folder.
#pragma once

#include <string>

#include "lang/span.h"

namespace pb::splicing {

/// Nothing is refused if `reason` is empty; it completes "the calls of this body are not spliced: …".
struct Refusal {
  std::string reason;
  Span span;

  [[nodiscard]] bool is_given() const { return !reason.empty(); }
};

}  // namespace pb::splicing
