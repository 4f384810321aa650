// SPDX-License-Identifier: MIT
// The text of temporaries of constant size that each instance of a kernel has for itself, `using (T[3])`: numbers and
// arrays of a work-item. Private to clgen/opencl.
#pragma once

#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

/// Pre of both: the extents are constant.
[[nodiscard]] std::string declaration_of(const RuleTemporary& temporary);

/// Returns `T[x + 3 * y]`, or a size. `args` are the texts of the member's arguments, as factors.
[[nodiscard]] std::string text_of_member(const RuleTemporary& temporary, const Body& body, const MemberExpr& member,
                                         const std::vector<std::string>& args);

}  // namespace pb
