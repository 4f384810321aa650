// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/task_fold_code.h"

#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/cpp/rules/pack_dialect.h"
#include "clgen/facts/names.h"
#include "clgen/writer/writer.h"
#include "lang/check.h"

namespace pb {
namespace {

const char* operator_of_tasks(FoldOp op) {
  switch (op) {
    case FoldOp::Add:
      return "pbrt::folds::Sum";
    case FoldOp::Mul:
      return "pbrt::folds::Product";
    case FoldOp::Min:
      return "pbrt::folds::Smallest";
    case FoldOp::Max:
      return "pbrt::folds::Largest";
    case FoldOp::BitAnd:
      return "pbrt::folds::BitAnd";
    case FoldOp::BitOr:
      return "pbrt::folds::BitOr";
    case FoldOp::BitXor:
      return "pbrt::folds::BitXor";
    case FoldOp::And:
      return "pbrt::folds::And";
    case FoldOp::Or:
      return "pbrt::folds::Or";
  }
  PB_CHECK(false, "every operator has a type");
}

/// The variables that a fold changes, as the runtime takes them.
struct FoldVariables {
  std::vector<std::string> names, operators;
};

FoldVariables variables_of(const Fold& fold) {
  FoldVariables out;
  const auto add = [&](const std::string& name, const char* op) {
    out.names.push_back(name);
    out.operators.emplace_back(op);
  };
  for (const Accumulator& each : fold.accumulators) {
    add(each.name, operator_of_tasks(each.op));
    for (const FoldPlace& place : each.places) add(place.name, "pbrt::folds::Place");
  }
  return out;
}

}  // namespace

TaskFoldText task_fold_text(const Rule& rule, const Fold& fold, const TaskFold& divided, const FoldNames& names) {
  const Dialect no_dialect;
  BodyCodePrinter plain(rule.body, no_dialect);
  const FoldVariables variables = variables_of(fold);
  const auto& head = std::get<ForStmt>(rule.body.stmts[fold.loop].node);
  const auto& decl = std::get<DeclStmt>(rule.body.stmts[head.init].node);
  std::vector<std::string> params = {"decltype(pb_fold_first) pb_from", "decltype(pb_fold_first) pb_to"};
  for (std::size_t i = 0; i < variables.names.size(); ++i)
    params.push_back("pbrt::FoldPart<" + variables.operators[i] + ", decltype(" + variables.names[i] + ")> " +
                     variables.names[i]);
  Writer before;
  before.line("const " + without_const(decl.type_text) +
              " pb_fold_first = " + plain.expr(fold.first, Precedence::Assign) + ";");
  before.line("const auto pb_rounds = [&](" + joined(params) + ") {");
  Writer after;
  after.line("return std::make_tuple(" + joined(variables.names) + ");");
  after.line("};");
  const std::string last = "static_cast<std::int64_t>(" + plain.expr(fold.last, Precedence::Assign) + ")" +
                           (fold.is_inclusive ? " + 1" : "");
  const std::string chunk = divided.is_rounded ? names.any_order + " ? " + names.chunk + " : 0" : names.chunk;
  after.line("pbrt::divided_fold(pb_frame, pbrt::FoldOf<" + joined(variables.operators) + ">(), pb_fold_first, " +
             last + ", " + chunk + ", pb_rounds, " + joined(variables.names) + ");");
  const LoopLimits limits{"pb_from", fold.is_inclusive ? "pb_to - 1" : "pb_to"};
  return {fold.loop, fold.first, fold.last, limits, before.text(), after.text()};
}

}  // namespace pb
