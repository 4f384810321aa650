// SPDX-License-Identifier: MIT
// Matrices of which steps need two versions at a time: the last dimension is that of the versions, and each version is
// made from the one before. Such a matrix has memory for two of them, or for one, where each version may take the place
// of the one before. What is read and written while version `k` is
// made goes through a handle that has versions `k` and `k - 1` in their places; other versions are elsewhere, and
// nothing may touch them. Generated code includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/matrix/new_contents.h"
#include "runtime/matrix/region_handle.h"

namespace pbrt {

/// Makes a new matrix of the given sizes, with memory for `num_kept` versions, 1 or 2. All versions have memory where
/// the user wants to see which cells nothing wrote.
///
/// Errors:  as BasicRegion::allocate
template <class Region, class... I>
[[nodiscard]] Region allocate_versions(IndexT num_kept, I... sizes) {
  constexpr int kDims = Region::kDims;
  static_assert(kDims >= 2 && sizeof...(I) == kDims);
#ifdef PB_CHECKED_COPIES
  constexpr bool kKeepsAll = true;
#else
  constexpr bool kKeepsAll = false;
#endif
  const IndexT wanted[] = {detail::extent_of(sizes)...};
  if (kKeepsAll || wanted[kDims - 1] <= num_kept || are_new_matrices_nan()) return Region::allocate(sizes...);
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    const Region kept = Region::allocate((D + 1 == kDims ? num_kept : wanted[D])...);
    return Region(kept.storage_ref(), typename Region::ViewType(kept.view().address(), wanted, kept.multipliers()));
  }
  (std::make_index_sequence<kDims>());
}

/// Returns the matrix as it is while `version` is made, or read: the same handle if all versions have memory. It is
/// borrowed.
template <class E, int N>
[[nodiscard]] BasicRegion<E, N> at_version(const BasicRegion<E, N>& matrix, std::int64_t version) {
  const std::int64_t stride = matrix.view().stride(N - 1);
  const Storage* const storage = matrix.storage_ref().get();
  if (storage == nullptr) return matrix.borrowed();
  const std::int64_t bytes = static_cast<std::int64_t>(sizeof(E)) * stride;
  const auto kept_bytes = static_cast<std::int64_t>(storage->bytes());
  if (bytes * matrix.size(N - 1) <= kept_bytes) return matrix.borrowed();
  // Even versions come first in memory, odd ones after them: from the version before, memory goes up or down.
  const std::int64_t way = kept_bytes < 2 * bytes ? 0 : version % 2 != 0 ? stride : -stride;
  std::int64_t strides[N];
  for (int d = 0; d < N; ++d) strides[d] = matrix.view().stride(d);
  strides[N - 1] = way;
  E* const first = matrix.view().address() + (version % 2 != 0 ? way : 0) - version * way;
  return BasicRegion<E, N>::lent_by(matrix.storage_ref(), View<E, N>(first, matrix.sizes(), strides));
}

}  // namespace pbrt
