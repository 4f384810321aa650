// SPDX-License-Identifier: MIT
#include "runtime/matrix/any_matrix.h"

#include <algorithm>
#include <cstring>

#include "runtime/config/runtime_check.h"
#include "runtime/matrix/visit_kind.h"

namespace pbrt {

AnyMatrix::AnyMatrix(const StorageRef& storage, void* data, ElementKind kind, int num_dims, const IndexT* sizes,
                     const std::int64_t* strides)
    : kind_(kind), num_dims_(num_dims), storage_(storage), data_(data) {
  std::copy_n(sizes, num_dims, sizes_);
  std::copy_n(strides, num_dims, strides_);
}

AnyMatrix AnyMatrix::allocate(ElementKind kind, int num_dims, const IndexT* sizes) {
  PBRT_CHECK(num_dims >= 0 && num_dims <= kMaxDims, "matrices have up to nine dimensions");
  std::int64_t strides[kMaxDims] = {};
  const StorageRef storage = StorageRef::adopt(detail::allocate_dense(kind, num_dims, sizes, strides));
  return AnyMatrix(storage, storage.get()->data(), kind, num_dims, sizes, strides);
}

AnyMatrix AnyMatrix::refer_to(void* data, ElementKind kind, int num_dims, const IndexT* sizes,
                              const std::int64_t* strides) {
  std::int64_t last = 0;
  bool has_cells = true;
  for (int d = 0; d < num_dims; ++d) {
    last += (sizes[d] - 1) * strides[d];
    has_cells = has_cells && sizes[d] > 0;
  }
  const std::size_t cells = has_cells ? static_cast<std::size_t>(last) + 1 : 0;
  const StorageRef storage = StorageRef::adopt(Storage::refer_to(data, cells * element_bytes(kind)));
  return part_of(storage, data, kind, num_dims, sizes, strides);
}

AnyMatrix AnyMatrix::part_of(const StorageRef& storage, void* data, ElementKind kind, int num_dims, const IndexT* sizes,
                             const std::int64_t* strides) {
  return AnyMatrix(storage, data, kind, num_dims, sizes, strides);
}

std::int64_t AnyMatrix::count() const {
  std::int64_t product = 1;
  for (int d = 0; d < num_dims_; ++d) product *= sizes_[d];
  return product;
}

std::array<std::int64_t, kMaxDims> AnyMatrix::coordinates(std::int64_t i) const {
  std::array<std::int64_t, kMaxDims> out{};
  for (int d = 0; d < num_dims_; ++d) {
    out[static_cast<std::size_t>(d)] = i % sizes_[d];
    i /= sizes_[d];
  }
  return out;
}

double AnyMatrix::number_at(std::int64_t i) const {
  return visit_kind(kind_, [&]<class T>(T*) { return static_cast<double>(static_cast<const T*>(data())[i]); });
}

AnyMatrix AnyMatrix::clone() const {
  if (is_empty()) return AnyMatrix();
  AnyMatrix result = allocate(kind_, num_dims_, sizes_);
  result.copy_from(*this);
  return result;
}

void AnyMatrix::copy_from(const AnyMatrix& other) const {
  PBRT_CHECK(has_same_shape(other), "copies are between matrices of the same shape");
  if (bytes() != 0) std::memcpy(data(), other.data(), static_cast<std::size_t>(bytes()));
}

bool AnyMatrix::has_same_shape(const AnyMatrix& other) const {
  if (kind_ != other.kind_ || num_dims_ != other.num_dims_) return false;
  for (int d = 0; d < num_dims_; ++d)
    if (sizes_[d] != other.sizes_[d]) return false;
  return true;
}

void AnyMatrix::check_type(ElementKind kind, int num_dims) const {
  PBRT_CHECK(kind == kind_ && num_dims == num_dims_ && !is_empty(), "a matrix is used with its own type");
}

}  // namespace pbrt
