// SPDX-License-Identifier: MIT
// A matrix whose type and dimension are known at run time only: what program_main reads,
// allocates, hands to generated code and writes. A whole, dense buffer (or empty), unless it describes memory of a
// library's caller, or a part of another matrix.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/matrix/region_handle.h"

namespace pbrt {

class AnyMatrix {
 public:
  AnyMatrix() = default;

  /// A new matrix, content undefined; dense, x fastest.
  ///
  /// Pre:     0 <= num_dims <= kMaxDims
  /// Errors:  RuntimeError if a size is negative or there is not so much memory
  [[nodiscard]] static AnyMatrix allocate(ElementKind kind, int num_dims, const IndexT* sizes);

  /// A matrix in memory that belongs to somebody else and lives longer. `data` is its first cell.
  ///
  /// Pre:     0 <= num_dims <= kMaxDims; sizes and strides are not negative
  /// Errors:  RuntimeError if there is no memory
  [[nodiscard]] static AnyMatrix refer_to(void* data, ElementKind kind, int num_dims, const IndexT* sizes,
                                          const std::int64_t* strides);
  /// A matrix in a storage that it shares. `data` is its first cell.
  ///
  /// Pre:     as of refer_to; its cells lie in the storage
  [[nodiscard]] static AnyMatrix part_of(const StorageRef& storage, void* data, ElementKind kind, int num_dims,
                                         const IndexT* sizes, const std::int64_t* strides);

  [[nodiscard]] ElementKind kind() const { return kind_; }
  [[nodiscard]] int num_dims() const { return num_dims_; }
  [[nodiscard]] IndexT size(int d) const { return sizes_[d]; }
  [[nodiscard]] const IndexT* sizes() const { return sizes_; }
  [[nodiscard]] const std::int64_t* strides() const { return strides_; }
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] std::int64_t bytes() const { return count() * static_cast<std::int64_t>(element_bytes(kind_)); }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] const StorageRef& storage_ref() const { return storage_; }
  [[nodiscard]] bool is_empty() const { return storage_.get() == nullptr; }

  /// The coordinates of element `i` in memory order.
  ///
  /// Pre:     the matrix is dense
  [[nodiscard]] std::array<std::int64_t, kMaxDims> coordinates(std::int64_t i) const;
  /// Element `i` in memory order, as a double (64-bit integers are rounded).
  [[nodiscard]] double number_at(std::int64_t i) const;
  /// A matrix of the same type and sizes with the same content.
  [[nodiscard]] AnyMatrix clone() const;
  /// Copies the content of a matrix of the same type and sizes.
  void copy_from(const AnyMatrix& other) const;
  [[nodiscard]] bool has_same_shape(const AnyMatrix& other) const;
  [[nodiscard]] RawView raw() const { return RawView{kind_, num_dims_, data(), sizes_, strides_}; }

  /// The typed handle. Pre: `T` and `N` are this matrix's own (checked).
  template <class T, int N>
  [[nodiscard]] PB_COLD MatrixRegion<T, N> as() const {
    check_type(kElementKindOf<T>, N);
    return MatrixRegion<T, N>(storage_, View<T, N>(static_cast<T*>(data()), sizes_, strides_));
  }

 private:
  AnyMatrix(const StorageRef& storage, void* data, ElementKind kind, int num_dims, const IndexT* sizes,
            const std::int64_t* strides);
  void check_type(ElementKind kind, int num_dims) const;

  ElementKind kind_ = ElementKind::Double;
  int num_dims_ = 0;
  IndexT sizes_[kMaxDims] = {};
  std::int64_t strides_[kMaxDims] = {};
  StorageRef storage_;
  void* data_ = nullptr;  ///< in the storage
};

}  // namespace pbrt
