// SPDX-License-Identifier: MIT
// How expressions and declarations of a body are spelled on packs (runtime/matrix/simd.h), whatever the lanes of a pack
// are: neighbouring instances (packs.h) or rounds of a loop (lane_loop_code.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "clgen/body_code_printer.h"
#include "lang/program.h"

namespace pb {

/// Which values differ between the lanes. Both are kept by the dialect, not copied.
struct VaryingValues {
  const std::vector<bool>& exprs;         ///< by ExprId
  const std::set<std::uint32_t>& locals;  ///< by number of declaration
  bool has_masks = false;                 ///< some statements run in a part of the lanes only
  bool multiplies_quotients = false;      ///< quotients and roots would bound the time
};

/// `pbrt::simd::Pack<double, PbShape>`.
[[nodiscard]] std::string pack_of(const std::string& element, const std::string& shape = "PbShape");

/// The type without a leading `const`.
[[nodiscard]] std::string without_const(std::string type);

/// Returns the spelling of calls, casts, selections and declarators. Names and statements are left to the caller.
[[nodiscard]] Dialect pack_dialect(const Rule& rule, VaryingValues varying);

}  // namespace pb
