// SPDX-License-Identifier: MIT
// Computes the exact sets of rules: RegionAccess::cells, the map from instances to cells, and Rule::domain, the
// instances whose regions all lie inside their matrices (docs/reference/language.md 5.4). Runs once, after name
// resolution; choicegraph reads the result.
#pragma once

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// Sets `cells` of every access and `domain` of every rule of `program`.
///
/// Pre:     names are bound, boxes of accesses are written out, rule variables are solvable
/// Errors:  on `diags`; a rule with an error keeps an unknown domain
/// Cost:    well below a millisecond per rule
[[nodiscard]] bool infer_regions(Program& program, Diagnostics& diags);
/// Does this for one transform, which another pass made. Returns false, without a message, if that fails.
[[nodiscard]] bool infer_regions(Program& program, TransformId id);

}  // namespace pb
