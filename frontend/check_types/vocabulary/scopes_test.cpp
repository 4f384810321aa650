// SPDX-License-Identifier: MIT
// Which names a body sees, and how its locals hide them.
#include "frontend/check_types/vocabulary/scopes.h"

#include "frontend/check_types/testing/resolved_rule.h"
#include "frontend/check_types/vocabulary/arithmetic.h"

namespace pb::checking {
namespace {

struct ScopesTest : ::testing::Test {
  testing::ResolvedRule resolved{
      "transform T from A[n], K[3], S to B[n] tunable t(1, 1, 9) { B.cell(i) from (A a, K.cell(0) k) { return 0; } }"};
  Scopes scopes{resolved.context.program, resolved.transform, resolved.rule};

  [[nodiscard]] NameKind kind_of(const std::string& name) const {
    const auto found = scopes.find(name);
    return found ? found->binding.kind : NameKind::Unknown;
  }
};

TEST_F(ScopesTest, HeadersGiveNamesToBodies) {
  EXPECT_EQ(kind_of("n"), NameKind::SizeVar);
  EXPECT_EQ(kind_of("i"), NameKind::RuleVar);
  EXPECT_EQ(kind_of("t"), NameKind::Tunable);
  EXPECT_EQ(kind_of("S"), NameKind::ScalarInput);
  EXPECT_EQ(kind_of("a"), NameKind::Input);
  EXPECT_EQ(kind_of("A"), NameKind::Unknown) << "bodies see regions, not matrices";
  EXPECT_EQ(kind_of("B"), NameKind::Unknown);
}

TEST_F(ScopesTest, RegionsAndCellsOfInputsAreReadOnly) {
  const BodyType region = scopes.find("a")->type;
  EXPECT_EQ(region.kind, BodyType::Kind::Region);
  EXPECT_EQ(region.num_dims, 1);
  EXPECT_TRUE(region.is_const);
  const BodyType cell = scopes.find("k")->type;
  EXPECT_EQ(cell.kind, BodyType::Kind::Double);
  EXPECT_TRUE(cell.is_element);
  EXPECT_TRUE(cell.is_const);
}

TEST_F(ScopesTest, LocalsHideOuterNamesUntilTheirScopeEnds) {
  scopes.push();
  scopes.declare_local("i", plain_type(BodyType::Kind::Float), 0);
  scopes.push();
  scopes.declare_local("i", plain_type(BodyType::Kind::Bool), 1);
  EXPECT_EQ(scopes.find("i")->binding.index, 1U);
  scopes.pop();
  EXPECT_EQ(scopes.find("i")->binding.index, 0U);
  EXPECT_EQ(scopes.find("i")->type.kind, BodyType::Kind::Float);
  scopes.pop();
  EXPECT_EQ(kind_of("i"), NameKind::RuleVar);
}

TEST_F(ScopesTest, ALocalTakesTheTypeOfItsInitialValue) {
  scopes.push();
  scopes.declare_local("x", {}, 3);
  scopes.retype_local("x", plain_type(BodyType::Kind::Long));
  EXPECT_EQ(scopes.find("x")->type.kind, BodyType::Kind::Long);
  EXPECT_EQ(scopes.find("x")->binding.index, 3U);
}

}  // namespace
}  // namespace pb::checking
