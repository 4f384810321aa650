// SPDX-License-Identifier: MIT
#include "runtime/gpu/box_set.h"

#include <algorithm>
#include <utility>

#include "runtime/config/runtime_check.h"

namespace pbrt::gpu {

bool GridBox::is_empty() const {
  for (int d = 0; d < num_dims; ++d)
    if (hi[d] <= lo[d]) return true;
  return false;
}

std::int64_t GridBox::num_cells() const {
  std::int64_t cells = 1;
  for (int d = 0; d < num_dims; ++d) cells *= std::max<std::int64_t>(0, hi[d] - lo[d]);
  return cells;
}

bool GridBox::operator==(const GridBox& other) const {
  if (num_dims != other.num_dims) return false;
  for (int d = 0; d < num_dims; ++d)
    if (lo[d] != other.lo[d] || hi[d] != other.hi[d]) return false;
  return true;
}

GridBox intersect(const GridBox& a, const GridBox& b) {
  PBRT_CHECK(a.num_dims == b.num_dims, "boxes of one storage have one layout");
  GridBox both;
  both.num_dims = a.num_dims;
  for (int d = 0; d < a.num_dims; ++d) {
    both.lo[d] = std::max(a.lo[d], b.lo[d]);
    both.hi[d] = std::min(a.hi[d], b.hi[d]);
  }
  return both;
}

namespace {

/// Whether two non-empty boxes have a cell in common. The slowest dimension is compared first: there the boxes of a set
/// differ most.
bool have_common_cell(const GridBox& a, const GridBox& b) {
  for (int d = a.num_dims - 1; d >= 0; --d)
    if (a.lo[d] >= b.hi[d] || b.lo[d] >= a.hi[d]) return false;
  return true;
}

/// Appends the parts of `box` outside `hole`, which it touches: slabs below and above it, dimension by dimension,
/// slowest first.
void append_difference(GridBoxes& out, GridBox box, const GridBox& hole) {
  for (int d = box.num_dims - 1; d >= 0; --d) {
    if (box.lo[d] < hole.lo[d]) {
      GridBox below = box;
      below.hi[d] = hole.lo[d];
      out.push_back(below);
      box.lo[d] = hole.lo[d];
    }
    if (box.hi[d] > hole.hi[d]) {
      GridBox above = box;
      above.lo[d] = hole.hi[d];
      out.push_back(above);
      box.hi[d] = hole.hi[d];
    }
  }
}

/// Extends `a` by `b` if their union is a box.
bool try_merge(GridBox& a, const GridBox& b) {
  int differing = -1;
  for (int d = 0; d < a.num_dims; ++d) {
    if (a.lo[d] == b.lo[d] && a.hi[d] == b.hi[d]) continue;
    if (differing >= 0) return false;
    differing = d;
  }
  if (differing < 0) return true;
  if (a.hi[differing] != b.lo[differing] && b.hi[differing] != a.lo[differing]) return false;
  a.lo[differing] = std::min(a.lo[differing], b.lo[differing]);
  a.hi[differing] = std::max(a.hi[differing], b.hi[differing]);
  return true;
}

}  // namespace

std::int64_t BoxSet::num_cells() const {
  std::int64_t cells = 0;
  for (const GridBox& box : boxes_) cells += box.num_cells();
  return cells;
}

bool BoxSet::overlaps(const GridBox& box) const { return first_overlap(box) != boxes_.size(); }

bool BoxSet::overlaps(const BoxSet& other) const {
  return std::any_of(other.boxes_.begin(), other.boxes_.end(), [&](const GridBox& box) { return overlaps(box); });
}

std::size_t BoxSet::first_overlap(const GridBox& box) const {
  if (boxes_.empty() || box.is_empty()) return boxes_.size();
  PBRT_CHECK(boxes_.front().num_dims == box.num_dims, "boxes of one storage have one layout");
  const auto overlaps_box = [&](const GridBox& mine) { return have_common_cell(mine, box); };
  return static_cast<std::size_t>(std::find_if(boxes_.begin(), boxes_.end(), overlaps_box) - boxes_.begin());
}

bool BoxSet::has_whole(const GridBox& box) const {
  return std::any_of(boxes_.begin(), boxes_.end(), [&](const GridBox& mine) {
    for (int d = 0; d < box.num_dims; ++d)
      if (box.lo[d] < mine.lo[d] || mine.hi[d] < box.hi[d]) return false;
    return true;
  });
}

void BoxSet::add(const GridBox& box) {
  if (box.is_empty() || has_whole(box)) return;
  remove(box);
  boxes_.push_back(box);
  merge_neighbours();
}

void BoxSet::add(const BoxSet& other) {
  for (const GridBox& box : other.boxes_) add(box);
}

void BoxSet::remove(const GridBox& box) {
  const std::size_t first = first_overlap(box);
  if (first == boxes_.size()) return;
  GridBoxes parts;
  std::size_t kept = first;
  std::size_t num_merged = std::min(first, num_merged_);
  for (std::size_t i = first; i < boxes_.size(); ++i) {
    if (have_common_cell(boxes_[i], box)) {
      append_difference(parts, boxes_[i], box);
      continue;
    }
    num_merged += i < num_merged_ ? 1 : 0;
    if (kept != i) boxes_[kept] = boxes_[i];
    ++kept;
  }
  boxes_.resize(kept);
  boxes_.insert(boxes_.end(), parts.begin(), parts.end());
  num_merged_ = num_merged;
}

void BoxSet::remove(const BoxSet& other) {
  for (const GridBox& box : other.boxes_) remove(box);
}

BoxSet BoxSet::intersect(const GridBox& box) const {
  BoxSet both;
  if (box.is_empty()) return both;
  for (const GridBox& mine : boxes_) {
    if (!have_common_cell(mine, box)) continue;
    both.boxes_.push_back(gpu::intersect(mine, box));
  }
  return both;
}

void BoxSet::merge_neighbours() {
  for (std::size_t i = num_merged_; i < boxes_.size();) {
    std::size_t j = 0;
    while (j < i && !try_merge(boxes_[j], boxes_[i])) ++j;
    if (j == i) {
      ++i;
      continue;
    }
    // A box that has grown may touch any other: it takes the place of the last one looked at.
    boxes_[i] = boxes_[j];
    boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(j));
    --i;
  }
  num_merged_ = boxes_.size();
}

}  // namespace pbrt::gpu
