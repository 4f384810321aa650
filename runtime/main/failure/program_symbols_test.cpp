// SPDX-License-Identifier: MIT
// Which rule a function belongs to, by its mangled name. Real crashes: tests/e2e/tasks_test.py,
// tests/cli/bad_input_test.py.
#include "runtime/main/failure/program_symbols.h"

#include <gtest/gtest.h>

namespace pbrt {
namespace {

// The bodies of transform `A`, which has many rules, and of one that is called `A_1`.
constexpr BodyName kBodies[] = {{"A", "transform A", false},     {"A_0", "rule 0 of A", true},
                                {"A_1", "rule 1 of A", true},    {"A_12", "rule 12 of A", true},
                                {"A_1", "transform A_1", false}, {"A_1_0", "rule 0 of A_1", true}};

std::string_view body_of(std::string_view symbol) {
  ProgramDesc program{};
  program.bodies = kBodies;
  program.num_bodies = 6;
  const BodyName* body = body_of_symbol(program, symbol);
  return body == nullptr ? "none" : body->text;
}

TEST(ProgramSymbols, FindsTheRuleOfAFunction) {
  EXPECT_EQ(body_of("_ZN10pb_programL8rule_A_0ERN4pbrt5FrameERdd"), "rule 0 of A");
  EXPECT_EQ(body_of("_ZN10pb_programL12step_A_1_cpuERN4pbrt5FrameE"), "rule 1 of A");
  EXPECT_EQ(body_of("_ZN10pb_programL12loops_A_1_s2E"), "rule 1 of A");
  EXPECT_EQ(body_of("_ZN10pb_programL9rule_A_12E"), "rule 12 of A");
  EXPECT_EQ(body_of("_ZN10pb_programL10rule_A_1_0E"), "rule 0 of A_1");
  EXPECT_EQ(body_of("_ZN10pb_programL5run_AERN4pbrt5FrameE.cold"), "transform A");
  EXPECT_EQ(body_of("_ZN10pb_programL7run_A_1ERN4pbrt5FrameE"), "transform A_1");
}

TEST(ProgramSymbols, LooksIntoTheNamesOfLambdas) {
  EXPECT_EQ(body_of("_ZZZN10pb_programL12step_A_0_cpuERN4pbrt5FrameEENKUlS2_RKNS0_3BoxILi1EEEE_clES2_S6_"),
            "rule 0 of A");
}

TEST(ProgramSymbols, KnowsNoOtherFunctions) {
  EXPECT_EQ(body_of(""), "none");
  EXPECT_EQ(body_of("main"), "none");
  EXPECT_EQ(body_of("_ZL7descenddi"), "none");
  EXPECT_EQ(body_of("_ZN10pb_programL8rule_B_0E"), "none");
  EXPECT_EQ(body_of("_ZN10pb_programL99rule_A_0E"), "none");
  EXPECT_EQ(body_of("_Z99999999999999999999999"), "none");
}

[[gnu::noinline]] std::size_t count_here(std::uintptr_t* out, std::size_t max) { return addresses_on_stack(out, max); }

TEST(ProgramSymbols, TheStackIsReadUpToALimit) {
  std::uintptr_t addresses[3] = {};
  EXPECT_EQ(count_here(addresses, 3), 3U);
  EXPECT_EQ(count_here(addresses, 0), 0U);
  for (const std::uintptr_t address : addresses) EXPECT_NE(address, 0U);
  EXPECT_EQ(body_among(ProgramDesc{}, addresses, 3), nullptr);
}

}  // namespace
}  // namespace pbrt
