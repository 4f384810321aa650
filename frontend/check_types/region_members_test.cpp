// SPDX-License-Identifier: MIT
// The types that calls of functions of regions have, and their numbers of arguments.
#include "frontend/check_types/region_members.h"

#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

/// A region of floats with `num_dims` dimensions, which may only be read.
BodyType floats(int num_dims) {
  BodyType type;
  type.kind = Kind::Region;
  type.element = ElementType::Float;
  type.num_dims = num_dims;
  type.is_const = true;
  return type;
}

struct Called {
  BodyType type;
  std::string reports;
};

Called call(const BodyType& region, const std::string& name, std::size_t num_args) {
  testing::ResolvedRule resolved("transform T from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return a; } }");
  MemberExpr member;
  member.name = name;
  member.is_call = true;
  member.args.resize(num_args);
  const BodyType type = type_of_region_member(resolved.context, member, region, {});
  return {type, resolved.take_reports()};
}

TEST(RegionMembers, HaveTheirTypes) {
  struct Row {
    const char* name;
    std::size_t num_args;
    Kind kind;
    int num_dims;
  };
  const Row rows[] = {
      {"cell", 3, Kind::Float, 0},       {"region", 6, Kind::Region, 3}, {"row", 1, Kind::Region, 2},
      {"slice", 2, Kind::Region, 2},     {"all", 0, Kind::Region, 3},    {"size", 1, Kind::Int, 0},
      {"depth", 0, Kind::Int, 0},        {"count", 0, Kind::Long, 0},    {"contains", 3, Kind::Bool, 0},
      {"randomize", 0, Kind::Void, 0},   {"base", 0, Kind::Pointer, 0},  {"copyTo", 2, Kind::Unknown, 0},
      {"unheardOf", 2, Kind::Unknown, 0}};
  for (const Row& row : rows) {
    const Called called = call(floats(3), row.name, row.num_args);
    EXPECT_EQ(called.reports, "") << row.name;
    EXPECT_EQ(called.type.kind, row.kind) << row.name;
    EXPECT_EQ(called.type.num_dims, row.num_dims) << row.name;
  }
}

TEST(RegionMembers, WhatMayOnlyBeReadHasSuchCells) {
  EXPECT_TRUE(call(floats(1), "cell", 1).type.is_const);
  EXPECT_TRUE(call(floats(2), "row", 1).type.is_const);
  EXPECT_FALSE(call(floats(2), "forceMutable", 0).type.is_const);
  EXPECT_EQ(call(floats(1), "base", 0).type.element, ElementType::Float);
}

TEST(RegionMembers, ArgumentsAreCounted) {
  EXPECT_EQ(call(floats(2), "cell", 1).reports, "WrongCoordinateCount ");
  EXPECT_EQ(call(floats(2), "cell", 1).type.kind, Kind::Float) << "the type is known all the same";
  EXPECT_EQ(call(floats(2), "region", 2).reports, "WrongCoordinateCount ");
  EXPECT_EQ(call(floats(2), "row", 2).reports, "WrongCoordinateCount ");
  EXPECT_EQ(call(floats(2), "width", 1).reports, "WrongCoordinateCount ");
  EXPECT_EQ(call(floats(2), "print", 7).reports, "") << "its arguments are not counted";
}

}  // namespace
}  // namespace pb::checking
