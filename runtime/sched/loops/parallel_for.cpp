// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/parallel_for.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/seeded_fault.h"
#include "runtime/config/runtime_check.h"
#include "runtime/sched/helpers.h"

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

// Number of tasks per worker that a loop starts with, since nobody knows beforehand which workers are out of work.
constexpr std::int64_t kTasksPerWorker = 4;
// A box of fewer pieces does not wait for the first one to show how long it takes.
constexpr std::int64_t kFewPieces = 4;
// A part that takes less time than this is no task: its worker has done it, from its caches, before a thief would have.
constexpr std::chrono::nanoseconds kTimeOfTask{5000};

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
  if (shape.growth > 1) {  // pieces of loops in tiles stay square
    for (int other = N - 2; other >= 0; --other)
      if (box.extent(other) > box.extent(d)) d = other;
    return d;
  }
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

  /// Cuts the team in two and returns the half without `self`. The first worker of that half passes on what it gets;
  /// this team keeps the other half.
  Team take_others() {
    const int middle = first + (last - first) / 2;
    const Team lower{first, middle, first};
    const Team upper{middle, last, middle};
    const Team others = self < middle ? upper : lower;
    (self < middle ? last : first) = middle;
    return others;
  }
};

/// How long a team takes to start: until then those who look for work wait for their own parts.
std::chrono::nanoseconds time_to_start(int num_workers) {
  constexpr std::chrono::nanoseconds kPerPass{2000};
  return std::bit_width(static_cast<unsigned>(num_workers - 1)) * kPerPass;
}

template <int N, class Loop>
bool has_few_pieces(const Loop& loop, const Box<N>& box) {
  return box.volume() < kFewPieces * loop.max_volume;
}

/// What is left of a loop's box, in parts that halve: the worker takes the smallest next, others get the largest.
template <int N>
class Rest {
 public:
  [[nodiscard]] bool is_empty() const { return first_ == last_; }
  [[nodiscard]] bool is_full() const { return last_ == kMaxParts && !is_empty(); }
  void push(const Box<N>& part) {
    if (is_empty()) first_ = last_ = 0;
    parts_[last_++] = part;
  }
  [[nodiscard]] const Box<N>& largest() const { return parts_[first_]; }
  Box<N> take_smallest() { return parts_[--last_]; }
  Box<N> take_largest() { return parts_[first_++]; }

 private:
  static constexpr int kMaxParts = 24;
  Box<N> parts_[kMaxParts];
  int first_ = 0, last_ = 0;
};

using Clock = std::chrono::steady_clock;

/// When a worker offers what is left of a box to others.
struct Offers {
  /// Whether it offers something before the first piece, whose time is not known yet.
  bool at_once;
  /// It offers nothing before it has run pieces for so long.
  Clock::duration delay = Clock::duration::zero();
};

/// Runs a box piece by piece, in order. Parts above `task_volume` become tasks at once. Of the other parts the largest
/// one that is left becomes a task whenever the worker has none for thieves and the part takes long enough. See Note
/// [Pieces and tasks].
///
/// Loop: `halve(Box<N>& box, Box<N>& upper)`, false where the box is a piece; `run_piece(Frame&, const Box<N>&)`;
///       `max_volume` of a piece, `task_volume`. It lives until the frame has been joined.
template <int N, class Loop>
void run_in_pieces(Frame& frame, const Loop& loop, Box<N> box, const Offers& offers) {
  const auto spawn = [&](const Box<N>& part) {
    frame.spawn([&loop, part](Frame& f) { run_in_pieces<N>(f, loop, part, {has_few_pieces<N>(loop, part)}); });
  };
  Rest<N> rest;
  Clock::time_point start;
  std::int64_t num_done = 0;
  const auto is_worth_a_task = [&](const Box<N>& part) {
    if (num_done == 0) return offers.at_once;
    const Clock::duration time = Clock::now() - start;
    const double part_time = static_cast<double>(time.count()) * static_cast<double>(part.volume());
    return time >= offers.delay &&
           part_time >= static_cast<double>(kTimeOfTask.count()) * static_cast<double>(num_done);
  };
  for (;;) {
    for (Box<N> upper; loop.halve(box, upper);) {
      if (rest.is_full() || upper.volume() > loop.task_volume) {
        spawn(upper);
      } else {
        rest.push(upper);
      }
    }
    if (num_done == 0 && !rest.is_empty()) start = Clock::now();
    if (!rest.is_empty() && !Helpers(frame).has_spare_task() && is_worth_a_task(rest.largest()))
      spawn(rest.take_largest());
    frame.throw_if_aborted();
    loop.run_piece(frame, box);
    if (rest.is_empty()) return;
    num_done += box.volume();
    box = rest.take_smallest();
  }
}

/// Gives each worker of a team its part of the box, which is the same whenever the box and the number of workers are
/// the same: the worker may have the part's data in its caches from an earlier loop. All parts are tasks of `all`. See
/// Note [Parts for workers].
template <int N, class Loop>
void run_in_team(Frame& frame, Frame& all, const Loop& loop, Box<N> box, Team team) {
  while (team.last - team.first > 1 && box.volume() > loop.max_volume) {
    const int num_workers = team.last - team.first;
    const int d = dimension_to_halve(box, loop.shape());
    const std::int64_t exact = box.extent(d) * (num_workers / 2) / num_workers;
    const Team others = team.take_others();
    Box<N> lower = box;
    const std::int64_t aligned =
        exact < kAlignment ? std::max<std::int64_t>(exact, 1) : exact / kAlignment * kAlignment;
    const Box<N> upper = take_upper_part(lower, d, aligned);
    const bool is_lower = team.self < others.first;
    box = is_lower ? lower : upper;
    Helpers(frame).spawn_on(others.first, all, [&all, &loop, others, part = is_lower ? upper : lower](Frame& f) {
      run_in_team<N>(f, all, loop, part, others);
    });
  }
  run_in_pieces<N>(frame, loop, box, {has_few_pieces<N>(loop, box), time_to_start(frame.num_workers())});
}

/// Runs a box, in pieces of at most `loop.max_volume`, on all workers, and waits.
template <int N, class Loop>
void run_on_all(Frame& frame, Loop& loop, const Box<N>& box) {
  CallFrame pieces(frame);
  const Helpers helpers(pieces);
  if (helpers.can_assign()) {
    loop.task_volume = box.volume();
    run_in_team<N>(pieces, pieces, loop, box, {0, pieces.num_workers(), pieces.worker_index()});
    pieces.sync_soon();
  } else {
    loop.task_volume = helpers.may_choose_tasks() ? box.volume() / (kTasksPerWorker * pieces.num_workers()) : 0;
    helpers.expect_tasks((box.volume() - 1) / loop.max_volume);
    run_in_pieces<N>(pieces, loop, box, {true});
    pieces.sync();
  }
}

/// A loop of one body.
template <int N>
struct SingleLoop {
  const PieceBody& body;
  std::int64_t max_volume;
  std::int64_t task_volume = 0;

  [[nodiscard]] const PieceShape& shape() const { return body.shape; }
  bool halve(Box<N>& box, Box<N>& upper) const {
    if (box.volume() <= max_volume) return false;
    upper = take_upper_part(box, dimension_to_halve(box, body.shape));
    return true;
  }
  void run_piece(Frame& frame, const Box<N>& box) const {
    CallFrame piece_frame(frame);
    const RuleScope scope(piece_frame, body.rule, box.volume());
    body.call(body.closure, piece_frame, box.lo, box.hi);
    piece_frame.sync();
  }
};

/// The volume of pieces without growth; see PieceShape::reading.
template <int N>
std::int64_t usual_piece(const Box<N>& box, std::int64_t split, const PieceShape& shape, int num_workers) {
  const std::int64_t volume = piece_volume(box, split);
  const std::int64_t shorter = split_of_long(split, shape.num_read);
  if (shorter == split) return volume;
  const std::int64_t least = std::max(shape.least_volume, box.volume() / (kReadingPiecesPerWorker * num_workers));
  return std::min(volume, std::max(piece_volume(box, shorter), least));
}

/// The volume of the largest piece of loops with `volume` instances in the box; see PieceShape::growth.
template <int N>
std::int64_t largest_piece(const Box<N>& box, std::int64_t volume, std::int64_t split, const PieceShape& shape,
                           int num_workers) {
  const std::int64_t least = usual_piece(box, split, shape, num_workers);
  if (shape.growth == 1) return least;
  std::int64_t most = volume / (shape.per_worker * num_workers);
  double cube = 1;
  for (int d = 0; d < N; ++d)
    if (box.extent(d) > 1) cube *= static_cast<double>(split) * static_cast<double>(shape.growth);
  if (static_cast<double>(most) > cube) most = static_cast<std::int64_t>(cube);
  return std::max(least, most);
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
  const bool is_whole = split == kWholeBox || frame.num_workers() == 1;
  const std::int64_t volume = box.volume();
  SingleLoop<N> loop{body, is_whole ? volume : largest_piece(box, volume, split, body.shape, frame.num_workers())};
  if (is_whole) return loop.run_piece(frame, box);
  run_on_all<N>(frame, loop, box);
}

/// Several loops, cut together.
template <int N>
struct Joint {
  const JointPart<N>* parts;
  int num_parts;
  const PieceShape& piece_shape;
  std::int64_t max_volume;
  std::int64_t task_volume = 0;

  [[nodiscard]] const PieceShape& shape() const { return piece_shape; }

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

  bool halve(Box<N>& box, Box<N>& upper) const {
    if (clip(box) <= max_volume || box.volume() == 1) return false;
    upper = take_upper_part(box, dimension_to_halve(box, piece_shape));
    return true;
  }

  void run_piece(Frame& frame, const Box<N>& box) const {
    CallFrame piece_frame(frame);
    for (int i = 0; i < num_parts; ++i) {
      const Box<N> part = common_part(box, parts[i].box);
      if (!part.is_empty()) parts[i].call(parts[i].closure, piece_frame, part);
    }
    piece_frame.sync();
  }

  /// Runs one piece after the other, so that rows stay whole.
  void run_in_order(Frame& frame, Box<N> box) const {
    while (clip(box) > max_volume) {
      const int d = dimension_of_rows(box, piece_shape);
      if (d == 0) break;
      Box<N> lower = box;
      box = take_upper_part(lower, d);
      run_in_order(frame, lower);
    }
    run_piece(frame, box);
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
void run_joint(Frame& frame, const JointPart<N>* parts, int num_parts, std::int64_t split, const PieceShape& shape) {
  PBRT_DCHECK(split >= 1, "a split size is at least 1");
  if (frame.is_sequential()) {
    for (int i = 0; i < num_parts; ++i) parts[i].call(parts[i].closure, frame, parts[i].box);
    return;
  }
  Box<N> box{};
  for (int i = 0; i < num_parts; ++i) box = box_around(box, parts[i].box);
  if (box.is_empty()) return;
  Joint<N> joint{parts, num_parts, shape, 0};
  const std::int64_t volume = joint.clip(box);
  joint.max_volume = largest_piece(box, volume, split, shape, frame.num_workers());
  if (frame.num_workers() == 1) {
    // Loops in tiles make blocks of their own.
    return shape.growth > 1 ? joint.run_piece(frame, box) : joint.run_in_order(frame, box);
  }
  run_on_all<N>(frame, joint, box);
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
template void run_joint<1>(Frame&, const JointPart<1>*, int, std::int64_t, const PieceShape&);
template void run_joint<2>(Frame&, const JointPart<2>*, int, std::int64_t, const PieceShape&);
template void run_joint<3>(Frame&, const JointPart<3>*, int, std::int64_t, const PieceShape&);

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
// In most programs steps over one grid follow each other. A thief gets any part of a loop, and the frame goes on where
// its last child ended. So with two workers the halves changed hands half of the times, and each worker read from the
// caches of the other one what it had written itself one step before (a grid of 2 MiB: 1.4 times the time of a static
// schedule). So where the other workers look for work, each gets a part that depends on its number alone, through its
// mailbox. Other workers leave it there for a while (worker_search.cpp). A part is cut into pieces as any box is; these
// are stolen where workers are not equally fast.
//
// Note [Pieces and tasks]
// With a task per piece each piece costs a spawn. On many cores it costs far more: thieves take the pieces one by one,
// each with a transfer of the deque's lines and of the cells. So a worker keeps its pieces to itself and offers the
// largest part of them, one task at a time. This is lazy binary splitting (Tzannes, Caragea, Barua, Vishkin, PPoPP
// 2010), but piece by piece rather than iteration by iteration, and with tasks at once where the other workers may be
// asleep. In a team a worker offers nothing until all can have got their parts, and never a part that takes less time
// than the transfer. Loops that follow each other, 16 cores, us per loop:
//
//   cells, 0.25 ns each      10,000   50,000   200,000   1,000,000
//   a task per piece             16       22        28          65
//   offers, tasks of any time    12       20        25          50
//   offers as they are           10       14        14          42
//   OpenMP, static                5        6         9          33
