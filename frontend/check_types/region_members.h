// SPDX-License-Identifier: MIT
// The functions that regions have in bodies (docs/reference/language.md 7.6). Private to this folder.
#pragma once

#include "frontend/check_types/body_context.h"

namespace pb::checking {

/// The type of a call of a member function of a region; Unknown if the compiler does not know the function.
///
/// Errors:  WrongCoordinateCount
[[nodiscard]] BodyType type_of_region_member(BodyContext& context, const MemberExpr& member, const BodyType& region,
                                             Span span);

}  // namespace pb::checking
