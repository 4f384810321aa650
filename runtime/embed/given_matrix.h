// SPDX-License-Identifier: MIT
// A matrix as a library's caller describes it: what its description may say, where its cells lie, and copies of them.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "runtime/embed/polybricks.h"
#include "runtime/matrix/any_matrix.h"

namespace pbrt {

class GivenMatrix {
 public:
  /// Strides that are all 0 become those of a dense matrix. The contents are not looked at.
  ///
  /// Pre:     `of` has a known element type and a rank that matrices may have
  /// Errors:  UserError if an extent is negative or no index holds it, if a matrix with cells has none, or if they lie
  ///          further apart than memory is large
  explicit GivenMatrix(const pb_matrix& of);

  [[nodiscard]] ElementKind kind() const { return static_cast<ElementKind>(matrix_.element); }
  [[nodiscard]] int num_dims() const { return matrix_.rank; }
  [[nodiscard]] const IndexT* sizes() const { return sizes_; }
  // The memory in which the cells lie; empty if there are none.
  [[nodiscard]] const char* begin() const { return begin_; }
  [[nodiscard]] const char* end() const { return end_; }
  [[nodiscard]] bool overlaps(const GivenMatrix& other) const { return begin_ < other.end_ && other.begin_ < end_; }
  /// Whether each cell certainly has a place of its own: each stride leads beyond all cells of the dimensions with
  /// smaller strides.
  [[nodiscard]] bool has_own_cells() const;
  /// Whether each stride is a multiple of the smaller ones, as those of a box of a larger matrix are. Where devices
  /// have parts of a matrix, the runtime knows its cells by such rows within rows (runtime/gpu/layout.h).
  [[nodiscard]] bool has_nested_rows() const;
  [[nodiscard]] bool has_negative_stride() const;
  [[nodiscard]] bool is_aligned(std::uintptr_t bytes) const;

  /// Whether the cells are a box of a dense matrix in whose memory they lie.
  [[nodiscard]] bool is_box_of(const AnyMatrix& dense) const;

  /// The matrix where it lies. Pre: no stride is negative
  ///
  /// Errors:  RuntimeError if there is no memory
  [[nodiscard]] AnyMatrix in_place() const;
  /// The matrix as a part of another one. Pre: is_box_of(dense)
  [[nodiscard]] AnyMatrix part_of(const AnyMatrix& dense) const;
  /// The cells as a part of a dense matrix in whose memory they lie; all of that matrix if they are no box of it.
  [[nodiscard]] AnyMatrix hull_in(const AnyMatrix& dense) const { return is_box_of(dense) ? part_of(dense) : dense; }

  // Copy the cells to and from a dense matrix of the same sizes.
  void copy_to(const AnyMatrix& dense) const { copy_cells(dense, true); }
  void copy_from(const AnyMatrix& dense) const { copy_cells(dense, false); }

 private:
  struct Dims {
    int dims[PB_MAX_RANK] = {};
    int count = 0;
    [[nodiscard]] int* begin() { return dims; }
    [[nodiscard]] int* end() { return dims + count; }
  };
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] std::int64_t stride(int dim) const { return std::abs(matrix_.strides[dim]); }
  /// The dimensions with more than one cell, that of the smallest stride first.
  [[nodiscard]] Dims dims_by_stride() const;
  void copy_cells(const AnyMatrix& dense, bool to_dense) const;

  pb_matrix matrix_;
  IndexT sizes_[PB_MAX_RANK] = {};
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

/// Whether the interface has this element type.
[[nodiscard]] bool is_known(pb_element element);

/// The extents as sizes of a matrix.
///
/// Errors:  UserError if one is negative, or no index holds it
void sizes_of(const pb_matrix& matrix, IndexT* sizes);

}  // namespace pbrt
