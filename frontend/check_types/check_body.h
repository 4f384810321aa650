// SPDX-License-Identifier: MIT
// Checks one body, statement by statement. Private to this folder.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb::checking {

struct CheckedBody {
  BodyTypes types;
  std::vector<TransformCall> calls;  ///< the calls of transforms in the body, in the order of the text
};

/// Checks the body of `rule`. `native_functions` are those that the program's prefix blocks declare. Locals are
/// numbered in the order of their declarators.
///
/// Errors:  on `diags`
[[nodiscard]] CheckedBody check_body(const Program& program, const std::set<std::string>& native_functions,
                                     const Transform& transform, const Rule& rule, Diagnostics& diags);

}  // namespace pb::checking
