// SPDX-License-Identifier: MIT
#include "frontend/infer_regions/infer_regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/oracle.h"
#include "choicegraph/testing/test_transform.h"
#include "lang/region/points.h"

namespace pb {
namespace {

using ::testing::ElementsAre;
using testing::Oracle;
using testing::Point;
using testing::TestTransform;

struct Inferred {
  Program program;
  Diagnostics diags;
  bool ok;

  explicit Inferred(const TestTransform& transform) : program(transform.program()), ok(infer_regions(program, diags)) {}
  [[nodiscard]] const Transform& transform() const { return program.transforms[program.main]; }
  [[nodiscard]] std::vector<DiagKind> kinds() const {
    std::vector<DiagKind> out;
    for (const Diagnostic& diagnostic : diags.all()) out.push_back(diagnostic.kind);
    return out;
  }
};

/// Domains and cells of every rule, point by point, for n from 0 to 8.
void expect_definition(const TestTransform& header) {
  const Inferred inferred(header);
  ASSERT_TRUE(inferred.ok);
  for (std::int64_t n = 0; n <= 8; ++n) {
    const Oracle oracle(inferred.transform(), {{"n", n}});
    if (!oracle.sizes_are_possible()) continue;
    for (const Rule& rule : inferred.transform().rules) {
      for (std::int64_t i = -5; i < 25; ++i) {
        const bool inside = oracle.is_instance(rule, {i});
        EXPECT_EQ(contains_point(rule.domain, {{"n", n}}, {i}), inside) << rule.name << " n=" << n << " i=" << i;
        if (!inside) continue;
        const Region instance =
            Region::universe(rule.domain.context(), {"i"}).where_zero(index_sub(index_symbol("i"), index_const(i)));
        for (const RegionAccess& access : rule.inputs) {
          const Region cells = access.cells.apply(instance);
          std::size_t num_inside = 0;
          const auto expected = oracle.cells(rule, access, {i});
          for (const auto& [matrix, point] : expected) num_inside += contains_point(cells, {{"n", n}}, point) ? 1U : 0U;
          EXPECT_EQ(num_inside, expected.size()) << rule.name << " n=" << n << " i=" << i;
        }
      }
    }
  }
}

TEST(InferRegions, DomainsFollowFromOffsets) {
  expect_definition(TestTransform().from("IN[n]").to("OUT[n]").rule({"OUT.cell(i)"}, {"IN.cell(i-1)", "IN.cell(i+1)"}));
}

TEST(InferRegions, DivisionsAreRationalConditionsAndCAccesses) {
  expect_definition(
      TestTransform().from("C[n]").to("F[2*n-1]").rule({"F.cell(i)"}, {"C.cell((i-1)/2)", "C.cell((i+1)/2)"}));
  expect_definition(TestTransform().from("A[n/2]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i)"}));
  expect_definition(
      TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell((i-3)/2+1)", "A.region(i/2, n/2+1)"}));
  expect_definition(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i-n/2)"}));
}

TEST(InferRegions, WhatDivisionsComputeIsInsideToo) {
  expect_definition(TestTransform().from("A[n]").to("B[2*n+2]").rule({"B.cell(i)"}, {"A.cell(i-n/2)"}));
  expect_definition(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(n-i/2)"}));
  expect_definition(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.region(n-i/2-(i+1)/2, n-i/2)"}));
  expect_definition(TestTransform().from("A[n/2*2]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(n/2*2-1)"}));
}

TEST(InferRegions, ReversedAndScaledCoordinatesNarrowToo) {
  expect_definition(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(n-1-i)"}, {"A.cell(2*i)"}));
  expect_definition(TestTransform().from("A[n*n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i+n*n-3)"}));
}

TEST(InferRegions, WhereNarrows) {
  for (const RelationOp op : {RelationOp::Less, RelationOp::LessEqual, RelationOp::Greater, RelationOp::GreaterEqual,
                              RelationOp::Equal, RelationOp::NotEqual}) {
    expect_definition(
        TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i)"}).where("2*i", op, "n-2"));
  }
}

TEST(InferRegions, InstancesWithoutCellsAreLeftOutWhereThereIsNoEndOfThem) {
  const Inferred inferred(TestTransform().from("IN[n]").to("OUT[n]").rule({"OUT.region(i, n)"}, {"IN"}));
  ASSERT_TRUE(inferred.ok);
  const Region& domain = inferred.transform().rules.begin()->domain;
  EXPECT_TRUE(is_bounded(domain));
  EXPECT_TRUE(contains_point(domain, {{"n", 5}}, {4}));
  EXPECT_FALSE(contains_point(domain, {{"n", 5}}, {5}));
}

TEST(InferRegions, ARuleThatNeverAppliesIsAWarning) {
  const Inferred inferred(
      TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i+n)"}).rule({"B.cell(i)"}, {}));
  EXPECT_THAT(inferred.kinds(), ElementsAre(DiagKind::RuleNeverApplies));
  EXPECT_TRUE(inferred.ok);
}

TEST(InferRegions, TermsThatAreNotAffineAreNamed) {
  EXPECT_THAT(Inferred(TestTransform().to("B[n]").rule({"B.cell(i*i)"}, {})).kinds(),
              ElementsAre(DiagKind::NonAffineOutput));
  EXPECT_THAT(Inferred(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(i/0*i)"})).kinds(),
              ElementsAre(DiagKind::FormulaHasNoValue));
  EXPECT_THAT(
      Inferred(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {}).where("i*i", RelationOp::Less, "n"))
          .kinds(),
      ElementsAre());
  EXPECT_THAT(Inferred(TestTransform().from("A[n]").to("B[n]").rule({"B.cell(i)"}, {"A.cell(n/0)"})).kinds(),
              ElementsAre(DiagKind::FormulaHasNoValue));
}

}  // namespace
}  // namespace pb
