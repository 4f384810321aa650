// SPDX-License-Identifier: MIT
// Loops that update cells at computed places, as histograms do, divided among tasks like folds (divided_folds.h). Each
// chunk of rounds has bins of its own. Behind the loop, the cells get the bins of all chunks, in the order of the
// chunks.
//
// The result depends on the loop's rounds, the length of the chunks and the sizes of what the loop uses alone, never on
// workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "runtime/sched/loops/divided_folds.h"

namespace pbrt {

namespace detail {

/// The bins of all chunks are cleared and combined. So there are few chunks, and the loop has far more updates than
/// all chunks together have bins.
inline constexpr std::int64_t kMaxBinChunks = 64;
inline constexpr std::int64_t kUpdatesPerBin = 4;
inline constexpr std::int64_t kMaxBinBytes = std::int64_t{64} << 20;

/// Returns how many rounds a chunk of a loop with bins has; 0: the loop is not divided. `wanted` is the fewest; 0
/// stands for a loop that is not divided.
[[nodiscard]] constexpr std::int64_t bin_chunk_length(std::int64_t num_rounds, std::int64_t wanted,
                                                      std::int64_t num_updates, std::int64_t num_bins,
                                                      std::int64_t num_bytes) {
  if (wanted <= 0 || num_bins == 0) return 0;
  const std::int64_t most =
      std::min({kMaxBinChunks, num_updates / kUpdatesPerBin / num_bins, kMaxBinBytes / num_bytes});
  if (most < 2 || num_rounds <= wanted) return 0;
  return std::max(wanted, (num_rounds - 1) / most + 1);
}

template <class Bins>
void combine_bins(Frame& frame, const Bins& bins) {
  constexpr std::int64_t kCellsOfTask = 4096;
  if (bins.num_cells() <= kCellsOfTask || frame.is_sequential()) return bins.combine(0, bins.num_cells());
  parallel_for<1>(frame, Box<1>{{0}, {bins.num_cells()}}, kCellsOfTask,
                  [&](Frame&, const Box<1>& piece) { bins.combine(piece.lo[0], piece.hi[0]); });
}

template <class... Ops, class T, class Rounds, class... EachBins, class... Values>
[[gnu::noinline]] void run_chunks_with_bins(Frame& frame, FoldOf<Ops...> ops, T first, std::int64_t num_rounds,
                                            std::int64_t length, const Rounds& rounds, std::tuple<EachBins...>& bins,
                                            Values&... values) {
  std::apply([&](EachBins&... each) { (each.allocate((num_rounds - 1) / length + 1), ...); }, bins);
  const auto with_bins = [&rounds, &bins, first, length](T from, T to, FoldPart<Ops, Values>... parts) {
    const std::int64_t number = (static_cast<std::int64_t>(from) - static_cast<std::int64_t>(first)) / length;
    return std::apply([&](const EachBins&... each) { return rounds(from, to, parts..., each.begin_chunk(number)...); },
                      bins);
  };
  run_chunks(frame, ops, first, num_rounds, length, with_bins, values...);
  std::apply([&](const EachBins&... each) { (combine_bins(frame, each), ...); }, bins);
}

}  // namespace detail

/// Runs `for (T i = first; i < last; i++)`, which updates variables and bins, in chunks of at least `chunk` rounds, in
/// parallel, and waits for all. The loop is not divided if `chunk` is 0, if it has no more rounds than that, or if it
/// has too few updates (`num_updates` is about how many it has) beside the number of its bins.
///
/// `rounds(T first, T last, FoldPart<Op, Value>… parts, auto… bins)` runs some rounds on parts and bins of its own and
/// returns the parts as a tuple. `bins` are objects of pbrt::Bins (runtime/matrix/scatters.h).
///
/// Pre:     as for divided_fold; the bins share no memory with each other or with what the rounds read
/// Errors:  rethrows the first exception of a chunk; the variables and the cells keep their values then, if the loop is
///          divided
template <class... Ops, class T, class Rounds, class... EachBins, class... Values>
[[gnu::always_inline]] inline void divided_bins(Frame& frame, FoldOf<Ops...> ops, T first, std::int64_t last,
                                                std::int64_t chunk, std::int64_t num_updates, const Rounds& rounds,
                                                std::tuple<EachBins...> bins, Values&... values) {
  static_assert(sizeof...(Ops) == sizeof...(Values));
  if (last <= static_cast<std::int64_t>(first)) return;
  const std::int64_t num_rounds = last - static_cast<std::int64_t>(first);
  const auto [num_cells, num_bytes] = std::apply(
      [](const EachBins&... each) { return std::pair((each.num_cells() + ...), (each.num_bytes() + ...)); }, bins);
  const std::int64_t length = detail::bin_chunk_length(num_rounds, chunk, num_updates, num_cells, num_bytes);
  if (length > 0) return detail::run_chunks_with_bins(frame, ops, first, num_rounds, length, rounds, bins, values...);
  std::tuple<Values&...>(values...) = std::apply(
      [&](const EachBins&... each) {
        return rounds(first, static_cast<T>(last), static_cast<FoldPart<Ops, Values>>(values)..., each.whole()...);
      },
      bins);
}

}  // namespace pbrt
