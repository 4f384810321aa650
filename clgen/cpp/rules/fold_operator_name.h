// SPDX-License-Identifier: MIT
// The classes of the operators of folds in the runtime: those of tasks are in `pbrt::folds` (base/fold_operators.h),
// those of lanes in `pbrt::simd` (runtime/matrix/simd_folds.h), under the same names.
#pragma once

#include "choicegraph/plan/computation.h"
#include "lang/check.h"

namespace pb {

[[nodiscard]] inline const char* fold_operator_name(FoldOp op) {
  switch (op) {
    case FoldOp::Add:
      return "Sum";
    case FoldOp::Mul:
      return "Product";
    case FoldOp::Min:
      return "Smallest";
    case FoldOp::Max:
      return "Largest";
    case FoldOp::BitAnd:
      return "BitAnd";
    case FoldOp::BitOr:
      return "BitOr";
    case FoldOp::BitXor:
      return "BitXor";
    case FoldOp::And:
      return "And";
    case FoldOp::Or:
      return "Or";
  }
  PB_CHECK(false, "every operator has a class");
}

}  // namespace pb
