// SPDX-License-Identifier: MIT
// Tests where generated code announces what the host uses (runtime/gpu/launch.h), on whole programs. They lie beside
// the front end, which makes the programs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "choicegraph/passes/build_plan.h"
#include "clgen/cpp/emit_cpp.h"
#include "clgen/lower/lower.h"
#include "frontend/check_types/check_types.h"
#include "frontend/infer_regions/infer_regions.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"

namespace pb {
namespace {

/// The generated C++ of a program of tests/e2e/mixed.
std::string cpp_of(const std::string& name) {
  SourceManager sources;
  Diagnostics diags;
  const auto tokens = preprocess(std::string(PB_MIXED_PROGRAMS) + "/" + name + ".pbcc", sources, diags);
  if (!tokens) return {};
  const Ast ast = parse(*tokens, sources, diags);
  auto program = resolve(ast, sources, {}, diags);
  if (!program || !check_types(*program, diags) || !infer_regions(*program, diags)) return {};
  const Plan plan = build_plan(*program, diags);
  return emit_cpp(*program, plan, lower(*program, plan, PackUse::WherePossible), sources, {});
}

/// The text from the line that begins with `head` to where its braces close.
std::string block_at(const std::string& text, const std::string& head) {
  const std::size_t begin = text.find(head);
  if (begin == std::string::npos) return {};
  int depth = 0;
  for (std::size_t at = text.find('{', text.find('\n', begin) - 2); at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (depth == 0) return text.substr(begin, at - begin);
  }
  return {};
}

/// Whether the texts stand in this order.
::testing::AssertionResult have_order(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    if (at == std::string::npos)
      return ::testing::AssertionFailure() << "`" << part << "` is missing or too early in\n" << text;
  }
  return ::testing::AssertionSuccess();
}

TEST(Announcements, StandAtEachSliceWhereAnotherMemberCalls) {
  const std::string text = cpp_of("versions");
  const std::string slices = block_at(text, "for (std::int64_t pb_u0");
  EXPECT_TRUE(have_order(slices, {"pbrt::need_on_host(pb_frame, G, ", "pbrt::before_host_overwrite(pb_frame, S, ",
                                  "parallel_for", "pbrt::wrote_on_host(pb_frame, S, "}));
  const std::size_t nest = text.find("for (std::int64_t pb_u0");
  EXPECT_EQ(text.find("pbrt::need_on_host(pb_frame, G"), text.find("pbrt::need_on_host(pb_frame, G", nest))
      << "none before them all";
}

TEST(Announcements, StandAtEachInstanceThatFollowsAnother) {
  const std::string loops = block_at(cpp_of("own"), "PB_LOOPS void loops_Mixed_1_S2");
  EXPECT_TRUE(have_order(loops, {"pb_one", "pbrt::before_host_write(pb_frame, S, ", "rule_Mixed_1_S2(",
                                 "pbrt::wrote_on_host(pb_frame, S, "}));
}

TEST(Announcements, StandAtEachInstanceOfTiles) {
  const std::string loops = block_at(cpp_of("tiles"), "PB_LOOPS void loops_Mixed_0_P1");
  EXPECT_TRUE(have_order(
      loops, {"pb_one", "pbrt::need_on_host(pb_frame, P, ", "rule_Mixed_0_P1(", "pbrt::wrote_on_host(pb_frame, P, "}));
}

TEST(Announcements, StandAroundStepsOfWhichNoInstanceFollowsAnother) {
  const std::string text = cpp_of("beside");
  EXPECT_EQ(text.find("pb_one"), std::string::npos);
  EXPECT_TRUE(have_order(block_at(text, "PB_STEP void step_Mixed_0_O1_cpu"),
                         {"pbrt::before_host_write(pb_frame, O", "parallel_for", "pbrt::wrote_on_host(pb_frame, O"}));
}

}  // namespace
}  // namespace pb
