// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/read_neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using testing::PlannedTransform;
using testing::TestTransform;

/// The furthest that a step of the transform reads.
std::int64_t furthest(const TestTransform& transform) {
  const PlannedTransform planned(transform);
  std::int64_t found = 0;
  for (const StepId id : planned.only().steps.ids()) found = std::max(found, neighbours_read(planned.only().steps[id]));
  return found;
}

TestTransform plate() { return TestTransform().from("A[w,h]").to("B[w,h]"); }

TEST(ReadNeighbours, CountAlongTheSharedDimensionAlone) {
  EXPECT_EQ(furthest(plate().rule({"B.cell(x,y)"}, {"A.cell(x,y)"})), 0);
  EXPECT_EQ(furthest(plate().rule({"B.cell(x,y)"}, {"A.cell(x-1,y)", "A.cell(x+1,y)"}).rule({"B.cell(x,y)"}, {}, 2)),
            0);
  EXPECT_EQ(furthest(plate().rule({"B.cell(x,y)"}, {"A.cell(x,y-1)", "A.cell(x,y)"}).rule({"B.cell(x,y)"}, {}, 2)), 1);
  EXPECT_EQ(furthest(plate().rule({"B.cell(x,y)"}, {"A.cell(x,y+3)"}).rule({"B.cell(x,y)"}, {}, 2)), 3);
}

TEST(ReadNeighbours, AreNoWholeColumns) {
  EXPECT_EQ(furthest(plate().rule({"B.cell(x,y)"}, {"A.column(x)"})), 0);
  EXPECT_EQ(furthest(plate().rule({"B.cell(x,y)"}, {"A.cell(x,0)"})), 0);
}

}  // namespace
}  // namespace pb
