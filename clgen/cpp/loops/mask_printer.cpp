// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/mask_printer.h"

#include <variant>

#include "lang/body/body_walk.h"
#include "lang/body/operands.h"

namespace pb {
bool MaskPrinter::print(Writer& out, BodyCodePrinter& printer, StmtId id) {
  if (masks_.empty() && !facts_.masked_stmts.contains(id)) return false;
  const auto& node = body_.stmts[id].node;
  if (const auto* branch = std::get_if<IfStmt>(&node)) {
    print_branch(out, printer, *branch);
  } else if (const auto* counting = std::get_if<ForStmt>(&node)) {
    print_for(out, printer, *counting);
  } else if (const auto* loop = std::get_if<WhileStmt>(&node)) {
    print_rounds(out, printer, loop->condition, loop->body, ExprId());
  } else if (const auto* last = std::get_if<DoStmt>(&node)) {
    print_do(out, printer, *last);
  } else if (std::holds_alternative<BreakStmt>(node)) {
    print_jump(out, of_loop_);
  } else if (std::holds_alternative<ContinueStmt>(node)) {
    print_jump(out, of_round_);
  } else if (const auto* stmt = std::get_if<ExprStmt>(&node)) {
    print_change(out, printer, stmt->expr);
  } else {
    return false;  // blocks and declarations are printed as without masks
  }
  return true;
}

void MaskPrinter::print_branch(Writer& out, BodyCodePrinter& printer, const IfStmt& branch) {
  const std::string condition = where(printer, branch.condition), around = masks_.empty() ? "" : masks_.back();
  out.open("");
  const std::string then = add_mask();
  out.line("[[maybe_unused]] auto " + then + " = " + condition + ";");
  const std::string otherwise = "pb_mask" + std::to_string(num_masks_++);
  if (!branch.else_stmt.is_none())
    out.line("[[maybe_unused]] auto " + otherwise + " = " +
             (around.empty() ? "!" + then : "pbrt::simd::without(" + around + ", " + then + ")") + ";");
  printer.print_block_of(out, "", branch.then_stmt);
  masks_.pop_back();
  if (!branch.else_stmt.is_none()) {
    masks_.push_back(otherwise);
    printer.print_block_of(out, "", branch.else_stmt);
    masks_.pop_back();
  }
  out.close();
}

void MaskPrinter::print_for(Writer& out, BodyCodePrinter& printer, const ForStmt& loop) {
  out.open("");
  if (!loop.init.is_none()) printer.print_stmt(out, loop.init);
  print_rounds(out, printer, loop.condition, loop.body, loop.step);
  out.close();
}

void MaskPrinter::print_rounds(Writer& out, BodyCodePrinter& printer, ExprId condition, StmtId body, ExprId step) {
  const std::string first = where(printer, condition);
  const std::string mask = add_mask();
  const std::string next = condition.is_none() ? "" : mask + " = " + where(printer, condition);
  out.open("for (auto " + mask + " = " + first + "; pbrt::simd::any(" + mask + "); " + next + ")");
  print_round(out, printer, body, step);
  out.close();
  masks_.pop_back();
}

void MaskPrinter::print_do(Writer& out, BodyCodePrinter& printer, const DoStmt& loop) {
  const std::string first = where(printer, ExprId());
  out.open("");
  const std::string mask = add_mask();
  out.line("auto " + mask + " = " + first + ";");
  out.open("do");
  out.open("");
  print_round(out, printer, loop.body, ExprId());
  out.close();
  out.line(mask + " = " + where(printer, loop.condition) + ";");
  out.close(" while (pbrt::simd::any(" + mask + "));");
  masks_.pop_back();
  out.close();
}

/// Prints what a loop does in a round. The loop's mask is the innermost one.
void MaskPrinter::print_round(Writer& out, BodyCodePrinter& printer, StmtId body, ExprId step) {
  const std::size_t outer_loop = of_loop_, outer_round = of_round_;
  of_loop_ = of_round_ = masks_.size() - 1;
  const bool continues = has_continue(body_, body);
  if (continues) {
    const std::string of_loop = masks_.back(), round = add_mask();
    of_round_ = masks_.size() - 1;
    out.line("auto " + round + " = " + of_loop + ";");
  }
  if (step.is_none()) {
    printer.print_children(out, body);
  } else {
    printer.print_block_of(out, "", body);  // the step does not see what the body declares
  }
  if (continues) masks_.pop_back();
  if (!step.is_none()) print_change(out, printer, step);
  of_loop_ = outer_loop;
  of_round_ = outer_round;
}

/// Takes the instances that take part out of all masks from number `first` on.
void MaskPrinter::print_jump(Writer& out, std::size_t first) const {
  for (std::size_t i = first; i < masks_.size(); ++i)
    out.line(masks_[i] + " = pbrt::simd::without(" + masks_[i] + ", " + masks_.back() + ");");
}

void MaskPrinter::print_change(Writer& out, BodyCodePrinter& printer, ExprId id) const {
  const ExprId stepped = stepped_operand(body_, id);
  const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
  const std::string target = printer.expr(stepped.is_none() ? assign->lhs : stepped);
  std::string value;
  if (assign == nullptr) {
    const UnaryOp op = std::get<UnaryExpr>(body_.exprs[id].node).op;
    value = target + (op == UnaryOp::PreInc || op == UnaryOp::PostInc ? " + 1" : " - 1");
  } else if (assign->is_compound) {
    value = target + " " + spelling(assign->op) + " (" + printer.expr(assign->rhs, Precedence::Assign) + ")";
  } else {
    value = printer.expr(assign->rhs, Precedence::Assign);
  }
  out.line("pbrt::simd::assign_where(" + masks_.back() + ", " + target + ", " + value + ");");
}

std::string MaskPrinter::where(BodyCodePrinter& printer, ExprId condition) const {
  const bool varies = !condition.is_none() && facts_.is_varying[condition.index()];
  std::string around = masks_.empty() ? "" : masks_.back();
  if (around.empty() && varies) return printer.expr(condition, Precedence::Assign);
  if (around.empty())
    around = "pbrt::simd::everywhere<PbShape, " + std::string(facts_.is_wide_type ? "8" : "4") + ">()";
  if (condition.is_none()) return around;
  return "pbrt::simd::within(" + around + ", " + printer.expr(condition, Precedence::Assign) + ")";
}

}  // namespace pb
