// SPDX-License-Identifier: MIT
#include "clgen/opencl/divided_fold.h"

#include <algorithm>
#include <set>

#include "clgen/opencl/combined_parts.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/stores/running_ranks.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

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
  if (divided_.num_running > 0) return print_with_places();
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
  parts_.declare();
  if (has_records) {
    out_.verbatim("#if PB_STAGE > " + std::to_string(divided_.stage) + "\n");
    parts_.print_records("PB_RECORDS");
    out_.verbatim("#else\n");
  }
  print_iterations();
  if (has_records) out_.verbatim("#endif\n");
  for (std::size_t i = 0; i < size(); ++i) print_combination(out_, divided_, i, words_);
  if (has_records) {
    out_.verbatim("#if PB_STAGE == " + std::to_string(divided_.stage) + "\n");
    parts_.keep_record();
    out_.verbatim("#endif\n");
  }
  for (std::size_t i = 0; i < size(); ++i) parts_.print_result(i);
  out_.close();
}

void DividedFoldPrinter::print_range(const Fold& fold, const std::string& prefix) {
  out_.line("const long " + prefix + "first = " + printer_.expr(fold.first, Precedence::Assign) + ";");
  out_.line("const long " + prefix + "last = " + printer_.expr(fold.last, Precedence::Assign) + ";");
}

/// The iterations of one lane. An instance that runs again would store its cells twice.
void DividedFoldPrinter::print_iterations() {
  if (!divided_.bins.empty()) bins_.print_begin();
  out_.open(divided_.stores ? "if (pb_place0 < pb_extent0)" : "");
  parts_.open_own(0);
  if (divided_.keeps) {
    out_.line("const int pb_count = (int)PB_MAX(0L, " + count_text(fold_, "pb_") + ");");
    print_kept_loop();
  } else {
    out_.line("const long pb_count = " + count_text(fold_, "pb_") + ";");
    print_rounds();
  }
  parts_.close_own(0);
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
  const bool has_bins = !divided_.bins.empty();
  out_.open("");
  out_.line("long pb_next = " + rounds.first + ";");
  if (has_bins) bins_.declare_runs();
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (; pb_next + " + std::to_string(rounds.number - 1) + " * " + rounds.distance + " < " + rounds.end +
            "; pb_next += " + rounds.step + ")");
  print_rounds_in_flight(fold, prefix, rounds, rounds.number);
  out_.close();
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (; pb_next < " + rounds.end + "; pb_next += " + rounds.last_step + ")");
  print_rounds_in_flight(fold, prefix, rounds, 1);
  out_.close();
  if (has_bins) bins_.print_end_of_runs();
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
  const bool is_left =
      (notes_rounds || !copies_.writes.empty() || divided_.num_running > 0) && has_continue(body_, inside);
  if (is_left) out_.open("do");
  printer_.print_children(out_, inside);
  if (is_left) out_.close(" while (false);");
  for (std::size_t i = 0; notes_rounds && i < size(); ++i) {
    if (!part(i).has_round) continue;
    const std::string name = opencl_name(at(i).name);
    out_.open("if (" + is_better_text(at(i), seen_value(i), name) + ")");
    out_.line(seen_value(i) + " = " + name + ";");
    out_.line(round_of(i) + " = " + (divided_.inner ? "pb_row * pb_inner_count + " : "") + "pb_round;");
    out_.close();
  }
  for (const KeptCopy& copy : copies_.writes) out_.line(copy.in_memory + " = " + copy.kept + ";");
}

// ---- running places

/// In the stage before its own, the loop counts. In its own it stores, and needs the records of the groups before this
/// one. Later ones need all records.
void DividedFoldPrinter::print_with_places() {
  const std::string own = std::to_string(divided_.stage), before_own = std::to_string(divided_.stage - 1);
  const bool has_stages = divided_.stage > 0;
  out_.open("");
  print_range(fold_, "pb_");
  parts_.declare();
  if (has_stages) {
    out_.verbatim("#if PB_STAGE == " + own + "\n");
    parts_.print_records("pb_fold_group");
    out_.verbatim("#elif PB_STAGE > " + own + "\n");
    parts_.print_records("PB_RECORDS");
    out_.verbatim("#elif PB_STAGE > 0\n");
    print_count_of_places();
    out_.verbatim("#endif\n#if PB_STAGE > 0\n");
    for (std::size_t i = 0; i < size(); ++i) print_combination(out_, divided_, i, words_);
    out_.verbatim("#endif\n#if PB_STAGE == " + before_own + "\n");
    parts_.keep_record();
    out_.verbatim("#endif\n#if PB_STAGE == 0 || PB_STAGE == " + own + "\n");
  }
  print_stores_at_places();
  if (has_stages) out_.verbatim("#endif\n#if PB_STAGE == 0\n");
  for (std::size_t i = divided_.num_running; i < size(); ++i) print_combination(out_, divided_, i, words_);
  if (has_stages) out_.verbatim("#endif\n");
  for (std::size_t i = 0; i < size(); ++i) parts_.print_result(i);
  out_.close();
}

void DividedFoldPrinter::print_count_of_places() {
  out_.open("");
  parts_.open_own(divided_.num_running);
  open_tiles();
  print_unrolling(out_, kUnroll);
  out_.open("for (int pb_u = 0; pb_u < " + std::to_string(kPlacesInFlight) + "; ++pb_u)");
  for (std::size_t i = 0; i < divided_.num_running; ++i) out_.line(part_of(i) + " += " + running_rank(i) + "[pb_u];");
  out_.close();
  out_.close();
  parts_.close_own(divided_.num_running);
  out_.close();
}

/// Stores tile by tile. Behind it, the parts of the running places are those of the group and the ones before it.
void DividedFoldPrinter::print_stores_at_places() {
  out_.open("");
  parts_.open_own(divided_.num_running);
  for (std::size_t i = 0; i < divided_.num_running; ++i)
    out_.line(own_type(at(i)) + " " + running_base(i) + " = (" + own_type(at(i)) + ")" + before_loop(i) + " + " +
              part_of(i) + ";");
  open_tiles();
  for (std::size_t i = 0; i < divided_.num_running; ++i) {
    out_.line("uint pb_total" + std::to_string(i) + ";");
    print_ranks(out_, i, words_);
  }
  out_.open("if (pb_place0 < pb_extent0)");
  scatter_.print_stores(kPlacesInFlight);
  out_.close();
  for (std::size_t i = 0; i < divided_.num_running; ++i)
    out_.line(running_base(i) + " += pb_total" + std::to_string(i) + ";");
  out_.close();
  for (std::size_t i = 0; i < divided_.num_running; ++i)
    out_.line(part_of(i) + " = " + running_base(i) + " - (" + own_type(at(i)) + ")" + before_loop(i) + ";");
  parts_.close_own(divided_.num_running);
  out_.close();
}

/// Opens a loop over the tiles of a group's share, with the rounds of a tile.
void DividedFoldPrinter::open_tiles() {
  const std::string tile = std::to_string(kPlacesInFlight) + "L * PB_LANES";
  out_.line("const long pb_count = " + count_text(fold_, "pb_") + ";");
  out_.line("const long pb_tiles = (pb_count + " + tile + " - 1) / (" + tile + ");");
  out_.line("const long pb_share = (pb_tiles + PB_FOLD_GROUPS - 1) / PB_FOLD_GROUPS * " + tile + ";");
  out_.line("const long pb_end = PB_MIN(pb_count, pb_share * (pb_fold_group + 1));");
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (long pb_tile = pb_share * pb_fold_group; pb_tile < pb_end; pb_tile += " + tile + ")");
  print_tile();
}

/// Runs the rounds of a tile: lanes keep what they store, and by how much each round raises the places. Most tiles are
/// whole, and test no round.
void DividedFoldPrinter::print_tile() {
  const std::string number = std::to_string(kPlacesInFlight);
  scatter_.declare(kPlacesInFlight);
  for (std::size_t i = 0; i < divided_.num_running; ++i)
    out_.line("uint " + running_rank(i) + "[" + number + "] = {0};");
  const auto print = [&](bool is_whole) {
    print_unrolling(out_, kUnroll);
    out_.open("for (int pb_u = 0; pb_u < " + number + "; ++pb_u)");
    out_.line("const long pb_round = pb_tile + pb_u * PB_LANES + pb_lane;");
    if (!is_whole) out_.open("if (pb_round < pb_end)");
    for (std::size_t i = 0; i < divided_.num_running; ++i)
      out_.line(own_type(at(i)) + " " + opencl_name(at(i).name) + " = 0;");
    print_round(fold_, "pb_");
    for (std::size_t i = 0; i < divided_.num_running; ++i)
      out_.line(running_rank(i) + "[pb_u] = (uint)" + opencl_name(at(i).name) + ";");
    if (!is_whole) out_.close();
    out_.close();
  };
  out_.open("if (pb_tile + " + number + "L * PB_LANES <= pb_end)");
  print(true);
  out_.reopen("else");
  print(false);
  out_.close();
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
