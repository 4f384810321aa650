// SPDX-License-Identifier: MIT
// The functions behind the tables of a library (pb_library in polybricks.h), beside call_transform (library_desc.h).
// They let no exception out.
#pragma once

#include "runtime/embed/polybricks.h"

namespace pbrt {

pb_status create_context(const pb_options* options, pb_context** context) noexcept;
void destroy_context(pb_context* context) noexcept;
pb_status cancel_context(pb_context* context) noexcept;

}  // namespace pbrt
