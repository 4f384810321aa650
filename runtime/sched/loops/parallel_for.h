// SPDX-License-Identifier: MIT
// Data-parallel loops over boxes. Used by generated code for the instances of a
// rule that carry no dependence. Light: the splitting is compiled once, in
// parallel_for.cpp; only the body's adapter is a template.
//
// What `split` means (docs/reference/language.md 8.3, and where we differ). The language halves every
// dimension while every extent is at least 2 and some extent is at least `split`:
// after k halvings there are 2^(D k) cubes. We make pieces of (at most) the volume
// of those cubes, but with more rows than columns cut, so that the innermost loop stays
// long and several rows vectorise together; cuts are at multiples of eight. A
// dimension of extent 1 is left out instead of stopping the split. One dimension:
// exactly the language's rule. No program can observe the shape of the pieces,
// since instances of such a rule have no defined order.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "base/joint_limits.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/loops/box.h"
#include "runtime/sched/rule_scope.h"

namespace pbrt {

inline constexpr int kMaxBoxDimensions = 16;

/// How pieces of two and more dimensions are cut: planes and rows before the length of rows is, down to `rows` of them;
/// then rows, down to `row` cells; then the slowest dimension.
struct PieceShape {
  std::int64_t rows;
  std::int64_t row;
  /// Where each worker gets `per_worker` pieces, they may have the volume of a cube whose sides are so many split
  /// sizes.
  std::int64_t growth = 1;
  /// Pieces of instances that read much have so many of them or more; see reading().
  std::int64_t least_volume = 1;
  /// So many cells an instance reads in loops of its body.
  std::int64_t num_read = 1;
  std::int64_t per_worker = 2;

  /// The shape for instances that each read so many cells: pieces get smaller where few instances are enough work for a
  /// task, as those of a sum of each row do if rows are long.
  ///
  /// Pre: least >= 1
  [[nodiscard]] constexpr PieceShape reading(std::int64_t num_cells, std::int64_t least = 1) const {
    PieceShape shape = *this;
    shape.num_read = num_cells;
    if (least > shape.least_volume) shape.least_volume = least;
    return shape;
  }
};
/// The most pieces per worker that a box gets because its instances read much: an instance may read less than it can.
inline constexpr std::int64_t kReadingPiecesPerWorker = 16;
/// The shape for most loops: vector code does several rows at once, and pieces follow each other along rows, which are
/// streams for the memory.
inline constexpr PieceShape kLongPieces = {8, 256};
/// The shape for loops in strips (runtime/matrix/strips.h), where lines that run across the rows are streams too.
inline constexpr PieceShape kTallPieces = {256, 32};

/// The shape for loops in tiles (runtime/matrix/blocks/tile_loops.h): what a piece copies serves many rows and columns.
/// A tile has up to 8 rows of some vectors.
inline constexpr PieceShape kSquarePieces = {256, 256, 4, 128};
/// The same where instances are no box: some pieces have none, and others are full.
inline constexpr PieceShape kObliquePieces = {256, 256, 4, 128, 1, 8};
/// The least volume of pieces whose neighbours are computed at once, in vectors.
inline constexpr std::int64_t kLeastInPacks = 64;

namespace detail {

/// A loop with its body's type erased; bounds are arrays of `num_dimensions`.
struct PieceBody {
  void (*call)(const void* closure, Frame& frame, const std::int64_t* lo, const std::int64_t* hi);
  const void* closure;
  int num_dimensions;
  /// The rule that pieces count as; null: they are not counted.
  const RuleDesc* rule;
  PieceShape shape = kLongPieces;
};
void run_pieces(Frame& frame, const PieceBody& body, const std::int64_t* lo, const std::int64_t* hi,
                std::int64_t split);

/// One of several loops that run together.
template <int N>
struct JointPart {
  Box<N> box;
  void (*call)(const void* closure, Frame& frame, const Box<N>& piece);
  const void* closure;
};
/// Inserts `part` so that the largest part stays first: its rows bring the cells of borders.
template <int N>
void insert_joint(JointPart<N>* parts, int& num_parts, const JointPart<N>& part);
/// The part that all boxes have in common.
template <int N>
Box<N> common_box(const Box<N>* boxes, int num_boxes);
/// Takes a part of `box` that lies outside of `inside`; false: there is none. Each point outside is in one such part.
///
/// Pre: `inside`, if it is not empty, lies in `box`
template <int N>
bool take_outside(Box<N>& box, const Box<N>& inside, Box<N>& part);
template <int N>
void run_joint(Frame& frame, const JointPart<N>* parts, int num_parts, std::int64_t split, const PieceShape& shape);
extern template Box<1> common_box<1>(const Box<1>*, int);
extern template Box<2> common_box<2>(const Box<2>*, int);
extern template Box<3> common_box<3>(const Box<3>*, int);
extern template bool take_outside<1>(Box<1>&, const Box<1>&, Box<1>&);
extern template bool take_outside<2>(Box<2>&, const Box<2>&, Box<2>&);
extern template bool take_outside<3>(Box<3>&, const Box<3>&, Box<3>&);
extern template void insert_joint<1>(JointPart<1>*, int&, const JointPart<1>&);
extern template void insert_joint<2>(JointPart<2>*, int&, const JointPart<2>&);
extern template void insert_joint<3>(JointPart<3>*, int&, const JointPart<3>&);
extern template void run_joint<1>(Frame&, const JointPart<1>*, int, std::int64_t, const PieceShape&);
extern template void run_joint<2>(Frame&, const JointPart<2>*, int, std::int64_t, const PieceShape&);
extern template void run_joint<3>(Frame&, const JointPart<3>*, int, std::int64_t, const PieceShape&);

}  // namespace detail

/// Calls `f(Frame&, const Box<N>&)` on pieces that partition `box`, in parallel, and waits for all.
///
/// In a sequential frame, or with one worker, `f` is called once with the whole box; in a sequential one at once,
/// without the runtime. Elsewhere each call of `f` gets a frame of its own. An empty box calls nothing. `rule` is for
/// traces, `shape` for speed.
///
/// Pre:     split >= 1
/// Errors:  rethrows the first exception of a piece
template <int N, class F>
void parallel_for(Frame& frame, const Box<N>& box, std::int64_t split, const F& f, const RuleDesc* rule = nullptr,
                  const PieceShape& shape = kLongPieces) {
  static_assert(N <= kMaxBoxDimensions);
  if (frame.is_sequential()) {
    if (box.is_empty()) return;
    const RuleScope scope(frame, rule, box.volume());
    return f(frame, box);
  }
  const detail::PieceBody body{
      [](const void* closure, Frame& piece_frame, const std::int64_t* lo, const std::int64_t* hi) {
        Box<N> piece;
        for (int d = 0; d < N; ++d) {
          piece.lo[d] = lo[d];
          piece.hi[d] = hi[d];
        }
        (*static_cast<const F*>(closure))(piece_frame, static_cast<const Box<N>&>(piece));
      },
      static_cast<const void*>(std::addressof(f)), N, rule, shape};
  detail::run_pieces(frame, body, box.lo, box.hi, split);
}

/// A split size that leaves boxes whole.
inline constexpr std::int64_t kWholeBox = std::numeric_limits<std::int64_t>::max();
/// So many cells are worth a task, whatever else is known of them: they take a tenth of a millisecond or more.
inline constexpr std::int64_t kManyCells = std::int64_t{1} << 18;
/// Returns the split size of a loop whose instances write `num_cells` each, such as whole rows: `split`, but no more
/// than the number of instances that write kManyCells, and at least 1.
[[nodiscard]] constexpr std::int64_t split_of_long(std::int64_t split, std::int64_t num_cells) {
  if (split == kWholeBox || num_cells <= 1) return split;
  const std::int64_t enough = num_cells < kManyCells ? kManyCells / num_cells : 1;
  return split < enough ? split : enough;
}
/// Loops that need nothing of each other and write side by side, such as those over the inside of a matrix and over its
/// borders: cut together, so that one piece runs what all of them have there while its cells are in the cache.
///
///   JointLoops<2, 3> loops;
///   loops.add(inside, f);
///   if (…) loops.add(left, g);
///   loops.run(frame, split);
template <int N, int kMaxParts>
class JointLoops {
 public:
  /// `f(Frame&, const Box<N>&)` gets pieces of `box` and counts them itself; it lives until run() is over.
  ///
  /// Pre: at most kMaxParts calls
  template <class F>
  void add(const Box<N>& box, const F& f) {
    detail::insert_joint<N>(parts_, num_parts_, {box, &call<F>, static_cast<const void*>(std::addressof(f))});
  }
  template <class F>
  void add(const Box<N>& box, const F&& f) = delete;

  /// Adds one loop per box. Where all boxes overlap, `f` runs the instances of all these loops; the i-th function of
  /// `each` runs the instances of `boxes[i]` that lie elsewhere.
  ///
  /// Pre: of the kMaxParts calls it counts as one, and as 2 N more for each box
  template <class F, class... G>
  void add_fused(const Box<N> (&boxes)[sizeof...(G)], const F& f, const G&... each) {
    const Box<N> common = detail::common_box<N>(boxes, sizeof...(G));
    add(common, f);
    const Box<N>* box = boxes;
    (add_outside(*box++, common, each), ...);
  }

  /// Runs all loops and waits for them; in a sequential frame one after the other. `shape` is that of the loop whose
  /// instances take most of the time.
  ///
  /// Pre:     split >= 1
  /// Errors:  rethrows the first exception of a piece
  void run(Frame& frame, std::int64_t split, const PieceShape& shape = kLongPieces) const {
    detail::run_joint<N>(frame, parts_, num_parts_, split, shape);
  }

 private:
  static_assert(N <= pb::kMaxJointDimensions);
  template <class F>
  static void call(const void* closure, Frame& frame, const Box<N>& piece) {
    (*static_cast<const F*>(closure))(frame, piece);
  }
  template <class G>
  void add_outside(Box<N> box, const Box<N>& inside, const G& g) {
    for (Box<N> part; detail::take_outside<N>(box, inside, part);) add(part, g);
  }
  detail::JointPart<N> parts_[kMaxParts];
  int num_parts_ = 0;
};

}  // namespace pbrt
