// SPDX-License-Identifier: MIT
#include "choicegraph/plan/plan_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using testing::convolution;
using ::testing::HasSubstr;
using testing::PlannedTransform;
using testing::TestTransform;

TEST(PlanGraph, IsAlsoAPicture) {
  const PlannedTransform planned(TestTransform()
                                     .to("C[w,h]")
                                     .rule({"C.cell(x,y)"}, {"C.cell(x-1,y)", "C.cell(x,y-1)"})
                                     .rule({"C.cell(x,y)"}, {}, 2));
  const std::string picture = to_svg(planned.plan, planned.program);
  EXPECT_THAT(picture, HasSubstr("<svg "));
  EXPECT_THAT(picture, HasSubstr("C#1: in tiles"));
  EXPECT_THAT(picture, HasSubstr("</svg>"));
  // One rounded box per step, one plain box per segment.
  const auto count = [&](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = picture.find(text); at != std::string::npos; at = picture.find(text, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("rx=\"18\""), planned.only().steps.size());
  EXPECT_EQ(count("rx=\"2\""), planned.only().segments.size());
}

TEST(PlanGraph, DrawsSegmentsStepsAndInputs) {
  const PlannedTransform planned(convolution("KWIDTH"));
  const std::string graph = to_graphviz(planned.plan, planned.program);
  EXPECT_THAT(graph, HasSubstr("label=\"Out [0, w-KWIDTH+1) [0, h-KWIDTH+1)\""));
  EXPECT_THAT(graph, HasSubstr("s0_0 -> d0_0;"));
  EXPECT_THAT(graph, HasSubstr("m0_0 -> s0_0;"));
}

}  // namespace
}  // namespace pb
