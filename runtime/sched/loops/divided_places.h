// SPDX-License-Identifier: MIT
// Loops that store at running places, as a filter does, divided among tasks like folds (divided_folds.h). A running
// place is a variable that the rounds only raise, and at which they store.
//
// There are two passes. The first one runs the rounds of all chunks without their stores, and so counts by how much
// each chunk raises the places. Then it is known where each chunk begins, and the second pass stores. A sequential
// frame runs the chunks one behind the other and needs no first pass.
//
// The result depends on the loop's rounds and the length of the chunks alone, never on workers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "runtime/sched/loops/divided_folds.h"

namespace pbrt {

namespace detail {

/// The parts with which a chunk begins: its running places, and what the operators of the other variables say.
template <std::size_t kRunning, class Parts, std::size_t... kAt>
[[nodiscard]] Parts start_at(Parts start, const Parts& places, std::index_sequence<kAt...>) {
  ((kAt < kRunning ? void(std::get<kAt>(start) = std::get<kAt>(places)) : void()), ...);
  return start;
}

/// A loop at running places in chunks.
template <std::size_t kRunning, class T, class Rounds, class Regions, class Ignored, class... Ops, class... Values>
[[gnu::noinline]] void run_chunks_at_places(Frame& frame, FoldOf<Ops...> ops, T first, std::int64_t num_rounds,
                                            std::int64_t length, const Rounds& rounds, const Regions& regions,
                                            const Ignored& ignored, Values&... values) {
  using Parts = std::tuple<FoldPart<Ops, Values>...>;
  constexpr auto kAll = std::index_sequence_for<Ops...>();
  const Parts start(Ops::start(static_cast<FoldPart<Ops, Values>>(values))...);
  const Parts zeros{};
  Parts all(static_cast<FoldPart<Ops, Values>>(values)...);
  const auto stores = [rounds, regions](T from, T to, FoldPart<Ops, Values>... parts) {
    return std::apply([&](const auto&... each) { return rounds(from, to, parts..., each...); }, regions);
  };
  const auto counts = [rounds, ignored](T from, T to, FoldPart<Ops, Values>... parts) {
    return std::apply([&](const auto&... each) { return rounds(from, to, parts..., each...); }, ignored);
  };
  const auto run = [&](Frame& piece_frame, const auto& which, std::int64_t number, const Parts& places) {
    piece_frame.throw_if_aborted();
    const std::int64_t begin = number * length;
    const std::int64_t end = num_rounds - begin < length ? num_rounds : begin + length;
    return run_chunk<T, Parts>(which, static_cast<T>(first + begin), static_cast<T>(first + end),
                               start_at<kRunning>(start, places, kAll));
  };
  // The places of a chunk's end are those of the next one's beginning; the other parts are combined.
  const auto take = [&](Parts next) {
    Parts combined = all;
    combine_parts(ops, combined, next, kAll);
    all = start_at<kRunning>(combined, next, kAll);
  };
  const std::int64_t num_chunks = (num_rounds - 1) / length + 1;
  if (frame.is_sequential()) {
    for (std::int64_t i = 0; i < num_chunks; ++i) take(run(frame, stores, i, all));
  } else {
    const auto of_chunks = std::make_unique<Parts[]>(static_cast<std::size_t>(num_chunks));
    const auto for_all = [&](const auto& visit) {
      parallel_for<1>(frame, Box<1>{{0}, {num_chunks}}, 1, [&](Frame& piece_frame, const Box<1>& piece) {
        for (std::int64_t i = piece.lo[0]; i < piece.hi[0]; ++i)
          visit(piece_frame, i, of_chunks[static_cast<std::size_t>(i)]);
      });
    };
    for_all([&](Frame& piece_frame, std::int64_t i, Parts& part) { part = run(piece_frame, counts, i, zeros); });
    Parts places = all;
    for (std::int64_t i = 0; i < num_chunks; ++i) {
      Parts& part = of_chunks[static_cast<std::size_t>(i)];
      Parts behind = places;
      combine_parts(ops, behind, part, kAll);
      part = std::exchange(places, behind);
    }
    for_all([&](Frame& piece_frame, std::int64_t i, Parts& part) { part = run(piece_frame, stores, i, part); });
    for (std::int64_t i = 0; i < num_chunks; ++i) take(of_chunks[static_cast<std::size_t>(i)]);
  }
  std::tuple<Values&...>(values...) = all;
}

}  // namespace detail

/// Runs `for (T i = first; i < last; i++)`, which raises running places, stores at them, and updates variables, in
/// chunks of `chunk` rounds, in parallel, and waits for all. The first `kRunning` values are the places, whose operator
/// is folds::Sum. The loop is not divided if `chunk` is 0, or if it has no more rounds than that.
///
/// `rounds(T first, T last, FoldPart<Op, Value>… parts, auto… regions)` runs some rounds on parts of its own, stores to
/// the regions, and returns the parts as a tuple. It may run twice: `ignored` are regions that take no stores
/// (runtime/matrix/scatters.h).
///
/// Pre:     as for divided_fold; the regions share no memory with each other or with what the rounds read
/// Errors:  rethrows the first exception of a chunk; the variables keep their values then, if the loop is divided
template <std::size_t kRunning, class... Ops, class T, class Rounds, class... Regions, class... Ignored,
          class... Values>
[[gnu::always_inline]] inline void divided_places(Frame& frame, FoldOf<Ops...> ops, T first, std::int64_t last,
                                                  std::int64_t chunk, const Rounds& rounds,
                                                  const std::tuple<Regions...>& regions,
                                                  const std::tuple<Ignored...>& ignored, Values&... values) {
  static_assert(sizeof...(Ops) == sizeof...(Values) && kRunning <= sizeof...(Values));
  if (last <= static_cast<std::int64_t>(first)) return;
  const std::int64_t num_rounds = last - static_cast<std::int64_t>(first);
  const std::int64_t length = detail::fold_chunk_length(num_rounds, chunk);
  if (chunk > 0 && num_rounds > length)
    return detail::run_chunks_at_places<kRunning>(frame, ops, first, num_rounds, length, rounds, regions, ignored,
                                                  values...);
  std::tuple<Values&...>(values...) = std::apply(
      [&](const Regions&... each) {
        return rounds(first, static_cast<T>(last), static_cast<FoldPart<Ops, Values>>(values)..., each...);
      },
      regions);
}

}  // namespace pbrt
