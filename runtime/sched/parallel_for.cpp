// SPDX-License-Identifier: MIT
#include "runtime/sched/parallel_for.h"

#include <algorithm>

#include "runtime/config/check.h"
#include "tests/faults/seeded_fault.h"

namespace pbrt::detail {
namespace {

/// Volume of the pieces that the language's rule would make; see the header.
template <int N>
std::int64_t piece_volume(const Box<N>& box, std::int64_t split) {
  std::int64_t extents[N];
  for (int d = 0; d < N; ++d) extents[d] = box.extent(d);
  for (;;) {
    const std::int64_t largest = *std::max_element(extents, extents + N);
    if (largest < split || largest < 2) break;
    for (std::int64_t& extent : extents) extent = (extent + 1) / 2;
  }
  std::int64_t volume = 1;
  for (const std::int64_t extent : extents) volume *= extent;
  return volume;
}

// Planes and rows are cut before the length of rows is, down to these numbers: vector code does several rows at once,
// and pieces follow each other along rows, which are streams for the memory. Only rows that stay long are cut then.
constexpr std::int64_t kRows = 8;
constexpr std::int64_t kRow = 256;
// Cuts are at multiples of this, counted from the box's start, so that pieces have no incomplete vectors and row
// groups.
constexpr std::int64_t kAlignment = 8;

template <int N>
int dimension_to_halve(const Box<N>& box) {
  for (int d = N - 1; d > 0; --d)
    if (box.extent(d) >= 2 * kRows) return d;
  if (box.extent(0) >= 2 * kRow) return 0;
  int d = N - 1;
  while (box.extent(d) < 2) --d;
  return d;
}

std::int64_t lower_part(std::int64_t extent) {
  const std::int64_t half = extent / 2;
  return half < kAlignment ? half : half / kAlignment * kAlignment;
}

/// Halves one dimension after the other: spawns the upper half, keeps the lower, until the piece is small.
template <int N>
void run_box(Frame& frame, const PieceBody& body, std::int64_t max_volume, Box<N> box) {
  while (box.volume() > max_volume) {
    const int d = dimension_to_halve(box);
    Box<N> upper = box;
    upper.lo[d] = box.hi[d] = box.lo[d] + lower_part(box.extent(d));
    if (PB_FAULT(pieces_leave_a_gap)) ++upper.lo[d];
    frame.spawn([&body, max_volume, upper](Frame& f) { run_box<N>(f, body, max_volume, upper); });
  }
  CallFrame piece_frame(frame);
  const RuleScope scope(piece_frame, body.rule, box.volume());
  body.call(body.closure, piece_frame, box.lo, box.hi);
  piece_frame.sync();
}

template <int N>
void run_in_dimensions(Frame& frame, const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi,
                       std::int64_t split) {
  Box<N> box;
  for (int d = 0; d < N; ++d) {
    const bool is_padding = d >= body.num_dimensions;
    box.lo[d] = is_padding ? 0 : lo[d];
    box.hi[d] = is_padding ? 1 : hi[d];
  }
  if (box.is_empty()) return;
  CallFrame pieces(frame);
  const bool is_whole = frame.is_sequential() || frame.num_workers() == 1;
  const std::int64_t max_volume = is_whole ? box.volume() : piece_volume(box, split);
  pieces.expect_tasks((box.volume() - 1) / max_volume);
  run_box<N>(pieces, body, max_volume, box);
  pieces.sync();
}

}  // namespace

void run_pieces(Frame& frame, const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi,
                std::int64_t split) {
  PBRT_DCHECK(split >= 1, "a split size is at least 1");
  switch (body.num_dimensions) {
    case 1:
      return run_in_dimensions<1>(frame, body, lo, hi, split);
    case 2:
      return run_in_dimensions<2>(frame, body, lo, hi, split);
    case 3:
      return run_in_dimensions<3>(frame, body, lo, hi, split);
    case 4:
      return run_in_dimensions<4>(frame, body, lo, hi, split);
    default:
      return run_in_dimensions<kMaxBoxDimensions>(frame, body, lo, hi, split);
  }
}

}  // namespace pbrt::detail
