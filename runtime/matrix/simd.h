// SPDX-License-Identifier: MIT
// Packs: the values that one scalar of a rule body has in neighbouring instances. pbc prints
// the bodies of data-parallel rules once more on packs, so that the innermost loop over
// instances is vector code whatever loops the body holds. Only generated code includes this.
//
// A pack covers kRows rows of kPacks vectors of kLanes instances. Several rows share what
// they read (a convolution's rows overlap); several vectors hide the latency of arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/matrix/strips.h"
#include "runtime/matrix/view.h"

#define PB_SIMD_INLINE [[gnu::always_inline]] inline

#define PB_SIMD_LAMBDA __attribute__((always_inline))

namespace pbrt::simd {

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
inline constexpr int kTallRows = 8;  ///< rows for processors with 32 registers: 8 sums and 8 values in flight
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
inline constexpr int kTallRows = 4;
#else
inline constexpr int kVectorBytes = 16;
inline constexpr int kTallRows = 4;
#endif

template <int Lanes, int Packs, int Rows>
struct Shape {
  static constexpr int kLanes = Lanes, kPacks = Packs, kRows = Rows, kCount = Packs * Rows;
  static constexpr int kWidth = Lanes * Packs;
  static constexpr auto kIndices = std::make_index_sequence<static_cast<std::size_t>(Packs) * Rows>();
};

/// The shape of a pack of one instance.
using One = Shape<1, 1, 1>;

/// Shapes for bodies whose widest type is T: over several rows, over one row, and for what is left of a row.
template <class T>
struct Shapes {
  static constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));
  using Tall = Shape<kLanes, 1, kTallRows>;
  using Flat = Shape<kLanes, 4, 1>;
  using Narrow = Shape<kLanes, 1, 1>;
  // Number of lanes in parts of a vector, for the rest of a row that must not be computed twice.
  static constexpr int kHalf = kVectorBytes >= 32 ? kLanes / 2 : kLanes;
  using Half = Shape<kHalf, 1, 1>;
  using Quarter = Shape<kVectorBytes >= 64 ? kLanes / 4 : kHalf, 1, 1>;
};

/// Shapes for bodies with loops that have masks: their values and masks need more registers.
template <class T>
struct MaskedShapes : Shapes<T> {
  using Flat = Shape<Shapes<T>::kLanes, kVectorBytes == 64 ? 4 : 2, 1>;
};

namespace detail {
template <class T, int N>
struct VectorType {
  typedef T Type __attribute__((vector_size(sizeof(T) * N)));
  typedef T Unaligned __attribute__((vector_size(sizeof(T) * N), aligned(alignof(T)), may_alias));
};
template <int Bytes>
struct IntOf;
template <>
struct IntOf<1> {
  using Type = signed char;
};
template <>
struct IntOf<2> {
  using Type = short;
};
template <>
struct IntOf<4> {
  using Type = int;
};
template <>
struct IntOf<8> {
  using Type = long;
};
template <class From, int Bytes>
using IntLike = std::conditional_t<std::is_unsigned_v<From>, std::make_unsigned_t<typename IntOf<Bytes>::Type>,
                                   typename IntOf<Bytes>::Type>;

/// Converts `from` lane by lane, in steps that processors have instructions for: GCC 12 takes the lanes apart where
/// sizes differ by more than a factor of two, or where bytes become real numbers.
template <class To, class From, int N>
PB_SIMD_INLINE void convert_lanes(typename VectorType<To, N>::Type& result,
                                  const typename VectorType<From, N>::Type& v) {
  constexpr bool kFromInt = std::is_integral_v<From>, kToInt = std::is_integral_v<To>;
  const auto through = [&]<class Middle>(Middle) PB_SIMD_LAMBDA {
    typename VectorType<Middle, N>::Type middle;
    convert_lanes<Middle, From, N>(middle, v);
    convert_lanes<To, Middle, N>(result, middle);
  };
  if constexpr (kFromInt != kToInt && (kToInt ? sizeof(To) : sizeof(From)) < sizeof(int)) {
    through(int());
  } else if constexpr (kFromInt && kToInt && sizeof(To) > 2 * sizeof(From)) {
    through(IntLike<From, 2 * sizeof(From)>());
  } else if constexpr (kFromInt && kToInt && 2 * sizeof(To) < sizeof(From)) {
    through(IntLike<From, sizeof(From) / 2>());
  } else {
    result = __builtin_convertvector(v, typename VectorType<To, N>::Type);
  }
}

/// The type in which C++ computes `A op B`.
template <class A, class B>
using Common = decltype(A() + B());
template <class A, class B>
using OfLeft = decltype(+A());
template <class T>
concept Number = std::is_arithmetic_v<T>;
}  // namespace detail

/// One value per instance.
template <class T, class S>
struct Pack {
  using Element = T;
  using Vector = typename detail::VectorType<T, S::kLanes>::Type;
  Vector v[S::kCount];

  Pack() = default;
  /// A pack with the same value in every lane.
  template <detail::Number U>
  PB_SIMD_INLINE Pack(U value) {
    fill(static_cast<T>(value), S::kIndices);
  }
  /// A pack converted lane by lane.
  template <class U>
  requires(!std::is_same_v<U, T>) PB_SIMD_INLINE Pack(const Pack<U, S>& other) { convert_from(other, S::kIndices); }
  template <detail::Number U>
  PB_SIMD_INLINE Pack& operator=(U value) {
    return *this = Pack(value);
  }

 private:
  template <std::size_t... I>
  PB_SIMD_INLINE void fill(T value, std::index_sequence<I...>) {
    // Minus zero stays minus zero: value - 0, not value + 0.
    ((v[I] = value - Vector{}), ...);
  }
  template <class U, std::size_t... I>
  PB_SIMD_INLINE void convert_from(const Pack<U, S>& other, std::index_sequence<I...>) {
    (detail::convert_lanes<T, U, S::kLanes>(v[I], other.v[I]), ...);
  }
};

/// One truth value per instance: all bits set or none, in integers of `Bytes` bytes.
template <int Bytes, class S>
struct Mask {
  using Vector = typename detail::VectorType<typename detail::IntOf<Bytes>::Type, S::kLanes>::Type;
  Vector v[S::kCount];

  template <int To>
  [[nodiscard]] PB_SIMD_INLINE Mask<To, S> as() const {
    if constexpr (To == Bytes) {
      return *this;
    } else {
      return convert<To>(S::kIndices);
    }
  }

 private:
  template <int To, std::size_t... I>
  PB_SIMD_INLINE Mask<To, S> convert(std::index_sequence<I...>) const {
    Mask<To, S> result;
    using From = typename detail::IntOf<Bytes>::Type;
    (detail::convert_lanes<typename detail::IntOf<To>::Type, From, S::kLanes>(result.v[I], v[I]), ...);
    return result;
  }
};

namespace detail {
/// `a` itself where it has the type already: packs are large, and each copy costs the compiler time.
template <class C, class A, class S>
PB_SIMD_INLINE decltype(auto) as(const Pack<A, S>& a) {
  if constexpr (std::is_same_v<A, C>) {
    return (a);
  } else {
    return Pack<C, S>(a);
  }
}
}  // namespace detail

// Arithmetic as in C++: both sides are converted to the type that the scalars would be computed in; for shifts that is
// the type of the left side.
#define PB_SIMD_OPERATOR(op, name, Result, Type)                                                    \
  namespace detail {                                                                                \
  template <class C, class S, std::size_t... I>                                                     \
  PB_SIMD_INLINE Result name(const Pack<C, S>& a, const Pack<C, S>& b, std::index_sequence<I...>) { \
    Result result;                                                                                  \
    ((result.v[I] = a.v[I] op b.v[I]), ...);                                                        \
    return result;                                                                                  \
  }                                                                                                 \
  template <class C, class S, std::size_t... I>                                                     \
  PB_SIMD_INLINE Result name(const Pack<C, S>& a, C b, std::index_sequence<I...>) {                 \
    const auto same = b - typename Pack<C, S>::Vector{};                                            \
    Result result;                                                                                  \
    ((result.v[I] = a.v[I] op same), ...);                                                          \
    return result;                                                                                  \
  }                                                                                                 \
  }                                                                                                 \
  template <class A, class B, class S>                                                              \
  PB_SIMD_INLINE auto operator op(const Pack<A, S>& a, const Pack<B, S>& b) {                       \
    using C = detail::Type<A, B>;                                                                   \
    return detail::name<C, S>(detail::as<C>(a), detail::as<C>(b), S::kIndices);                     \
  }                                                                                                 \
  template <class A, detail::Number B, class S>                                                     \
  PB_SIMD_INLINE auto operator op(const Pack<A, S>& a, B b) {                                       \
    using C = detail::Type<A, B>;                                                                   \
    return detail::name<C, S>(detail::as<C>(a), static_cast<C>(b), S::kIndices);                    \
  }                                                                                                 \
  template <detail::Number A, class B, class S>                                                     \
  PB_SIMD_INLINE auto operator op(A a, const Pack<B, S>& b) {                                       \
    return Pack<A, S>(a) op b;                                                                      \
  }
#define PB_SIMD_PACK Pack<C, S>
#define PB_SIMD_MASK Mask<sizeof(C), S>
#define PB_SIMD_BINARY(op, name, Type)                                   \
  PB_SIMD_OPERATOR(op, name, PB_SIMD_PACK, Type)                         \
  template <class A, class S, class B>                                   \
  PB_SIMD_INLINE Pack<A, S>& operator op##=(Pack<A, S>& a, const B& b) { \
    const auto result = a op b;                                          \
    return a = detail::as<A>(result);                                    \
  }
PB_SIMD_BINARY(+, add, Common)
PB_SIMD_BINARY(-, subtract, Common)
PB_SIMD_BINARY(*, multiply, Common)
PB_SIMD_BINARY(/, divide, Common)
PB_SIMD_BINARY(%, remainder, Common)
PB_SIMD_BINARY(&, bit_and, Common)
PB_SIMD_BINARY(|, bit_or, Common)
PB_SIMD_BINARY(^, bit_xor, Common)
PB_SIMD_BINARY(<<, shift_left, OfLeft)
PB_SIMD_BINARY(>>, shift_right, OfLeft)
PB_SIMD_OPERATOR(<, less, PB_SIMD_MASK, Common)
PB_SIMD_OPERATOR(<=, less_equal, PB_SIMD_MASK, Common)
PB_SIMD_OPERATOR(>, greater, PB_SIMD_MASK, Common)
PB_SIMD_OPERATOR(>=, greater_equal, PB_SIMD_MASK, Common)
PB_SIMD_OPERATOR(==, equal, PB_SIMD_MASK, Common)
PB_SIMD_OPERATOR(!=, not_equal, PB_SIMD_MASK, Common)
#undef PB_SIMD_BINARY
#undef PB_SIMD_OPERATOR
#undef PB_SIMD_PACK
#undef PB_SIMD_MASK

namespace detail {
template <class C, class S, std::size_t... I>
PB_SIMD_INLINE Pack<C, S> negate(const Pack<C, S>& a, std::index_sequence<I...>) {
  Pack<C, S> result;
  ((result.v[I] = -a.v[I]), ...);
  return result;
}
template <class P, std::size_t... I>
PB_SIMD_INLINE P complement(const P& a, std::index_sequence<I...>) {
  P result;
  ((result.v[I] = ~a.v[I]), ...);
  return result;
}
}  // namespace detail

template <class A, class S>
PB_SIMD_INLINE auto operator+(const Pack<A, S>& a) {
  return Pack<detail::Common<A, A>, S>(a);
}
template <class A, class S>
PB_SIMD_INLINE auto operator-(const Pack<A, S>& a) {
  using C = detail::Common<A, A>;
  return detail::negate<C, S>(detail::as<C>(a), S::kIndices);
}
template <class A, class S>
PB_SIMD_INLINE auto operator~(const Pack<A, S>& a) {
  using C = detail::Common<A, A>;
  return detail::complement<Pack<C, S>>(detail::as<C>(a), S::kIndices);
}

/// A cast of every lane.
template <class T, class U, class S>
PB_SIMD_INLINE Pack<T, S> convert(const Pack<U, S>& a) {
  return Pack<T, S>(a);
}

namespace detail {
template <class T, class U, class S, std::size_t... I>
PB_SIMD_INLINE Pack<T, S> cast_bits(const Pack<U, S>& a, std::index_sequence<I...>) {
  Pack<T, S> result;
  ((result.v[I] = reinterpret_cast<typename Pack<T, S>::Vector>(a.v[I])), ...);
  return result;
}
}  // namespace detail

/// The numbers with the bits of the lanes of `a`.
template <class T, class U, class S>
requires(sizeof(T) == sizeof(U)) PB_SIMD_INLINE Pack<T, S> bit_cast(const Pack<U, S>& a) {
  return detail::cast_bits<T>(a, S::kIndices);
}

/// A function of numbers lane by lane; compilers vectorise those that have an instruction.
template <class C, class S, class F, class... A>
PB_SIMD_INLINE Pack<C, S> lanewise(F f, const A&... args) {
  Pack<C, S> result;
  for (int i = 0; i < S::kCount; ++i)
    for (int lane = 0; lane < S::kLanes; ++lane) result.v[i][lane] = static_cast<C>(f(args.v[i][lane]...));
  return result;
}

// ---- Reading and writing matrices --------------------------------------------

/// Neighbours along a row: the lanes from `begin` to before `end`.
struct LaneSpan {
  std::int64_t begin, end;

  [[nodiscard]] constexpr bool is_empty() const { return begin >= end; }
  bool operator==(const LaneSpan&) const = default;
};

/// A view as the instances of a pack see it, placed at the first of them. `kLaneStep`: neighbours along a row read
/// neighbouring elements (1) or the same one (0); `kRowDim`: the dimension in which rows advance by one, or -1.
template <class View, class S, int kLaneStep, int kRowDim>
struct Lanes {
  using Element = std::remove_const_t<typename View::Element>;
  using Values = Pack<Element, S>;
  View view;

  template <class... I>
  [[nodiscard]] PB_SIMD_INLINE Values cell(I... indices) const {
    const IndexT at[] = {static_cast<IndexT>(indices)..., 0};
    Values result;
    load(result, at, S::kIndices);
    return result;
  }
  /// Reads one of the vectors that `cell` reads. The view may lack the dimension along which lanes are neighbours.
  template <int kVector, class... I>
  PB_SIMD_INLINE void read_vector(typename Values::Vector& to, I... indices) const {
    const IndexT at[] = {static_cast<IndexT>(indices)..., 0};
    const auto* const first = first_row(at);
    const std::int64_t stride = row_stride();
#ifdef PB_CHECKED_COPIES
    pbrt::detail::check_access(first + place_in_pack<kVector>(stride, row_of(at)),
                               sizeof(Element) * (kLaneStep == 1 ? S::kLanes : 1));
#endif
    load_vector<kVector>(to, first, stride, row_of(at));
  }
  [[nodiscard]] PB_SIMD_INLINE IndexT size(int d) const { return view.size(d); }
  [[nodiscard]] PB_SIMD_INLINE IndexT width() const { return view.width(); }
  [[nodiscard]] PB_SIMD_INLINE IndexT height() const { return view.height(); }
  [[nodiscard]] PB_SIMD_INLINE IndexT depth() const { return view.depth(); }
  [[nodiscard]] PB_SIMD_INLINE std::int64_t count() const { return view.count(); }

  /// Writes `values` at the element of the first instance.
  template <class... I>
  PB_SIMD_INLINE void store(const Values& values, I... indices) const {
    const IndexT at[] = {static_cast<IndexT>(indices)..., 0};
    put(values, at, S::kIndices);
  }
  /// Whether the elements of all instances are whole cache lines of a matrix that is stored past the caches.
  template <class... I>
  [[nodiscard]] PB_SIMD_INLINE bool is_streamed(I... indices) const {
    if constexpr (kLaneStep == 1 && S::kRows == 1 && sizeof(Values) % pbrt::detail::kLineBytes == 0) {
      const IndexT at[] = {static_cast<IndexT>(indices)..., 0};
      return pbrt::is_streamed(view, static_cast<std::int64_t>(pb::SizeRule::BySize)) &&
             reinterpret_cast<std::uintptr_t>(first_row(at)) % pbrt::detail::kLineBytes == 0;
    } else {
      return false;
    }
  }
  /// Like `store`, past the caches. Others see the values after `end_streams`. Pre: is_streamed
  template <class... I>
  PB_SIMD_INLINE void stream(const Values& values, I... indices) const {
    const IndexT at[] = {static_cast<IndexT>(indices)..., 0};
    auto* const first = first_row(at);
    check(first, row_stride(), row_of(at));
    for (int i = 0; i < S::kCount; ++i) stream_vector(first + i * S::kLanes, values.v[i]);
  }
  /// Writes one number for all instances, or values of another type, at the element of the first instance.
  template <class V, class... I>
  PB_SIMD_INLINE void assign(const V& value, I... indices) const {
    store(Values(value), indices...);
  }
  /// Writes the values of some lanes of each row: S::kRows spans of lanes, counted from the element of the first
  /// instance.
  template <class... I>
  PB_SIMD_INLINE void store_spans(const Values& values, const LaneSpan* spans, I... indices) const {
    const IndexT at[] = {static_cast<IndexT>(indices)..., 0};
    auto* const first = first_row(at);
    const std::int64_t stride = row_stride();
    const IndexT row = row_of(at);
    for (int r = 0; r < S::kRows; ++r) {
      auto* const cells = first + static_cast<std::int64_t>(row + r) * stride;
#ifdef PB_CHECKED_COPIES
      if (!spans[r].is_empty())
        pbrt::detail::check_access(cells + spans[r].begin,
                                   sizeof(Element) * static_cast<std::size_t>(spans[r].end - spans[r].begin));
#endif
      for (std::int64_t x = spans[r].begin; x < spans[r].end; ++x)
        cells[x] = values.v[r * S::kPacks + x / S::kLanes][x % S::kLanes];
    }
  }

 private:
  using Unaligned = typename detail::VectorType<Element, S::kLanes>::Unaligned;

  // The row is added to the index, not to the pointer: so compilers see that row r of cell y is row r-1 of cell y+1.
  [[nodiscard]] PB_SIMD_INLINE auto* first_row(const IndexT* at) const {
    std::int64_t offset = 0;
    for (int d = 0; d < View::kDims; ++d)
      if (d != kRowDim) offset += static_cast<std::int64_t>(at[d]) * view.stride(d);
    return view.address() + offset;
  }
  [[nodiscard]] PB_SIMD_INLINE std::int64_t row_stride() const {
    if constexpr (kRowDim >= 0) {
      return view.stride(kRowDim);
    } else {
      return 0;
    }
  }
  /// Tests the elements of all lanes, in programs of `pbc --checked-copies`.
  template <class E>
  PB_SIMD_INLINE void check([[maybe_unused]] const E* first, [[maybe_unused]] std::int64_t stride,
                            [[maybe_unused]] IndexT row) const {
#ifdef PB_CHECKED_COPIES
    for (int r = 0; r < S::kRows; ++r)
      pbrt::detail::check_access(first + static_cast<std::int64_t>(row + r) * stride,
                                 sizeof(E) * (kLaneStep == 1 ? S::kWidth : 1));
#endif
  }
  [[nodiscard]] PB_SIMD_INLINE static IndexT row_of(const IndexT* at) {
    return kRowDim >= 0 ? at[kRowDim < 0 ? 0 : kRowDim] : 0;
  }
  /// How far the first element of a vector lies behind that of the first row.
  template <int kVector>
  [[nodiscard]] PB_SIMD_INLINE static std::int64_t place_in_pack(std::int64_t stride, IndexT row) {
    const std::int64_t of_row = static_cast<std::int64_t>(row + kVector / S::kPacks) * stride;
    return of_row + (kLaneStep == 1 ? kVector % S::kPacks * S::kLanes : 0);
  }
  template <int kVector, class E>
  PB_SIMD_INLINE void load_vector(typename Values::Vector& to, const E* first, std::int64_t stride, IndexT row) const {
    const std::int64_t place = place_in_pack<kVector>(stride, row);
    if constexpr (kLaneStep == 1) {
      to = *reinterpret_cast<const Unaligned*>(first + place);
    } else {
      to = first[place] - typename Values::Vector{};
    }
  }
  template <std::size_t... I>
  PB_SIMD_INLINE void load(Values& result, const IndexT* at, std::index_sequence<I...>) const {
    const auto* first = first_row(at);
    const std::int64_t stride = row_stride();
    const IndexT row = row_of(at);
    check(first, stride, row);
    (load_vector<static_cast<int>(I)>(result.v[I], first, stride, row), ...);
  }
  template <std::size_t... I>
  PB_SIMD_INLINE void put(const Values& values, const IndexT* at, std::index_sequence<I...>) const {
    auto* first = first_row(at);
    const std::int64_t stride = row_stride();
    const IndexT row = row_of(at);
    check(first, stride, row);
    ((*reinterpret_cast<Unaligned*>(first + static_cast<std::int64_t>(row + static_cast<int>(I) / S::kPacks) * stride +
                                    static_cast<int>(I) % S::kPacks * S::kLanes) = values.v[I]),
     ...);
  }
};

template <class S, int kLaneStep, int kRowDim, class View>
[[nodiscard]] PB_SIMD_INLINE Lanes<View, S, kLaneStep, kRowDim> lanes(const View& view) {
  return {view};
}

/// The rule variable along a row: first, first+1, …
template <class S>
[[nodiscard]] PB_SIMD_INLINE Pack<IndexT, S> lane_index(IndexT first) {
  Pack<IndexT, S> result;
  for (int i = 0; i < S::kCount; ++i)
    for (int lane = 0; lane < S::kLanes; ++lane) result.v[i][lane] = first + i % S::kPacks * S::kLanes + lane;
  return result;
}
/// The rule variable across rows.
template <class S>
[[nodiscard]] PB_SIMD_INLINE Pack<IndexT, S> row_index(IndexT first) {
  Pack<IndexT, S> result;
  for (int i = 0; i < S::kCount; ++i)
    for (int lane = 0; lane < S::kLanes; ++lane) result.v[i][lane] = first + i / S::kPacks;
  return result;
}

// ---- Loops ---------------------------------------------------------------------

/// `for (i = first; i < last; ++i) f(i)`. With several rows in fours, twos, ones: rows then share what neighbouring
/// iterations read.
template <class S, class T, class U, class F>
PB_SIMD_INLINE void unrolled(T first, U last, F f) {
  if constexpr (S::kRows > 1) {
    for (; static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first) >= 4; first += 4) {
      f(first);
      f(static_cast<T>(first + 1));
      f(static_cast<T>(first + 2));
      f(static_cast<T>(first + 3));
    }
    if (static_cast<std::int64_t>(last) - static_cast<std::int64_t>(first) >= 2) {
      f(first);
      f(static_cast<T>(first + 1));
      first += 2;
    }
    if (first < last) f(first);
  } else {
    for (; first < last; ++first) f(first);
  }
}

/// `for (i = First; i < Last; ++i) f(i)`. `f` takes i as a type, std::integral_constant<T, i>, so that what it indexes
/// by i needs no memory.
template <class T, T First, T Last, class F>
PB_SIMD_INLINE void constant_loop(F f) {
  constexpr T kRounds = First < Last ? static_cast<T>(Last - First) : T{0};
  [&]<T... I>(std::integer_sequence<T, I...>) PB_SIMD_LAMBDA {
    (f(std::integral_constant<T, static_cast<T>(First + I)>()), ...);
  }
  (std::make_integer_sequence<T, kRounds>());
}

namespace detail {
/// Packs of shape `S` at y from x on while they fit; a last one that overlaps its neighbour if `repeats_last`.
/// Returns the first x that is left.
template <class S, class Packs>
PB_SIMD_INLINE IndexT pack_row(IndexT x, IndexT x_hi, IndexT y, bool repeats_last, Packs packs) {
  while (x < x_hi) {
    if (x_hi - x < S::kWidth) {
      if (!repeats_last) break;
      x = x_hi - S::kWidth;
    }
    packs(S(), x, y);
    x += S::kWidth;
  }
  return x;
}
}  // namespace detail

/// The instances [x_lo, x_hi) x [y_lo, y_hi) in packs: `packs(shape, x, y)` computes the pack whose first
/// instance is (x, y), `cell(x, y)` one instance. Each is called from one place: compilers inline them there.
///
/// Pre: `may_repeat` only if computing an instance twice gives the same
template <class Shapes, bool kTall, class Packs, class Cell>
PB_SIMD_INLINE void for_each_pack(IndexT x_lo, IndexT x_hi, IndexT y_lo, IndexT y_hi, bool may_repeat, Packs packs,
                                  Cell cell) {
  using Tall = typename Shapes::Tall;
  using Flat = typename Shapes::Flat;
  using Narrow = typename Shapes::Narrow;
  const bool repeats_last = may_repeat && x_hi - x_lo >= Narrow::kWidth;
  IndexT y = y_lo;
  if constexpr (kTall) {
    for (; y_hi - y >= Tall::kRows; y += Tall::kRows) detail::pack_row<Tall>(x_lo, x_hi, y, repeats_last, packs);
  }
  for (; y < y_hi; ++y) {
    const IndexT x = detail::pack_row<Flat>(x_lo, x_hi, y, false, packs);
    detail::pack_row<Narrow>(x, x_hi, y, repeats_last, packs);
  }
  if (repeats_last) return;
  const IndexT x_left = x_hi - (x_hi > x_lo ? (x_hi - x_lo) % Narrow::kWidth : 0);
  for (y = y_lo; y < y_hi; ++y)
    for (IndexT x = x_left; x < x_hi; ++x) cell(x, y);
}

/// The instances of a box in packs, as for_each_pack runs them, where each instance takes long, such as columns: what
/// is left of a row runs in parts of a vector. No instance is computed twice.
template <class Shapes, class Packs, class Cell>
PB_SIMD_INLINE void for_each_long_pack(IndexT x_lo, IndexT x_hi, IndexT y_lo, IndexT y_hi, Packs packs, Cell cell) {
  for (IndexT y = y_lo; y < y_hi; ++y) {
    IndexT x = detail::pack_row<typename Shapes::Flat>(x_lo, x_hi, y, false, packs);
    x = detail::pack_row<typename Shapes::Narrow>(x, x_hi, y, false, packs);
    if constexpr (Shapes::Half::kWidth < Shapes::Narrow::kWidth)
      x = detail::pack_row<typename Shapes::Half>(x, x_hi, y, false, packs);
    if constexpr (Shapes::Quarter::kWidth < Shapes::Half::kWidth)
      x = detail::pack_row<typename Shapes::Quarter>(x, x_hi, y, false, packs);
    for (; x < x_hi; ++x) cell(x, y);
  }
}

}  // namespace pbrt::simd
