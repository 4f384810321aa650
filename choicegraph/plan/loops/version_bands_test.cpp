// SPDX-License-Identifier: MIT
// Tests of which nests of versions the CPU may run in bands of rows, and how far bands lie apart.
#include "choicegraph/plan/loops/version_bands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "choicegraph/testing/planned_transform.h"

namespace pb {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PlannedTransform;
using testing::TestTransform;
using testing::versioned_plate;

/// What an inside reads, so that only versions can be slices.
const std::vector<std::string> kAround = {"T.cell(x-1,y,k-1)", "T.cell(x+1,y,k-1)", "T.cell(x,y-1,k-1)",
                                          "T.cell(x,y+1,k-1)"};

/// Versions whose inside reads what is around it, and whose edges but the first row are copied.
TestTransform framed() {
  return versioned_plate()
      .rule({"T.cell(x,y,k)"}, kAround)
      .rule({"T.cell(x,h-1,k)"}, {"T.cell(x,h-1,k-1)"})
      .rule({"T.cell(0,y,k)"}, {"T.cell(0,y,k-1)"}, 2)
      .rule({"T.cell(w-1,y,k)"}, {"T.cell(w-1,y,k-1)"}, 3);
}

VersionBands bands_of(const PlannedTransform& planned) {
  const TransformPlan& plan = planned.only();
  EXPECT_EQ(plan.two_versions.size(), 1U) << planned.text();
  const Nest* nest = plan.two_versions.empty() ? nullptr : nest_of_versions(plan, plan.two_versions.front());
  if (nest != nullptr) return find_version_bands(planned.transform(), plan, *nest);
  VersionBands out;
  out.why_not = "no nest";
  return out;
}

std::int64_t most_lag(const VersionBands& bands) { return bands.members.empty() ? 0 : bands.members.back().lag; }

TEST(VersionBands, LieApartByWhatInstancesRead) {
  const VersionBands found = bands_of(
      PlannedTransform(versioned_plate()
                           .rule({"T.cell(x,y,k)"}, {"T.cell(x-5,y,k-1)", "T.cell(x,y+2,k-1)", "T.cell(x,y-3,k-1)"})
                           .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_EQ(found.skew, 3);
  EXPECT_EQ(most_lag(found), 0);
  for (const BandMember& member : found.members) EXPECT_EQ(member.var, "y");
}

TEST(VersionBands, MayReadWholeRows) {
  const VersionBands found =
      bands_of(PlannedTransform(versioned_plate().rule({"T.cell(x,y,k)"}, {"T.region(0,y,k-1,w,y+1,k)"})));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_EQ(found.skew, 0);
}

TEST(VersionBands, OfOneRowNeedNoVariable) {
  const PlannedTransform planned(framed().rule({"T.cell(x,0,k)"}, {"T.cell(x,0,k-1)"}));
  const VersionBands found = bands_of(planned);
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_EQ(found.skew, 1);
  const auto num_rows = std::count_if(found.members.begin(), found.members.end(),
                                      [](const BandMember& member) { return member.row.has_value(); });
  EXPECT_GE(num_rows, 2) << "the first row and the last one";
  for (const BandMember& member : found.members) EXPECT_EQ(member.row.has_value(), member.var.empty());
  EXPECT_EQ(planned.transform().rules[planned.only().steps[found.main].rule].inputs.size(), kAround.size());
}

TEST(VersionBands, CornersWhereEdgesMeetAreNoChoice) {
  const PlannedTransform planned(versioned_plate()
                                     .rule({"T.cell(x,y,k)"}, kAround)
                                     .rule({"T.cell(x,0,k)"}, {"T.cell(x,0,k-1)"})
                                     .rule({"T.cell(x,h-1,k)"}, {"T.cell(x,h-1,k-1)"})
                                     .rule({"T.cell(0,y,k)"}, {"T.cell(0,y,k-1)"})
                                     .rule({"T.cell(w-1,y,k)"}, {"T.cell(w-1,y,k-1)"}));
  EXPECT_THAT(bands_of(planned).why_not, IsEmpty());
  for (const Site& site : planned.only().sites) EXPECT_EQ(site.alternatives.size(), 1U) << site.name;
}

TEST(VersionBands, MayHaveARowInTheMiddle) {
  const PlannedTransform planned(TestTransform()
                                     .from("A[n]")
                                     .from("N[t]")
                                     .through("T[n;t]")
                                     .to("B[n]")
                                     .rule({"T.cell(x,0)"}, {"A.cell(x)"})
                                     .rule({"B.cell(x)"}, {"T.cell(x,t-1)"})
                                     .rule({"T.cell(n/2,k)"}, {"T.cell(n/2,k-1)", "T.cell(n/2-1,k-1)"})
                                     .rule({"T.cell(x,k)"}, {"T.cell(x-1,k-1)", "T.cell(x+1,k-1)"}, 2)
                                     .rule({"T.cell(x,k)"}, {"T.cell(x,k-1)"}, 3));
  EXPECT_THAT(bands_of(planned).why_not, IsEmpty()) << "the row lies between others: " << planned.text();
}

TEST(VersionBands, LagBehindRowsOfTheirOwnVersion) {
  const VersionBands found =
      bands_of(PlannedTransform(framed().rule({"T.cell(x,0,k)"}, {"T.cell(x,2,k)", "T.cell(x,0,k-1)"})));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_EQ(most_lag(found), 2);
  EXPECT_EQ(found.skew, 4) << "the farthest read, and the lag";
}

TEST(VersionBands, MayReadRowsBeforeInTheirOwnVersion) {
  const VersionBands found =
      bands_of(PlannedTransform(versioned_plate()
                                    .rule({"T.cell(x,y,k)"}, {"T.cell(x,y-1,k)", "T.cell(x,y+1,k-1)"})
                                    .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_EQ(found.skew, 1);
  EXPECT_EQ(most_lag(found), 0);
}

/// Versions of an inside and of edges that read the opposite ones, along the rows.
TestTransform ring(std::string_view of_version) {
  const std::string k(of_version);
  return framed().rule({"T.cell(x,0,k)"}, {"T.cell(x,h-2," + k + ")"}, 4);
}

TEST(VersionBands, MayReadOppositeEdgesOfTheirRow) {
  const VersionBands found = bands_of(PlannedTransform(versioned_plate()
                                                           .rule({"T.cell(x,y,k)"}, kAround)
                                                           .rule({"T.cell(0,y,k)"}, {"T.cell(w-1,y,k-1)"}, 2)
                                                           .rule({"T.cell(w-1,y,k)"}, {"T.cell(0,y,k-1)"}, 3)
                                                           .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 4)));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_FALSE(found.is_folded);
  EXPECT_EQ(found.skew, 1);
}

TEST(VersionBands, AreFoldedWhereTheFirstRowReadsTheLast) {
  const VersionBands found = bands_of(PlannedTransform(ring("k-1")));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_TRUE(found.is_folded);
  EXPECT_EQ(found.skew, 2) << "the last row but one";
  EXPECT_EQ(most_lag(found), 0);
}

TEST(VersionBands, LagBehindOppositeRowsOfTheirOwnVersion) {
  const VersionBands found = bands_of(PlannedTransform(ring("k")));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_TRUE(found.is_folded);
  EXPECT_EQ(most_lag(found), 2);
  EXPECT_EQ(found.skew, 4);
}

/// Bands of one rule that reads a cell of the version before.
VersionBands bands_of_read(const std::string& read) {
  return bands_of(PlannedTransform(versioned_plate().rule({"T.cell(x,y,k)"}, {read, "T.cell(x,y,k-1)"})));
}

TEST(VersionBands, BordersMapToRowsThatAreAsNear) {
  for (const char* read : {"T.cell(x-1,y+2,k-1)=clamp", "T.cell(x-1,y+2,k-1)=mirror"}) {
    const VersionBands found = bands_of_read(read);
    EXPECT_THAT(found.why_not, IsEmpty());
    EXPECT_FALSE(found.is_folded);
    EXPECT_EQ(found.skew, 2);
  }
}

TEST(VersionBands, AreFoldedWhereRowsWrapAround) {
  EXPECT_FALSE(bands_of_read("T.cell(x-1,y,k-1)=wrap").is_folded) << "cells of the same row";
  const VersionBands found = bands_of_read("T.cell(x,y-3,k-1)=wrap");
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_TRUE(found.is_folded);
  EXPECT_EQ(found.skew, 3);
}

TEST(VersionBands, OfSeveralRowsLieFartherApart) {
  const VersionBands found =
      bands_of(PlannedTransform(versioned_plate()
                                    .rule({"T.region(0,4*y,k,w,4*y+4,k+1)"}, {"T.region(0,4*y-1,k-1,w,4*y+5,k)"})
                                    .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_TRUE(std::any_of(found.members.begin(), found.members.end(),
                          [](const BandMember& member) { return member.step == 4; }));
  EXPECT_EQ(found.skew, 4 + most_lag(found)) << "four rows behind the first one are read, and four are written";
}

TEST(VersionBands, MayReadRowsBetweenTheirOwn) {
  const VersionBands found = bands_of(
      PlannedTransform(versioned_plate()
                           .rule({"T.cell(x,2*y,k)"}, {"T.cell(x,2*y,k-1)"})
                           .rule({"T.cell(x,2*y+1,k)"}, {"T.cell(x,2*y,k)", "T.cell(x,2*y+2,k)", "T.cell(x,2*y+1,k-1)"})
                           .rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2)));
  EXPECT_THAT(found.why_not, IsEmpty());
  EXPECT_GE(most_lag(found), 1);
}

TEST(VersionBands, AreRefusedWhereColumnsAreWritten) {
  EXPECT_THAT(
      bands_of(PlannedTransform(versioned_plate().rule({"T.region(x,0,k,x+1,h,k+1)"}, {"T.region(x,0,k-1,x+1,h,k)"})))
          .why_not,
      HasSubstr("more than one row"));
}

TEST(VersionBands, FoldedOnesDoNotReadOtherRowsOfTheirOwnVersion) {
  const std::string why =
      bands_of(PlannedTransform(versioned_plate()
                                    .rule({"T.cell(x,y,k)"}, {"T.cell(x,y-1,k)", "T.cell(x,y+1,k-1)"})
                                    .rule({"T.cell(x,0,k)"}, {"T.cell(x,h-1,k-1)"}, 2)
                                    .rule({"T.cell(x,h-1,k)"}, {"T.cell(x,0,k-1)"}, 3)))
          .why_not;
  EXPECT_THAT(why, HasSubstr("in its own version"));
}

TEST(VersionBands, AreRefusedWhereRowsAreFarOrUnknown) {
  const auto why = [](std::string_view read) {
    return bands_of(PlannedTransform(versioned_plate().rule({"T.cell(x,y,k)"}, {std::string(read)}))).why_not;
  };
  EXPECT_THAT(why("T.cell(x,h-1-y,k-1)"), HasSubstr("not next to its own"));
  EXPECT_THAT(why("T.region(x,0,k-1,x+1,h,k)"), HasSubstr("not next to its own"));
  TestTransform far = versioned_plate().rule({"T.cell(x,y,k)"}, {"T.cell(x,y-100,k-1)"});
  EXPECT_THAT(bands_of(PlannedTransform(far.rule({"T.cell(x,y,k)"}, {"T.cell(x,y,k-1)"}, 2))).why_not,
              HasSubstr("far from their own"));
}

}  // namespace
}  // namespace pb
