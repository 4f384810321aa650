// SPDX-License-Identifier: MIT
// Leads from an ElementKind to its C++ type, for the few functions of the runtime that handle matrices of any type. Not
// for generated code.
#pragma once

#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/members.h"

namespace pbrt {

/// Calls `f` with a null pointer of the element type: `visit_kind(k, [&]<class T>(T*) { … })`.
template <class F>
decltype(auto) visit_kind(ElementKind kind, F&& f) {
  switch (kind) {
    case ElementKind::Double:
      break;
    case ElementKind::Float:
      return f(static_cast<float*>(nullptr));
    case ElementKind::Int:
      return f(static_cast<int*>(nullptr));
    case ElementKind::Long:
      return f(static_cast<long*>(nullptr));
    case ElementKind::Short:
      return f(static_cast<short*>(nullptr));
    case ElementKind::UChar:
      return f(static_cast<unsigned char*>(nullptr));
    case ElementKind::UShort:
      return f(static_cast<unsigned short*>(nullptr));
  }
  return f(static_cast<double*>(nullptr));
}

/// Calls `f(offset)` for the offset of each element of a view, x fastest.
template <class F>
void for_each_offset(const RawView& view, F&& f) {
  for (int d = 0; d < view.num_dims; ++d)
    if (view.sizes[d] <= 0) return;
  IndexT at[kMaxDims] = {};
  std::int64_t offset = 0;
  const std::int64_t width = view.num_dims == 0 ? 1 : view.sizes[0];
  const std::int64_t step = view.num_dims == 0 ? 0 : view.strides[0];
  for (;;) {
    for (std::int64_t x = 0; x < width; ++x) f(offset + x * step);
    int d = 1;
    for (; d < view.num_dims; ++d) {
      offset += view.strides[d];
      if (++at[d] < view.sizes[d]) break;
      offset -= view.strides[d] * view.sizes[d];
      at[d] = 0;
    }
    if (d >= view.num_dims) return;
  }
}

}  // namespace pbrt
