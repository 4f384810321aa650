// SPDX-License-Identifier: MIT
#include "clgen/opencl/combined_parts.h"

#include <set>
#include <string>
#include <string_view>

namespace pb {
namespace {

/// Whether there are functions by which lanes exchange values of the type (runtime/config/kernel_prelude.h).
bool may_be_exchanged(const std::string& type) {
  static const std::set<std::string_view> kTypes = {"int", "uint", "float", "long", "ulong", "double"};
  return kTypes.contains(type);
}

class CombinationPrinter {
 public:
  CombinationPrinter(Writer& out, const DividedFold& divided, std::size_t i, const DividedFoldWords& words)
      : out_(out), accumulator_(divided.fold.accumulators[i]), part_(divided.parts[i]), i_(i), words_(words) {}

  void print();

 private:
  void print_tree();
  void print_exchange();
  void print_halves(const std::string& most);
  void print_places(const std::string& round);

  Writer& out_;
  const Accumulator& accumulator_;
  const FoldPart& part_;
  std::size_t i_;
  const DividedFoldWords& words_;
};

/// Combines the parts of lanes whose numbers differ in one bit, from the highest. The first lane then has what the tree
/// in memory of the group gives it, since there, too, a lane of the lower half is the first operand.
void CombinationPrinter::print_halves(const std::string& most) {
  const std::string type = own_type(accumulator_);
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (uint pb_half = " + most + " / 2; pb_half > 0; pb_half /= 2)");
  out_.line("const " + type + " pb_other = pb_opposite_" + type + "(" + part_of(i_) + ", pb_half);");
  if (part_.has_round) {
    out_.line("const long pb_other_round = pb_opposite_long(pb_best_round, pb_half);");
    out_.open("if (" + takes_place_text(accumulator_, {part_of(i_), "pb_best_round"}, {"pb_other", "pb_other_round"}) +
              ")");
    out_.line(part_of(i_) + " = pb_other;");
    out_.line("pb_best_round = pb_other_round;");
    out_.close();
  } else {
    out_.line(part_of(i_) + " = " + combined_text(accumulator_, part_of(i_), "pb_other") + ";");
  }
  out_.close();
}

/// Makes the parts of all lanes that of their group, within warps, and through memory between them. Those that lie a
/// warp apart are combined first, as in the tree in memory, so that the bits are the same.
void CombinationPrinter::print_exchange() {
  const std::string type = own_type(accumulator_);
  const std::string array = parts_array(type);
  const auto store = [&](const std::string& place) {
    out_.line(array + "[" + place + "] = " + part_of(i_) + ";");
    if (part_.has_round) out_.line(std::string(kRounds) + "[" + place + "] = pb_best_round;");
  };
  const auto load = [&](const std::string& place) {
    out_.line(part_of(i_) + " = " + array + "[" + place + "];");
    if (part_.has_round) out_.line("pb_best_round = " + std::string(kRounds) + "[" + place + "];");
  };
  out_.open("");
  if (part_.has_round) out_.line("long pb_best_round = " + round_of(i_) + ";");
  out_.verbatim("#if PB_LANES > 32\n");
  out_.line("const int pb_begin = pb_local - pb_lane;");
  out_.line("const int pb_turned = pb_begin + pb_lane / PB_WARPS + pb_lane % PB_WARPS * 32;");
  out_.line("const int pb_of_columns = PB_GROUP_ITEMS + PB_GROUP_ITEMS / 32 + pb_begin / PB_WARPS;");
  store("pb_local + pb_local / 32");
  out_.line(words_.barrier);
  load("pb_turned + pb_turned / 32");
  print_halves("PB_WARPS");
  out_.open("if ((uint)pb_lane % PB_WARPS == 0)");
  store("pb_of_columns + pb_lane / PB_WARPS");
  out_.close();
  out_.line(words_.barrier);
  load("pb_of_columns + pb_lane % 32");
  if (type == "float" || type == "double") {
    // A part is a number of its own also where it does not pass through memory: a compiler may not make one operation
    // of its last product and the first addition of the tree.
    out_.verbatim("#else\n");
    out_.line(part_of(i_) + " = pb_opposite_" + type + "(" + part_of(i_) + ", 0);");
  }
  out_.verbatim("#endif\n");
  print_halves("PB_WARP_LANES");
  const std::string first = "pb_local % 32 - pb_lane % PB_WARP_LANES";
  out_.line(part_of(i_) + " = pb_of_lane_" + type + "(" + part_of(i_) + ", " + first + ");");
  if (part_.has_round) print_places("pb_of_lane_long(pb_best_round, " + first + ")");
  out_.close();
  if (!accumulator_.places.empty()) out_.line(words_.barrier);
}

/// Makes the parts of all lanes that of their group.
void CombinationPrinter::print() {
  const bool may_exchange = words_.has_neighbours && may_be_exchanged(own_type(accumulator_));
  if (may_exchange) {
    out_.verbatim("#ifdef PB_SHUFFLES\n");
    print_exchange();
    out_.verbatim("#else\n");
  }
  print_tree();
  if (may_exchange) out_.verbatim("#endif\n");
}

/// The same through memory of the group.
void CombinationPrinter::print_tree() {
  const std::string array = parts_array(array_type(accumulator_));
  const std::string own = array + "[pb_local]";
  const std::string other = array + "[pb_local + pb_half * pb_lane_distance]";
  out_.line(own + " = " + part_of(i_) + ";");
  if (part_.has_round) out_.line(std::string(kRounds) + "[pb_local] = " + round_of(i_) + ";");
  out_.line(words_.barrier);
  print_unrolling(out_, "");
  out_.open("for (int pb_half = PB_LANES / 2; pb_half > 0; pb_half /= 2)");
  if (part_.has_round) {
    const std::string own_round = std::string(kRounds) + "[pb_local]";
    const std::string other_round = std::string(kRounds) + "[pb_local + pb_half * pb_lane_distance]";
    out_.open("if (pb_lane < pb_half && (" + takes_place_text(accumulator_, {own, own_round}, {other, other_round}) +
              "))");
    out_.line(own + " = " + other + ";");
    out_.line(own_round + " = " + other_round + ";");
    out_.close();
  } else {
    out_.line("if (pb_lane < pb_half) " + own + " = " + combined_text(accumulator_, own, other) + ";");
  }
  out_.line(words_.barrier);
  out_.close();
  out_.line(part_of(i_) + " = " + array + kFirstLane + ";");
  if (part_.has_round) print_places(std::string(kRounds) + kFirstLane);
  out_.line(words_.barrier);
}

/// The lane that has the iteration of the whole shows its places to the others.
void CombinationPrinter::print_places(const std::string& round) {
  out_.open("");
  out_.line("const long pb_from = " + round + ";");
  for (std::size_t k = 0; k < accumulator_.places.size(); ++k) {
    const std::string shown = parts_array(array_type(accumulator_.places[k])) + kFirstLane;
    out_.line(words_.barrier);
    out_.line("if (pb_from < 0 ? pb_lane == 0 : " + round_of(i_) + " == pb_from) " + shown + " = " + part_of(i_, k) +
              ";");
    out_.line(words_.barrier);
    out_.line(part_of(i_, k) + " = " + shown + ";");
  }
  out_.line(round_of(i_) + " = pb_from;");
  out_.close();
}

}  // namespace

void print_combination(Writer& out, const DividedFold& divided, std::size_t i, const DividedFoldWords& words) {
  CombinationPrinter(out, divided, i, words).print();
}

}  // namespace pb
