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

// Cuts are at multiples of this, counted from the box's start, so that pieces have no incomplete vectors and row
// groups.
constexpr std::int64_t kAlignment = 8;

/// The slowest dimension that is to be cut before the length of rows is; 0 if there is none.
template <int N>
int dimension_of_rows(const Box<N>& box, const PieceShape& shape) {
  int d = N - 1;
  while (d > 0 && box.extent(d) < 2 * shape.rows) --d;
  return d;
}

template <int N>
int dimension_to_halve(const Box<N>& box, const PieceShape& shape) {
  if (const int d = dimension_of_rows(box, shape); d > 0) return d;
  if (box.extent(0) >= 2 * shape.row) return 0;
  int d = N - 1;
  while (box.extent(d) < 2) --d;
  return d;
}

std::int64_t lower_part(std::int64_t extent) {
  const std::int64_t half = extent / 2;
  return half < kAlignment ? half : half / kAlignment * kAlignment;
}

/// Cuts a dimension in two; the box keeps the lower part.
template <int N>
Box<N> take_upper_part(Box<N>& box, int d, std::int64_t lower_extent) {
  Box<N> upper = box;
  upper.lo[d] = box.hi[d] = box.lo[d] + lower_extent;
  if (PB_FAULT(pieces_leave_a_gap)) ++upper.lo[d];
  return upper;
}
template <int N>
Box<N> take_upper_part(Box<N>& box, int d) {
  return take_upper_part(box, d, lower_part(box.extent(d)));
}

/// Workers by their numbers, from `first` to before `last`, of which `self` runs the code.
struct Team {
  int first;
  int last;
  int self;

  /// The half without `self`, to which its first worker passes on what it gets; the team keeps the other.
  Team take_others() {
    const int middle = first + (last - first) / 2;
    const Team lower{first, middle, first};
    const Team upper{middle, last, middle};
    const Team others = self < middle ? upper : lower;
    (self < middle ? last : first) = middle;
    return others;
  }
};

/// Gives each worker of a team its part of the box, the same whenever the box and the number of workers are: what it
/// had there in a loop before may be in its caches. `run(Frame&, const Box<N>&)` runs a part. See Note [Parts for workers].
template <int N, class Run>
void run_in_team(Frame& frame, std::int64_t max_volume, const PieceShape& shape, const Run& run, Box<N> box, Team team) {
  while (team.last - team.first > 1 && box.volume() > max_volume) {
    const int num_workers = team.last - team.first;
    const int d = dimension_to_halve(box, shape);
    const std::int64_t exact = box.extent(d) * (num_workers / 2) / num_workers;
    const Team others = team.take_others();
    Box<N> lower = box;
    const Box<N> upper = take_upper_part(lower, d, exact < kAlignment ? std::max<std::int64_t>(exact, 1) : exact / kAlignment * kAlignment);
    const bool is_lower = team.self < others.first;
    box = is_lower ? lower : upper;
    frame.spawn_on(others.first, [max_volume, &shape, &run, others, part = is_lower ? upper : lower](Frame& f) {
      run_in_team<N>(f, max_volume, shape, run, part, others);
    });
  }
  run(frame, box);
}

template <int N>
void run_piece(Frame& frame, const PieceBody& body, const Box<N>& box) {
  CallFrame piece_frame(frame);
  const RuleScope scope(piece_frame, body.rule, box.volume());
  body.call(body.closure, piece_frame, box.lo, box.hi);
  piece_frame.sync();
}

/// Halves one dimension after the other: spawns the upper half, keeps the lower, until the piece is small.
template <int N>
void run_box(Frame& frame, const PieceBody& body, std::int64_t max_volume, Box<N> box) {
  while (box.volume() > max_volume) {
    const Box<N> upper = take_upper_part(box, dimension_to_halve(box, body.shape));
    frame.spawn([&body, max_volume, upper](Frame& f) { run_box<N>(f, body, max_volume, upper); });
  }
  run_piece(frame, body, box);
}

/// Runs a box by `run(Frame&, const Box<N>&)`, which makes tasks of it, on all workers, and waits.
template <int N, class Run>
void run_on_all(Frame& frame, std::int64_t max_volume, const PieceShape& shape, const Box<N>& box, const Run& run) {
  CallFrame pieces(frame);
  if (pieces.can_assign()) {
    run_in_team<N>(pieces, max_volume, shape, run, box, {0, pieces.num_workers(), pieces.worker_index()});
  } else {
    pieces.expect_tasks((box.volume() - 1) / max_volume);
    run(pieces, box);
  }
  pieces.sync();
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
  if (split == kWholeBox || frame.num_workers() == 1) return run_piece(frame, body, box);
  const std::int64_t max_volume = piece_volume(box, split);
  run_on_all<N>(frame, max_volume, body.shape, box,
                [&](Frame& f, const Box<N>& part) { run_box<N>(f, body, max_volume, part); });
}

template <int N>
Box<N> common_part(const Box<N>& a, const Box<N>& b) {
  Box<N> result;
  for (int d = 0; d < N; ++d) {
    result.lo[d] = std::max(a.lo[d], b.lo[d]);
    result.hi[d] = std::min(a.hi[d], b.hi[d]);
  }
  return result;
}

/// The smallest box around both; an empty one counts as nothing.
template <int N>
Box<N> box_around(const Box<N>& a, const Box<N>& b) {
  if (a.is_empty()) return b;
  Box<N> result = a;
  for (int d = 0; d < N; ++d) {
    result.lo[d] = std::min(a.lo[d], b.lo[d]);
    result.hi[d] = std::max(a.hi[d], b.hi[d]);
  }
  return result;
}

template <int N>
struct Joint {
  const JointPart<N>* parts;
  int num_parts;
  std::int64_t max_volume;

  /// Shrinks the box to what the parts have of it; returns how many instances that is.
  std::int64_t clip(Box<N>& box) const {
    std::int64_t volume = 0;
    Box<N> around{};
    for (int i = 0; i < num_parts; ++i) {
      const Box<N> part = common_part(box, parts[i].box);
      if (part.is_empty()) continue;
      around = box_around(around, part);
      volume += part.volume();
    }
    box = around;
    return volume;
  }

  /// As run_box does it.
  void run(Frame& frame, Box<N> box) const {
    for (;;) {
      const std::int64_t volume = clip(box);
      if (volume == 0) return;
      if (volume <= max_volume || box.volume() == 1) break;
      const Box<N> upper = take_upper_part(box, dimension_to_halve(box, kLongPieces));
      frame.spawn([this, upper](Frame& f) { run(f, upper); });
    }
    call_parts(frame, box);
  }

  /// One piece after the other: rows stay whole.
  void run_in_order(Frame& frame, Box<N> box) const {
    while (clip(box) > max_volume) {
      const int d = dimension_of_rows(box, kLongPieces);
      if (d == 0) break;
      Box<N> lower = box;
      box = take_upper_part(lower, d);
      run_in_order(frame, lower);
    }
    call_parts(frame, box);
  }

 private:
  void call_parts(Frame& frame, const Box<N>& box) const {
    CallFrame piece_frame(frame);
    for (int i = 0; i < num_parts; ++i) {
      const Box<N> part = common_part(box, parts[i].box);
      if (!part.is_empty()) parts[i].call(parts[i].closure, piece_frame, part);
    }
    piece_frame.sync();
  }
};

}  // namespace

template <int N>
Box<N> common_box(const Box<N>* boxes, int num_boxes) {
  Box<N> common = boxes[0];
  for (int i = 1; i < num_boxes; ++i) common = common_part(common, boxes[i]);
  return common;
}

template <int N>
bool take_outside(Box<N>& box, const Box<N>& inside, Box<N>& part) {
  part = box;
  if (inside.is_empty()) {
    box.hi[0] = box.lo[0];
    return !part.is_empty();
  }
  for (int d = N - 1; d >= 0; --d) {
    if (box.lo[d] < inside.lo[d]) {
      part.hi[d] = box.lo[d] = inside.lo[d];
      return true;
    }
    if (inside.hi[d] < box.hi[d]) {
      part.lo[d] = box.hi[d] = inside.hi[d];
      return true;
    }
  }
  return false;
}

template <int N>
void insert_joint(JointPart<N>* parts, int& num_parts, const JointPart<N>& part) {
  if (part.box.is_empty()) return;
  int place = num_parts++;
  for (; place > 0 && parts[place - 1].box.volume() < part.box.volume(); --place) parts[place] = parts[place - 1];
  parts[place] = part;
}

template <int N>
void run_joint(Frame& frame, const JointPart<N>* parts, int num_parts, std::int64_t split) {
  PBRT_DCHECK(split >= 1, "a split size is at least 1");
  if (frame.is_sequential()) {
    for (int i = 0; i < num_parts; ++i) parts[i].call(parts[i].closure, frame, parts[i].box);
    return;
  }
  Box<N> box{};
  for (int i = 0; i < num_parts; ++i) box = box_around(box, parts[i].box);
  if (box.is_empty()) return;
  const Joint<N> joint{parts, num_parts, piece_volume(box, split)};
  if (frame.num_workers() == 1) return joint.run_in_order(frame, box);
  run_on_all<N>(frame, joint.max_volume, kLongPieces, box, [&](Frame& f, const Box<N>& part) { joint.run(f, part); });
}

template Box<1> common_box<1>(const Box<1>*, int);
template Box<2> common_box<2>(const Box<2>*, int);
template Box<3> common_box<3>(const Box<3>*, int);
template bool take_outside<1>(Box<1>&, const Box<1>&, Box<1>&);
template bool take_outside<2>(Box<2>&, const Box<2>&, Box<2>&);
template bool take_outside<3>(Box<3>&, const Box<3>&, Box<3>&);
template void insert_joint<1>(JointPart<1>*, int&, const JointPart<1>&);
template void insert_joint<2>(JointPart<2>*, int&, const JointPart<2>&);
template void insert_joint<3>(JointPart<3>*, int&, const JointPart<3>&);
template void run_joint<1>(Frame&, const JointPart<1>*, int, std::int64_t);
template void run_joint<2>(Frame&, const JointPart<2>*, int, std::int64_t);
template void run_joint<3>(Frame&, const JointPart<3>*, int, std::int64_t);

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

// Note [Parts for workers]
// Steps over one grid follow each other in most programs. Who steals gets any part of a loop, and the frame goes on where its last
// child ended: with two workers the halves changed hands half of the times, and each worker read from the caches of
// the other one what it had written itself the step before (a grid of 2 MiB: 1.4 times the time of a static schedule). So
// where the other workers look for work, each gets a part that depends on its number alone, through its mailbox. Others leave it there
// for a while (worker.cpp). A part is cut into tasks as before, which are stolen where workers are not equally fast.
