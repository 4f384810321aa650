// SPDX-License-Identifier: MIT
#include "frontend/check_types/region_members.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "frontend/check_types/vocabulary/arithmetic.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

enum class Result : std::uint8_t { Element, SameRegion, OneLess, Mutable, Int, Long, Bool, Void, Unknown };
/// Members of regions (docs/reference/language.md 7.6). `num_args`: -1 not checked, -2 one per dimension, -3 two per
/// dimension.
struct RegionMember {
  std::string_view name;
  int num_args;
  Result result;
};
constexpr int kAny = -1;
constexpr int kPerDim = -2;
constexpr int kTwoPerDim = -3;
constexpr std::array kRegionMembers = {RegionMember{"cell", kPerDim, Result::Element},
                                       RegionMember{"region", kTwoPerDim, Result::SameRegion},
                                       RegionMember{"row", 1, Result::OneLess},
                                       RegionMember{"col", 1, Result::OneLess},
                                       RegionMember{"column", 1, Result::OneLess},
                                       RegionMember{"slice", 2, Result::OneLess},
                                       RegionMember{"transposed", 0, Result::SameRegion},
                                       RegionMember{"all", 0, Result::SameRegion},
                                       RegionMember{"forceMutable", 0, Result::Mutable},
                                       RegionMember{"size", 1, Result::Int},
                                       RegionMember{"width", 0, Result::Int},
                                       RegionMember{"height", 0, Result::Int},
                                       RegionMember{"depth", 0, Result::Int},
                                       RegionMember{"perimeter", 0, Result::Long},
                                       RegionMember{"count", 0, Result::Long},
                                       RegionMember{"bytes", 0, Result::Long},
                                       RegionMember{"contains", kPerDim, Result::Bool},
                                       RegionMember{"isSize", kPerDim, Result::Bool},
                                       RegionMember{"isEntireBuffer", 0, Result::Bool},
                                       RegionMember{"randomize", 0, Result::Void},
                                       RegionMember{"print", kAny, Result::Void},
                                       RegionMember{"useOnCpu", kAny, Result::Void},
                                       RegionMember{"modifyOnCpu", kAny, Result::Void},
                                       RegionMember{"copyTo", kAny, Result::Unknown}};

int expected_args(const RegionMember& member, int num_dims) {
  if (member.num_args == kPerDim) return num_dims;
  if (member.num_args == kTwoPerDim) return 2 * num_dims;
  return member.num_args;
}

BodyType member_result(const Program& program, const RegionMember& member, const BodyType& region) {
  BodyType out = region;
  switch (member.result) {
    case Result::Element:
      return element_type(program, region.element, region.is_element, region.is_const);
    case Result::SameRegion:
      return out;
    case Result::OneLess:
      out.num_dims = std::max(0, region.num_dims - 1);
      return out;
    case Result::Mutable:
      out.is_const = false;
      return out;
    case Result::Int:
      return plain_type(Kind::Int);
    case Result::Long:
      return plain_type(Kind::Long);
    case Result::Bool:
      return plain_type(Kind::Bool);
    case Result::Void:
      return plain_type(Kind::Void);
    case Result::Unknown:
      return {};
  }
  return {};
}

}  // namespace

BodyType type_of_region_member(BodyContext& context, const MemberExpr& member, const BodyType& region, Span span) {
  const auto found = std::find_if(kRegionMembers.begin(), kRegionMembers.end(),
                                  [&](const RegionMember& candidate) { return candidate.name == member.name; });
  if (member.name == "base") {
    BodyType pointer = region;
    pointer.kind = Kind::Pointer;
    pointer.num_dims = 0;
    return pointer;
  }
  if (found == kRegionMembers.end()) return {};
  const int expected = expected_args(*found, region.num_dims);
  if (expected < 0 || std::cmp_equal(expected, member.args.size()))
    return member_result(context.program, *found, region);
  const bool is_local_cell = found->num_args == kPerDim || found->num_args == kTwoPerDim;
  auto diag = context.diags.emit(DiagKind::WrongCoordinateCount, span)
                  .arg("." + member.name)
                  .arg(std::to_string(expected) + (expected == 1 ? " argument" : " arguments"))
                  .arg(member.args.size());
  if (is_local_cell)
    diag.note("the region has " + std::to_string(region.num_dims) +
              (region.num_dims == 1 ? " dimension" : " dimensions"));
  return member_result(context.program, *found, region);
}

}  // namespace pb::checking
