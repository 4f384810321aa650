// SPDX-License-Identifier: MIT
#include "clgen/opencl/divided_fold.h"

#include <algorithm>
#include <set>

#include "clgen/opencl/combined_parts.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string neutral_text(const Accumulator& accumulator) {
  switch (accumulator.op) {
    case FoldOp::Add:
      return is_floating(accumulator.type) ? "-0.0f" : "0";  // -0 + x is x for zeros of both signs
    case FoldOp::Mul:
    case FoldOp::And:
      return "1";
    case FoldOp::BitAnd:
      return "-1";
    case FoldOp::BitOr:
    case FoldOp::BitXor:
    case FoldOp::Or:
      return "0";
    case FoldOp::Min:
    case FoldOp::Max:
      break;
  }
  PB_CHECK(false, "the smallest and the largest begin with the value before the loop");
  return {};
}

std::string before(std::size_t i) { return "pb_before" + std::to_string(i); }
std::string before(std::size_t i, std::size_t place) { return before(i) + "_" + std::to_string(place); }
std::string seen(std::size_t i) { return "pb_seen" + std::to_string(i); }

constexpr const char* kWorkers = "PB_LANES * PB_FOLD_GROUPS";

/// Those of a group are neighbours, so that what it stores in one line of memory comes at one time.
RoundsInFlight scatters_in_flight() {
  const std::string number = std::to_string(kScattersInFlight) + "L";
  return {kScattersInFlight,
          "pb_round",
          "pb_lane + " + number + " * PB_LANES * pb_fold_group",
          "PB_LANES",
          number + " * (" + kWorkers + ")",
          "PB_LANES",
          "pb_count"};
}

}  // namespace

void open_stage(Writer& out, int stage) {
  out.verbatim("#if PB_STAGE == 0 || PB_STAGE == " + std::to_string(stage) + "\n");
}
void close_stage(Writer& out) { out.verbatim("#endif\n"); }

void DividedFoldPrinter::print() {
  const bool is_in_one_stage = divided_.stage > 0 && fold_.accumulators.empty();
  if (is_in_one_stage) open_stage(out_, divided_.stage);
  print_loops();
  if (is_in_one_stage) close_stage(out_);
}

void DividedFoldPrinter::print_loops() {
  const bool has_records = divided_.stage > 0 && !fold_.accumulators.empty();
  out_.open("");
  print_range(fold_, "pb_");
  if (divided_.inner) print_range(*divided_.inner, "pb_inner_");
  declare_parts();
  if (has_records) {
    out_.verbatim("#if PB_STAGE > " + std::to_string(divided_.stage) + "\n");
    print_records();
    out_.verbatim("#else\n");
  }
  print_iterations();
  if (has_records) out_.verbatim("#endif\n");
  for (std::size_t i = 0; i < size(); ++i) print_combination(out_, divided_, i, words_);
  if (has_records) {
    out_.verbatim("#if PB_STAGE == " + std::to_string(divided_.stage) + "\n");
    keep_record();
    out_.verbatim("#endif\n");
  }
  for (std::size_t i = 0; i < size(); ++i) print_result(i);
  out_.close();
}

void DividedFoldPrinter::print_range(const Fold& fold, const std::string& prefix) {
  out_.line("const long " + prefix + "first = " + printer_.expr(fold.first, Precedence::Assign) + ";");
  out_.line("const long " + prefix + "last = " + printer_.expr(fold.last, Precedence::Assign) + ";");
}

/// Declares the values before the loop, and the variables of parts.
void DividedFoldPrinter::declare_parts() {
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line("const " + number_word(at(i).type) + " " + before(i) + " = " + opencl_name(at(i).name) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line("const " + number_word(at(i).places[k].type) + " " + before(i, k) + " = " +
                opencl_name(at(i).places[k].name) + ";");
  }
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line(own_type(at(i)) + " " + part_of(i) + " = " + first_text(i) + ";");
    if (part(i).has_round) out_.line("long " + round_of(i) + " = -1;");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(number_word(at(i).places[k].type) + " " + part_of(i, k) + " = " + before(i, k) + ";");
  }
}

std::string DividedFoldPrinter::first_text(std::size_t i) const {
  return at(i).is_extremum() ? before(i) : neutral_text(at(i));
}

/// The iterations of one lane. An instance that runs again would store its cells twice.
void DividedFoldPrinter::print_iterations() {
  if (!divided_.bins.empty()) bins_.print_begin();
  out_.open(divided_.stores ? "if (pb_place0 < pb_extent0)" : "");
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line(own_type(at(i)) + " " + opencl_name(at(i).name) + " = " + part_of(i) + ";");
    if (part(i).has_round) out_.line(own_type(at(i)) + " " + seen(i) + " = " + part_of(i) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(number_word(at(i).places[k].type) + " " + opencl_name(at(i).places[k].name) + " = " + part_of(i, k) +
                ";");
  }
  if (divided_.keeps) {
    out_.line("const int pb_count = (int)PB_MAX(0L, " + count_text(fold_, "pb_") + ");");
    print_kept_loop();
  } else {
    out_.line("const long pb_count = " + count_text(fold_, "pb_") + ";");
    print_rounds();
  }
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line(part_of(i) + " = " + opencl_name(at(i).name) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(part_of(i, k) + " = " + opencl_name(at(i).places[k].name) + ";");
  }
  out_.close();
  if (!divided_.bins.empty()) bins_.print_end();
}

void DividedFoldPrinter::print_rounds() {
  if (divided_.inner) {
    out_.line("const long pb_inner_count = " + count_text(*divided_.inner, "pb_inner_") + ";");
    out_.line("int pb_width = 1;");
    out_.line(std::string("while (pb_width < ") + kWorkers + " && pb_width * 8L <= pb_inner_count) pb_width *= 2;");
    print_loop(fold_, "pb_",
               {"pb_row", "pb_worker / pb_width", "pb_count", "(" + std::string(kWorkers) + ") / pb_width"});
  } else {
    print_loop(fold_, "pb_", {"pb_round", "pb_worker", "pb_count", kWorkers});
  }
}

void DividedFoldPrinter::print_inner() {
  print_loop(*divided_.inner, "pb_inner_", {"pb_round", "pb_worker % pb_width", "pb_inner_count", "pb_width"});
}

void DividedFoldPrinter::print_loop(const Fold& fold, const std::string& prefix, const LaneRounds& rounds) {
  if (is_innermost(fold) && !divided_.bins.empty()) {
    const std::string step = "(long)(" + rounds.step + ")", steps = std::to_string(kRoundsInFlight) + " * " + step;
    return print_loop_in_flight(fold, prefix,
                                {kRoundsInFlight, rounds.variable, rounds.first, step, steps, step, rounds.end});
  }
  if (scatter_.has_kept()) return print_loop_in_flight(fold, prefix, scatters_in_flight());
  if (is_innermost(fold)) print_unrolling(out_, "#pragma unroll 4\n");
  const std::string& at = rounds.variable;
  out_.open("for (long " + at + " = " + rounds.first + "; " + at + " < " + rounds.end + "; " + at +
            " += " + rounds.step + ")");
  print_round(fold, prefix);
  out_.close();
}

void DividedFoldPrinter::print_loop_in_flight(const Fold& fold, const std::string& prefix,
                                              const RoundsInFlight& rounds) {
  out_.open("");
  out_.line("long pb_next = " + rounds.first + ";");
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (; pb_next + " + std::to_string(rounds.number - 1) + " * " + rounds.distance + " < " + rounds.end +
            "; pb_next += " + rounds.step + ")");
  print_rounds_in_flight(fold, prefix, rounds, rounds.number);
  out_.close();
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (; pb_next < " + rounds.end + "; pb_next += " + rounds.last_step + ")");
  print_rounds_in_flight(fold, prefix, rounds, 1);
  out_.close();
  out_.close();
}

void DividedFoldPrinter::print_rounds_in_flight(const Fold& fold, const std::string& prefix,
                                                const RoundsInFlight& rounds, int num_rounds) {
  const bool scatters = divided_.bins.empty();
  scatters ? scatter_.declare(num_rounds) : bins_.declare_operands(num_rounds);
  if (num_rounds > 1) print_unrolling(out_, kUnroll);
  out_.open("for (int pb_u = 0; pb_u < " + std::to_string(num_rounds) + "; ++pb_u)");
  out_.line("const long " + rounds.variable + " = pb_next" +
            (num_rounds > 1 ? " + pb_u * " + rounds.distance : std::string()) + ";");
  print_round(fold, prefix);
  out_.close();
  scatters ? scatter_.print_stores(num_rounds) : bins_.print_updates(num_rounds);
}

/// The rounds of a lane in a loop that is unrolled.
void DividedFoldPrinter::print_kept_loop() {
  if (!copies_.reads.empty()) print_kept_reads();
  open_kept_rounds(false);
  print_round(fold_, "pb_");
  out_.close();
  out_.close();
}

/// Lanes read all their cells at once. Most have all their rounds, and test none of them.
void DividedFoldPrinter::print_kept_reads() {
  const auto print = [&](bool are_all_inside) {
    open_kept_rounds(are_all_inside);
    out_.line(variable_text(fold_, "pb_first + pb_round"));
    for (const KeptCopy& copy : copies_.reads) out_.line(copy.kept + " = " + copy.in_memory + ";");
    if (!are_all_inside) out_.close();
    out_.close();
  };
  out_.open("if (pb_lane + (PB_KEPT_ROUNDS - 1) * PB_LANES < pb_count)");
  print(true);
  out_.reopen("else");
  print(false);
  out_.close();
}

/// Opens the loop over the rounds of a lane, and the test whether there is a round, if some may lie outside.
void DividedFoldPrinter::open_kept_rounds(bool are_all_inside) {
  print_unrolling(out_, "#pragma unroll\n");
  out_.open("for (int pb_k = 0; pb_k < PB_KEPT_ROUNDS; ++pb_k)");
  out_.line("const int pb_round = pb_lane + pb_k * PB_LANES;");
  if (!are_all_inside) out_.open("if (pb_round < pb_count)");
}

/// Whether no other divided loop stands inside.
bool DividedFoldPrinter::is_innermost(const Fold& fold) const {
  return !divided_.inner || fold.loop == divided_.inner->loop;
}

void DividedFoldPrinter::print_round(const Fold& fold, const std::string& prefix) {
  out_.line(variable_text(fold, prefix + "first + " + (is_innermost(fold) ? "pb_round" : "pb_row")));
  const StmtId inside = std::get<ForStmt>(body_.stmts[fold.loop].node).body;
  const bool notes_rounds = is_innermost(fold) && std::any_of(divided_.parts.begin(), divided_.parts.end(),
                                                              [](const FoldPart& each) { return each.has_round; });
  const bool is_left = (notes_rounds || !copies_.writes.empty()) && has_continue(body_, inside);
  if (is_left) out_.open("do");
  printer_.print_children(out_, inside);
  if (is_left) out_.close(" while (false);");
  for (std::size_t i = 0; notes_rounds && i < size(); ++i) {
    if (!part(i).has_round) continue;
    const std::string name = opencl_name(at(i).name);
    out_.open("if (" + is_better_text(at(i), seen(i), name) + ")");
    out_.line(seen(i) + " = " + name + ";");
    out_.line(round_of(i) + " = " + (divided_.inner ? "pb_row * pb_inner_count + " : "") + "pb_round;");
    out_.close();
  }
  for (const KeptCopy& copy : copies_.writes) out_.line(copy.in_memory + " = " + copy.kept + ";");
}

std::string DividedFoldPrinter::slot_text(const std::string& type, std::size_t slot) const {
  return "*(" + words_.global + type + "*)(pb_record" + (slot == 0 ? "" : " + " + std::to_string(slot)) + ")";
}

std::string DividedFoldPrinter::record_text(const std::string& group) const {
  return words_.global + "ulong* const pb_record = pb_scratch + (pb_instance * PB_RECORDS + " + group + ") * " +
         std::to_string(words_.record_slots) + ";";
}

/// The part of a lane, from the records of earlier stages.
void DividedFoldPrinter::print_records() {
  print_unrolling(out_, "");
  out_.open("for (int pb_group = pb_lane; pb_group < PB_RECORDS; pb_group += PB_LANES)");
  out_.line(record_text("pb_group"));
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string value = slot_text(array_type(at(i)), part(i).slot);
    if (!part(i).has_round) {
      out_.open("");
      out_.line("const " + own_type(at(i)) + " pb_value = " + value + ";");
      out_.line(part_of(i) + " = " + combined_text(at(i), part_of(i), "pb_value") + ";");
      out_.close();
      continue;
    }
    out_.open("");
    out_.line("const " + own_type(at(i)) + " pb_value = " + value + ";");
    out_.line("const long pb_from = " + slot_text("long", part(i).slot + 1) + ";");
    out_.open("if (" + takes_place_text(at(i), {part_of(i), round_of(i)}, {"pb_value", "pb_from"}) + ")");
    out_.line(part_of(i) + " = pb_value;");
    out_.line(round_of(i) + " = pb_from;");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(part_of(i, k) + " = " + slot_text(array_type(at(i).places[k]), part(i).slot + 2 + k) + ";");
    out_.close();
    out_.close();
  }
  out_.close();
}

void DividedFoldPrinter::keep_record() {
  out_.open("if (pb_is_first)");
  out_.line(record_text("pb_fold_group"));
  for (std::size_t i = 0; i < size(); ++i) {
    out_.line(slot_text(array_type(at(i)), part(i).slot) + " = " + part_of(i) + ";");
    if (part(i).has_round) out_.line(slot_text("long", part(i).slot + 1) + " = " + round_of(i) + ";");
    for (std::size_t k = 0; k < at(i).places.size(); ++k)
      out_.line(slot_text(array_type(at(i).places[k]), part(i).slot + 2 + k) + " = " + part_of(i, k) + ";");
  }
  out_.close();
  out_.line("return;");
}

void DividedFoldPrinter::print_result(std::size_t i) {
  const std::string type = "(" + own_type(at(i)) + ")";
  out_.line(opencl_name(at(i).name) + " = " +
            (at(i).is_extremum() ? part_of(i) : combined_text(at(i), type + before(i), part_of(i))) + ";");
  for (std::size_t k = 0; k < at(i).places.size(); ++k)
    out_.line(opencl_name(at(i).places[k].name) + " = " + part_of(i, k) + ";");
}

void print_parts_arrays(Writer& out, const LoopTree& tree, const std::string& head) {
  const RuleInstance* instance = instance_with_lanes(tree);
  if (instance == nullptr) return;
  std::set<std::string> types;
  bool has_rounds = false;
  for (const DividedFold& divided : instance->divided) {
    for (const Accumulator& accumulator : divided.fold.accumulators) {
      types.insert(array_type(accumulator));
      for (const FoldPlace& place : accumulator.places) types.insert(array_type(place));
    }
    for (const FoldPart& part : divided.parts) has_rounds = has_rounds || part.has_round;
  }
  out.verbatim("#ifdef PB_LANES\n");
  for (const std::string& type : types) out.line(head + type + " " + parts_array(type) + "[PB_PARTS];");
  if (has_rounds) out.line(head + "long " + kRounds + "[PB_PARTS];");
  out.verbatim("#endif\n");
}

}  // namespace pb
