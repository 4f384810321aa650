// SPDX-License-Identifier: MIT
#include "clgen/cpp/context/condition_code.h"

#include <vector>

#include "clgen/facts/names.h"
#include "lang/check.h"
#include "lang/operators.h"

namespace pb {
namespace {

using Kind = Condition::Kind;

std::string side_text(const IndexExpr& side, const OperandSpelling& spell) {
  const std::string text = spell.index ? spell.index(side) : to_cpp(side);
  const bool is_leaf = side.op == IndexExpr::Op::Const || side.op == IndexExpr::Op::Symbol;
  return is_leaf ? text : "(" + text + ")";
}

std::string terms_text(const Condition& condition, const char* op, const OperandSpelling& spell) {
  std::vector<std::string> texts;
  for (const Condition& term : condition.terms()) texts.push_back(to_operand(term, spell));
  return joined(texts, op);
}

/// Whether the text of the condition is a name or a call, which needs no parentheses.
bool is_primary(const Condition& condition) {
  switch (condition.kind()) {
    case Kind::Named:
    case Kind::IsRoot:
    case Kind::Apart:
    case Kind::UnitStride:
      return true;
    case Kind::Always:
    case Kind::Never:
    case Kind::Chosen:
    case Kind::Relation:
    case Kind::DeviceIsCpu:
    case Kind::HasLanes:
    case Kind::KeepsCells:
    case Kind::InBlocks:
    case Kind::CopiesAhead:
    case Kind::OnMatrixUnits:
    case Kind::Not:
    case Kind::All:
    case Kind::Any:
      return false;
  }
  PB_CHECK(false, "a condition has a kind");
  return false;
}

std::string negated_text(const Condition& term, const OperandSpelling& spell) {
  const std::string text = to_cpp(term, spell);
  return is_primary(term) ? "!" + text : "!(" + text + ")";
}

}  // namespace

std::string choice_name(SiteId site) { return "pb_choice_" + std::to_string(site.index()); }

std::string to_cpp(const Condition& condition, const OperandSpelling& spell) {
  const auto view = [&](std::size_t i) {
    PB_CHECK(spell.view, "the code around a condition about matrices spells their views");
    return spell.view(condition.matrices()[i]);
  };
  switch (condition.kind()) {
    case Kind::Always:
      return "true";
    case Kind::Never:
      return "false";
    case Kind::Chosen:
      return choice_name(condition.site()) + " == " + std::to_string(condition.choice());
    case Kind::Relation:
      return side_text(condition.lhs(), spell) + " " + spelling(condition.op()) + " " +
             side_text(condition.rhs(), spell);
    case Kind::Named:
      return condition.name();
    case Kind::IsRoot:
      return "pb_parent.is_root()";
    case Kind::DeviceIsCpu:
    case Kind::HasLanes:
    case Kind::KeepsCells:
    case Kind::InBlocks:
    case Kind::CopiesAhead:
    case Kind::OnMatrixUnits:
      break;
    case Kind::Apart:
      return "pbrt::is_apart(" + view(0) + ", " + view(1) + ")";
    case Kind::UnitStride:
      return view(0) + ".has_unit_stride()";
    case Kind::Not:
      return negated_text(condition.terms().front(), spell);
    case Kind::All:
      return terms_text(condition, " && ", spell);
    case Kind::Any:
      return terms_text(condition, " || ", spell);
  }
  PB_CHECK(false, "only kernels have conditions about devices");
  return "";
}

std::string to_operand(const Condition& condition, const OperandSpelling& spell) {
  const std::string text = to_cpp(condition, spell);
  // Compilers warn of `&&` beside `||`, even where the meaning needs no parentheses.
  const bool has_terms = condition.kind() == Kind::All || condition.kind() == Kind::Any;
  return has_terms ? "(" + text + ")" : text;
}

std::string if_text(const Condition& condition, const OperandSpelling& spell) {
  return condition.is_always() ? "" : "if (" + to_cpp(condition, spell) + ")";
}

std::string guarded_text(const Condition& condition, const std::string& statement, const OperandSpelling& spell) {
  return condition.is_always() ? statement : if_text(condition, spell) + " " + statement;
}

std::string selected_text(const Condition& condition, const std::string& if_true, const std::string& otherwise,
                          const OperandSpelling& spell) {
  if (condition.is_always()) return if_true;
  if (condition.is_never()) return otherwise;
  const std::string text = to_cpp(condition, spell);
  return (is_primary(condition) ? text : "(" + text + ")") + " ? " + if_true + " : " + otherwise;
}

std::string to_cpp(CopyOut copy_out) {
  switch (copy_out) {
    case CopyOut::May:
      return "pbrt::gpu::CopyOut::May";
    case CopyOut::Must:
      return "pbrt::gpu::CopyOut::Must";
    case CopyOut::Reused:
      return "pbrt::gpu::CopyOut::Reused";
    case CopyOut::Result:
      return "pbrt::gpu::CopyOut::Result";
    case CopyOut::Eager:
      return "pbrt::gpu::CopyOut::Eager";
  }
  PB_CHECK(false, "what a device wrote goes somewhere");
  return "";
}

std::string to_cpp(const CopyOutChoice& choice) {
  std::string text = to_cpp(choice.otherwise);
  for (auto one = choice.cases.rbegin(); one != choice.cases.rend(); ++one)
    text = selected_text(one->condition, to_cpp(one->copy_out), text);
  return text;
}

}  // namespace pb
