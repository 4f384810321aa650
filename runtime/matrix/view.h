// SPDX-License-Identifier: MIT
// Views of matrix elements without ownership: pointer, sizes, strides. Hot bodies work on
// these (all in registers); owning handles (region_handle.h) hold one. Members as in docs/reference/language.md 7.6.
// A build with PB_CHECKED tests every index, one with PB_CHECKED_COPIES that each element is on the host
// (access_watch.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/members.h"

/// Before a loop whose iterations are independent: compilers need not look for dependences.
#if defined(__clang__)
#define PB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define PB_INDEPENDENT _Pragma("GCC ivdep")
#endif
/// Marks functions that hold the loops over instances. They are not inlined: compilers know that the views are apart
/// only as long as they are parameters.
///
/// GCC 12 analyses calls across functions. It takes some of these functions for ones without effect and removes their
/// calls (test: outputs/even_cells of tests/conformance). `noipa` keeps them out of that analysis. They lose nothing by
/// it, because they are long.
#ifdef __clang__
#define PB_LOOPS [[gnu::noinline]] static
#else
#define PB_LOOPS [[gnu::noipa]] static
#endif
/// Marks functions that run a step over a box: they are called from several places, and long beside a call.
#define PB_STEP [[gnu::noinline]] static
/// Marks functions that are called rarely or whose work is elsewhere: compilers keep them small, out of the way and do
/// so quickly.
#define PB_COLD [[gnu::cold, gnu::noinline]]
/// Marks lambdas and functions that only prefetch: compilers take a call of such a function for one without effect, and
/// remove it.
#define PB_PREFETCHES __attribute__((always_inline))

namespace pbrt {

/// Whether both have the same elements at the same positions.
[[nodiscard]] bool is_same_view(const RawView& a, const RawView& b);

namespace detail {
/// The type in which an index of type `I` is taken, or indices of several types. Those of 64 bits with a sign stay as
/// they are: compilers make no vectors of a loop whose counter might wrap. Others become IndexT, so that 0u - 1 means
/// -1.
template <class... I>
using IndexOf =
    std::conditional_t<((std::is_integral_v<I> && std::is_signed_v<I> && sizeof(I) == sizeof(std::int64_t)) || ...),
                       std::int64_t, IndexT>;

[[noreturn]] void index_out_of_bounds(int dim, std::int64_t index, std::int64_t size);
[[noreturn]] void box_out_of_bounds(int dim, std::int64_t lo, std::int64_t hi, std::int64_t size);

/// The round of a loop, and of loops inside, that stores to a cell.
struct StoringRound {
  static constexpr int kMaxLoops = 3;
  int num_loops = 0;
  const char* variables[kMaxLoops] = {};
  std::int64_t values[kMaxLoops] = {};
};
[[noreturn]] void stored_twice(const char* region, const std::int64_t* at, int num_dims, const StoringRound& first,
                               const StoringRound& second);
inline void check_index(const IndexT* sizes, const std::int64_t* at, int num_dims) {
  for (int d = 0; d < num_dims; ++d)
    if (at[d] < 0 || at[d] >= sizes[d]) index_out_of_bounds(d, at[d], sizes[d]);
}
inline void check_box(int dim, std::int64_t lo, std::int64_t hi, std::int64_t size) {
  if (hi < lo || (hi > lo && (lo < 0 || hi > size))) box_out_of_bounds(dim, lo, hi, size);
}
#ifdef PB_CHECKED_COPIES
// access_watch.h
void check_access(const void* first, std::size_t size_bytes);
void check_view_access(const RawView& view);
#endif

/// Distances of neighbours per dimension.
template <int N, bool kUnit>
class Strides {
 public:
  [[nodiscard]] const std::int64_t* data() const { return strides_; }
  [[nodiscard]] std::int64_t get(int d) const { return kUnit && d == 0 ? 1 : strides_[d]; }
  void set(int d, std::int64_t stride) { strides_[d] = stride; }

 private:
  std::int64_t strides_[N] = {};
};
/// A view of one dimension with unit stride has no stride to keep: it is passed in two registers.
template <>
class Strides<1, true> {
 public:
  [[nodiscard]] const std::int64_t* data() const { return kOne; }
  [[nodiscard]] std::int64_t get(int) const { return 1; }
  void set(int, std::int64_t) {}

 private:
  static constexpr std::int64_t kOne[] = {1};
};
template <bool kUnit>
class Strides<0, kUnit> {
 public:
  [[nodiscard]] const std::int64_t* data() const { return nullptr; }
  [[nodiscard]] std::int64_t get(int) const { return 0; }
  void set(int, std::int64_t) {}
};
}  // namespace detail

/// Pointer, sizes and strides of an N-dimensional box of elements. `E` may be const.
/// With `kUnit` the stride of dimension 0 is the constant 1, so that compilers vectorise. With `kApart` compilers may
/// take it that nobody else touches these elements while the view is a parameter; views made from it do not say so
/// themselves.
template <class E, int N, bool kUnit, bool kApart = false>
class BasicView : public ShapeMembers<BasicView<E, N, kUnit, kApart>, E, N>,
                  public ContentMembers<BasicView<E, N, kUnit, kApart>, N> {
 public:
  using Element = E;
  using Pointer = std::conditional_t<kApart, E* __restrict, E*>;
  static constexpr int kDims = N;
  static constexpr bool kIsUnit = kUnit;
  static constexpr int kSlots = N == 0 ? 1 : N;

  BasicView() = default;
  BasicView(E* base, const IndexT* sizes, const std::int64_t* strides) : base_(base) {
    for (int d = 0; d < N; ++d) sizes_[d] = sizes[d];
    for (int d = 0; d < N; ++d) strides_.set(d, strides[d]);
  }
  /// Makes a view of the same elements: mutable becomes const, unit stride general, and, only where the caller has
  /// tested `has_unit_stride()` or `is_apart`, general becomes unit or apart.
  template <class F, bool kOther, bool kOtherApart>
  requires(std::is_same_v<F, E> || std::is_same_v<const F, E>) explicit((kUnit && !kOther) || (kApart && !kOtherApart))
      BasicView(const BasicView<F, N, kOther, kOtherApart>& other)
      : BasicView(other.address(), other.sizes(), other.multipliers()) {}

  /// Address of the first element. The caller may access all elements of the view through it.
  [[nodiscard]] E* base() const {
    check_all();
    return base_;
  }
  /// Address of the first element, for callers that access no element through it, or test the accesses themselves.
  [[nodiscard]] E* address() const { return base_; }
  [[nodiscard]] const IndexT* sizes() const { return sizes_; }
  [[nodiscard]] const std::int64_t* multipliers() const { return strides_.data(); }
  [[nodiscard]] std::int64_t stride(int d) const { return strides_.get(d); }
  /// True if neighbours in dimension 0 are neighbours in memory.
  [[nodiscard]] bool has_unit_stride() const {
    if constexpr (N == 0 || kUnit) return true;
    return strides_.get(0) == 1;
  }
  /// True if elements follow one another in memory without gaps, x fastest.
  [[nodiscard]] bool is_dense() const {
    std::int64_t expected = 1;
    for (int d = 0; d < N; ++d) {
      if (sizes_[d] != 1 && stride(d) != expected) return false;
      expected *= sizes_[d];
    }
    return true;
  }

  [[nodiscard]] IndexT size(int d) const { return sizes_[d]; }

  /// The element at the indices, one per dimension, of any arithmetic type.
  template <class... I>
  requires(sizeof...(I) == N) [[nodiscard]] E& cell(I... indices) const {
    if constexpr (N == 0) {
      check_all();
      return *base_;
    } else {
#ifdef PB_CHECKED
      const std::int64_t wanted[] = {static_cast<std::int64_t>(indices)...};
      detail::check_index(sizes_, wanted, N);
#endif
      const detail::IndexOf<I...> at[] = {static_cast<detail::IndexOf<I>>(indices)...};
#ifdef PB_CHECKED_COPIES
      detail::check_access(base_ + offset_of(at), sizeof(E));
#endif
      return base_[offset_of(at)];
    }
  }

  /// Address of an element for a prefetch: the indices may lie outside.
  template <class... I>
  requires(sizeof...(I) == N) [[nodiscard]] const void* line_of(I... indices) const {
    const IndexT at[] = {static_cast<IndexT>(indices)...};
    const auto offset = static_cast<std::uintptr_t>(offset_of(at)) * sizeof(E);
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base_) + offset);
  }

  /// A view of the box from all begins (inclusive) to all ends (exclusive).
  template <class... I>
  requires(sizeof...(I) == 2 * N) [[nodiscard]] BasicView<E, N, kUnit> region(I... bounds) const {
    if constexpr (N == 0) {
      return *this;
    } else {
#ifdef PB_CHECKED
      const std::int64_t wanted[] = {static_cast<std::int64_t>(bounds)...};
      for (int d = 0; d < N; ++d) detail::check_box(d, wanted[d], wanted[N + d], sizes_[d]);
#endif
      const IndexT at[] = {static_cast<IndexT>(bounds)...};
      BasicView<E, N, kUnit> result(*this);
      for (int d = 0; d < N; ++d) {
        result.sizes_[d] = at[N + d] > at[d] ? at[N + d] - at[d] : 0;
      }
      result.base_ = base_ + offset_of(at);
      return result;
    }
  }

  [[nodiscard]] auto slice(int dim, std::int64_t position) const requires(N >= 1) { return drop<false>(dim, position); }
  /// A view of the part at position `k` of the last dimension: one version of a matrix with versions.
  [[nodiscard]] auto version(std::int64_t k) const requires(N >= 2) { return drop<kUnit>(N - 1, k); }
  [[nodiscard]] auto row(std::int64_t y) const requires(N >= 2) { return drop<kUnit>(1, y); }
  [[nodiscard]] auto col(std::int64_t x) const requires(N >= 1) { return drop<false>(0, x); }
  [[nodiscard]] auto column(std::int64_t x) const requires(N >= 1) { return drop<false>(0, x); }
  [[nodiscard]] BasicView<E, N, kUnit> all() const { return *this; }
  [[nodiscard]] auto transposed() const {
    BasicView<E, N, (kUnit && N == 1)> result;
    result.base_ = base_;
    for (int d = 0; d < N; ++d) {
      result.sizes_[d] = sizes_[N - 1 - d];
      result.strides_.set(d, stride(N - 1 - d));
    }
    return result;
  }

  [[nodiscard]] RawView raw() const {
    using Plain = std::remove_const_t<E>;
    return RawView{kElementKindOf<Plain>, N, const_cast<Plain*>(base_), sizes_, strides_.data()};
  }

 private:
  template <class F, int M, bool kOther, bool kOtherApart>
  friend class BasicView;

  void check_all() const {
#ifdef PB_CHECKED_COPIES
    detail::check_view_access(raw());
#endif
  }
  template <class Index>
  [[nodiscard]] std::int64_t offset_of(const Index* at) const {
    std::int64_t offset = 0;
    for (int d = 0; d < N; ++d) offset += static_cast<std::int64_t>(at[d]) * stride(d);
    return offset;
  }
  template <bool kResultUnit>
  [[nodiscard]] BasicView<E, N - 1, kResultUnit> drop(int dim, std::int64_t position) const {
#ifdef PB_CHECKED
    if (position < 0 || position >= sizes_[dim]) detail::index_out_of_bounds(dim, position, sizes_[dim]);
#endif
    BasicView<E, N - 1, kResultUnit> result;
    result.base_ = base_ + position * stride(dim);
    for (int d = 0, to = 0; d < N; ++d) {
      if (d == dim) continue;
      result.sizes_[to] = sizes_[d];
      result.strides_.set(to++, stride(d));
    }
    return result;
  }
  Pointer base_ = nullptr;
  IndexT sizes_[kSlots] = {};
  [[no_unique_address]] detail::Strides<N, kUnit> strides_;
};

static_assert(sizeof(BasicView<double, 1, true>) == 16, "a row is passed in two registers");

template <class E, int N>
using View = BasicView<E, N, false>;
template <class E, int N>
using UnitView = BasicView<E, N, true>;

namespace detail {
/// The addresses between which a view's elements lie.
struct AddressRange {
  std::uintptr_t begin, end;
};
template <class View>
[[nodiscard]] inline AddressRange address_range(const View& view) {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  for (int d = 0; d < View::kDims; ++d) {
    const std::int64_t span = (static_cast<std::int64_t>(view.size(d)) - 1) * view.stride(d);
    (span < 0 ? lo : hi) += span;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(view.address());
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(typename View::Element));
  return {base + static_cast<std::uintptr_t>(lo * kBytes), base + static_cast<std::uintptr_t>((hi + 1) * kBytes)};
}
/// Whether boxes of one matrix whose addresses interleave have no cell in common; false where that is hard to say.
[[nodiscard]] bool are_boxes_apart(const RawView& a, const RawView& b);
}  // namespace detail

/// Whether two views have no element of memory in common, where that is easily seen.
template <class A, class B>
[[nodiscard]] inline bool is_apart(const A& a, const B& b) {
  const detail::AddressRange of_a = detail::address_range(a);
  const detail::AddressRange of_b = detail::address_range(b);
  if (of_a.end <= of_b.begin || of_b.end <= of_a.begin) [[likely]]
    return true;
  return detail::are_boxes_apart(a.raw(), b.raw());
}

/// The end of a loop over cells.
struct CellsEnd {};

/// Visits the elements of a view in the order of their indices, dimension 0 fastest: `for (double v : view)`.
template <class View>
class CellIterator {
 public:
  explicit CellIterator(const View& view) : view_(view) {
    // Without elements the beginning is the end.
    if (view.count() == 0) at_[kLast] = view.size(kLast);
  }
  [[nodiscard]] typename View::Element& operator*() const {
    return [this]<int... kDim>(std::integer_sequence<int, kDim...>)->typename View::Element& {
      return view_.cell(at_[kDim]...);
    }
    (std::make_integer_sequence<int, View::kDims>());
  }
  CellIterator& operator++() {
    for (int d = 0; d < kLast; ++d) {
      if (++at_[d] < view_.size(d)) return *this;
      at_[d] = 0;
    }
    ++at_[kLast];
    return *this;
  }
  [[nodiscard]] bool operator==(CellsEnd) const { return at_[kLast] >= view_.size(kLast); }

 private:
  static constexpr int kLast = View::kDims - 1;
  View view_;
  IndexT at_[View::kDims] = {};
};

template <class E, int N, bool kUnit, bool kApart>
requires(N >= 1) [[nodiscard]] auto begin(const BasicView<E, N, kUnit, kApart>& view) {
  return CellIterator<BasicView<E, N, kUnit>>(BasicView<E, N, kUnit>(view));
}
/// Of a handle. Pre: the handle outlives the iterator.
template <class Region>
requires(Region::kDims >= 1) [[nodiscard]] auto begin(const Region& region) -> decltype(begin(region.view())) {
  return begin(region.view());
}
template <class Region>
requires(Region::kDims >= 1) [[nodiscard]] CellsEnd end(const Region&) { return {}; }

/// Whether two views have an element of memory in common: exact for any strides, and slow beside `is_apart`.
[[nodiscard]] bool have_common_element(const RawView& a, const RawView& b);

}  // namespace pbrt
