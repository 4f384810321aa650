// SPDX-License-Identifier: MIT
// Boxes of grid coordinates and exact sets of them. They say which part of a storage is where. Used by the residency
// table only. Most sets have one box, so they are vectors of disjoint boxes with room for one in place. With thousands
// of boxes, after as many kernels on parts of one matrix, an operation takes microseconds.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

#include "runtime/matrix/element_kind.h"

namespace pbrt::gpu {

/// Grids may have one dimension more than matrices: see Layout.
inline constexpr int kMaxGridDims = kMaxDims + 1;

/// Half-open box, dimension 0 fastest.
struct GridBox {
  int num_dims = 0;
  std::array<std::int64_t, kMaxGridDims> lo = {};
  std::array<std::int64_t, kMaxGridDims> hi = {};

  [[nodiscard]] bool is_empty() const;
  /// Product of the extents; a box without dimensions has one cell.
  [[nodiscard]] std::int64_t num_cells() const;
  bool operator==(const GridBox& other) const;
};

[[nodiscard]] GridBox intersect(const GridBox& a, const GridBox& b);

/// Some boxes; one of them needs no memory of its own.
using GridBoxes = boost::container::small_vector<GridBox, 1>;

/// A set of cells: disjoint, non-empty boxes of the same number of dimensions.
/// Moving one takes the memory of many boxes or copies the only one, so it throws nothing.
class BoxSet {  // NOLINT(bugprone-exception-escape): the check sees the allocation of a copy
 public:
  BoxSet() = default;
  explicit BoxSet(const GridBox& box) { add(box); }

  [[nodiscard]] bool is_empty() const { return boxes_.empty(); }
  [[nodiscard]] std::span<const GridBox> boxes() const { return {boxes_.data(), boxes_.size()}; }
  [[nodiscard]] std::int64_t num_cells() const;
  [[nodiscard]] bool overlaps(const GridBox& box) const;
  [[nodiscard]] bool overlaps(const BoxSet& other) const;
  /// Whether one of the boxes has all of `box` in it. If none has, several may have it together.
  [[nodiscard]] bool has_whole(const GridBox& box) const;

  void add(const GridBox& box);
  void add(const BoxSet& other);
  void remove(const GridBox& box);
  void remove(const BoxSet& other);
  void clear() { *this = BoxSet(); }

  [[nodiscard]] BoxSet intersect(const GridBox& box) const;

 private:
  /// The index of the first box of the set that overlaps `box`; the number of boxes if none does.
  [[nodiscard]] std::size_t first_overlap(const GridBox& box) const;
  void merge_neighbours();

  GridBoxes boxes_;
  /// No two of the first `num_merged_` boxes make a box together. So a set of thousands of boxes that do not touch
  /// grows in linear time.
  std::size_t num_merged_ = 0;
};

}  // namespace pbrt::gpu
