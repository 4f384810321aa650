// SPDX-License-Identifier: MIT
#include "runtime/gpu/layout.h"

#include <algorithm>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/config/runtime_check.h"

namespace pbrt::gpu {

bool OwnedView::is_empty() const {
  return std::any_of(sizes.begin(), sizes.begin() + num_dims, [](std::int64_t size) { return size <= 0; });
}

bool OwnedView::operator==(const OwnedView& other) const {
  return offset == other.offset && element_bytes == other.element_bytes && num_dims == other.num_dims &&
         std::equal(sizes.begin(), sizes.begin() + num_dims, other.sizes.begin()) &&
         std::equal(strides.begin(), strides.begin() + num_dims, other.strides.begin());
}

bool is_inside(const Storage& storage, const OwnedView& view) {
  if (view.is_empty()) return true;
  std::int64_t last = view.offset;
  for (int d = 0; d < view.num_dims; ++d) {
    if (view.sizes[d] > 1 && view.strides[d] < 0) return false;
    last += (view.sizes[d] - 1) * view.strides[d];
  }
  return view.offset >= 0 && last < static_cast<std::int64_t>(storage.bytes()) / view.element_bytes;
}

OwnedView own(const Storage& storage, const RawView& view) {
  OwnedView out = argument(storage, view);
  for (int d = 0; d < out.num_dims; ++d) {
    if (out.strides[d] >= 0 || out.sizes[d] < 1) continue;
    out.offset += (out.sizes[d] - 1) * out.strides[d];
    out.strides[d] = -out.strides[d];
  }
  return out;
}

OwnedView argument(const Storage& storage, const RawView& view) {
  OwnedView owned;
  owned.element_bytes = static_cast<int>(element_bytes(view.kind));
  owned.num_dims = view.num_dims;
  const auto distance = static_cast<const char*>(view.base) - static_cast<const char*>(storage.data());
  owned.offset = distance / owned.element_bytes;
  for (int d = 0; d < view.num_dims; ++d) {
    owned.sizes[d] = view.sizes[d];
    owned.strides[d] = view.strides[d];
  }
  return owned;
}

Layout::Layout(std::int64_t num_elements, int element_bytes)
    : num_elements_(num_elements), element_bytes_(element_bytes), num_dims_(1) {
  strides_[0] = 1;
}

std::int64_t Layout::extent(int dim) const {
  const std::int64_t total = dim + 1 < num_dims_ ? strides_[dim + 1] : num_elements_;
  return (total + strides_[dim] - 1) / strides_[dim];
}

int Layout::dim_of_stride(std::int64_t stride) const {
  for (int d = 0; d < num_dims_; ++d)
    if (strides_[d] == stride) return d;
  return -1;
}

Layout Layout::with_stride(std::int64_t stride) const {
  Layout finer = *this;
  int at = num_dims_;
  while (at > 0 && strides_[at - 1] > stride) --at;
  std::copy_backward(finer.strides_.begin() + at, finer.strides_.begin() + num_dims_,
                     finer.strides_.begin() + num_dims_ + 1);
  finer.strides_[at] = stride;
  ++finer.num_dims_;
  return finer;
}

std::optional<Layout> Layout::refined_for(const OwnedView& view) const {
  if (view.is_empty()) return *this;
  if (view.element_bytes != element_bytes_ || view.offset < 0) return std::nullopt;
  Layout finer = *this;
  std::int64_t last = view.offset;
  for (int d = 0; d < view.num_dims; ++d) {
    if (view.sizes[d] == 1) continue;
    if (view.strides[d] <= 0) return std::nullopt;
    last += (view.sizes[d] - 1) * view.strides[d];
    if (finer.dim_of_stride(view.strides[d]) >= 0) continue;
    if (finer.num_dims_ == kMaxGridDims) return std::nullopt;
    finer = finer.with_stride(view.strides[d]);
  }
  if (last >= num_elements_) return std::nullopt;
  for (int d = 1; d < finer.num_dims_; ++d)
    if (finer.strides_[d] % finer.strides_[d - 1] != 0) return std::nullopt;
  // Each dimension of the view must stay inside one dimension of the grid.
  const GridBox box = finer.box_of(view);
  std::int64_t cells = 1;
  for (int d = 0; d < view.num_dims; ++d) cells *= view.sizes[d];
  for (int d = 0; d < box.num_dims; ++d)
    if (box.hi[d] > finer.extent(d)) return std::nullopt;
  if (box.num_cells() != cells) return std::nullopt;
  return finer;
}

bool Layout::may_meet(const OwnedView& a, const OwnedView& b) const {
  if (a.is_empty() || b.is_empty()) return false;
  const std::optional<Layout> of_a = refined_for(a);
  const std::optional<Layout> of_both = of_a ? of_a->refined_for(b) : std::nullopt;
  if (!of_both) return true;
  return of_both->convert(BoxSet(of_a->box_of(a)), *of_a).overlaps(of_both->box_of(b));
}

GridBox Layout::box_of(const OwnedView& view) const {
  GridBox box;
  box.num_dims = num_dims_;
  if (view.is_empty()) return box;
  std::int64_t rest = view.offset;
  for (int d = num_dims_ - 1; d >= 0; --d) {
    // Most views begin near the storage's start, and launches do this often: a division is worth avoiding.
    box.lo[d] = rest < strides_[d] ? 0 : strides_[d] == 1 ? rest : rest / strides_[d];
    box.hi[d] = box.lo[d] + 1;
    rest -= box.lo[d] * strides_[d];
  }
  for (int d = 0; d < view.num_dims; ++d) {
    if (view.sizes[d] == 1) continue;
    const int dim = dim_of_stride(view.strides[d]);
    PBRT_CHECK(dim >= 0, "the layout was refined for the view");
    box.hi[dim] = box.lo[dim] + view.sizes[d];
  }
  return box;
}

namespace {

/// Splits dimension `dim` of each box into an inner one of `inner` coordinates and an outer one above it.
BoxSet split_dim(const BoxSet& boxes, int dim, std::int64_t inner) {
  BoxSet result;
  for (const GridBox& box : boxes.boxes()) {
    GridBox piece = box;
    ++piece.num_dims;
    for (int d = box.num_dims; d > dim + 1; --d) {
      piece.lo[d] = box.lo[d - 1];
      piece.hi[d] = box.hi[d - 1];
    }
    const auto add = [&](std::int64_t inner_lo, std::int64_t inner_hi, std::int64_t outer_lo, std::int64_t outer_hi) {
      piece.lo[dim] = inner_lo;
      piece.hi[dim] = inner_hi;
      piece.lo[dim + 1] = outer_lo;
      piece.hi[dim + 1] = outer_hi;
      result.add(piece);
    };
    const std::int64_t first = box.lo[dim] / inner, last = (box.hi[dim] - 1) / inner;
    const std::int64_t first_lo = box.lo[dim] % inner, last_hi = (box.hi[dim] - 1) % inner + 1;
    if (first == last) {
      add(first_lo, last_hi, first, first + 1);
      continue;
    }
    add(first_lo, inner, first, first + 1);
    add(0, inner, first + 1, last);
    add(0, last_hi, last, last + 1);
  }
  return result;
}

}  // namespace

BoxSet Layout::convert(const BoxSet& boxes, const Layout& from) const {
  if (boxes.is_empty()) return boxes;
  BoxSet result = boxes;
  Layout reached = from;
  for (int d = 0; d < num_dims_; ++d) {
    if (reached.dim_of_stride(strides_[d]) >= 0) continue;
    reached = reached.with_stride(strides_[d]);
    PBRT_CHECK(reached.strides_[d] == strides_[d], "the finer grid has all strides of the coarser one");
    result = split_dim(result, d - 1, strides_[d] / strides_[d - 1]);
  }
  return result;
}

std::vector<CopyShape> Layout::copy_shapes(const BoxSet& boxes) const {
  std::vector<CopyShape> shapes;
  for (const GridBox& box : boxes.boxes()) append_copy_shapes(shapes, box);
  return shapes;
}

void Layout::append_copy_shapes(std::vector<CopyShape>& shapes, const GridBox& box) const {
  const auto bytes = static_cast<std::size_t>(element_bytes_);
  std::int64_t offset = 0;
  for (int d = 0; d < num_dims_; ++d) offset += box.lo[d] * strides_[d];
  CopyShape shape;
  shape.offset = static_cast<std::size_t>(offset) * bytes;
  // The contiguous part: whole inner dimensions and a range of the first that is not whole.
  int dim = 0;
  std::int64_t run = 1;
  bool whole = true;
  for (; dim < num_dims_ && whole; ++dim) {
    const std::int64_t length = box.hi[dim] - box.lo[dim];
    run = strides_[dim] * length;
    whole = length == extent(dim);
  }
  if (PB_FAULT(copy_one_short) && run > 1) --run;
  shape.row_bytes = static_cast<std::size_t>(run) * bytes;
  struct Loop {
    std::size_t count, pitch;
  };
  std::vector<Loop> loops;
  for (; dim < num_dims_; ++dim)
    if (box.hi[dim] - box.lo[dim] > 1)
      loops.push_back(
          {static_cast<std::size_t>(box.hi[dim] - box.lo[dim]), static_cast<std::size_t>(strides_[dim]) * bytes});
  if (!loops.empty()) shape.rows = loops[0].count, shape.row_pitch = loops[0].pitch;
  if (loops.size() > 1) shape.slices = loops[1].count, shape.slice_pitch = loops[1].pitch;
  std::vector<CopyShape> mine = {shape};
  for (std::size_t l = 2; l < loops.size(); ++l) {
    const std::size_t before = mine.size();
    for (std::size_t i = 1; i < loops[l].count; ++i)
      for (std::size_t j = 0; j < before; ++j) {
        CopyShape moved = mine[j];
        moved.offset += i * loops[l].pitch;
        mine.push_back(moved);
      }
  }
  shapes.insert(shapes.end(), mine.begin(), mine.end());
}

bool Layout::operator==(const Layout& other) const {
  return num_elements_ == other.num_elements_ && element_bytes_ == other.element_bytes_ &&
         num_dims_ == other.num_dims_ &&
         std::equal(strides_.begin(), strides_.begin() + num_dims_, other.strides_.begin());
}

const GridBox* KnownBoxes::find(const OwnedView& view) const {
  const auto place = std::find_if(known_.begin(), known_.end(), [&](const Known& each) { return each.view == view; });
  return place == known_.end() ? nullptr : &place->box;
}

void KnownBoxes::add(const OwnedView& view, const GridBox& box) {
  if (known_.size() < kMost) {
    known_.push_back({view, box});
    return;
  }
  known_[oldest_] = {view, box};
  oldest_ = (oldest_ + 1) % kMost;
}

void KnownBoxes::clear() {
  known_.clear();
  oldest_ = 0;
}

}  // namespace pbrt::gpu
