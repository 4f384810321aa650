// SPDX-License-Identifier: MIT
#include "clgen/opencl/stores/scattered_stores.h"

#include <string>

#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/stores/running_ranks.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string flag(std::size_t i) { return "pb_stores" + std::to_string(i); }
std::string value(std::size_t i) { return "pb_stored" + std::to_string(i); }
std::string place(std::size_t i) { return "pb_target" + std::to_string(i); }

}  // namespace

ScatterPrinter::ScatterPrinter(Writer& out, const Rule& rule, const DividedFold& divided) : out_(out), rule_(rule) {
  const StmtId inside = std::get<ForStmt>(rule.body.stmts[divided.fold.loop].node).body;
  if (divided.num_running > 0) {
    find_stores(inside, true);
    for (Store& store : kept_) note_running(store, divided);
    return;
  }
  const bool is_plain = divided.fold.accumulators.empty() && divided.bins.empty() && !divided.inner && !divided.keeps;
  if (!rule.is_distinct || !divided.stores || !is_plain) return;
  find_stores(inside, false);
  std::size_t num_uses = 0;
  walk(
      rule.body, inside, [](StmtId) {}, [&](ExprId id) { num_uses += names_output(id) ? 1 : 0; });
  if (num_uses != kept_.size()) kept_.clear();
}

bool ScatterPrinter::names_output(ExprId id) const {
  return std::holds_alternative<NameExpr>(rule_.body.exprs[id].node) &&
         rule_.body_types.bindings[id.index()].kind == NameKind::Output;
}

/// Whether a statement or what is below it reads cells of inputs.
bool ScatterPrinter::reads_cells(StmtId id) const {
  bool found = false;
  walk(
      rule_.body, id, [](StmtId) {},
      [&](ExprId part) {
        const auto* member = std::get_if<MemberExpr>(&rule_.body.exprs[part].node);
        found = found || (member != nullptr && is_cell_call(*member) && !names_output(member->object));
      });
  return found;
}

/// Notes the stores below a statement that no loop inside repeats. Those in a branch that reads do not count: it ends
/// before the reads of the next round begin, however its stores are kept.
void ScatterPrinter::find_stores(StmtId id, bool are_all_kept) {
  const Body& body = rule_.body;
  const Stmt& stmt = body.stmts[id];
  if (is_loop(stmt)) return;
  const auto* statement = std::get_if<ExprStmt>(&stmt.node);
  const auto* assign = statement == nullptr ? nullptr : std::get_if<AssignExpr>(&body.exprs[statement->expr].node);
  const auto* cell = assign == nullptr ? nullptr : std::get_if<MemberExpr>(&body.exprs[assign->lhs].node);
  if (cell != nullptr && !assign->is_compound && is_cell_call(*cell) && names_output(cell->object))
    kept_.push_back({id, assign->lhs, assign->rhs});
  const bool is_branch = std::holds_alternative<IfStmt>(stmt.node) || std::holds_alternative<SwitchStmt>(stmt.node);
  for_each_child(
      stmt,
      [&](StmtId child) {
        if (are_all_kept || !is_branch || !reads_cells(child)) find_stores(child, are_all_kept);
      },
      [](ExprId) {});
}

/// Notes the running place that is a coordinate of the store.
void ScatterPrinter::note_running(Store& store, const DividedFold& divided) const {
  const auto& cell = std::get<MemberExpr>(rule_.body.exprs[store.cell].node);
  const std::string& name = std::get<NameExpr>(rule_.body.exprs[cell.object].node).text;
  for (std::size_t d = 0; d < cell.args.size(); ++d)
    walk_expr(rule_.body, cell.args[d], [&](ExprId id) {
      if (!std::holds_alternative<NameExpr>(rule_.body.exprs[id].node)) return;
      for (std::size_t k = 0; k < divided.num_running; ++k)
        if (rule_.body_types.bindings[id.index()] == divided.fold.accumulators[k].binding)
          store.ahead = "(PB_INDEX)(int)(" + running_base(k) + " + " + running_rank(k) + "[pb_u]) * " +
                        stride_name("pb_at_" + name, d);
    });
}

std::optional<std::size_t> ScatterPrinter::number_of(StmtId stmt) const {
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (kept_[i].stmt == stmt) return i;
  return std::nullopt;
}

void ScatterPrinter::declare(int num_rounds) const {
  const std::string extent = "[" + std::to_string(num_rounds) + "]";
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const std::string type = number_word(rule_.body_types.types[kept_[i].cell.index()]);
    out_.line("bool " + flag(i) + extent + " = {false};");
    out_.line(type + " " + value(i) + extent + " = {0};");
    out_.line("PB_INDEX " + place(i) + extent + " = {0};");
  }
}

void ScatterPrinter::print_store(BodyCodePrinter& printer, StmtId stmt) const {
  const std::optional<std::size_t> number = number_of(stmt);
  PB_CHECK(number, "the store is kept");
  const Store& store = kept_[*number];
  const auto& cell = std::get<MemberExpr>(rule_.body.exprs[store.cell].node);
  const std::string& name = std::get<NameExpr>(rule_.body.exprs[cell.object].node).text;
  std::string at;
  for (std::size_t d = 0; d < cell.args.size(); ++d)
    at += (d == 0 ? "" : " + ") +
          index_text("(" + printer.expr(cell.args[d], Precedence::Assign) + ")",
                     rule_.body_types.types[cell.args[d].index()]) +
          " * " + stride_name("pb_at_" + name, d);
  out_.open("");
  out_.line(value(*number) + "[pb_u] = " + printer.expr(store.value, Precedence::Assign) + ";");
  out_.line(place(*number) + "[pb_u] = " + (at.empty() ? "0" : at) + ";");
  out_.line(flag(*number) + "[pb_u] = true;");
  out_.close();
}

void ScatterPrinter::print_stores(int num_rounds) const {
  if (num_rounds > 1) print_unrolling(out_, kUnroll);
  out_.open("for (int pb_u = 0; pb_u < " + std::to_string(num_rounds) + "; ++pb_u)");
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const auto& cell = std::get<MemberExpr>(rule_.body.exprs[kept_[i].cell].node);
    const std::string& name = std::get<NameExpr>(rule_.body.exprs[cell.object].node).text;
    const std::string ahead = kept_[i].ahead.empty() ? "" : kept_[i].ahead + " + ";
    out_.line("if (" + flag(i) + "[pb_u]) pb_from_" + name + "[pb_at_" + name + " + " + ahead + place(i) +
              "[pb_u]] = " + value(i) + "[pb_u];");
  }
  out_.close();
}

}  // namespace pb
