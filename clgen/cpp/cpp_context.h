// SPDX-License-Identifier: MIT
// What all parts of clgen/cpp share: the program, its plan, and the names of its constants.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/native_macros.h"
#include "clgen/emit_options.h"
#include "clgen/numbering.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

struct CppContext {
  const Program& program;
  const Plan& plan;
  const SourceManager& sources;
  const EmitOptions& options;
  Numbering numbering;
  std::string file;                        ///< name of the generated file in its own #line
  std::set<TransformId> spawned;           ///< by some body
  std::set<TemplateId> spawned_templates;  ///< by some body that chooses the instance
  NativeMacros macros;
  bool has_kernels = true;
};

/// Number of a site and of a tunable as named constants of the generated code.
[[nodiscard]] std::string site_constant(const CppContext& context, TransformId transform, SiteId site);
[[nodiscard]] std::string tunable_constant(const CppContext& context, TransformId transform, std::size_t index);

}  // namespace pb
