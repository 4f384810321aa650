// SPDX-License-Identifier: MIT
// Folds that are divided among tasks, and maps, which are folds that may have no parts: the rounds are cut into chunks,
// each chunk makes parts of its own, and the parts are combined by the numbers of the chunks. Used by generated code
// for rules with one instance (choicegraph/plan/task_loops.h).
//
// The result depends on the number of rounds and the length of the chunks alone, never on workers: a chunk is computed
// by the same code wherever it runs, even in a sequential frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/fold_operators.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/loops/parallel_for.h"

namespace pbrt {

namespace folds {
/// Stands for a variable that notes the place of the smallest or largest before it.
struct Place {
  template <class T>
  [[nodiscard]] static T start(T) {
    return T{};  // the program may have left the variable without a value
  }
};
}  // namespace folds

/// The operators of a loop's variables, in the order in which the loop gets them.
template <class... Ops>
struct FoldOf {};

/// A fold has at most so many chunks, so that their parts stay small; if there were more of them, they are longer.
inline constexpr std::int64_t kMaxFoldChunks = std::int64_t{1} << 16;

namespace detail {

/// Returns how many rounds a chunk has.
[[nodiscard]] constexpr std::int64_t fold_chunk_length(std::int64_t num_rounds, std::int64_t wanted) {
  const std::int64_t fewest = num_rounds / kMaxFoldChunks + (num_rounds % kMaxFoldChunks != 0 ? 1 : 0);
  return wanted < fewest ? fewest : wanted;
}

/// Takes the parts of the next chunk into those of the chunks before it.
template <class... Ops, class Parts, std::size_t... kAt>
void combine_parts(FoldOf<Ops...>, Parts& all, const Parts& next, std::index_sequence<kAt...>) {
  bool is_taken = false;
  [[maybe_unused]] const auto combine = [&]<class Op, std::size_t kOne>() {
    auto& a = std::get<kOne>(all);
    const auto& b = std::get<kOne>(next);
    if constexpr (folds::kIsExtremum<Op>) is_taken = Op::takes(a, b);
    if constexpr (folds::kIsExtremum<Op> || std::is_same_v<Op, folds::Place>) {
      if (is_taken) a = b;
    } else {
      Op::combine(a, b);
    }
  };
  (combine.template operator()<Ops, kAt>(), ...);
}

/// Runs rounds in place, since loops that are too short to be divided may run millions of times. Compilers know of a
/// copy that no store of the rounds changes what they captured.
template <class T, class Parts, class Rounds>
[[gnu::always_inline]] inline Parts run_rounds(const Rounds& rounds, T first, T last, const Parts& start) {
  const Rounds own = rounds;
  return std::apply([&](const auto&... parts) { return own(first, last, parts...); }, start);
}

/// A fold's rounds as code that runs a chunk of them. No part of it may be made for some chunks only, since compilers
/// may round in another way there.
template <class T, class Parts, class Rounds>
[[gnu::noinline]] Parts run_chunk(const Rounds& rounds, T first, T last, const Parts& start) {
  return run_rounds<T, Parts>(rounds, first, last, start);
}

/// Runs a fold of several chunks of `length` rounds.
template <class... Ops, class T, class Rounds, class... Values>
[[gnu::noinline]] void run_chunks(Frame& frame, FoldOf<Ops...> ops, T first, std::int64_t num_rounds,
                                  std::int64_t length, const Rounds& rounds, Values&... values) {
  using Parts = std::tuple<FoldPart<Ops, Values>...>;
  const Parts start(Ops::start(static_cast<FoldPart<Ops, Values>>(values))...);
  Parts all(static_cast<FoldPart<Ops, Values>>(values)...);
  constexpr auto kAll = std::index_sequence_for<Ops...>();
  const auto run = [&](Frame& piece_frame, std::int64_t number) {
    piece_frame.throw_if_aborted();
    const std::int64_t begin = number * length;
    const std::int64_t end = num_rounds - begin < length ? num_rounds : begin + length;
    return run_chunk<T, Parts>(rounds, static_cast<T>(first + begin), static_cast<T>(first + end), start);
  };
  const std::int64_t num_chunks = (num_rounds - 1) / length + 1;
  if (frame.is_sequential()) {
    for (std::int64_t i = 0; i < num_chunks; ++i) combine_parts(ops, all, run(frame, i), kAll);
  } else {
    const auto of_chunks = std::make_unique<Parts[]>(static_cast<std::size_t>(num_chunks));
    constexpr std::int64_t kOneChunk = 1;
    parallel_for<1>(frame, Box<1>{{0}, {num_chunks}}, kOneChunk, [&](Frame& piece_frame, const Box<1>& piece) {
      for (std::int64_t i = piece.lo[0]; i < piece.hi[0]; ++i)
        of_chunks[static_cast<std::size_t>(i)] = run(piece_frame, i);
    });
    for (std::int64_t i = 0; i < num_chunks; ++i) combine_parts(ops, all, of_chunks[static_cast<std::size_t>(i)], kAll);
  }
  std::tuple<Values&...>(values...) = all;
}

}  // namespace detail

/// Runs the fold `for (T i = first; i < last; i++)`, in chunks of `chunk` rounds, in parallel, and waits for all. The
/// fold is not divided if `chunk` is 0, or if it has no more rounds than that.
///
/// `rounds(T first, T last, FoldPart<Op, Value>… parts)` runs some rounds on parts of its own and returns these as a
/// tuple. Each part begins with what the operator says, and the variables get all parts, in the order of the rounds.
///
/// Pre:     all operators may be regrouped, the smallest and largest with strict comparisons; a Place stands behind its
///          smallest or largest
/// Errors:  rethrows the first exception of a chunk; the variables keep their values
template <class... Ops, class T, class Rounds, class... Values>
[[gnu::always_inline]] inline void divided_fold(Frame& frame, FoldOf<Ops...> ops, T first, std::int64_t last,
                                                std::int64_t chunk, const Rounds& rounds, Values&... values) {
  static_assert(sizeof...(Ops) == sizeof...(Values));
  using Parts = std::tuple<FoldPart<Ops, Values>...>;
  if (last <= static_cast<std::int64_t>(first)) return;
  const std::int64_t num_rounds = last - static_cast<std::int64_t>(first);
  const std::int64_t length = detail::fold_chunk_length(num_rounds, chunk);
  if (chunk > 0 && num_rounds > length)
    return detail::run_chunks(frame, ops, first, num_rounds, length, rounds, values...);
  std::tuple<Values&...>(values...) = detail::run_rounds<T, Parts>(
      rounds, first, static_cast<T>(last), Parts(static_cast<FoldPart<Ops, Values>>(values)...));
}

}  // namespace pbrt
