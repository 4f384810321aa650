// SPDX-License-Identifier: MIT
#include "runtime/matrix/region_handle.h"

#include <string>

#include "runtime/config/errors.h"
#include "runtime/matrix/new_contents.h"

namespace pbrt::detail {

void extent_too_large(std::int64_t size) {
  throw UserError("a matrix cannot have " + std::to_string(size) + " elements in a dimension (0 to 2147483647)");
}

Storage* allocate_dense(ElementKind kind, int num_dims, const IndexT* sizes, std::int64_t* strides, bool is_zeroed) {
  std::int64_t count = 1;
  for (int d = 0; d < num_dims; ++d) {
    if (sizes[d] < 0)
      throw UserError("a matrix cannot have size " + std::to_string(sizes[d]) + " in dimension " + std::to_string(d));
    strides[d] = count;
    if (__builtin_mul_overflow(count, static_cast<std::int64_t>(sizes[d]), &count) || count > (INT64_MAX >> 4))
      throw UserError("a matrix of that many elements does not fit into memory");
  }
  Storage* const storage = Storage::create(static_cast<std::size_t>(count) * element_bytes(kind));
  if (is_zeroed || are_new_matrices_nan()) fill_new(*storage, kind);
  return storage;
}

}  // namespace pbrt::detail
