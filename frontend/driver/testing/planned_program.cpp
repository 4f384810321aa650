// SPDX-License-Identifier: MIT
#include "frontend/driver/testing/planned_program.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "choicegraph/passes/build_plan.h"
#include "choicegraph/passes/computation/lift_loops.h"
#include "clgen/lower/launches/version_launch.h"
#include "clgen/lower/loops/list_loop_tunables.h"
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
  if (!program || diags.has_errors() || !check_types(*program, diags)) return std::nullopt;
  lift_loops(*program);
  if (!infer_regions(*program, diags)) return std::nullopt;
  Plan plan = build_plan(*program, diags);
  if (diags.has_errors()) return std::nullopt;
  plan = drop_missing_time_tiles(*program, list_loop_tunables(*program, std::move(plan)));
  return PlannedProgram{std::move(*program), std::move(plan)};
}

std::optional<PlannedProgram> planned_text(const std::string& text) {
  // Tests of other processes run at the same time.
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("planned_text_" + std::to_string(::getpid()) + ".pbcc");
  std::ofstream(path) << text;
  std::optional<PlannedProgram> out = planned_file(path.string());
  std::filesystem::remove(path);
  return out;
}

}  // namespace pb::testing
