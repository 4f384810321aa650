// SPDX-License-Identifier: MIT
// `pbc --config`: the choices and values of a configuration file as constants of the program.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/facts/emit_options.h"
#include "lang/program.h"
#include "lang/source.h"

namespace pb {

/// Returns the plan with the choices and values of the file as constants, and puts those of the whole program into
/// `emit`. If the file has several entries, the one for this machine, or the nearest one, counts. Warnings go to
/// standard error.
///
/// Errors:  throws IoError for what a compiled program would refuse too: file:line:column and the reason
[[nodiscard]] Plan with_configuration(const std::string& path, const Program& program, const Plan& plan,
                                      const SourceManager& sources, EmitOptions& emit);

}  // namespace pb
