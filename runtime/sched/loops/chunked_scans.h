// SPDX-License-Identifier: MIT
// Scans along the lines of a box, in chunks. Used by generated code (choicegraph/plan/scan.h, runtime/matrix/
// simd_scans.h).
//
// A chunk is first folded, as if nothing stood before it. Its fold and the values before it give the values before the
// next chunk. Then it is scanned from the values before it, while what it reads is in a near cache. The chunks of a
// line begin at fixed places, and only these decide the result: not workers, and not who runs what.
//
// Where there are few lines, workers take chunks in their order. Nobody waits: a worker that has folded a chunk whose
// start is not known yet folds the next one, and scans both later. What it has folded must not leave its caches. So if
// a few chunks wait, it also folds the chunk that keeps them waiting, whose own worker may have been interrupted.
//
// Proof: each chunk is scanned once, and its fold and its start are written once, before they are read. Of those who have
// folded a chunk, only the one that sets Taken writes the fold, and then sets Folded. Who makes the chunk's start sets
// Started after it has written the start. All use acquire and release, so who sets the second of Folded and Started
// sees the fold and the start, and alone makes the next start. The chunk's own worker scans it when it sees Started. A
// worker that runs out of chunks sets Left: if it sees Started then, it scans the chunk itself; else who sets Started
// sees Left, and scans it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "runtime/sched/frame.h"
#include "runtime/sched/loops/box.h"
#include "runtime/sched/loops/parallel_for.h"

namespace pbrt {

/// A box has at most so many chunks; if there were more of them, they are longer.
inline constexpr std::int64_t kMaxScanChunks = std::int64_t{1} << 16;

namespace detail {

/// The lines of a box along dimension 0, and their chunks, by numbers in the direction of the scan. Chunks begin at
/// multiples of their length, so that the packs of a chunk are whole cache lines where rows begin with one.
template <int N>
struct ScanGrid {
  Box<N> box;
  std::int64_t length;  ///< of a chunk
  bool is_backward;
  std::int64_t num_lines = 1, per_line = 1;

  ScanGrid(const Box<N>& all, std::int64_t wanted, bool backward) : box(all), length(wanted), is_backward(backward) {
    for (int d = 1; d < N; ++d) num_lines *= box.extent(d);
    const std::int64_t most = num_lines < kMaxScanChunks ? kMaxScanChunks / num_lines : 1;
    if (box.extent(0) > length * most) length = ((box.extent(0) - 1) / most / kWholeLines + 1) * kWholeLines;
    per_line = number_of(box.hi[0] - 1) - number_of(box.lo[0]) + 1;
  }

  [[nodiscard]] Box<N> chunk(std::int64_t line, std::int64_t number) const {
    Box<N> out = box;
    const std::int64_t first =
        (is_backward ? number_of(box.hi[0] - 1) - number : number_of(box.lo[0]) + number) * length;
    out.lo[0] = std::max(first, box.lo[0]);
    out.hi[0] = std::min(first + length, box.hi[0]);
    for (int d = 1; d < N; ++d) {
      out.lo[d] = box.lo[d] + line % box.extent(d);
      out.hi[d] = out.lo[d] + 1;
      line /= box.extent(d);
    }
    return out;
  }

 private:
  static constexpr std::int64_t kWholeLines = 64;

  /// The number of the chunk with a place, counted from the one that begins at 0.
  [[nodiscard]] std::int64_t number_of(std::int64_t place) const {
    return place / length - (place % length < 0 ? 1 : 0);
  }
};

/// Scans a line, one chunk after the other. What is exact needs no folds.
template <int N, class Chunks>
void scan_line(const ScanGrid<N>& grid, std::int64_t line, const Chunks& chunks) {
  auto start = chunks.before(grid.chunk(line, 0));
  for (std::int64_t k = 0; k < grid.per_line; ++k) {
    const Box<N> chunk = grid.chunk(line, k);
    const bool is_last = k + 1 == grid.per_line;
    auto next = start;
    if (!Chunks::kIsExact && !is_last && !chunks.combine(next, chunks.fold(chunk))) {
      start = chunks.run_in_order(chunk, start);
      continue;
    }
    if (!chunks.scan(chunk, start)) chunks.run_in_order(chunk, start);
    if (!is_last) start = Chunks::kIsExact ? chunks.before(grid.chunk(line, k + 1)) : next;
  }
}

/// The chunks of all lines, of which workers take one after the other.
template <int N, class Chunks>
class ChunkChain {
 public:
  ChunkChain(const ScanGrid<N>& grid, const Chunks& chunks)
      : grid_(grid),
        chunks_(chunks),
        num_(grid.num_lines * grid.per_line),
        states_(std::make_unique<State[]>(static_cast<std::size_t>(num_))) {
    for (std::int64_t k = 0; k < num_; k += grid.per_line) {
      at(k).start = chunks.before(box_of(k));
      at(k).bits.store(kStarted, std::memory_order_relaxed);
    }
  }

  /// What each worker runs.
  void work(Frame& frame) {
    std::deque<std::int64_t> own;
    for (std::int64_t k; (k = next_.fetch_add(1, std::memory_order_relaxed)) < num_;) {
      frame.throw_if_aborted();
      own.push_back(k);
      fold(k, own);
      if (own.size() > kMostAhead) fold(last_started(own.front()), own);
      // Pairs with the exchanges in `fold` and `start_next`.
      while (!own.empty() && is_ready(own.front(), at(own.front()).bits.load(std::memory_order_acquire))) {
        scan(own.front());
        own.pop_front();
      }
    }
    // Pairs with the exchanges in `fold` and `start_next`.
    for (const std::int64_t k : own)
      if (is_ready(k, at(k).bits.fetch_or(kLeft, std::memory_order_acq_rel))) scan(k);
  }

 private:
  static constexpr unsigned kTaken = 1, kFolded = 2, kStarted = 4, kLeft = 8;
  /// Chunks that may wait for their start without help.
  static constexpr std::size_t kMostAhead = 1;
  struct State {
    std::atomic<unsigned> bits{0};
    typename Chunks::Values start;
    typename Chunks::Part part;
  };

  [[nodiscard]] State& at(std::int64_t k) const { return states_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] bool is_last(std::int64_t k) const { return k % grid_.per_line + 1 == grid_.per_line; }
  [[nodiscard]] Box<N> box_of(std::int64_t k) const { return grid_.chunk(k / grid_.per_line, k % grid_.per_line); }

  /// Whether a chunk may be scanned: it has a start, and its fold says whether that can be done. Who sets the last of
  /// these bits for a chunk whose worker has left scans it.
  [[nodiscard]] bool is_ready(std::int64_t k, unsigned bits) const {
    return (bits & kStarted) != 0 && (is_last(k) || (bits & kFolded) != 0);
  }
  // Pairs with the exchange in `start_next`.
  [[nodiscard]] bool is_started(std::int64_t k) const {
    return (at(k).bits.load(std::memory_order_acquire) & kStarted) != 0;
  }
  /// The chunk, at or before `k`, that is the last one with a start.
  [[nodiscard]] std::int64_t last_started(std::int64_t k) const {
    while (!is_started(k)) --k;
    return k;
  }

  /// Folds a chunk that is not the last of its line, and makes the starts that depend on it.
  void fold(std::int64_t k, std::deque<std::int64_t>& own) {
    State& state = at(k);
    if (is_last(k) || (state.bits.load(std::memory_order_relaxed) & kTaken) != 0) return;
    const typename Chunks::Part part = chunks_.fold(box_of(k));
    if ((state.bits.fetch_or(kTaken, std::memory_order_acq_rel) & kTaken) != 0) return;
    state.part = part;
    // Pairs with the exchanges in `start_next` and `work`.
    const unsigned bits = state.bits.fetch_or(kFolded, std::memory_order_acq_rel);
    if ((bits & kStarted) == 0) return;
    start_next(k, own);
    if ((bits & kLeft) != 0) own.push_back(k);
  }

  /// Makes the starts of the chunks behind `k`, as far as those before them are folded. A chunk whose fold cannot
  /// be combined runs in the order of the source. Chunks whose workers have left come to `own`.
  void start_next(std::int64_t k, std::deque<std::int64_t>& own) {
    for (; !is_last(k); ++k) {
      auto start = at(k).start;
      if (!chunks_.combine(start, at(k).part)) start = chunks_.run_in_order(box_of(k), at(k).start);
      at(k + 1).start = start;
      // Pairs with the exchanges in `fold` and `work`.
      const unsigned bits = at(k + 1).bits.fetch_or(kStarted, std::memory_order_acq_rel);
      if ((bits & kLeft) != 0 && is_ready(k + 1, bits | kStarted)) own.push_back(k + 1);
      if ((bits & kFolded) == 0) return;
    }
  }

  void scan(std::int64_t k) const {
    if (!is_last(k) && !Chunks::is_usable(at(k).start, at(k).part)) return;  // start_next has run it
    if (!chunks_.scan(box_of(k), at(k).start)) chunks_.run_in_order(box_of(k), at(k).start);
  }

  const ScanGrid<N>& grid_;
  const Chunks& chunks_;
  std::int64_t num_;
  std::unique_ptr<State[]> states_;
  std::atomic<std::int64_t> next_{0};
};

}  // namespace detail

/// Runs a scan along dimension 0 of `box`, in chunks of `length` instances, and waits for all.
///
/// `Chunks` has the types `Values`, of what stands before a chunk, and `Part`, of its fold; `kIsExact`, where the order
/// of operations changes no bits; `kIsDown`, where the scan runs downwards; and functions over boxes of one line:
///   Values before(box)                         what stands before the box in memory
///   Part fold(box)                             its fold
///   bool combine(Values&, const Part&)         takes a fold into the values before it; false: that is not possible
///   bool is_usable(const Values&, const Part&) whether `combine` takes it
///   bool scan(box, const Values&)              runs the instances; false: they must run in the order of the source
///   Values run_in_order(box, const Values&)    does that, and returns the last values
///
/// Pre:     length >= 1
/// Errors:  rethrows the first exception of a chunk
template <int N, class Chunks>
void run_scan(Frame& frame, const Box<N>& box, std::int64_t length, const Chunks& chunks) {
  if (box.is_empty()) return;
  const detail::ScanGrid<N> grid(box, length, Chunks::kIsDown);
  const int num_workers = frame.is_sequential() ? 1 : frame.num_workers();
  const bool has_chain = grid.per_line > 1 && num_workers > 1 && grid.num_lines < 4 * num_workers;
  if (!has_chain) {
    constexpr std::int64_t kManyInstances = 16384;
    const std::int64_t split = std::max<std::int64_t>(1, kManyInstances / box.extent(0));
    return parallel_for<1>(frame, Box<1>{{0}, {grid.num_lines}}, split, [&](Frame& piece_frame, const Box<1>& lines) {
      for (std::int64_t line = lines.lo[0]; line < lines.hi[0]; ++line) {
        piece_frame.throw_if_aborted();
        detail::scan_line(grid, line, chunks);
      }
    });
  }
  detail::ChunkChain<N, Chunks> chain(grid, chunks);
  parallel_for<1>(frame, Box<1>{{0}, {num_workers}}, 1,
                  [&](Frame& piece_frame, const Box<1>&) { chain.work(piece_frame); });
}

}  // namespace pbrt
