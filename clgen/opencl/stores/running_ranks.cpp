// SPDX-License-Identifier: MIT
#include "clgen/opencl/stores/running_ranks.h"

#include <algorithm>
#include <functional>

#include "clgen/opencl/kernel_words.h"
#include "lang/body/constant_value.h"
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

/// Work-items of a group for whose rounds memory of the group has room beside what folds need.
constexpr std::size_t kMostItemsInMemory = 512;

/// Words that have a byte for each round of a lane.
const std::string kPackedWords = std::to_string(kPlacesInFlight / 4);
static_assert(kPlacesInFlight % 4 == 0);

std::string number(std::size_t i) { return std::to_string(i); }

/// Where the sums of a warp stand, of the rounds of a word.
std::string sum_at(std::size_t place, const std::string& word, const std::string& warp) {
  return "pb_warp_sums[(" + number(place) + " * " + kPackedWords + " + " + word +
         ") * (PB_GROUP_ITEMS / PB_WARP_LANES) + " + warp + "]";
}

void open_words(Writer& out) {
  print_unrolling(out, kUnroll);
  out.open("for (int pb_w = 0; pb_w < " + kPackedWords + "; ++pb_w)");
}

/// Scans what the rounds of a lane raised a place by in its warp, and lays down the sums of the warp.
void print_packed_sums(Writer& out, std::size_t place) {
  const std::string packed = "pb_packed" + number(place);
  out.line("uint " + packed + "[" + kPackedWords + "] = {0};");
  open_rounds(out);
  out.line(packed + "[pb_u / 4] |= " + running_rank(place) + "[pb_u] << pb_u % 4 * 8;");
  out.close();
  open_words(out);
  print_unrolling(out, kUnroll);
  out.open("for (int pb_distance = 1; pb_distance < PB_WARP_LANES; pb_distance *= 2)");
  out.line("const uint pb_other = pb_of_lane_uint(" + packed + "[pb_w], (uint)(pb_local - pb_distance) % 32);");
  out.line("if (pb_lane % PB_WARP_LANES >= pb_distance) " + packed + "[pb_w] += pb_other;");
  out.close();
  out.line("if (pb_lane % PB_WARP_LANES == PB_WARP_LANES - 1) " + sum_at(place, "pb_w", "pb_local / PB_WARP_LANES") +
           " = " + packed + "[pb_w];");
  out.close();
}

/// Makes ranks of what has been scanned in warps. Lane `w` of each warp has the sums of warp `w`, two rounds in a word,
/// and the lanes scan them.
void print_packed_ranks(Writer& out, std::size_t place) {
  const std::string packed = "pb_packed" + number(place), raised = running_rank(place) + "[pb_u]";
  const std::string words = "2 * " + kPackedWords;
  out.open("");
  out.line("const int pb_warp_lane = pb_lane % PB_WARP_LANES, pb_own_warp = pb_lane / PB_WARP_LANES;");
  out.line("const int pb_first_of_warp = pb_local % 32 - pb_warp_lane;");
  out.line("uint pb_before[" + words + "], pb_all[" + words + "];");
  open_words(out);
  out.line("const uint pb_sum = pb_warp_lane < PB_WARPS ? " +
           sum_at(place, "pb_w", "(pb_local - pb_lane) / PB_WARP_LANES + pb_warp_lane") + " : 0;");
  out.line("pb_before[2 * pb_w] = pb_sum & 0x00ff00ffu;");
  out.line("pb_before[2 * pb_w + 1] = pb_sum >> 8 & 0x00ff00ffu;");
  out.close();
  print_unrolling(out, kUnroll);
  out.open("for (int pb_w = 0; pb_w < " + words + "; ++pb_w)");
  print_unrolling(out, kUnroll);
  out.open("for (int pb_distance = 1; pb_distance < PB_WARPS; pb_distance *= 2)");
  out.line("const uint pb_other = pb_of_lane_uint(pb_before[pb_w], (uint)(pb_local - pb_distance) % 32);");
  out.line("if (pb_warp_lane >= pb_distance) pb_before[pb_w] += pb_other;");
  out.close();
  out.line("pb_all[pb_w] = pb_of_lane_uint(pb_before[pb_w], (uint)(pb_first_of_warp + PB_WARPS - 1) % 32);");
  out.line("pb_before[pb_w] = pb_of_lane_uint(pb_before[pb_w], (uint)(pb_first_of_warp + pb_own_warp - 1) % 32);");
  out.line("if (pb_own_warp == 0) pb_before[pb_w] = 0;");
  out.close();
  out.line("uint pb_rank = 0;");
  open_rounds(out);
  const std::string half = "[pb_u / 4 * 2 + pb_u % 2] >> pb_u % 4 / 2 * 16 & 0xffff";
  out.line("const uint pb_in_warp = " + packed + "[pb_u / 4] >> pb_u % 4 * 8 & 255;");
  out.line(raised + " = pb_rank + (pb_before" + half + ") + pb_in_warp - " + raised + ";");
  out.line("pb_rank += pb_all" + half + ";");
  out.close();
  out.line("pb_total" + number(place) + " = pb_rank;");
  out.close();
}

/// Makes ranks of whatever rounds have raised a place by, in any group.
void print_ranks_in_memory(Writer& out, std::size_t place, const DividedFoldWords& words) {
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
  out.line("pb_total" + number(place) + " = pb_all;");
  out.close();
}

std::size_t num_by_one(const Rule& rule, const DividedFold& divided) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < divided.num_running; ++i)
    out += is_raised_by_one(rule, divided.fold.accumulators[i]) ? 1 : 0;
  return out;
}

}  // namespace

std::string running_base(std::size_t place) { return "pb_base" + std::to_string(place); }
std::string running_rank(std::size_t place) { return "pb_raised" + std::to_string(place); }

bool is_raised_by_one(const Rule& rule, const Accumulator& place) {
  if (place.updates.size() != 1) return false;
  const ExprId value = place.updates.front().value;
  return value.is_none() || constant_value(rule.body, value) == 1;
}

void print_rank_arrays(Writer& out, const Rule& rule, const LoopTree& tree, const std::string& head) {
  if (most_places(tree) == 0) return;
  bool are_by_one = true;
  std::size_t num_values = 0;
  for (const DividedFold& divided : instance_with_lanes(tree)->divided) {
    if (divided.num_running == 0) continue;
    are_by_one = are_by_one && num_by_one(rule, divided) == divided.num_running;
    num_values = std::max(num_values, num_by_one(rule, divided));
  }
  out.verbatim("#ifdef PB_LANES\n");
  if (num_values > 0) {
    out.verbatim("#if defined(PB_SHUFFLES) && PB_GROUP_ITEMS > " + number(kMostItemsInMemory) +
                 "\n#define PB_PACKED_RANKS\n#endif\n");
    out.verbatim("#ifdef PB_PACKED_RANKS\n");
    out.line(head + "uint pb_warp_sums[" + number(most_places(tree)) + " * " + kPackedWords +
             " * (PB_GROUP_ITEMS / PB_WARP_LANES)];");
    out.verbatim("#endif\n");
  }
  if (are_by_one) out.verbatim("#ifndef PB_PACKED_RANKS\n");
  out.line(head + "uint pb_ranks[PB_GROUP_ITEMS * " + kNumRounds + " + PB_GROUP_ITEMS * " + kNumRounds + " / 32 + 1];");
  out.line(head + "uint pb_sums[PB_GROUP_ITEMS];");
  if (are_by_one) out.verbatim("#endif\n");
  out.verbatim("#endif\n");
}

void print_ranks(Writer& out, const Rule& rule, const DividedFold& divided, const DividedFoldWords& words) {
  const auto for_places = [&](bool by_one, const std::function<void(std::size_t)>& print) {
    for (std::size_t i = 0; i < divided.num_running; ++i)
      if (is_raised_by_one(rule, divided.fold.accumulators[i]) == by_one) print(i);
  };
  for (std::size_t i = 0; i < divided.num_running; ++i) out.line("uint pb_total" + number(i) + ";");
  if (num_by_one(rule, divided) > 0) {
    out.verbatim("#ifdef PB_PACKED_RANKS\n");
    for_places(true, [&](std::size_t i) { print_packed_sums(out, i); });
    out.line(words.barrier);
    for_places(true, [&](std::size_t i) { print_packed_ranks(out, i); });
    // The next tile lays down its sums where this one's are read.
    out.line(words.barrier);
    out.verbatim("#else\n");
    for_places(true, [&](std::size_t i) { print_ranks_in_memory(out, i, words); });
    out.verbatim("#endif\n");
  }
  for_places(false, [&](std::size_t i) { print_ranks_in_memory(out, i, words); });
}

}  // namespace pb
