// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/call_chain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "lang/body/constant_value.h"

namespace pb::splicing {
namespace {

/// The statements of a body, those of blocks in it one after the other.
void add_stmts(const Body& body, StmtId id, std::vector<StmtId>& out) {
  if (const auto* block = std::get_if<BlockStmt>(&body.stmts[id].node)) {
    for (const StmtId each : block->stmts) add_stmts(body, each, out);
    return;
  }
  if (!std::holds_alternative<EmptyStmt>(body.stmts[id].node) && !std::holds_alternative<SyncStmt>(body.stmts[id].node))
    out.push_back(id);
}

std::vector<StmtId> stmts_in(const Rule& rule) {
  std::vector<StmtId> out;
  add_stmts(rule.body, rule.body.root, out);
  return out;
}

/// Sums and products of size variables and whole numbers, in `int`.
std::optional<Formula> formula_in(const Rule& rule, ExprId id) {
  const Expr& expr = rule.body.exprs[id];
  const BodyType& type = rule.body_types.types[id.index()];
  if (type.kind != BodyType::Kind::Int || type.is_unsigned || type.narrow_bytes != 0) return std::nullopt;
  if (const auto value = constant_value(rule.body, id)) return Formula{IntLiteral{*value}, expr.span};
  if (const auto* name = std::get_if<NameExpr>(&expr.node)) {
    if (rule.body_types.bindings[id.index()].kind != NameKind::SizeVar) return std::nullopt;
    return Formula{SymbolRef{SymbolKind::SizeVar, name->text}, expr.span};
  }
  const auto* binary = std::get_if<BinaryExpr>(&expr.node);
  if (binary == nullptr) return std::nullopt;
  const bool is_known = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub || binary->op == BinaryOp::Mul;
  auto lhs = is_known ? formula_in(rule, binary->lhs) : std::nullopt;
  auto rhs = lhs ? formula_in(rule, binary->rhs) : std::nullopt;
  if (!rhs) return std::nullopt;
  const FormulaOp op = binary->op == BinaryOp::Add   ? FormulaOp::Add
                       : binary->op == BinaryOp::Sub ? FormulaOp::Sub
                                                     : FormulaOp::Mul;
  return Formula{BinaryFormula{op, {*std::move(lhs), *std::move(rhs)}}, expr.span};
}

std::optional<GivenNumber> number_in(const Rule& rule, ExprId id) {
  GivenNumber out;
  if (const auto* unary = std::get_if<UnaryExpr>(&rule.body.exprs[id].node); unary && unary->op == UnaryOp::Minus) {
    out.is_negative = true;
    id = unary->operand;
  }
  const Expr& expr = rule.body.exprs[id];
  out.type = rule.body_types.types[id.index()];
  if (const auto* integer = std::get_if<IntegerExpr>(&expr.node)) {
    out.value = *integer;
  } else if (const auto* real = std::get_if<FloatExpr>(&expr.node)) {
    out.value = *real;
  } else if (auto formula = formula_in(rule, id)) {
    out.value = *std::move(formula);
  } else {
    return std::nullopt;
  }
  return out;
}

class Reader {
 public:
  Reader(const Program& program, const Rule& rule) : program_(program), rule_(rule) {}

  CallChain run() {
    for (const StmtId id : stmts_in(rule_)) {
      read(id);
      if (out_.refusal.is_given()) return std::move(out_);
    }
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i)
      if (!is_written({NameKind::Output, static_cast<std::uint32_t>(i)}))
        refuse("no call writes `" + rule_.outputs[i].binding + "`", rule_.outputs[i].span);
    return std::move(out_);
  }

 private:
  void refuse(std::string reason, Span span) {
    if (!out_.refusal.is_given()) out_.refusal = {std::move(reason), span};
  }

  void read(StmtId id) {
    const Stmt& stmt = rule_.body.stmts[id];
    const auto found = std::find_if(rule_.calls.begin(), rule_.calls.end(),
                                    [&](const TransformCall& call) { return call.stmt == id; });
    if (found == rule_.calls.end()) return refuse("it does more than call transforms", stmt.span);
    if (!found->choice.empty() || found->targets.size() != 1)
      return refuse(
          "only a run knows which instance of `" + std::get<TransformCallStmt>(stmt.node).callee + "` it calls",
          stmt.span);
    const Transform& callee = program_.transforms[found->targets.front()];
    if (!found->converted.empty()) return refuse("a result of `" + callee.name + "` is converted", stmt.span);
    ChainCall call{found->targets.front(), stmt.span, {}};
    const std::size_t num_outputs = callee.matrices_of(MatrixRole::To).size();
    for (const ExprId arg : found->args) add_arg(call, callee, arg);
    if (out_.refusal.is_given()) return;
    for (std::size_t i = num_outputs; i < call.args.size(); ++i) check_read(call.args[i]);
    for (std::size_t i = 0; i < num_outputs; ++i) check_written(call, i);
    out_.calls.push_back(std::move(call));
  }

  void add_arg(ChainCall& call, const Transform& callee, ExprId id) {
    const NameBinding& of = rule_.body_types.bindings[id.index()];
    const bool is_name = std::holds_alternative<NameExpr>(rule_.body.exprs[id].node);
    const bool is_matrix = is_name && (of.kind == NameKind::Output || of.kind == NameKind::Input ||
                                       of.kind == NameKind::Temporary || of.kind == NameKind::ScalarInput);
    if (is_matrix) {
      call.args.push_back({id, of, std::nullopt});
    } else if (auto number = number_in(rule_, id)) {
      call.args.push_back({id, {}, std::move(number)});
    } else {
      refuse("an argument of `" + callee.name + "` is neither a whole matrix nor a number that sizes give",
             rule_.body.exprs[id].span);
    }
  }

  [[nodiscard]] bool is_written(const NameBinding& matrix) const {
    return std::find(written_.begin(), written_.end(), matrix) != written_.end();
  }

  [[nodiscard]] Span span_of(const ChainArg& arg) const { return rule_.body.exprs[arg.expr].span; }
  [[nodiscard]] std::string text_of(const ChainArg& arg) const {
    return "`" + std::get<NameExpr>(rule_.body.exprs[arg.expr].node).text + "`";
  }

  void check_read(const ChainArg& arg) {
    const bool is_made = arg.of.kind == NameKind::Output || arg.of.kind == NameKind::Temporary;
    if (!arg.number && is_made && !is_written(arg.of))
      refuse("a call reads " + text_of(arg) + ", which no call before it has written", span_of(arg));
  }

  void check_written(const ChainCall& call, std::size_t output) {
    const ChainArg& arg = call.args[output];
    if (arg.number || (arg.of.kind != NameKind::Output && arg.of.kind != NameKind::Temporary))
      return refuse("a call writes what is no matrix of the rule", span_of(arg));
    for (std::size_t i = 0; i < call.args.size(); ++i)
      if (i != output && !call.args[i].number && call.args[i].of == arg.of)
        return refuse("a call has " + text_of(arg) + " twice", span_of(arg));
    if (!is_written(arg.of)) written_.push_back(arg.of);
  }

  const Program& program_;
  const Rule& rule_;
  CallChain out_;
  std::vector<NameBinding> written_;
};

}  // namespace

CallChain read_chain(const Program& program, const Rule& rule) { return Reader(program, rule).run(); }

bool looks_like_chain(const Rule& rule) {
  const std::vector<StmtId> stmts = stmts_in(rule);
  return !rule.temporaries.empty() && std::count_if(stmts.begin(), stmts.end(), [&](StmtId id) {
                                        return std::holds_alternative<TransformCallStmt>(rule.body.stmts[id].node);
                                      }) >= 2;
}

}  // namespace pb::splicing
