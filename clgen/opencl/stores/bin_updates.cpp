// SPDX-License-Identifier: MIT
#include "clgen/opencl/stores/bin_updates.h"

#include <algorithm>
#include <set>

#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_words.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string name_of(std::size_t bins, const std::string& what) { return "pb_bins" + std::to_string(bins) + "_" + what; }

/// The extent of an output along a dimension that the body indexes.
std::string size_of(const std::string& binding, std::size_t dim) {
  return "pb_bins_" + binding + "_size" + std::to_string(dim);
}

std::string neutral_of(const Accumulator& bins) {
  switch (bins.op) {
    case FoldOp::Min:
      return bins.type.is_unsigned ? "UINT_MAX" : "INT_MAX";
    case FoldOp::Max:
      return bins.type.is_unsigned ? "0u" : "INT_MIN";
    case FoldOp::BitAnd:
      return bins.type.is_unsigned ? "UINT_MAX" : "-1";
    case FoldOp::Add:
    case FoldOp::BitOr:
    case FoldOp::BitXor:
      return own_type(bins) == "uint" ? "0u" : "0";
    case FoldOp::Mul:
    case FoldOp::And:
    case FoldOp::Or:
      break;
  }
  PB_CHECK(false, "devices have updates by this operator");
  return {};
}

/// The dimensions of the output that the body indexes.
std::vector<std::size_t> dims_of(const RegionAccess& access) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < access.lo.size(); ++d)
    if (!access.is_fixed_dim(d)) dims.push_back(d);
  return dims;
}

constexpr const char* kOwnCopy = "(int)((uint)pb_local % PB_BIN_COPIES)";

}  // namespace

void print_bin_array(Writer& out, const LoopTree& tree, const std::string& head) {
  const RuleInstance* const instance = instance_with_lanes(tree);
  const auto has_bins = [](const DividedFold& divided) { return !divided.bins.empty(); };
  if (instance == nullptr || std::none_of(instance->divided.begin(), instance->divided.end(), has_bins)) return;
  out.verbatim("#if PB_BIN_CELLS > 0\n");
  out.line(head + "uint pb_bins[PB_BIN_CELLS * PB_BIN_COPIES];");
  out.verbatim("#endif\n");
}

void print_bin_extents(Writer& out, const Rule& rule, const RuleInstance& instance) {
  std::set<std::size_t> outputs;
  for (const DividedFold& divided : instance.divided)
    for (const Accumulator& bins : divided.bins) outputs.insert(bins.binding.index);
  for (const std::size_t i : outputs) {
    const RegionAccess& access = rule.outputs[i];
    const std::vector<std::size_t> dims = dims_of(access);
    for (std::size_t k = 0; k < dims.size(); ++k)
      out.line("const int " + size_of(access.binding, k) + " = (" + kernel_formula(access.hi[dims[k]]) + ") - (" +
               kernel_formula(access.lo[dims[k]]) + ");");
  }
}

const Accumulator* BinPrinter::updated_by(StmtId stmt) const {
  for (const Accumulator& bins : divided_.bins)
    for (const FoldUpdate& update : bins.updates)
      if (update.stmt == stmt) return &bins;
  return nullptr;
}

/// The updates that no inner loop repeats.
std::vector<BinPrinter::Kept> BinPrinter::kept_updates() const {
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

void BinPrinter::print_begin() const {
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  std::string first = "0";
  for (std::size_t i = 0; i < divided_.bins.size(); ++i) {
    std::vector<std::string> sizes;
    for (std::size_t k = 0; k < num_dims(i); ++k) sizes.push_back(size_of(divided_.bins[i].name, k));
    out_.line("const int " + name_of(i, "first") + " = " + first + ";");
    out_.line("const int " + name_of(i, "cells") + " = " + joined(sizes, " * ") + ";");
    first = name_of(i, "first") + " + " + name_of(i, "cells");
  }
  out_.line(words_.barrier);
  for (std::size_t i = 0; i < divided_.bins.size(); ++i) {
    out_.open("for (int pb_cell = pb_local; pb_cell < " + name_of(i, "cells") +
              " * PB_BIN_COPIES; pb_cell += PB_GROUP_ITEMS)");
    out_.line("pb_bins[" + name_of(i, "first") + " * PB_BIN_COPIES + pb_cell] = (uint)" + neutral_of(divided_.bins[i]) +
              ";");
    out_.close();
  }
  out_.line(words_.barrier);
  out_.verbatim("#endif\n");
}

void BinPrinter::print_end() const {
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  out_.line(words_.barrier);
  for (std::size_t i = 0; i < divided_.bins.size(); ++i) print_merge(i);
  out_.verbatim("#endif\n");
}

/// Adds the group's bins to those of the output. Neighbours begin with different copies, which lie in different banks.
void BinPrinter::print_merge(std::size_t i) const {
  const Accumulator& bins = divided_.bins[i];
  const std::string type = own_type(bins), neutral = neutral_of(bins);
  out_.open("for (int pb_cell = pb_local; pb_cell < " + name_of(i, "cells") + "; pb_cell += PB_GROUP_ITEMS)");
  out_.line(type + " pb_all = " + neutral + ";");
  out_.open("for (int pb_copy = 0; pb_copy < PB_BIN_COPIES; ++pb_copy)");
  out_.line("const " + type + " pb_value = (" + type + ")pb_bins[(" + name_of(i, "first") +
            " + pb_cell) * PB_BIN_COPIES + (int)((uint)(pb_local + pb_copy) % PB_BIN_COPIES)];");
  out_.line("pb_all = " + combined_text(bins, "pb_all", "pb_value") + ";");
  out_.close();
  std::string place, rest = "pb_cell";
  for (std::size_t k = 0; k < num_dims(i); ++k) {
    const std::string at = k + 1 == num_dims(i) ? rest : "(" + rest + ") % " + size_of(bins.name, k);
    place += (place.empty() ? "(" : " + (") + at + ") * pb_at_" + bins.name + "_s" + std::to_string(k);
    rest = (k == 0 ? rest : "(" + rest + ")") + " / " + size_of(bins.name, k);
  }
  out_.line("if (pb_all != " + neutral + ") " + shared_update(i, place, "pb_all"));
  out_.close();
}

void BinPrinter::declare_operands(int num_rounds) const {
  const std::vector<Kept> kept = kept_updates();
  const std::string extent = "[" + std::to_string(num_rounds) + "]";
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Accumulator& bins = divided_.bins[kept[k].bins];
    const std::vector<std::string> neutral(static_cast<std::size_t>(num_rounds), neutral_of(bins));
    out_.line(own_type(bins) + " pb_operand" + std::to_string(k) + extent + " = {" + joined(neutral) + "};");
    out_.line("PB_INDEX pb_bin" + std::to_string(k) + extent + " = {0};");
  }
}

void BinPrinter::print_updates(int num_rounds) const {
  const std::vector<Kept> kept = kept_updates();
  if (kept.empty()) return;
  if (num_rounds > 1) print_unrolling(out_, kUnroll);
  out_.open("for (int pb_u = 0; pb_u < " + std::to_string(num_rounds) + "; ++pb_u)");
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::string number = std::to_string(k);
    out_.open("if (pb_operand" + number + "[pb_u] != " + neutral_of(divided_.bins[kept[k].bins]) + ")");
    print_either(kept[k].bins, "pb_bin" + number + "[pb_u]", "pb_operand" + number + "[pb_u]");
    out_.close();
  }
  out_.close();
}

void BinPrinter::print_either(std::size_t bins, const std::string& place, const std::string& value) const {
  out_.verbatim("#if PB_BIN_CELLS > 0\n");
  out_.line(own_update(bins, place, value));
  out_.verbatim("#else\n");
  out_.line(shared_update(bins, place, value));
  out_.verbatim("#endif\n");
}

std::string BinPrinter::own_update(std::size_t bins, const std::string& place, const std::string& value) const {
  const std::string cell =
      "pb_bins[(" + name_of(bins, "first") + " + (int)" + place + ") * PB_BIN_COPIES + " + kOwnCopy + "]";
  return words_.update(divided_.bins[bins].op, words_.local, own_type(divided_.bins[bins]), cell, value);
}

std::string BinPrinter::shared_update(std::size_t bins, const std::string& place, const std::string& value) const {
  const std::string& name = divided_.bins[bins].name;
  const std::string cell = "pb_from_" + name + "[pb_at_" + name + " + " + place + "]";
  return words_.update(divided_.bins[bins].op, words_.global, own_type(divided_.bins[bins]), cell, value);
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
    shared += (k == 0 ? "" : " + ") + at[k] + " * pb_at_" + name + "_s" + std::to_string(k);
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
    print_place(printer, number, cell, place);
  } else {
    out_.line("PB_INDEX pb_bin;");
    print_place(printer, number, cell, "pb_bin");
    print_either(number, "pb_bin", operand());
  }
  out_.close();
}

}  // namespace pb
