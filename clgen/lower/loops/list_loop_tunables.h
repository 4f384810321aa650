// SPDX-License-Identifier: MIT
// Pass: which forms of loops (docs/architecture.md 7.2) a configuration may change, as tunables of the Plan. Their
// defaults are what the passes of this folder would choose without them.
#pragma once

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// What a program lets folds and sums of products do.
struct ProductRules {
  bool may_fuse = true;     ///< a product and its sum may have one rounding together
  bool may_split = false;   ///< a product of floats may be the sum of three products of their parts
  bool may_regroup = true;  ///< another order of a fold may round in another way
};

/// Returns the Plan with tunables for the rules whose loops on CPUs have such forms, as `RULE.cpu.strip`, and for those
/// whose folds may run in blocks on devices, as `RULE.opencl.block_rounds`. Sums of products of doubles that may fuse,
/// and of floats that may split, may run on matrix units, as `RULE.opencl.matrix_units` says. Folds that may run in
/// another order have `RULE.opencl.block_parts`.
///
/// Pre: `plan` was made from `program` and has no such tunables
[[nodiscard]] Plan list_loop_tunables(const Program& program, Plan plan, const ProductRules& products = {});

}  // namespace pb
