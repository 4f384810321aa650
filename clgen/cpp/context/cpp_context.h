// SPDX-License-Identifier: MIT
// What all parts of clgen/cpp share: the program in all its forms, and the names of its constants.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/context/native_macros.h"
#include "clgen/facts/emit_options.h"
#include "clgen/facts/numbering.h"
#include "clgen/lower/lower.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

struct CppContext {
  const Program& program;
  const Plan& plan;
  const LoweredProgram& lowered;
  const SourceManager& sources;
  const EmitOptions& options;
  Numbering numbering;
  std::string file;               ///< name of the generated file in its own #line
  std::set<TransformId> spawned;  ///< transforms that some body spawns
  /// Templates of which some body spawns an instance that it chooses at run time.
  std::set<TemplateId> spawned_templates;
  NativeMacros macros;
};

/// Returns the transform in its lowered form.
[[nodiscard]] inline const LoweredTransform& lowered_of(const CppContext& context, TransformId transform) {
  return context.lowered.transforms[transform.index()];
}

/// The names of the constants that hold the number of a site and of a tunable in generated code.
[[nodiscard]] std::string site_constant(const CppContext& context, TransformId transform, SiteId site);
[[nodiscard]] std::string tunable_constant(const CppContext& context, TransformId transform, std::size_t index);

}  // namespace pb
