// SPDX-License-Identifier: MIT
// Members of the language that views (view.h) and handles (region_handle.h) have alike (docs/reference/language.md
// 7.6), as base classes without data. `M` is the view or handle that derives from them.
#pragma once

#include <cstdint>

#include "runtime/matrix/element_kind.h"

namespace pbrt {

/// A view of any type and dimension, for code that is not a template. Does not own anything.
struct RawView {
  ElementKind kind = ElementKind::Double;
  int num_dims = 0;
  void* base = nullptr;                   ///< element (0, …, 0)
  const IndexT* sizes = nullptr;          ///< num_dims of them
  const std::int64_t* strides = nullptr;  ///< in elements
};

namespace detail {
void fill_random(const RawView& view);
void print_view(const RawView& view);
std::uint64_t hash_view(const RawView& view, std::uint64_t seed);
/// Copies the elements of `src`, x fastest. Both have the same sizes and kinds.
void copy_view(const RawView& dst, const RawView& src);
[[noreturn]] void copy_size_mismatch();
}  // namespace detail

/// What follows from the sizes. `M` has `size(d)`.
template <class M, class E, int N>
class ShapeMembers {
 public:
  [[nodiscard]] IndexT width() const requires(N >= 1) { return self().size(0); }
  [[nodiscard]] IndexT height() const requires(N >= 2) { return self().size(1); }
  [[nodiscard]] IndexT depth() const requires(N >= 3) { return self().size(2); }
  [[nodiscard]] std::int64_t count() const {
    std::int64_t product = 1;
    for (int d = 0; d < N; ++d) product *= self().size(d);
    return product;
  }
  [[nodiscard]] std::int64_t perimeter() const {
    std::int64_t sum = 0;
    for (int d = 0; d < N; ++d) sum += self().size(d);
    return sum;
  }
  [[nodiscard]] std::int64_t bytes() const { return count() * static_cast<std::int64_t>(sizeof(E)); }

  /// Whether there is a cell at the indices, one per dimension.
  template <class... I>
  requires(sizeof...(I) == N) [[nodiscard]] bool contains(I... indices) const {
    const std::int64_t at[] = {static_cast<std::int64_t>(indices)..., 0};
    for (int d = 0; d < N; ++d)
      if (at[d] < 0 || at[d] >= self().size(d)) return false;
    return true;
  }
  template <class... I>
  requires(sizeof...(I) == N) [[nodiscard]] bool isSize(I... sizes) const {
    const std::int64_t expected[] = {static_cast<std::int64_t>(sizes)..., 0};
    for (int d = 0; d < N; ++d)
      if (expected[d] != self().size(d)) return false;
    return true;
  }

 private:
  [[nodiscard]] const M& self() const { return static_cast<const M&>(*this); }
};

/// What works on all elements at once. `M` has `raw()`, and `base()`, which says that all elements may be accessed.
template <class M, int N>
class ContentMembers {
 public:
  void randomize() const { detail::fill_random(accessed()); }
  void print() const { detail::print_view(accessed()); }
  [[nodiscard]] std::uint64_t hash(std::uint64_t seed = 0) const { return detail::hash_view(accessed(), seed); }
  /// Copies all elements to `dst`, a view or handle of the same element type.
  ///
  /// Errors:  RuntimeError if the sizes differ
  template <class To>
  void copyTo(const To& dst) const {
    static_assert(To::kDims == N);
    for (int d = 0; d < N; ++d)
      if (dst.size(d) != self().size(d)) detail::copy_size_mismatch();
    const RawView from = accessed();
    static_cast<void>(dst.base());
    detail::copy_view(dst.raw(), from);
  }

  /// Hints of the language. The data is on the host already: generated code has seen to it.
  void useOnCpu(IndexT = 0) const {}
  void modifyOnCpu(IndexT = 0) const {}

 private:
  [[nodiscard]] const M& self() const { return static_cast<const M&>(*this); }
  [[nodiscard]] RawView accessed() const {
    static_cast<void>(self().base());
    return self().raw();
  }
};

/// Parts of one dimension less that have a name. `M` has `slice(dim, position)`.
template <class M, int N>
class SliceMembers {
 public:
  /// The part at position `k` of the last dimension: one version of a matrix with versions.
  [[nodiscard]] auto version(std::int64_t k) const requires(N >= 2) { return self().slice(N - 1, k); }
  [[nodiscard]] auto row(std::int64_t y) const requires(N >= 2) { return self().slice(1, y); }
  [[nodiscard]] auto col(std::int64_t x) const { return self().slice(0, x); }
  [[nodiscard]] auto column(std::int64_t x) const { return self().slice(0, x); }

 private:
  [[nodiscard]] const M& self() const { return static_cast<const M&>(*this); }
};

}  // namespace pbrt
