// SPDX-License-Identifier: MIT
// The parts of a divided fold in the text of a kernel: their types, their names, and how two of them are combined.
// Private to this folder.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "choicegraph/plan/computation.h"
#include "clgen/writer/writer.h"

namespace pb {

/// What the text of divided folds says of its kernel.
struct DividedFoldWords {
  std::string barrier;             ///< the statement
  std::string cell_barrier;        ///< the statement behind which lanes see each other's cells of matrices
  std::string global;              ///< before a pointer to memory of the device
  std::string record_slots = "0";  ///< how far records are apart, in values of 8 bytes
  bool has_neighbours = false;     ///< the lanes of an instance are neighbours
  std::string local;               ///< before a pointer to memory of the group
  /// Returns the statement that updates a cell in one of these memories so that no other update is lost.
  std::function<std::string(FoldOp op, const std::string& memory, const std::string& type, const std::string& cell,
                            const std::string& value)>
      update;
};

/// The type in which lanes compute.
[[nodiscard]] std::string own_type(const Accumulator& accumulator);

/// The type in which parts go through memory; there are no arrays of truth values in all dialects.
[[nodiscard]] std::string array_type(const Accumulator& accumulator);
[[nodiscard]] std::string array_type(const FoldPlace& place);

/// Returns the neutral element of the operator, which is not that of a smallest or largest.
[[nodiscard]] std::string neutral_text(const Accumulator& accumulator);

/// The array of a group for parts of a type, and that for numbers of iterations.
[[nodiscard]] std::string parts_array(const std::string& type);
inline constexpr const char* kRounds = "pb_rounds";
/// The place in arrays of the group of the first lane.
inline constexpr const char* kFirstLane = "[pb_local - pb_lane * pb_lane_distance]";

/// Returns how many rounds a loop has, where `PREFIXfirst` and `PREFIXlast` are its limits.
[[nodiscard]] std::string count_text(const Fold& fold, const std::string& prefix);
/// Declares the loop's variable in the round that `round` is the number of, counted from the first value: `pb_first +
/// 3`.
[[nodiscard]] std::string variable_text(const Fold& fold, const std::string& round);

/// The variables of a lane: its part of an accumulator, or of a place of one, and the number of the iteration that the
/// part is from, or -1.
[[nodiscard]] std::string part_of(std::size_t i);
[[nodiscard]] std::string part_of(std::size_t i, std::size_t place);
[[nodiscard]] std::string round_of(std::size_t i);

/// Whether `b` is a smaller or larger value than `a`; not so if one is a NaN.
[[nodiscard]] std::string is_better_text(const Accumulator& accumulator, const std::string& a, const std::string& b);

/// A part of a smallest or largest, and the number of the iteration that it is from.
struct RoundedPart {
  std::string value, round;
};

/// Whether `b` takes the place of `a`: it is smaller or larger, or equal and of an earlier iteration.
[[nodiscard]] std::string takes_place_text(const Accumulator& accumulator, const RoundedPart& a, const RoundedPart& b);

/// Combines two values; the first stays where a smallest or largest meets an equal one or a NaN.
[[nodiscard]] std::string combined_text(const Accumulator& accumulator, const std::string& a, const std::string& b);

inline constexpr const char* kUnroll = "#pragma unroll\n";

/// Has the next loop unrolled as the text says, but not on CPUs, whose compilers take long over copies of loops beside
/// barriers.
void print_unrolling(Writer& out, const std::string& elsewhere);

}  // namespace pb
