// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/condition_text.h"

#include <vector>

#include "clgen/facts/names.h"
#include "lang/check.h"
#include "lang/operators.h"

namespace pb {
namespace {

bool has_terms(const Condition& condition) {
  return condition.kind() == Condition::Kind::All || condition.kind() == Condition::Kind::Any;
}

/// Returns the text of a term, in parentheses if it has terms of its own.
std::string term_text(const Transform& transform, const Condition& term) {
  const std::string text = to_text(transform, term);
  return has_terms(term) ? "(" + text + ")" : text;
}

std::string terms_text(const Transform& transform, const Condition& condition, const char* word) {
  std::vector<std::string> texts;
  for (const Condition& term : condition.terms()) texts.push_back(term_text(transform, term));
  return joined(texts, word);
}

/// Returns `apart(Out, In)`.
std::string fact_text(const Transform& transform, const Condition& condition, const char* word) {
  std::vector<std::string> names;
  for (const MatrixId matrix : condition.matrices()) names.push_back(transform.matrices[matrix].name);
  return word + ("(" + joined(names) + ")");
}

}  // namespace

std::string to_text(const Transform& transform, const Condition& condition) {
  using Kind = Condition::Kind;
  switch (condition.kind()) {
    case Kind::Always:
      return "always";
    case Kind::Never:
      return "never";
    case Kind::Chosen:
      return "choice " + std::to_string(condition.site().index()) + " is " + std::to_string(condition.choice());
    case Kind::Relation:
      return to_string(condition.lhs()) + " " + spelling(condition.op()) + " " + to_string(condition.rhs());
    case Kind::Named:
      return condition.name();
    case Kind::IsRoot:
      return "call is the run";
    case Kind::DeviceIsCpu:
      return "device is a CPU";
    case Kind::HasLanes:
      return "instances have lanes";
    case Kind::KeepsCells:
      return "lanes keep their cells";
    case Kind::InBlocks:
      return "folds run in blocks";
    case Kind::CopiesAhead:
      return "copies run ahead";
    case Kind::OnMatrixUnits:
      return "rounds run on matrix units";
    case Kind::Apart:
      return fact_text(transform, condition, "apart");
    case Kind::UnitStride:
      return fact_text(transform, condition, "unit_stride");
    case Kind::Not:
      return "not " + term_text(transform, condition.terms().front());
    case Kind::All:
      return terms_text(transform, condition, " and ");
    case Kind::Any:
      return terms_text(transform, condition, " or ");
  }
  PB_CHECK(false, "a condition has a kind");
  return "";
}

std::string where_text(const Transform& transform, const Condition& condition) {
  return condition.is_always() ? "" : " where " + to_text(transform, condition);
}

}  // namespace pb
