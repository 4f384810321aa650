// SPDX-License-Identifier: MIT
#include "clgen/opencl/stores/bin_updates.h"

#include <algorithm>
#include <map>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

/// The extent of an output along a dimension that the body indexes.
std::string size_of(const std::string& binding, std::size_t dim) { return size_name("pb_bins_" + binding, dim); }

/// The largest or smallest number of a type of whole numbers.
std::string limit_of(const BodyType& type, bool is_largest) {
  if (type.is_unsigned && !is_largest) return "0";
  if (type.kind == BodyType::Kind::Bool) return is_largest ? "1" : "0";
  std::string word = type.kind == BodyType::Kind::Long ? "LONG" : "INT";
  if (type.kind == BodyType::Kind::Char || type.narrow_bytes == 1) word = type.is_unsigned ? "CHAR" : "SCHAR";
  if (type.narrow_bytes == 2) word = "SHRT";
  return (type.is_unsigned ? "U" : "") + word + (is_largest ? "_MAX" : "_MIN");
}

/// The dimensions of the output that the body indexes.
std::vector<std::size_t> dims_of(const RegionAccess& access) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < access.lo.size(); ++d)
    if (!access.is_fixed_dim(d)) dims.push_back(d);
  return dims;
}

/// Whether the cell has two words that devices update.
bool is_wide(const Accumulator& bins) { return bins.type.kind == BodyType::Kind::Long; }

/// What an update by the operator leaves as it is.
std::string neutral_of(const Accumulator& bins) {
  if (bins.is_extremum() && is_floating(bins.type)) return bins.op == FoldOp::Min ? "INFINITY" : "-INFINITY";
  if (bins.is_extremum()) return limit_of(bins.type, bins.op == FoldOp::Min);
  return neutral_text(bins);
}

/// The words of 4 bytes that a cell takes of the room for bins.
std::string words_of_cell(const Accumulator& bins) { return "PB_MAX(1, (int)sizeof(" + array_type(bins) + ") / 4)"; }

constexpr const char* kOwnCopy = "pb_copy";

}  // namespace

void print_bin_array(Writer& out, const LoopTree& tree, const std::string& head) {
  const RuleInstance* const instance = instance_with_lanes(tree);
  const auto has_bins = [](const DividedFold& divided) { return !divided.bins.empty(); };
  if (instance == nullptr || std::none_of(instance->divided.begin(), instance->divided.end(), has_bins)) return;
  if (has_ordered_bins(tree)) {
    out.verbatim("#ifndef PB_BIN_CELLS\n#define PB_BIN_CELLS 0\n#endif\n");
    out.verbatim("#ifndef PB_BIN_COPIES\n#define PB_BIN_COPIES 1\n#endif\n");
  }
  // Cells may have 8 bytes.
  out.verbatim("#if PB_BIN_CELLS > 0 && !defined(PB_BINS_IN_RECORDS)\n");
  out.line(head + "ulong pb_bins[PB_BIN_CELLS / 2 * PB_BIN_COPIES * (PB_GROUP_ITEMS / PB_LANES)];");
  out.verbatim("#endif\n");
}

void print_bin_extents(Writer& out, const Rule& rule, const RuleInstance& instance) {
  std::map<std::size_t, const Accumulator*> outputs;
  for (const DividedFold& divided : instance.divided)
    for (const Accumulator& bins : divided.bins) outputs.emplace(bins.binding.index, &bins);
  std::string first = "0";
  for (const auto& [i, bins] : outputs) {
    const RegionAccess& access = rule.outputs[i];
    const std::vector<std::size_t> dims = dims_of(access);
    std::vector<std::string> sizes;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      sizes.push_back(size_of(access.binding, k));
      out.line("const int " + sizes.back() + " = (" + kernel_formula(access.hi[dims[k]]) + ") - (" +
               kernel_formula(access.lo[dims[k]]) + ");");
    }
    out.line("const int " + bins_name(access.binding, "cells") + " = " + joined(sizes, " * ") + ";");
    out.line("const int " + bins_name(access.binding, "first") + " = " + first + ";");
    first = bins_name(access.binding, "first") + " + (" + bins_name(access.binding, "cells") + " * " +
            words_of_cell(*bins) + " + 1) / 2 * 2";
  }
}

std::string bins_name(const std::string& binding, const std::string& what) { return "pb_bins_" + binding + "_" + what; }

const Accumulator* BinPrinter::updated_by(StmtId stmt) const {
  for (const Accumulator& bins : divided_.bins)
    for (const FoldUpdate& update : bins.updates)
      if (update.stmt == stmt) return &bins;
  return nullptr;
}

/// The updates that no inner loop repeats.
std::vector<BinPrinter::Kept> BinPrinter::kept_updates() const {
  if (divided_.is_ordered && !keeps_rounds()) return {};
  return updates_at_top();
}

bool BinPrinter::keeps_rounds() const {
  std::size_t num_updates = 0;
  for (const Accumulator& bins : divided_.bins) num_updates += bins.updates.size();
  return updates_at_top().size() == num_updates;
}

std::vector<BinPrinter::Kept> BinPrinter::updates_at_top() const {
  std::vector<Kept> out;
  const StmtId loop = divided_.inner ? divided_.inner->loop : divided_.fold.loop;
  const auto visit = [&](const auto& self, StmtId stmt) -> void {
    const Accumulator* const bins = updated_by(stmt);
    if (bins != nullptr) out.push_back({static_cast<std::size_t>(bins - divided_.bins.data()), stmt});
    if (bins != nullptr || (stmt != loop && is_loop(rule_.body.stmts[stmt]))) return;
    for_each_child(
        rule_.body.stmts[stmt], [&](StmtId child) { self(self, child); }, [](ExprId) {});
  };
  visit(visit, loop);
  return out;
}

std::size_t BinPrinter::num_dims(std::size_t bins) const {
  return dims_of(rule_.outputs[divided_.bins[bins].binding.index]).size();
}

std::string BinPrinter::own_cell(std::size_t bins, const std::string& place) const {
  return bins_name(divided_.bins[bins].name, "own") + "[" + place + " * PB_BIN_COPIES + " + kOwnCopy + "]";
}

std::string BinPrinter::shared_cell(std::size_t bins, const std::string& place) const {
  const std::string& name = divided_.bins[bins].name;
  return "pb_from_" + name + "[pb_at_" + name + " + " + place + "]";
}

void BinPrinter::print_begin() const {
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  const std::string slot = words_.has_neighbours ? "pb_local / PB_LANES" : "pb_local % pb_span0";
  const std::string pointer = words_.local + "uint*";
  out_.verbatim("#if PB_LANES < PB_GROUP_ITEMS\n");
  out_.line(pointer + " const pb_group_bins = (" + pointer + ")pb_bins + " + slot +
            " * (PB_BIN_CELLS * PB_BIN_COPIES);");
  out_.verbatim("#else\n");
  out_.line(pointer + " const pb_group_bins = (" + pointer + ")pb_bins;");
  out_.verbatim("#endif\n");
  out_.line(std::string("const int ") + kOwnCopy + " = (int)((uint)pb_lane % PB_BIN_COPIES);");
  out_.line(words_.barrier);
  print_first_values(words_.local, "pb_group_bins");
  out_.line(words_.barrier);
  out_.verbatim("#endif\n");
}

void BinPrinter::print_first_values(const std::string& memory, const std::string& bins) const {
  for (const Accumulator& each : divided_.bins) {
    const std::string own = bins_name(each.name, "own"), pointer = memory + array_type(each) + "*";
    out_.line(pointer + " const " + own + " = (" + pointer + ")(" + bins + " + " + bins_name(each.name, "first") +
              " * PB_BIN_COPIES);");
    out_.open("for (int pb_cell = pb_lane; pb_cell < " + bins_name(each.name, "cells") +
              " * PB_BIN_COPIES; pb_cell += PB_LANES)");
    out_.line(own + "[pb_cell] = " + neutral_of(each) + ";");
    out_.close();
  }
}

void BinPrinter::print_end() const {
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  out_.line(words_.barrier);
  out_.open("if (pb_place0 < pb_extent0)");
  for (std::size_t i = 0; i < divided_.bins.size(); ++i) print_merge(i);
  out_.close();
  out_.verbatim("#endif\n");
}

/// Adds the group's bins to those of the output. Neighbours begin with different copies, which lie in different banks.
void BinPrinter::print_merge(std::size_t i) const {
  const Accumulator& bins = divided_.bins[i];
  const std::string type = own_type(bins), neutral = neutral_of(bins);
  out_.open("for (int pb_cell = pb_lane; pb_cell < " + bins_name(bins.name, "cells") + "; pb_cell += PB_LANES)");
  out_.line(type + " pb_all = " + neutral + ";");
  out_.open("for (int pb_next = 0; pb_next < PB_BIN_COPIES; ++pb_next)");
  out_.line("const " + type + " pb_value = " + bins_name(bins.name, "own") +
            "[pb_cell * PB_BIN_COPIES + (int)((uint)(pb_lane + pb_next) % PB_BIN_COPIES)];");
  out_.line("pb_all = " + combined_text(bins, "pb_all", "pb_value") + ";");
  out_.close();
  out_.open("if (pb_all != " + neutral + ")");
  print_atomic(i, words_.global, shared_cell(i, place_text(i, "pb_cell")), "pb_all");
  out_.close();
  out_.close();
}

std::string BinPrinter::place_text(std::size_t i, const std::string& cell) const {
  const std::string& name = divided_.bins[i].name;
  std::string place, rest = cell;
  for (std::size_t k = 0; k < num_dims(i); ++k) {
    const std::string at = k + 1 == num_dims(i) ? rest : "(" + rest + ") % " + size_of(name, k);
    place += (place.empty() ? "(" : " + (") + at + ") * " + stride_name("pb_at_" + name, k);
    rest = (k == 0 ? rest : "(" + rest + ")") + " / " + size_of(name, k);
  }
  return place;
}

void BinPrinter::declare_operands(int num_rounds) const {
  const std::vector<Kept> kept = kept_updates();
  const std::string extent = "[" + std::to_string(num_rounds) + "]";
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Accumulator& bins = divided_.bins[kept[k].bins];
    const std::vector<std::string> neutral(static_cast<std::size_t>(num_rounds), neutral_of(bins));
    const std::string number = std::to_string(k), first = divided_.is_ordered ? "0" : joined(neutral);
    out_.line(own_type(bins) + " pb_operand" + number + extent + " = {" + first + "};");
    out_.line("PB_INDEX pb_bin" + number + extent + " = {0};");
    if (divided_.is_ordered) out_.line("bool pb_updates" + number + extent + " = {false};");
  }
}

void BinPrinter::print_updates(int num_rounds) const {
  const std::vector<Kept> kept = kept_updates();
  if (kept.empty()) return;
  if (num_rounds > 1) print_unrolling(out_, kUnroll);
  out_.open("for (int pb_u = 0; pb_u < " + std::to_string(num_rounds) + "; ++pb_u)");
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::string number = std::to_string(k), operand = "pb_operand" + number + "[pb_u]",
                      place = "pb_bin" + number + "[pb_u]";
    if (divided_.is_ordered) {
      out_.open("if (pb_updates" + number + "[pb_u])");
      print_either(kept[k].bins, place, operand);
    } else {
      out_.open("if (" + operand + " != " + neutral_of(divided_.bins[kept[k].bins]) + ")");
      out_.verbatim("#if PB_BIN_CELLS > 0\n");
      print_atomic(kept[k].bins, words_.local, own_cell(kept[k].bins, "(int)" + place), operand);
      out_.verbatim("#else\n");
      print_run(kept[k].bins, number, place, operand);
      out_.verbatim("#endif\n");
    }
    out_.close();
  }
  out_.close();
}

void BinPrinter::declare_runs() const {
  const std::vector<Kept> kept = kept_updates();
  if (kept.empty() || divided_.is_ordered) return;
  out_.verbatim("#if PB_BIN_CELLS == 0\n");
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Accumulator& bins = divided_.bins[kept[k].bins];
    const std::string number = std::to_string(k);
    out_.line(own_type(bins) + " pb_run" + number + " = " + neutral_of(bins) + ";");
    out_.line("PB_INDEX pb_run_bin" + number + " = 0;");
  }
  out_.verbatim("#endif\n");
}

void BinPrinter::print_end_of_runs() const {
  const std::vector<Kept> kept = kept_updates();
  if (kept.empty() || divided_.is_ordered) return;
  out_.verbatim("#if PB_BIN_CELLS == 0\n");
  for (std::size_t k = 0; k < kept.size(); ++k) print_update_of_run(kept[k].bins, std::to_string(k));
  out_.verbatim("#endif\n");
}

/// Adds an operand to the run of its bin. Where the run is another bin's, that bin gets its sum first.
void BinPrinter::print_run(std::size_t bins, const std::string& number, const std::string& place,
                           const std::string& operand) const {
  const std::string run = "pb_run" + number, run_bin = "pb_run_bin" + number;
  out_.open("if (" + place + " != " + run_bin + ")");
  print_update_of_run(bins, number);
  out_.line(run + " = " + neutral_of(divided_.bins[bins]) + ";");
  out_.line(run_bin + " = " + place + ";");
  out_.close();
  out_.line(run + " = " + combined_text(divided_.bins[bins], run, operand) + ";");
}

void BinPrinter::print_update_of_run(std::size_t bins, const std::string& number) const {
  const std::string run = "pb_run" + number;
  out_.open("if (" + run + " != " + neutral_of(divided_.bins[bins]) + ")");
  print_atomic(bins, words_.global, shared_cell(bins, "pb_run_bin" + number), run);
  out_.close();
}

void BinPrinter::print_either(std::size_t bins, const std::string& place, const std::string& value) const {
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  const std::string own = own_cell(bins, "(int)" + place), shared = shared_cell(bins, place);
  divided_.is_ordered ? print_ordered(bins, own, value) : print_atomic(bins, words_.local, own, value);
  out_.verbatim("#else\n");
  divided_.is_ordered ? print_ordered(bins, shared, value) : print_atomic(bins, words_.global, shared, value);
  out_.verbatim("#endif\n");
}

/// An update that no other work-item interrupts, because none updates the cell meanwhile.
void BinPrinter::print_ordered(std::size_t i, const std::string& cell, const std::string& value) const {
  const Accumulator& bins = divided_.bins[i];
  out_.open("");
  out_.line("const " + own_type(bins) + " pb_old = " + cell + ";");
  out_.line(cell + " = " + combined_text(bins, "pb_old", value) + ";");
  out_.close();
}

/// An update that no other one interrupts. A cell of 64 bits gets it in two halves, the lower one first in memory. Sums
/// carry from one to the other; nobody reads them before all updates are done.
void BinPrinter::print_atomic(std::size_t i, const std::string& memory, const std::string& cell,
                              const std::string& value) const {
  const Accumulator& bins = divided_.bins[i];
  const FoldOp op = bins.op;
  if (!is_wide(bins)) return out_.line(words_.update(op, memory, own_type(bins), cell, value));
  const std::string neutral = op == FoldOp::BitAnd ? "UINT_MAX" : "0u";
  const auto update = [&](const std::string& half, const std::string& operand) {
    return words_.update(op, memory, "uint", "pb_halves[" + half + "]", operand);
  };
  out_.open("");
  out_.line("volatile " + memory + "uint* const pb_halves = (volatile " + memory + "uint*)&" + cell + ";");
  out_.line("const ulong pb_value = (ulong)" + value + ";");
  out_.line("const uint pb_low = (uint)pb_value;");
  if (op == FoldOp::Add) {
    out_.line("const uint pb_old = " + update("0", "pb_low"));
    out_.line("const uint pb_high = (uint)(pb_value >> 32) + (pb_old + pb_low < pb_low ? 1u : 0u);");
  } else {
    out_.line("const uint pb_high = (uint)(pb_value >> 32);");
    out_.line("if (pb_low != " + neutral + ") " + update("0", "pb_low"));
  }
  out_.line("if (pb_high != " + neutral + ") " + update("1", "pb_high"));
  out_.close();
}

/// Computes where a cell lies: its number among the bins of the group, or how far it is from the output's first one.
void BinPrinter::print_place(BodyCodePrinter& printer, std::size_t bins, ExprId cell, const std::string& target) const {
  const auto& member = std::get<MemberExpr>(rule_.body.exprs[cell].node);
  const std::string& name = divided_.bins[bins].name;
  std::vector<std::string> at;
  for (const ExprId arg : member.args) at.push_back("(int)(" + printer.expr(arg, Precedence::Assign) + ")");
  std::string own = at.back(), shared;
  for (std::size_t k = at.size() - 1; k-- > 0;) own = at[k] + " + " + size_of(name, k) + " * (" + own + ")";
  for (std::size_t k = 0; k < at.size(); ++k)
    shared += (k == 0 ? "" : " + ") + at[k] + " * " + stride_name("pb_at_" + name, k);
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  out_.line(target + " = " + own + ";");
  out_.verbatim("#else\n");
  out_.line(target + " = " + shared + ";");
  out_.verbatim("#endif\n");
}

void BinPrinter::print_update(BodyCodePrinter& printer, StmtId stmt, const std::function<void()>& print) const {
  const Accumulator& bins = *updated_by(stmt);
  const auto number = static_cast<std::size_t>(&bins - divided_.bins.data());
  ExprId cell;
  walk(
      rule_.body, stmt, [](StmtId) {},
      [&](ExprId id) {
        const auto* member = std::get_if<MemberExpr>(&rule_.body.exprs[id].node);
        if (!cell.is_none() || member == nullptr || !is_cell_call(*member)) return;
        if (rule_.body_types.bindings[member->object.index()] == bins.binding) cell = id;
      });
  PB_CHECK(!cell.is_none(), "an update names its bin");
  out_.open("");
  out_.line(own_type(bins) + " " + operand() + " = " + neutral_of(bins) + ";");
  print();
  const std::vector<Kept> kept = kept_updates();
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& each) { return each.stmt == stmt; });
  if (found != kept.end()) {
    const std::string place = "pb_bin" + std::to_string(found - kept.begin()) + "[pb_u]";
    out_.line("pb_operand" + std::to_string(found - kept.begin()) + "[pb_u] = " + operand() + ";");
    if (divided_.is_ordered) out_.line("pb_updates" + std::to_string(found - kept.begin()) + "[pb_u] = true;");
    print_place(printer, number, cell, place);
  } else {
    out_.line("PB_INDEX pb_bin;");
    print_place(printer, number, cell, "pb_bin");
    print_either(number, "pb_bin", operand());
  }
  out_.close();
}

}  // namespace pb
