// SPDX-License-Identifier: MIT
// The text that finds where the rounds of a tile begin to store, in loops with running places. Private to clgen/opencl.
//
// In a tile, each lane of an instance runs kPlacesInFlight rounds: round `pb_u` of lane `pb_lane` is number
// `pb_u * PB_LANES + pb_lane` of the tile, so that lanes read neighbours. By how much each of them raised the place
// goes through memory of the group, where a lane adds up rounds that follow one another, and the lanes scan their sums.
// In large groups that exchange numbers in warps, rounds that raise the place by one or not at all need less: lanes
// scan all their rounds at once, a byte for each, and only the sums of warps go through memory.
#pragma once

#include <cstddef>
#include <string>

#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/writer/writer.h"
#include "lang/program.h"

namespace pb {

/// The rounds of a lane in a tile, a multiple of 4.
inline constexpr int kPlacesInFlight = 8;

/// Where the rounds of the tile begin to store: the variable that holds the place before the tile.
[[nodiscard]] std::string running_base(std::size_t place);
/// The array, by `pb_u`, of how much each round of the lane raised the place; then of how much those before it did.
[[nodiscard]] std::string running_rank(std::size_t place);

/// Whether a round raises the place by one, once, or not at all.
[[nodiscard]] bool is_raised_by_one(const Rule& rule, const Accumulator& place);

/// Declares the memory of the group. `head` stands before an array.
void print_rank_arrays(Writer& out, const Rule& rule, const LoopTree& tree, const std::string& head);

/// Makes ranks of what the rounds of a tile raised the places by. The variables `pb_total<place>` get the sums of all.
///
/// Pre: where the text stands, all work-items of the group come by
void print_ranks(Writer& out, const Rule& rule, const DividedFold& divided, const DividedFoldWords& words);

}  // namespace pb
