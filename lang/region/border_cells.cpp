// SPDX-License-Identifier: MIT
#include "lang/region/border_cells.h"

#include <utility>

#include "base/seeded_fault.h"
#include "lang/check.h"

namespace pb {
namespace {

/// The pieces of a wrapped coordinate are exact up to this many extents beyond each side.
constexpr std::int64_t kExactWraps = 2;

/// A part of a coordinate's values: where all of `conditions` are >= 0, the coordinate stands for the positions of an
/// interval.
struct CellPiece {
  std::vector<IndexExpr> conditions;
  Interval cells;
};

IndexExpr times(std::int64_t factor, const IndexExpr& expr) { return index_mul(index_const(factor), expr); }
IndexExpr minus_one(const IndexExpr& expr) { return index_sub(expr, index_const(1)); }
IndexExpr negated(const IndexExpr& expr) { return index_sub(index_const(0), expr); }

Interval one(const IndexExpr& at) { return {at, index_add(at, index_const(1))}; }

/// `first <= at < end`
std::vector<IndexExpr> between(const IndexExpr& first, const IndexExpr& at, const IndexExpr& end) {
  return {index_sub(at, first), minus_one(index_sub(end, at))};
}

std::vector<CellPiece> clamp_pieces(const IndexExpr& at, const IndexExpr& size) {
  return {{between(index_const(0), at, size), one(at)},
          {{minus_one(negated(at))}, one(index_const(0))},
          {{index_sub(at, size)}, one(minus_one(size))}};
}

std::vector<CellPiece> wrap_pieces(const IndexExpr& at, const IndexExpr& size) {
  if (size.op == IndexExpr::Op::Const) return {{{}, one(index_sub(at, index_mul(size, index_floordiv(at, size))))}};
  std::vector<CellPiece> out;
  for (std::int64_t k = -kExactWraps; k <= kExactWraps; ++k)
    out.push_back({between(times(k, size), at, times(k + 1, size)), one(index_sub(at, times(k, size)))});
  const Interval all{index_const(0), size};
  out.push_back({{minus_one(index_sub(times(-kExactWraps, size), at))}, all});
  out.push_back({{index_sub(at, times(kExactWraps + 1, size))}, all});
  return out;
}

std::vector<CellPiece> mirror_pieces(const IndexExpr& at, const IndexExpr& size) {
  if (size.is_const(1)) return {{{}, one(index_const(0))}};
  const IndexExpr last = minus_one(size);
  const IndexExpr period = times(2, last);
  if (size.op == IndexExpr::Op::Const) {
    const IndexExpr rest = index_sub(at, index_mul(period, index_floordiv(at, period)));
    return {{{}, one(index_min({rest, index_sub(period, rest)}))}};
  }
  std::vector<CellPiece> out = {
      {between(index_const(0), at, size), one(at)},
      {between(negated(last), at, index_const(0)),
       one(PB_FAULT(mirror_repeats_the_edge) ? minus_one(negated(at)) : negated(at))},
      {between(size, at, index_add(period, index_const(1))), one(index_sub(period, at))},
      {between(negated(period), at, negated(last)), one(index_add(at, period))},
      {between(index_add(period, index_const(1)), at, index_add(times(3, last), index_const(1))),
       one(index_sub(at, period))},
      {{minus_one(index_sub(negated(period), at))}, {index_const(0), size}},
      {{minus_one(index_sub(at, times(3, last)))}, {index_const(0), size}}};
  for (CellPiece& piece : out) piece.conditions.push_back(index_sub(size, index_const(2)));
  out.push_back({{index_sub(index_const(1), size)}, one(index_const(0))});
  return out;
}

std::vector<CellPiece> pieces_of(const BorderedInterval& access) {
  switch (access.border) {
    case Border::None:
    case Border::Default:
    case Border::Optional:
      return {{{}, access.at}};
    case Border::Wrap:
      return wrap_pieces(access.at.lo, access.size);
    case Border::Clamp:
      return clamp_pieces(access.at.lo, access.size);
    case Border::Mirror:
      return mirror_pieces(access.at.lo, access.size);
  }
  PB_CHECK(false, "every border has pieces");
  return {};
}

/// One piece of each dimension taken so far: the instances at which they meet, and their box.
struct Meeting {
  Region instances;
  std::vector<Interval> box;
};

}  // namespace

RegionMap border_cells(const Region& domain, const std::vector<std::string>& cell_dims,
                       const std::vector<BorderedInterval>& access) {
  std::vector<Meeting> meetings{{domain, {}}};
  for (const BorderedInterval& interval : access) {
    std::vector<Meeting> next;
    for (const CellPiece& piece : pieces_of(interval)) {
      for (const Meeting& meeting : meetings) {
        Meeting one = meeting;
        for (const IndexExpr& condition : piece.conditions) one.instances = one.instances.where_nonnegative(condition);
        if (one.instances.is_empty()) continue;
        one.box.push_back(piece.cells);
        next.push_back(std::move(one));
      }
    }
    meetings = std::move(next);
  }
  RegionMap out;
  const auto add = [&](const Region& instances, const std::vector<Interval>& box) {
    const RegionMap cells =
        RegionMap::to_box(domain.context(), domain.dims(), cell_dims, box).intersect_domain(instances);
    out = out.is_known() ? out.unite(cells) : cells;
  };
  for (const Meeting& meeting : meetings) add(meeting.instances, meeting.box);
  if (meetings.empty()) add(domain, std::vector<Interval>(access.size(), Interval{index_const(0), index_const(0)}));
  return out;
}

// Note [Exact pieces]
// `clamp` is affine on each side. `wrap` and `mirror` divide by the extent, which isl cannot where the extent is a
// parameter; but a known number of extents away from the matrix they are shifts, and reflections, by multiples of it.
// So the pieces are exact up to two extents (wrap) or periods (mirror: one and a half) beyond the matrix on either
// side, and for extents that are numbers at any distance. Farther away they say `any cell of the dimension`. For `x +
// c` that concerns sizes below |c|/3 alone; it makes steps wait for more than they read, never for less.

}  // namespace pb
