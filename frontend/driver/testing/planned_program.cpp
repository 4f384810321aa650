// SPDX-License-Identifier: MIT
#include "frontend/driver/testing/planned_program.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "choicegraph/passes/build_plan.h"
#include "frontend/check_types/check_types.h"
#include "frontend/infer_regions/infer_regions.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"

namespace pb::testing {

std::optional<PlannedProgram> planned_file(const std::string& path) {
  SourceManager sources;
  Diagnostics diags;
  const auto tokens = preprocess(path, sources, diags);
  if (!tokens) return std::nullopt;
  auto program = resolve(parse(*tokens, sources, diags), sources, {}, diags);
  if (!program || !check_types(*program, diags) || !infer_regions(*program, diags)) return std::nullopt;
  Plan plan = build_plan(*program, diags);
  if (diags.has_errors()) return std::nullopt;
  return PlannedProgram{std::move(*program), std::move(plan)};
}

std::optional<PlannedProgram> planned_text(const std::string& text) {
  const char* folder = std::getenv("TMPDIR");
  const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/planned_text.pbcc";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return std::nullopt;
  std::fputs(text.c_str(), file);
  std::fclose(file);
  return planned_file(path);
}

}  // namespace pb::testing
