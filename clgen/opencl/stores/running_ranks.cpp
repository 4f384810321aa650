// SPDX-License-Identifier: MIT
#include "clgen/opencl/stores/running_ranks.h"

#include <algorithm>

#include "clgen/opencl/kernel_words.h"
#include "lang/check.h"

namespace pb {
namespace {

const std::string kNumRounds = std::to_string(kPlacesInFlight);

/// Rows of the array are a word longer than the memory has banks, because lanes read rounds that follow one another.
std::string rank_at(const std::string& at) { return "pb_ranks[" + at + " + (" + at + ") / 32]"; }

/// Opens a loop over the rounds of a lane.
void open_rounds(Writer& out) {
  print_unrolling(out, kUnroll);
  out.open("for (int pb_u = 0; pb_u < " + kNumRounds + "; ++pb_u)");
}

}  // namespace

std::string running_base(std::size_t place) { return "pb_base" + std::to_string(place); }
std::string running_rank(std::size_t place) { return "pb_raised" + std::to_string(place); }

void print_rank_arrays(Writer& out, const LoopTree& tree, const std::string& head) {
  if (!has_running_places(tree)) return;
  out.verbatim("#ifdef PB_LANES\n");
  out.line(head + "uint pb_ranks[PB_GROUP_ITEMS * " + kNumRounds + " + PB_GROUP_ITEMS / 4 + 1];");
  out.line(head + "uint pb_sums[PB_GROUP_ITEMS];");
  out.verbatim("#endif\n");
}

void print_ranks(Writer& out, std::size_t place, const DividedFoldWords& words) {
  PB_CHECK(words.has_neighbours, "the lanes of an only instance are neighbours");
  const std::string raised = running_rank(place) + "[pb_u]";
  const std::string striped = rank_at("pb_first_lane * " + kNumRounds + " + pb_u * PB_LANES + pb_lane");
  const std::string in_a_row = rank_at("pb_local * " + kNumRounds + " + pb_u");
  out.open("");
  out.line("const int pb_first_lane = pb_local - pb_lane;");
  open_rounds(out);
  out.line(striped + " = " + raised + ";");
  out.close();
  out.line(words.barrier);
  out.line("uint pb_sum = 0;");
  open_rounds(out);
  out.line("const uint pb_more = " + in_a_row + ";");
  out.line(raised + " = pb_sum;");
  out.line("pb_sum += pb_more;");
  out.close();
  // pb_up_to: the sum of all lanes up to this one; pb_all: that of all lanes.
  out.line("uint pb_up_to = pb_sum, pb_all = 0;");
  out.verbatim("#ifdef PB_SHUFFLES\n");
  print_unrolling(out, kUnroll);
  out.open("for (int pb_distance = 1; pb_distance < PB_WARP_LANES; pb_distance *= 2)");
  out.line("const uint pb_other = pb_of_lane_uint(pb_up_to, (uint)(pb_local - pb_distance) % 32);");
  out.line("if (pb_lane % 32 >= pb_distance) pb_up_to += pb_other;");
  out.close();
  out.line(
      "if (pb_lane % PB_WARP_LANES == PB_WARP_LANES - 1) pb_sums[pb_first_lane + pb_lane / PB_WARP_LANES] = pb_up_to;");
  out.line(words.barrier);
  print_unrolling(out, kUnroll);
  out.open("for (int pb_warp = 0; pb_warp < PB_WARPS; ++pb_warp)");
  out.line("const uint pb_other = pb_sums[pb_first_lane + pb_warp];");
  out.line("if (pb_warp < pb_lane / PB_WARP_LANES) pb_up_to += pb_other;");
  out.line("pb_all += pb_other;");
  out.close();
  out.verbatim("#else\n");
  out.line("pb_sums[pb_local] = pb_up_to;");
  out.line(words.barrier);
  print_unrolling(out, "");
  out.open("for (int pb_distance = 1; pb_distance < PB_LANES; pb_distance *= 2)");
  out.line("const uint pb_other = pb_lane >= pb_distance ? pb_sums[pb_local - pb_distance] : 0;");
  out.line(words.barrier);
  out.line("pb_up_to += pb_other;");
  out.line("pb_sums[pb_local] = pb_up_to;");
  out.line(words.barrier);
  out.close();
  out.line("pb_all = pb_sums[pb_first_lane + PB_LANES - 1];");
  out.verbatim("#endif\n");
  open_rounds(out);
  out.line(in_a_row + " = " + raised + " + pb_up_to - pb_sum;");
  out.close();
  out.line(words.barrier);
  open_rounds(out);
  out.line(raised + " = " + striped + ";");
  out.close();
  out.line("pb_total" + std::to_string(place) + " = pb_all;");
  out.close();
}

}  // namespace pb
