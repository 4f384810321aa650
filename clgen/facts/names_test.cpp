// SPDX-License-Identifier: MIT
#include "clgen/facts/names.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

/// The stem of the only rule of a transform.
std::string stem_of(const std::string& transform, const std::string& rule) {
  Program program;
  Transform made;
  made.name = made.source_name = transform;
  const RuleId id = made.rules.add({});
  made.rules[id].name = rule;
  return rule_stem(program, program.transforms.add(std::move(made)), id);
}

TEST(RuleStem, HoldsTheNamesOfTransformAndRule) {
  EXPECT_EQ(stem_of("Blur", "Out#1"), "Blur_0_Out1");
  EXPECT_EQ(stem_of("Split", "C+D#1[U=2]"), "Split_0_C_D1_U2");
  EXPECT_EQ(stem_of("Blur", "two_passes"), "Blur_0_two_passes");
}

TEST(RuleStem, IsThatOfNoOtherRule) {
  EXPECT_EQ(stem_of("A_0_B", "C"), "A_0_B_0_C");
  EXPECT_EQ(stem_of("A", "B_0_C"), "A_0");
}

}  // namespace
}  // namespace pb
