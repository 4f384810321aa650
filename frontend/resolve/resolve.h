// SPDX-License-Identifier: MIT
// From the Ast to the Program: names, size variables and how a call finds them, matrices,
// tunables, generators, rule variables, accesses written out as boxes, rule names. Regions
// (Rule::domain, RegionAccess::cells) are left to infer_regions, types to check_types.
#pragma once

#include <optional>
#include <string>

#include "lang/ast.h"
#include "lang/diagnostics.h"
#include "lang/program.h"
#include "lang/source.h"

namespace pb {

struct ResolveOptions {
  ElementType element = ElementType::Double;  ///< `--element`
  std::string main_name;                      ///< `--main`; empty: by the rules of docs/reference/language.md 4.11
};

/// Resolves a whole program. Each construct that is not supported yet gets one message, at its place.
///
/// Pre:     `ast` was parsed without errors
/// Errors:  no value if there was any error on `diags`
[[nodiscard]] std::optional<Program> resolve(const Ast& ast, const SourceManager& sources,
                                             const ResolveOptions& options, Diagnostics& diags);

}  // namespace pb
