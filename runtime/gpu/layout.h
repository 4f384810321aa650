// SPDX-License-Identifier: MIT
// The grid of one storage, found from the strides of the views that are used on a device. A storage does not know
// the shape of its matrix; all views of a dense matrix have strides from one chain 1 | s1 | s2 | …, each a
// multiple of the one before. A new stride refines the grid and the boxes stated in it. Used by the residency table
// only.
#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/gpu/box_set.h"
#include "runtime/gpu/device.h"
#include "runtime/matrix/storage.h"
#include "runtime/matrix/view.h"

namespace pbrt::gpu {

/// A view with sizes and strides of its own. It can be used after the handle is gone, as long as the storage lives.
struct OwnedView {
  std::int64_t offset = 0;  ///< where the first element lies, in elements from the start of the storage
  int element_bytes = 1;
  int num_dims = 0;
  std::array<std::int64_t, kMaxDims> sizes = {};
  std::array<std::int64_t, kMaxDims> strides = {};

  [[nodiscard]] bool is_empty() const;
  bool operator==(const OwnedView& other) const;
};

/// The view as kernels get it. Matrices of versions may have strides below 0, and an offset outside of the storage.
[[nodiscard]] OwnedView argument(const Storage& storage, const RawView& view);
/// Whether all cells of the view lie in the storage, in an order in which strides are above 0.
[[nodiscard]] bool is_inside(const Storage& storage, const OwnedView& view);
/// The cells of the view, in an order in which strides are above 0.
[[nodiscard]] OwnedView own(const Storage& storage, const RawView& view);

class Layout {
 public:
  Layout() = default;
  /// A storage as one dimension of elements.
  Layout(std::int64_t num_elements, int element_bytes);

  [[nodiscard]] int element_bytes() const { return element_bytes_; }
  [[nodiscard]] int num_dims() const { return num_dims_; }

  /// The grid that also has the strides of `view`; nothing if they are not of one chain or the view leaves the storage.
  [[nodiscard]] std::optional<Layout> refined_for(const OwnedView& view) const;

  /// The box of exactly the cells of `view`. Pre: refined_for(view) is this layout.
  [[nodiscard]] GridBox box_of(const OwnedView& view) const;

  /// Whether two views have an element in common; true, too, if their strides are not of one chain.
  [[nodiscard]] bool may_meet(const OwnedView& a, const OwnedView& b) const;

  /// The boxes of the coarser grid `from`, stated in this one.
  [[nodiscard]] BoxSet convert(const BoxSet& boxes, const Layout& from) const;

  /// Copies that cover the boxes: contiguous parts as one row, up to two further dimensions as rows and slices.
  [[nodiscard]] std::vector<CopyShape> copy_shapes(const BoxSet& boxes) const;

  bool operator==(const Layout& other) const;

 private:
  [[nodiscard]] std::int64_t extent(int dim) const;
  [[nodiscard]] Layout with_stride(std::int64_t stride) const;
  [[nodiscard]] int dim_of_stride(std::int64_t stride) const;
  void append_copy_shapes(std::vector<CopyShape>& shapes, const GridBox& box) const;

  std::int64_t num_elements_ = 0;
  int element_bytes_ = 1;
  int num_dims_ = 0;
  std::array<std::int64_t, kMaxGridDims> strides_ = {};  // ascending; strides_[0] is 1
};

/// The boxes of the views that were asked for last. Launches ask for the same few again and again.
class KnownBoxes {
 public:
  /// The box of the view; null if it is not known. Valid until the next change.
  [[nodiscard]] const GridBox* find(const OwnedView& view) const;
  /// Pre: the view is not known
  void add(const OwnedView& view, const GridBox& box);
  void clear();

 private:
  struct Known {
    OwnedView view;
    GridBox box;
  };
  static constexpr std::size_t kMost = 4;

  boost::container::static_vector<Known, kMost> known_;
  std::size_t oldest_ = 0;  ///< which of kMost the next one replaces
};

}  // namespace pbrt::gpu
