// SPDX-License-Identifier: MIT
#include "clgen/opencl/stores/ordered_bins.h"

#include <algorithm>

#include "clgen/opencl/combined_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

/// Of equal smallest and largest numbers the first one stays, and zeros of both signs are equal.
bool shows_first(const Accumulator& bins) { return bins.is_extremum() && is_floating(bins.type); }

}  // namespace

OrderedBinPrinter::OrderedBinPrinter(Writer& out, BodyCodePrinter& printer, const Rule& rule,
                                     const DividedFold& divided, const DividedFoldWords& words)
    : out_(out),
      printer_(printer),
      rule_(rule),
      divided_(divided),
      words_(words),
      bins_(out, rule, divided, words),
      parts_(out, divided, words),
      rounds_in_tile_(bins_.keeps_rounds() ? kRoundsInFlight : 1),
      is_in_line_order_(std::any_of(divided.bins.begin(), divided.bins.end(), shows_first)) {}

void OrderedBinPrinter::print() const {
  const bool has_stages = divided_.stage > 0, has_parts = !divided_.fold.accumulators.empty();
  const std::string own = std::to_string(divided_.stage), before = std::to_string(divided_.stage - 1);
  out_.open("");
  print_range(divided_.fold, "pb_");
  if (divided_.inner) print_range(*divided_.inner, "pb_inner_");
  parts_.declare();
  if (has_stages) {
    out_.verbatim("#if PB_STAGE >= " + own + "\n");
    if (has_parts) parts_.print_records("PB_RECORDS");
    out_.verbatim("#else\n");
  }
  print_collection();
  if (has_stages) out_.verbatim("#endif\n");
  for (std::size_t i = 0; i < divided_.fold.accumulators.size(); ++i) print_combination(out_, divided_, i, words_);
  if (has_stages) {
    out_.verbatim("#if PB_STAGE == " + before + "\n");
    has_parts ? parts_.keep_record() : out_.line("return;");
    out_.verbatim("#elif PB_STAGE == " + own + "\n");
    print_merge_of_records();
    out_.verbatim("#endif\n");
  }
  for (std::size_t i = 0; i < divided_.fold.accumulators.size(); ++i) parts_.print_result(i);
  out_.close();
}

void OrderedBinPrinter::print_range(const Fold& fold, const std::string& prefix) const {
  out_.line("const long " + prefix + "first = " + printer_.expr(fold.first, Precedence::Assign) + ";");
  out_.line("const long " + prefix + "last = " + printer_.expr(fold.last, Precedence::Assign) + ";");
}

void OrderedBinPrinter::print_collection() const {
  out_.open("");
  print_lane_place();
  print_begin();
  parts_.open_own(0);
  print_tiles();
  parts_.close_own(0);
  print_end();
  out_.close();
}

/// The copy of the bins that a lane updates, and its turn among those that do.
void OrderedBinPrinter::print_lane_place() const {
  const std::string sharing = "(PB_LANES / PB_BIN_COPIES)";
  out_.line("const int pb_copy = (int)((uint)pb_lane " +
            (is_in_line_order_ ? "/ " + sharing : std::string("% PB_BIN_COPIES")) + ");");
  out_.line("const int pb_turn = (int)((uint)pb_lane " +
            (is_in_line_order_ ? "% " + sharing : std::string("/ PB_BIN_COPIES")) + ");");
}

void OrderedBinPrinter::print_begin() const {
  if (divided_.stage > 0) {
    out_.verbatim("#ifdef PB_BINS_IN_RECORDS\n");
    print_record("pb_fold_group");
    bins_.print_first_values(words_.global, "pb_record_bins");
    out_.line(words_.cell_barrier);
    out_.verbatim("#elif PB_BIN_CELLS > 0\n");
  } else {
    out_.verbatim("#if PB_BIN_CELLS > 0\n");
  }
  out_.line(words_.local + "uint* const pb_group_bins = (" + words_.local + "uint*)pb_bins;");
  out_.line(words_.barrier);
  bins_.print_first_values(words_.local, "pb_group_bins");
  out_.line(words_.barrier);
  out_.verbatim("#endif\n");
}

/// The tiles of a group's share. In the order of the source, each copy has neighbouring rounds of the share, and each
/// lane neighbouring ones of the copy's tile.
void OrderedBinPrinter::print_tiles() const {
  const std::string tile = std::to_string(rounds_in_tile_) + "L * PB_LANES";
  out_.line("const long pb_outer_count = PB_MAX(0L, " + count_text(divided_.fold, "pb_") + ");");
  if (divided_.inner) {
    out_.line("const long pb_inner_count = PB_MAX(0L, " + count_text(*divided_.inner, "pb_inner_") + ");");
    out_.line("const long pb_count = pb_outer_count * pb_inner_count;");
  } else {
    out_.line("const long pb_count = pb_outer_count;");
  }
  out_.line("const long pb_tiles = (pb_count + " + tile + " - 1) / (" + tile + ");");
  out_.line("const long pb_share = (pb_tiles + PB_FOLD_GROUPS - 1) / PB_FOLD_GROUPS * " + tile + ";");
  out_.line("const long pb_begin = pb_share * pb_fold_group;");
  out_.line("const long pb_end = PB_MIN(pb_count, pb_begin + pb_share);");
  print_unrolling(out_, "#pragma unroll 1\n");
  const std::string end = is_in_line_order_ ? "pb_begin + pb_share" : "pb_end";
  out_.open("for (long pb_tile = pb_begin; pb_tile < " + end + "; pb_tile += " + tile + ")");
  if (is_in_line_order_)
    out_.line(
        "const long pb_next = pb_begin + pb_copy * (pb_share / PB_BIN_COPIES) + (pb_tile - pb_begin) / "
        "PB_BIN_COPIES + pb_turn * " +
        std::to_string(rounds_in_tile_) + ";");
  if (bins_.keeps_rounds()) {
    print_kept_rounds();
    open_turns();
    bins_.print_updates(rounds_in_tile_);
  } else {
    out_.line("const long pb_round = " + std::string(is_in_line_order_ ? "pb_next" : "pb_tile + pb_lane") + ";");
    open_turns();
    out_.open("if (pb_round < pb_end)");
    print_round();
    out_.close();
  }
  close_turns();
  out_.close();
}

void OrderedBinPrinter::print_kept_rounds() const {
  bins_.declare_operands(rounds_in_tile_);
  print_unrolling(out_, kUnroll);
  out_.open("for (int pb_u = 0; pb_u < " + std::to_string(rounds_in_tile_) + "; ++pb_u)");
  out_.line("const long pb_round = " +
            std::string(is_in_line_order_ ? "pb_next + pb_u" : "pb_tile + pb_u * PB_LANES + pb_lane") + ";");
  out_.open("if (pb_round < pb_end)");
  print_round();
  out_.close();
  out_.close();
}

void OrderedBinPrinter::print_round() const {
  const Fold& innermost = divided_.inner ? *divided_.inner : divided_.fold;
  if (divided_.inner) {
    // A variable of the same name inside hides the other one.
    if (divided_.fold.var != innermost.var)
      out_.line(variable_text(divided_.fold, "pb_first + pb_round / pb_inner_count"));
    out_.line(variable_text(innermost, "pb_inner_first + pb_round % pb_inner_count"));
  } else {
    out_.line(variable_text(innermost, "pb_first + pb_round"));
  }
  const StmtId inside = std::get<ForStmt>(rule_.body.stmts[innermost.loop].node).body;
  const bool notes_rounds =
      std::any_of(divided_.parts.begin(), divided_.parts.end(), [](const FoldPart& each) { return each.has_round; });
  // `continue` leaves the round alone.
  const bool is_left = has_continue(rule_.body, inside);
  if (is_left) out_.open("do");
  printer_.print_children(out_, inside);
  if (is_left) out_.close(" while (false);");
  for (std::size_t i = 0; notes_rounds && i < divided_.parts.size(); ++i) {
    if (!divided_.parts[i].has_round) continue;
    const Accumulator& accumulator = divided_.fold.accumulators[i];
    const std::string name = opencl_name(accumulator.name);
    out_.open("if (" + is_better_text(accumulator, seen_value(i), name) + ")");
    out_.line(seen_value(i) + " = " + name + ";");
    out_.line(round_of(i) + " = pb_round;");
    out_.close();
  }
}

void OrderedBinPrinter::open_turns() const {
  print_unrolling(out_, "#pragma unroll 1\n");
  out_.open("for (int pb_now = 0; pb_now < PB_LANES / PB_BIN_COPIES; ++pb_now)");
  out_.open("if (pb_turn == pb_now)");
}

/// Lanes that have all turns at once need not wait.
void OrderedBinPrinter::close_turns() const {
  out_.close();
  out_.verbatim("#if PB_BIN_COPIES < PB_LANES\n");
  print_barrier();
  out_.verbatim("#endif\n");
  out_.close();
}

/// Behind it, lanes see what others stored to bins.
void OrderedBinPrinter::print_barrier() const {
  out_.verbatim("#if PB_BIN_CELLS > 0 && !defined(PB_BINS_IN_RECORDS)\n");
  out_.line(words_.barrier);
  out_.verbatim("#else\n");
  out_.line(words_.cell_barrier);
  out_.verbatim("#endif\n");
}

/// Gives the bins of the group to the output, or to the record. Where the order of the source does not count,
/// neighbours begin with different copies, which lie in different banks.
void OrderedBinPrinter::print_end() const {
  out_.verbatim("#if PB_BIN_CELLS > 0 && !defined(PB_BINS_IN_RECORDS)\n");
  out_.line(words_.barrier);
  if (divided_.stage > 0) {
    out_.verbatim("#if PB_STAGE > 0\n");
    print_record("pb_fold_group");
    out_.verbatim("#endif\n");
  }
  for (std::size_t i = 0; i < divided_.bins.size(); ++i) {
    const Accumulator& bins = divided_.bins[i];
    const std::string type = own_type(bins), own = bins_name(bins.name, "own") + "[pb_cell * PB_BIN_COPIES";
    out_.open("for (int pb_cell = pb_lane; pb_cell < " + bins_name(bins.name, "cells") + "; pb_cell += PB_LANES)");
    const auto copy = [&](const std::string& number) {
      return is_in_line_order_ ? number : "(int)((uint)(pb_cell + " + number + ") % PB_BIN_COPIES)";
    };
    out_.line(type + " pb_all = " + own + " + " + copy("0") + "];");
    out_.open("for (int pb_next = 1; pb_next < PB_BIN_COPIES; ++pb_next)");
    out_.line("const " + type + " pb_value = " + own + " + " + copy("pb_next") + "];");
    out_.line("pb_all = " + combined_text(bins, "pb_all", "pb_value") + ";");
    out_.close();
    if (divided_.stage > 0) {
      out_.verbatim("#if PB_STAGE > 0\n");
      out_.line(record_cells(i) + "[pb_cell] = pb_all;");
      out_.verbatim("#else\n");
    }
    const std::string cell = bins_.shared_cell(i, bins_.place_text(i, "pb_cell"));
    out_.line("const " + type + " pb_old = " + cell + ";");
    out_.line(cell + " = " + combined_text(bins, "pb_old", "pb_all") + ";");
    if (divided_.stage > 0) out_.verbatim("#endif\n");
    out_.close();
  }
  out_.verbatim("#endif\n");
}

void OrderedBinPrinter::print_record(const std::string& group) const {
  const std::string pointer = words_.global + "uint*";
  const std::string slots = words_.record_slots;
  out_.line(pointer + " const pb_record_bins = (" + pointer + ")(pb_scratch + (pb_instance * PB_RECORDS + " + group +
            ") * " + slots + " + " + slots + " - PB_BIN_CELLS / 2);");
}

std::string OrderedBinPrinter::record_cells(std::size_t i) const {
  const Accumulator& bins = divided_.bins[i];
  return "((" + words_.global + array_type(bins) + "*)(pb_record_bins + " + bins_name(bins.name, "first") + "))";
}

/// The lanes of all groups divide the bins, and each adds those of all records to the output.
void OrderedBinPrinter::print_merge_of_records() const {
  for (std::size_t i = 0; i < divided_.bins.size(); ++i) {
    const Accumulator& bins = divided_.bins[i];
    const std::string type = own_type(bins);
    out_.open("for (int pb_cell = pb_worker; pb_cell < " + bins_name(bins.name, "cells") +
              "; pb_cell += PB_LANES * PB_FOLD_GROUPS)");
    const std::string cell = bins_.shared_cell(i, bins_.place_text(i, "pb_cell"));
    out_.line(type + " pb_all = " + cell + ";");
    out_.open("for (int pb_group = 0; pb_group < PB_RECORDS; ++pb_group)");
    print_record("pb_group");
    out_.line("const " + type + " pb_value = " + record_cells(i) + "[pb_cell];");
    out_.line("pb_all = " + combined_text(bins, "pb_all", "pb_value") + ";");
    out_.close();
    out_.line(cell + " = pb_all;");
    out_.close();
  }
}

}  // namespace pb
