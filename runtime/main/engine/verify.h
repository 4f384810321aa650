// SPDX-License-Identifier: MIT
// Comparison of outputs with a reference (docs/reference/language.md 20.5). Used by the measurement server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/config/info.h"
#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/compare/cell_error.h"

namespace pbrt {

struct Difference {
  double abs = 0;         ///< largest error; infinite where one side is not finite and the other differs
  double rel = 0;         ///< relative to the largest magnitude of the reference
  bool is_within = true;  ///< all outputs agree within the tolerance
  std::string where;      ///< the first element that does not agree; empty if all do
};

/// The name of an element in messages: `OUT.cell(3, 1)`. `i` counts in the order of memory.
[[nodiscard]] std::string place_of(const std::string& name, const AnyMatrix& matrix, std::int64_t i);

/// Compares all outputs; `names[i]` for messages. `override_rel` < 0: the transform's tolerance,
/// else the element type's default (1e-9 double, 1e-4 float, integers exactly).
[[nodiscard]] Difference compare_outputs(const std::vector<AnyMatrix>& outputs, const std::vector<AnyMatrix>& reference,
                                         const std::vector<std::string>& names, const ToleranceInfo& tolerance,
                                         double override_rel);

}  // namespace pbrt
