// SPDX-License-Identifier: MIT
// Reports writes to things that a body may only read. Private to this folder.
#pragma once

#include "frontend/check_types/body_context.h"

namespace pb::checking {

/// Reports a write to an input, a size variable or another name that is no variable. `span` is the whole write.
///
/// Pre: `target` was checked
void report_if_read_only(BodyContext& context, ExprId target, Span span);

}  // namespace pb::checking
