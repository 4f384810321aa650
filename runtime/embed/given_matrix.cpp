// SPDX-License-Identifier: MIT
#include "runtime/embed/given_matrix.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "runtime/config/errors.h"

namespace pbrt {

namespace {

static_assert(PB_MAX_RANK == kMaxDims);
static_assert(static_cast<int>(ElementKind::Double) == PB_DOUBLE && static_cast<int>(ElementKind::Float) == PB_FLOAT &&
              static_cast<int>(ElementKind::Int) == PB_INT && static_cast<int>(ElementKind::Long) == PB_LONG &&
              static_cast<int>(ElementKind::Short) == PB_SHORT && static_cast<int>(ElementKind::UChar) == PB_UCHAR &&
              static_cast<int>(ElementKind::UShort) == PB_USHORT);

/// Refuses a matrix whose cells lie further apart than memory is large, so that offsets fit into 64 bits.
void check_reach(const pb_matrix& matrix) {
  constexpr std::int64_t kMaxReach = std::int64_t{1} << 56;
  for (int d = 0; d < matrix.rank; ++d) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(std::max<std::int64_t>(matrix.extents[d], 1), matrix.strides[d], &reach) ||
        reach > kMaxReach || reach < -kMaxReach)
      throw UserError("dimension " + std::to_string(d) + " reaches beyond all memory");
  }
}

/// Gives a matrix whose strides are all 0 the strides of a dense one. Offsets that do not fit are left to check_reach.
void fill_strides(pb_matrix& matrix) {
  if (std::any_of(matrix.strides, matrix.strides + matrix.rank, [](std::int64_t stride) { return stride != 0; }))
    return;
  std::int64_t stride = 1;
  for (int d = 0; d < matrix.rank; ++d) {
    matrix.strides[d] = stride;
    if (__builtin_mul_overflow(stride, matrix.extents[d], &stride)) stride = std::numeric_limits<std::int64_t>::max();
  }
}

}  // namespace

bool is_known(pb_element element) { return element >= PB_DOUBLE && element <= PB_USHORT; }

void sizes_of(const pb_matrix& matrix, IndexT* sizes) {
  for (int d = 0; d < matrix.rank; ++d) {
    const std::int64_t extent = matrix.extents[d];
    if (extent < 0 || extent > std::numeric_limits<IndexT>::max())
      throw UserError("dimension " + std::to_string(d) + " is " + std::to_string(extent) +
                      (extent < 0 ? "" : ", larger than an index may be"));
    sizes[d] = static_cast<IndexT>(extent);
  }
}

GivenMatrix::GivenMatrix(const pb_matrix& of) : matrix_(of) {
  sizes_of(matrix_, sizes_);
  const bool has_cells = std::all_of(sizes_, sizes_ + matrix_.rank, [](IndexT size) { return size > 0; });
  if (has_cells && matrix_.data == nullptr) throw UserError("its data is null");
  fill_strides(matrix_);
  check_reach(matrix_);
  if (!has_cells) return;
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  for (int d = 0; d < matrix_.rank; ++d) {
    const std::int64_t last = (matrix_.extents[d] - 1) * matrix_.strides[d];
    (last < 0 ? lo : hi) += last;
  }
  const auto element = static_cast<std::int64_t>(element_bytes(kind()));
  begin_ = static_cast<const char*>(matrix_.data) + lo * element;
  end_ = static_cast<const char*>(matrix_.data) + (hi + 1) * element;
}

bool GivenMatrix::is_empty() const {
  return std::find(matrix_.extents, matrix_.extents + matrix_.rank, 0) != matrix_.extents + matrix_.rank;
}

GivenMatrix::Dims GivenMatrix::dims_by_stride() const {
  Dims out;
  for (int d = 0; d < matrix_.rank; ++d)
    if (matrix_.extents[d] != 1) out.dims[out.count++] = d;
  std::sort(out.begin(), out.end(), [&](int a, int b) { return stride(a) < stride(b); });
  return out;
}

bool GivenMatrix::has_own_cells() const {
  if (is_empty()) return true;
  std::int64_t last = 0;  // the largest offset of a cell so far
  for (const int d : dims_by_stride()) {
    if (stride(d) <= last) return false;
    last += (matrix_.extents[d] - 1) * stride(d);
  }
  return true;
}

bool GivenMatrix::has_nested_rows() const {
  if (is_empty()) return true;
  std::int64_t smaller = 1;
  for (const int d : dims_by_stride()) {
    if (stride(d) == 0 || stride(d) % smaller != 0) return false;
    smaller = stride(d);
  }
  return true;
}

bool GivenMatrix::has_negative_stride() const {
  return std::any_of(matrix_.strides, matrix_.strides + matrix_.rank, [](std::int64_t stride) { return stride < 0; });
}

bool GivenMatrix::is_aligned(std::uintptr_t bytes) const {
  return reinterpret_cast<std::uintptr_t>(matrix_.data) % bytes == 0;
}

bool GivenMatrix::is_box_of(const AnyMatrix& dense) const {
  if (kind() != dense.kind()) return false;
  const std::int64_t bytes = begin_ - static_cast<const char*>(dense.data());
  const auto element = static_cast<std::int64_t>(element_bytes(kind()));
  if (bytes % element != 0) return false;  // it lies across the other's cells
  std::int64_t offset = bytes / element;
  int num_crossed = 0;  // dimensions of this matrix with several cells that lie along one of the dense matrix
  int num_several = 0;
  for (int d = 0; d < num_dims(); ++d) num_several += sizes_[d] > 1 ? 1 : 0;
  for (int e = dense.num_dims() - 1; e >= 0; --e) {
    if (dense.size(e) == 1) continue;
    const std::int64_t first = offset / dense.strides()[e];
    offset %= dense.strides()[e];
    std::int64_t length = 1;
    for (int d = 0; d < num_dims(); ++d) {
      if (sizes_[d] <= 1 || matrix_.strides[d] != dense.strides()[e]) continue;
      if (length > 1) return false;  // two along one
      length = sizes_[d];
      ++num_crossed;
    }
    if (first + length > dense.size(e)) return false;
  }
  return num_crossed == num_several;
}

AnyMatrix GivenMatrix::in_place() const {
  return AnyMatrix::refer_to(matrix_.data, kind(), matrix_.rank, sizes_, matrix_.strides);
}

AnyMatrix GivenMatrix::part_of(const AnyMatrix& dense) const {
  return AnyMatrix::part_of(dense.storage_ref(), matrix_.data, kind(), matrix_.rank, sizes_, matrix_.strides);
}

void GivenMatrix::copy_cells(const AnyMatrix& dense, bool to_dense) const {
  const std::size_t element = element_bytes(dense.kind());
  const auto step = static_cast<std::int64_t>(element);
  const std::int64_t row = matrix_.rank == 0 ? 1 : matrix_.extents[0];
  const std::int64_t stride = matrix_.rank == 0 ? 0 : matrix_.strides[0] * step;
  std::int64_t at[PB_MAX_RANK] = {};
  char* packed = static_cast<char*>(dense.data());
  for (std::int64_t left = dense.count(); left > 0; left -= row) {
    char* cell = static_cast<char*>(matrix_.data);
    for (int d = 1; d < matrix_.rank; ++d) cell += at[d] * matrix_.strides[d] * step;
    for (std::int64_t i = 0; i < row; ++i, cell += stride, packed += element)
      std::memcpy(to_dense ? packed : cell, to_dense ? cell : packed, element);
    for (int d = 1; d < matrix_.rank && ++at[d] == matrix_.extents[d]; ++d) at[d] = 0;
  }
}

}  // namespace pbrt
