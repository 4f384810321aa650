// SPDX-License-Identifier: MIT
// Scans in the lanes of vectors: a rule's body on packs (simd.h) whose lanes are neighbours along the scan. Only
// generated code includes this.
//
// The body computes elements: it gets the operator's neutral element as the value before. A pass says what becomes of
// them. The fold adds them up and stores nothing. The scan turns the elements of a pack into what the pack's instances
// have: a vector is scanned in log2(lanes) steps, and the value before the pack is combined with all of it. A third
// pass gives the body the value before itself, and so runs instances in the order of the source.
//
// All results depend on where a chunk begins and ends alone, not on addresses or threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/fold_operators.h"
#include "runtime/matrix/simd.h"

namespace pbrt::simd {

/// The operator of recurrences `y = a * y + b`. Its elements are pairs.
struct Linear {};

/// One output that continues itself.
template <class Op_, class T>
struct Scanned {
  using Op = Op_;
  using Value = T;
  static constexpr bool kIsLinear = std::is_same_v<Op, Linear>;
  static constexpr bool kIsExtremum = folds::kIsExtremum<Op>;
  static constexpr bool kIsProduct = std::is_same_v<Op, folds::Product>;
  /// Whether numbers of parts may be infinite, or too small, where the values of the line are not.
  static constexpr bool kMayOverflow = std::is_floating_point_v<T> && (kIsLinear || kIsProduct);
  /// Whether the order of operations changes no bits.
  static constexpr bool kIsExact = std::is_integral_v<T> || kIsExtremum;
  /// Sums and products of integers are computed unsigned, because those of parts may overflow.
  using Work = typename std::conditional_t<std::is_integral_v<T> && !kIsExtremum, std::make_unsigned<T>,
                                           std::type_identity<T>>::type;
  /// Whether elements may be combined in another order than theirs. The smallest and the largest keep the first of two
  /// zeros.
  static constexpr bool kCommutes = !kIsLinear && !(kIsExtremum && std::is_floating_point_v<T>);

  [[nodiscard]] static constexpr T neutral() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<Op, folds::Smallest>) return Limits::has_infinity ? Limits::infinity() : Limits::max();
    if constexpr (std::is_same_v<Op, folds::Largest>)
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    if constexpr (kIsProduct) return T(1);
    if constexpr (std::is_same_v<Op, folds::BitAnd>) return static_cast<T>(-1);
    // Unlike 0.0, it leaves a sum of negative zeros as it is.
    if constexpr (std::is_same_v<Op, folds::Sum>) return static_cast<T>(-0.0);
    return T(0);
  }
};

namespace detail {

template <class W, int N>
using VectorOf = typename VectorType<W, N>::Type;

/// `x` with lane I moved to lane I + kBy, or downwards; the lanes left over are those of `fill`.
template <bool kIsDown, int kBy, class V, std::size_t... I>
PB_SIMD_INLINE V shifted(const V& x, const V& fill, std::index_sequence<I...>) {
  constexpr int kLanes = static_cast<int>(sizeof...(I));
  if constexpr (kIsDown) {
    return __builtin_shufflevector(
        fill, x, (static_cast<int>(I) + kBy < kLanes ? kLanes + static_cast<int>(I) + kBy : static_cast<int>(I))...);
  } else {
    return __builtin_shufflevector(
        fill, x, (static_cast<int>(I) < kBy ? static_cast<int>(I) : kLanes + static_cast<int>(I) - kBy)...);
  }
}
template <int kLane, class V, std::size_t... I>
PB_SIMD_INLINE V lane_everywhere(const V& x, std::index_sequence<I...>) {
  return __builtin_shufflevector(x, x, (static_cast<int>(I) * 0 + kLane)...);
}

/// Elements of one operator in the lanes of a vector, or those before them.
template <class S, class V>
struct Elements {
  V value;

  [[nodiscard]] PB_SIMD_INLINE static Elements neutral() { return {static_cast<typename S::Work>(S::neutral()) - V{}}; }
  /// Puts `earlier` before these.
  PB_SIMD_INLINE void put_behind(const Elements& earlier) {
    V result = earlier.value;
    S::Op::combine(result, value);
    value = result;
  }
  template <class F>
  PB_SIMD_INLINE Elements map(const F& f) const {
    return {f(value, neutral().value)};
  }
};
template <class S, class V>
requires(S::kIsLinear) struct Elements<S, V> {
  V value, factor;

  [[nodiscard]] PB_SIMD_INLINE static Elements neutral() { return {V{}, static_cast<typename S::Work>(1) - V{}}; }
  PB_SIMD_INLINE void put_behind(const Elements& earlier) {
    value = factor * earlier.value + value;
    factor = factor * earlier.factor;
  }
  template <class F>
  PB_SIMD_INLINE Elements map(const F& f) const {
    return {f(value, neutral().value), f(factor, neutral().factor)};
  }
};

/// Scans the lanes of a vector.
template <bool kIsDown, int kLanes, int kBy, class E>
PB_SIMD_INLINE void scan_lanes(E& elements) {
  if constexpr (kBy < kLanes) {
    constexpr auto kAll = std::make_index_sequence<static_cast<std::size_t>(kLanes)>();
    elements.put_behind(
        elements.map([&](const auto& x, const auto& fill) { return shifted<kIsDown, kBy>(x, fill, kAll); }));
    scan_lanes<kIsDown, kLanes, 2 * kBy>(elements);
  }
}

/// Whether a number is neither infinite nor NaN. A difference of it with itself is no test: where programs may add in
/// any order, compilers take that for 0.
template <class T>
[[nodiscard]] PB_SIMD_INLINE bool is_finite(T x) {
  return x >= std::numeric_limits<T>::lowest() && x <= std::numeric_limits<T>::max();
}

/// Whether a number of a part says what the part does: a product that is 0 or subnormal may have lost what a large
/// value before it would have kept.
template <class S, class T>
[[nodiscard]] PB_SIMD_INLINE bool is_whole(T value) {
  using Limits = std::numeric_limits<T>;
  return is_finite(value) && (!S::kIsProduct || value >= Limits::min() || value <= -Limits::min());
}

/// Whether a factor that became 0 or subnormal forgets of the value before what shows in the result. Factors that
/// shrink the value before for long are usual, and forget nothing that shows beside the values behind it.
template <class T>
[[nodiscard]] PB_SIMD_INLINE bool forgets(T factor, T value, T before) {
  using Limits = std::numeric_limits<T>;
  const auto magnitude = [](T x) { return x < 0 ? -x : x; };
  return magnitude(factor) < Limits::min() &&
         magnitude(before) * (Limits::min() / Limits::epsilon()) > magnitude(value);
}

/// What a chunk computes of one output.
template <class S>
struct ScanPart {
  using W = typename S::Work;
  W value, factor;          ///< the factor of linear recurrences alone
  bool may_forget = false;  ///< the factor may have become too small, and is 0 for that

  /// Whether the numbers give what the chunk makes of the value before it. A factor of zero forgets a number, but not a
  /// NaN or an infinity.
  template <class T>
  [[nodiscard]] bool is_usable([[maybe_unused]] const T before) const {
    if constexpr (S::kMayOverflow)
      return is_whole<S>(value) && is_finite(before) &&
             (!S::kIsLinear ||
              (is_finite(factor) && !(may_forget && forgets<W>(factor, value, static_cast<W>(before)))));
    return true;
  }
  template <class T>
  void put_behind(T& before) const {
    if constexpr (S::kIsLinear) {
      before = static_cast<T>(factor * static_cast<W>(before) + value);
    } else {
      auto result = static_cast<W>(before);
      S::Op::combine(result, value);
      before = static_cast<T>(result);
    }
  }
};

/// The elements of a pack, in the type in which they are combined.
template <class S, class Shape>
struct PackElements {
  static constexpr int kLanes = Shape::kLanes, kCount = Shape::kCount;
  using V = VectorOf<typename S::Work, kLanes>;
  Elements<S, V> v[kCount];

  template <class X, class F>
  PB_SIMD_INLINE PackElements(const X& value, const F& factor) {
    const Pack<typename S::Value, Shape> values(value);
    for (int i = 0; i < kCount; ++i) v[i].value = __builtin_convertvector(values.v[i], V);
    if constexpr (S::kIsLinear) {
      const Pack<typename S::Value, Shape> factors(factor);
      for (int i = 0; i < kCount; ++i) v[i].factor = __builtin_convertvector(factors.v[i], V);
    }
  }

  /// Scans all lanes. `before` is what stands before the pack, and then what stands behind it. Returns what the pack
  /// does as a whole.
  template <bool kIsDown>
  PB_SIMD_INLINE Elements<S, V> scan(ScanPart<S>& before) {
    constexpr auto kAll = std::make_index_sequence<static_cast<std::size_t>(kLanes)>();
    Elements<S, V> start;
    start.value = before.value - V{};
    if constexpr (S::kIsLinear) start.factor = before.factor - V{};
    Elements<S, V> all = Elements<S, V>::neutral();
    for (int k = 0; k < kCount; ++k) {
      Elements<S, V>& at = v[kIsDown ? kCount - 1 - k : k];
      scan_lanes<kIsDown, kLanes, 1>(at);
      Elements<S, V> last =
          at.map([&](const auto& x, const auto&) { return lane_everywhere < kIsDown ? 0 : kLanes - 1 > (x, kAll); });
      Elements<S, V> offset = all;
      offset.put_behind(start);
      at.put_behind(k == 0 ? start : offset);
      if (k > 0) last.put_behind(all);
      all = last;
    }
    Elements<S, V> end = all;
    end.put_behind(start);
    before.value = end.value[0];
    if constexpr (S::kIsLinear) before.factor = end.factor[0];
    return all;
  }
};

/// What is multiplied in a chunk: the numbers of products, the factors of recurrences. `Flat`: the shape of most packs
template <class S, class Flat>
class FactorRange {
 public:
  template <class Shape>
  PB_SIMD_INLINE void add(const PackElements<S, Shape>& pack) {
    for (int i = 0; i < Shape::kCount; ++i) {
      if constexpr (S::kIsLinear)
        add_all<Shape::kLanes>(pack.v[i].factor);
      else
        add_all<Shape::kLanes>(pack.v[i].value);
    }
  }
  /// Whether a product of neighbours that is 0 or subnormal stays so, or there is none. Else it would be large again
  /// without the digits that it had lost.
  [[nodiscard]] bool has_no_regrowth() const {
    W most = other_.most;
    for (int lane = 0; lane < Flat::kLanes; ++lane) most = lanes_.most[lane] > most ? lanes_.most[lane] : most;
    return most <= W(1) || !may_be_too_small();
  }
  /// Whether a product of neighbours may be 0 or subnormal, although none of them is 0.
  [[nodiscard]] bool may_be_too_small() const {
    W least = other_.least;
    for (int lane = 0; lane < Flat::kLanes; ++lane) least *= lanes_.least[lane];
    return least < std::numeric_limits<W>::min();
  }

 private:
  using W = typename S::Work;
  using V = VectorOf<W, Flat::kLanes>;

  /// The product of what shrinks, which is at most that of any neighbours, and the largest of all. A product with 0
  /// has lost nothing: it begins again.
  template <class X>
  struct Range {
    X least, most;
    PB_SIMD_INLINE void add(const X& factor) {
      const X magnitude = factor < W(0) ? -factor : factor;
      least *= (magnitude < W(1)) & (magnitude > W(0)) ? magnitude : W(1) - X{};
      most = magnitude > most ? magnitude : most;
    }
  };

  template <int kLanes, class X>
  PB_SIMD_INLINE void add_all(const X& factors) {
    if constexpr (kLanes == Flat::kLanes) {
      lanes_.add(factors);
    } else {
      for (int lane = 0; lane < kLanes; ++lane) other_.add(factors[lane]);
    }
  }

  Range<V> lanes_{W(1) - V{}, W(1) - V{}};
  Range<W> other_{W(1), W(1)};
};

/// The same for operators whose parts lose nothing.
struct NoRange {
  template <class Pack>
  PB_SIMD_INLINE void add(const Pack&) const {}
  [[nodiscard]] static constexpr bool has_no_regrowth() { return true; }
  [[nodiscard]] static constexpr bool may_be_too_small() { return false; }
};
template <class S, class Flat>
using RangeOf = std::conditional_t<S::kMayOverflow, FactorRange<S, Flat>, NoRange>;

/// Sums up elements that commute, lane by lane.
template <class S, class Shape>
struct LaneFold {
  static constexpr int kLanes = Shape::kLanes, kCount = Shape::kCount;
  using W = typename S::Work;
  using V = VectorOf<W, kLanes>;
  Elements<S, V> lanes[kCount];
  W rest = static_cast<W>(S::neutral());

  PB_SIMD_INLINE LaneFold() {
    for (auto& each : lanes) each = Elements<S, V>::neutral();
  }
  template <class Other>
  PB_SIMD_INLINE void add(const PackElements<S, Other>& pack) {
    if constexpr (Other::kLanes == kLanes) {
      for (int i = 0; i < Other::kCount; ++i) S::Op::combine(lanes[i].value, pack.v[i].value);
    } else {
      for (int lane = 0; lane < Other::kLanes; ++lane) {
        const W value = pack.v[0].value[lane];
        S::Op::combine(rest, value);
      }
    }
  }
  [[nodiscard]] PB_SIMD_INLINE ScanPart<S> result() {
    for (int i = 1; i < kCount; ++i) S::Op::combine(lanes[0].value, lanes[i].value);
    W out = lanes[0].value[0];
    for (int lane = 1; lane < kLanes; ++lane) {
      const W value = lanes[0].value[lane];
      S::Op::combine(out, value);
    }
    S::Op::combine(out, rest);
    return {out, W()};
  }
};

/// Combines elements in their order.
template <class S, bool kIsDown>
struct OrderedFold {
  using W = typename S::Work;
  ScanPart<S> all{static_cast<W>(S::neutral()), W(1)};

  template <class Shape>
  PB_SIMD_INLINE void add(PackElements<S, Shape> pack) {
    pack.template scan<kIsDown>(all);
  }
  [[nodiscard]] PB_SIMD_INLINE ScanPart<S> result() { return all; }
};

/// No number: the elements of other operators than Linear have no factor.
struct NoFactor {};

/// What bodies read of the instances before, in both passes over a chunk: the neutral elements.
template <class... S>
class NeutralStart {
 public:
  template <std::size_t kAt, class Shape>
  [[nodiscard]] PB_SIMD_INLINE auto before() const {
    using One = std::tuple_element_t<kAt, std::tuple<S...>>;
    return Pack<typename One::Value, Shape>(One::neutral());
  }
};

/// The pass that folds a chunk.
template <class Shapes, bool kIsDown, class... S>
class FoldPass : public NeutralStart<S...> {
 public:
  template <std::size_t kAt, class Shape, class X, class F = NoFactor>
  PB_SIMD_INLINE auto take(const X& value, const F& factor = {}) {
    using One = std::tuple_element_t<kAt, std::tuple<S...>>;
    const PackElements<One, Shape> pack(value, factor);
    std::get<kAt>(ranges_).add(pack);
    std::get<kAt>(folds_).add(pack);
    return Pack<typename One::Value, Shape>(value);
  }
  /// Stores nothing, but asks for the lines that the scan will write, unless it writes them past the caches: so they
  /// arrive beside what the fold reads.
  template <std::size_t, class Cells, class Values, class... I>
  PB_SIMD_INLINE void store(const Cells& cells, const Values&, I... at) const {
    constexpr int kBytes = static_cast<int>(sizeof(typename Cells::Values));
    const char* const first = reinterpret_cast<const char*>(&cells.view.cell(at...));
    if (kBytes >= 64 && !cells.is_streamed(at...))
      for (int byte = 0; byte < kBytes; byte += 64) __builtin_prefetch(first + byte, 1);
  }

  [[nodiscard]] PB_SIMD_INLINE std::tuple<ScanPart<S>...> result() {
    return [this]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<ScanPart<S>...>(part<S>(std::get<I>(folds_), std::get<I>(ranges_))...);
    }
    (std::index_sequence_for<S...>());
  }

 private:
  /// A part without a number does not say what it does.
  template <class One, class Fold, class Range>
  [[nodiscard]] PB_SIMD_INLINE static ScanPart<One> part(Fold& fold, const Range& range) {
    ScanPart<One> out = fold.result();
    if (!range.has_no_regrowth()) out.value = std::numeric_limits<typename One::Work>::quiet_NaN();
    out.may_forget = range.may_be_too_small();
    return out;
  }

  std::tuple<RangeOf<S, typename Shapes::Flat>...> ranges_;
  std::tuple<std::conditional_t<S::kCommutes, LaneFold<S, typename Shapes::Flat>, OrderedFold<S, kIsDown>>...> folds_;
};

/// The pass that scans a chunk.
template <class Shapes, bool kIsDown, class... S>
class ScanPass : public NeutralStart<S...> {
 public:
  explicit ScanPass(const std::tuple<typename S::Value...>& start)
      : before_(std::apply(
            [](const auto&... each) {
              return std::tuple<ScanPart<S>...>(
                  ScanPart<S>{static_cast<typename S::Work>(each), typename S::Work(1)}...);
            },
            start)),
        is_sure_(std::apply([](const auto&... each) { return (is_known<S>(each) && ...); }, start)) {}

  template <std::size_t kAt, class Shape, class X, class F = NoFactor>
  PB_SIMD_INLINE auto take(const X& value, const F& factor = {}) {
    using One = std::tuple_element_t<kAt, std::tuple<S...>>;
    PackElements<One, Shape> pack(value, factor);
    std::get<kAt>(ranges_).add(pack);
    [[maybe_unused]] const auto before = std::get<kAt>(before_).value;
    const auto all = pack.template scan<kIsDown>(std::get<kAt>(before_));
    if constexpr (One::kMayOverflow) {
      is_sure_ = is_sure_ && is_whole<One>(all.value[0]) && is_finite(std::get<kAt>(before_).value);
      if constexpr (One::kIsLinear) has_forgotten_ = has_forgotten_ || forgets(all.factor[0], all.value[0], before);
      if constexpr (One::kIsLinear) is_sure_ = is_sure_ && is_finite(all.factor[0]);
    }
    Pack<typename One::Value, Shape> out;
    for (int i = 0; i < Shape::kCount; ++i)
      out.v[i] = __builtin_convertvector(pack.v[i].value, typename decltype(out)::Vector);
    return out;
  }
  template <std::size_t, class Cells, class Values, class... I>
  PB_SIMD_INLINE void store(const Cells& cells, const Values& value, I... at) const {
    const typename Cells::Values all(value);
    if (cells.is_streamed(at...))
      cells.stream(all, at...);
    else
      cells.store(all, at...);
  }
  /// Whether all numbers of linear recurrences and products were finite. Else elements may not be combined before the
  /// value before them is known.
  [[nodiscard]] bool is_sure() const {
    return is_sure_ && std::apply(
                           [this](const auto&... each) {
                             return ((each.has_no_regrowth() && !(has_forgotten_ && each.may_be_too_small())) && ...);
                           },
                           ranges_);
  }

 private:
  template <class One>
  [[nodiscard]] static bool is_known([[maybe_unused]] const typename One::Value start) {
    if constexpr (One::kMayOverflow) return is_finite(start);
    return true;
  }

  std::tuple<ScanPart<S>...> before_;
  std::tuple<RangeOf<S, typename Shapes::Flat>...> ranges_;
  bool is_sure_;
  bool has_forgotten_ = false;  ///< if factors may have been too small
};

/// The pass that runs instances in the order of the source.
template <class... S>
class OrderPass {
 public:
  explicit OrderPass(const std::tuple<typename S::Value...>& start) : values_(start) {}

  template <std::size_t kAt, class Shape>
  [[nodiscard]] PB_SIMD_INLINE auto before() const {
    return Pack<std::tuple_element_t<kAt, std::tuple<typename S::Value...>>, Shape>(std::get<kAt>(values_));
  }
  template <std::size_t kAt, class Shape, class X, class F = NoFactor>
  PB_SIMD_INLINE auto take(const X& value, const F& = {}) {
    const Pack<std::tuple_element_t<kAt, std::tuple<typename S::Value...>>, Shape> out(value);
    std::get<kAt>(values_) = out.v[0][0];
    return out;
  }
  template <std::size_t, class Cells, class Values, class... I>
  PB_SIMD_INLINE void store(const Cells& cells, const Values& value, I... at) const {
    cells.store(typename Cells::Values(value), at...);
  }
  [[nodiscard]] const std::tuple<typename S::Value...>& result() const { return values_; }

 private:
  std::tuple<typename S::Value...> values_;
};

/// Calls `run(shape, pass, box, i)` for packs of the instances of a line, in the direction of the scan. `i` is the
/// lowest instance of the pack.
template <class Shapes, bool kIsDown, class Pass, class Box, class Run>
PB_SIMD_INLINE void for_each_scanned(Pass& pass, const Box& box, const Run& run) {
  std::int64_t lo = box.lo[0], hi = box.hi[0];
  const auto packs = [&]<class Shape>(Shape shape) PB_SIMD_LAMBDA {
    while (hi - lo >= Shape::kWidth) {
      if constexpr (kIsDown) hi -= Shape::kWidth;
      run(shape, pass, box, static_cast<IndexT>(kIsDown ? hi : lo));
      if constexpr (!kIsDown) lo += Shape::kWidth;
    }
  };
  packs(typename Shapes::Flat());
  packs(typename Shapes::Narrow());
  if constexpr (Shapes::Narrow::kWidth > 1) packs(One());
}

/// The three passes as functions over boxes of one line.
template <class Shapes, bool kDown, class Box, class Run, class Before, class... S>
struct ScanChunks {
  static constexpr bool kIsDown = kDown;
  using Values = std::tuple<typename S::Value...>;
  using Part = std::tuple<ScanPart<S>...>;
  static constexpr bool kIsExact = (S::kIsExact && ...);

  const Run& run;
  const Before& before_first;

  [[nodiscard]] Values before(const Box& box) const {
    return before_first(box, static_cast<IndexT>(kIsDown ? box.hi[0] - 1 : box.lo[0]));
  }
  // Compilers may round in another way in a copy of a function, so there is one of each.
  [[gnu::noinline]] Part fold(const Box& box) const {
    FoldPass<Shapes, kIsDown, S...> pass;
    for_each_scanned<Shapes, kIsDown>(pass, box, run);
    return pass.result();
  }
  [[nodiscard]] static bool is_usable(const Values& before, const Part& part) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (std::get<I>(part).is_usable(std::get<I>(before)) && ...);
    }
    (std::index_sequence_for<S...>());
  }
  [[nodiscard]] static bool combine(Values& before, const Part& part) {
    if (!is_usable(before, part)) return false;
    [&]<std::size_t... I>(std::index_sequence<I...>) { (std::get<I>(part).put_behind(std::get<I>(before)), ...); }
    (std::index_sequence_for<S...>());
    return true;
  }
  [[nodiscard]] [[gnu::noinline]] bool scan(const Box& box, const Values& start) const {
    ScanPass<Shapes, kIsDown, S...> pass(start);
    if (!pass.is_sure()) return false;
    for_each_scanned<Shapes, kIsDown>(pass, box, run);
    end_streams();
    return pass.is_sure();
  }
  [[gnu::noinline]] Values run_in_order(const Box& box, const Values& start) const {
    OrderPass<S...> pass(start);
    for_each_scanned<OneByOne, kIsDown>(pass, box, run);
    return pass.result();
  }

 private:
  struct OneByOne {
    using Flat = One;
    using Narrow = One;
  };
};

}  // namespace detail

/// Returns the passes of a scan along dimension 0 of boxes, for run_scan (runtime/sched/loops/chunked_scans.h). Each
/// instance comes after its neighbour: the one below it or, if `kIsDown`, the one above it. `S` are the outputs that
/// continue themselves, in the order in which the body takes them.
///
/// `run(shape, pass, box, i)` runs the body on the pack from instance i on, and `before(box, i)` returns what stands
/// before instance i in memory. Both are kept.
template <class Shapes, bool kIsDown, class... S, class Box, class Run, class Before>
[[nodiscard]] auto scan_chunks(const Box&, const Run& run, const Before& before) {
  return detail::ScanChunks<Shapes, kIsDown, Box, Run, Before, S...>{run, before};
}

}  // namespace pbrt::simd
