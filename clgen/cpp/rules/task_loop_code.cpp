// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/task_loop_code.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/cpp/rules/apart_text.h"
#include "clgen/cpp/rules/fold_operator_name.h"
#include "clgen/cpp/rules/pack_dialect.h"
#include "clgen/facts/names.h"
#include "clgen/writer/writer.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

/// The variables that a fold changes, as the runtime takes them.
struct FoldVariables {
  std::vector<std::string> names, operators;
};

FoldVariables variables_of(const Fold& fold) {
  FoldVariables out;
  const auto add = [&](const std::string& name, const std::string& op) {
    out.names.push_back(name);
    out.operators.push_back("pbrt::folds::" + op);
  };
  for (const Accumulator& each : fold.accumulators) {
    add(each.name, fold_operator_name(each.op));
    for (const FoldPlace& place : each.places) add(place.name, "Place");
  }
  return out;
}

/// About how many updates a loop has, from its rounds and the regions that it reads.
std::string likely_updates_text(const std::string& num_rounds, const std::vector<std::string>& read) {
  std::vector<std::string> args = {num_rounds};
  args.insert(args.end(), read.begin(), read.end());
  return "pbrt::likely_updates(" + joined(args) + ")";
}

/// The bins of a loop, as the runtime takes them.
std::string bins_text(const std::vector<Accumulator>& bins) {
  std::vector<std::string> each;
  for (const Accumulator& of_output : bins)
    each.push_back("pbrt::Bins<pbrt::folds::" + std::string(fold_operator_name(of_output.op)) +
                   ", std::remove_cvref_t<decltype(" + of_output.name + ")>>(" + of_output.name + ")");
  return "std::make_tuple(" + joined(each) + ")";
}

/// How often a statement names cells of the region.
std::size_t num_cells_named(const Rule& rule, StmtId stmt, const std::string& region) {
  std::size_t num = 0;
  walk(
      rule.body, stmt, [](StmtId) {},
      [&](ExprId id) {
        const auto* cell = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
        const auto* name = cell == nullptr || !is_cell_call(*cell)
                               ? nullptr
                               : std::get_if<NameExpr>(&rule.body.exprs[cell->object].node);
        num += name != nullptr && name->text == region ? 1 : 0;
      });
  return num;
}

/// How many statements of the loop store cells of the region.
std::size_t num_stores(const ScatterLoop& loop, const Rule& rule, const std::string& region) {
  return static_cast<std::size_t>(std::count_if(loop.stores.begin(), loop.stores.end(), [&](ExprId store) {
    const auto& cell = std::get<MemberExpr>(rule.body.exprs[target_of(rule.body, store)].node);
    return std::get<NameExpr>(rule.body.exprs[cell.object].node).text == region;
  }));
}

}  // namespace

TaskLoopText task_loop_text(const Rule& rule, const Fold& fold, const TaskLoop& divided, const FoldNames& names) {
  const Dialect no_dialect;
  BodyCodePrinter plain(rule.body, no_dialect);
  const FoldVariables variables = variables_of(fold);
  const auto& head = std::get<ForStmt>(rule.body.stmts[fold.loop].node);
  const auto& decl = std::get<DeclStmt>(rule.body.stmts[head.init].node);
  std::vector<std::string> params = {"decltype(pb_fold_first) pb_from", "decltype(pb_fold_first) pb_to"};
  for (std::size_t i = 0; i < variables.names.size(); ++i)
    params.push_back("pbrt::FoldPart<" + variables.operators[i] + ", decltype(" + variables.names[i] + ")> " +
                     variables.names[i]);
  for (const Accumulator& each : divided.bins) params.push_back("const auto " + each.name);
  if (divided.num_running > 0)
    for (const std::string& name : divided.apart.stored) params.push_back("const auto " + name);
  Writer before;
  before.line("const " + without_const(decl.type_text) +
              " pb_fold_first = " + plain.expr(fold.first, Precedence::Assign) + ";");
  // Rounds that store have copies of what they read, because compilers cannot know that it stays the same.
  if (!divided.branched.empty()) before.line("const bool pb_are_apart = true" + apart_text(divided.apart) + ";");
  const std::string captures = divided.apart.stored.empty() ? "[&]" : "[=]";
  before.line("const auto pb_rounds = " + captures + "(" + joined(params) + ") {");
  Writer after;
  std::vector<OtherText> others;
  for (const BranchedStore& store : divided.branched) {
    const std::string some = "pb_some_" + store.region;
    before.line("pbrt::SomeCells " + some + "(" + store.region + ", pb_are_apart);");
    after.line(some + ".flush(" + store.place + ");");
    others.push_back({store.branch, some + ".put(" + store.place + ", " + plain.expr(store.value, Precedence::Assign) +
                                        ", " + plain.expr(store.condition, Precedence::Assign) + ");"});
  }
  after.line("return std::make_tuple(" + joined(variables.names) + ");");
  after.line("};");
  const std::string last = "static_cast<std::int64_t>(" + plain.expr(fold.last, Precedence::Assign) + ")" +
                           (fold.is_inclusive ? " + 1" : "");
  const std::string condition = (divided.is_rounded ? " && " + names.any_order : "") + apart_text(divided.apart);
  // Whether there is something to divide is tested first: loops of few rounds may run millions of times.
  const std::string chunk = condition.empty()
                                ? names.chunk
                                : last + " - pb_fold_first > " + names.chunk + condition + " ? " + names.chunk + " : 0";
  std::vector<std::string> args = {"pb_frame", "pbrt::FoldOf<" + joined(variables.operators) + ">()", "pb_fold_first",
                                   last, chunk};
  if (!divided.bins.empty()) args.push_back(likely_updates_text(last + " - pb_fold_first", divided.apart.read));
  args.push_back("pb_rounds");
  if (!divided.bins.empty()) args.push_back(bins_text(divided.bins));
  if (divided.num_running > 0) {
    std::vector<std::string> ignored;
    for (const std::string& name : divided.apart.stored) ignored.push_back("pbrt::IgnoredCells(" + name + ")");
    args.push_back("std::make_tuple(" + joined(divided.apart.stored) + ")");
    args.push_back("std::make_tuple(" + joined(ignored) + ")");
  }
  args.insert(args.end(), variables.names.begin(), variables.names.end());
  std::string function = divided.bins.empty() ? "divided_fold" : "divided_bins";
  if (divided.num_running > 0) function = "divided_places<" + std::to_string(divided.num_running) + ">";
  after.line("pbrt::" + function + "(" + joined(args) + ");");
  const LoopLimits limits{"pb_from", fold.is_inclusive ? "pb_to - 1" : "pb_to"};
  return {fold.loop, fold.first, fold.last, limits, before.text(), after.text(), std::move(others)};
}

EnclosedLoopText distinct_loop_text(const Rule& rule, const Computation& computation, const ScatterLoop& loop) {
  std::vector<std::string> params, args;
  EnclosedLoopText out{loop.loop.loop, {}, {}};
  // What rounds also read are cells of their own.
  std::vector<std::string> stored = stored_by(rule, loop);
  std::erase_if(stored, [&](const std::string& name) {
    return num_cells_named(rule, loop.loop.loop, name) != num_stores(loop, rule, name);
  });
  // Loops inside have rounds of their own, which are those of the nearest loop of the nest around them.
  const auto note_rounds = [&](const auto& self, StmtId id, int depth) -> void {
    const auto* head = std::get_if<ForStmt>(&rule.body.stmts[id].node);
    const ScatterLoop* const scatter = computation.find_scatter(id);
    if (head != nullptr && scatter != nullptr && rule.body.exprs[head->condition].tokens != TokenRange{}) {
      for (const std::string& name : stored)
        out.operands.push_back({head->condition, name + ".begin_round(" + std::to_string(depth) + ", " +
                                                     quoted(scatter->loop.var) + ", " + scatter->loop.var + ")"});
      ++depth;
    }
    for_each_child(
        rule.body.stmts[id], [&](StmtId child) { self(self, child, depth); }, [](ExprId) {});
  };
  note_rounds(note_rounds, loop.loop.loop, 0);
  for (const std::string& name : stored) {
    params.push_back("auto " + name);
    args.push_back("pbrt::DistinctCells<std::remove_cvref_t<decltype(" + name + ")>>(" + name + ", " + quoted(name) +
                   ")");
  }
  Writer before, after;
  before.line("[&](" + joined(params) + ") {");
  after.line("}(" + joined(args) + ");");
  out.before = before.text();
  out.after = after.text();
  return out;
}

}  // namespace pb
