// SPDX-License-Identifier: MIT
#include "clgen/testing/condition_value.h"

#include <algorithm>

#include "lang/check.h"

namespace pb::testing {
namespace {

std::int64_t value(const IndexExpr& expr, const CallState& call) {
  const auto found = evaluate(expr, {call.values.begin(), call.values.end()});
  PB_CHECK(found.has_value(), "an expression of a condition has a value");
  return *found;
}

bool relation_holds(const Condition& condition, const CallState& call) {
  const std::int64_t a = value(condition.lhs(), call);
  const std::int64_t b = value(condition.rhs(), call);
  switch (condition.op()) {
#define PB_RELATION_OP(name, operator_, opposite) \
  case RelationOp::name:                          \
    return a operator_ b;
#include "lang/operators.def"
  }
  PB_CHECK(false, "every relation has a value");
  return false;
}

}  // namespace

bool holds(const Condition& condition, const CallState& call) {
  const auto term_holds = [&](const Condition& term) { return holds(term, call); };
  const std::vector<Condition>& terms = condition.terms();
  switch (condition.kind()) {
    case Condition::Kind::Always:
      return true;
    case Condition::Kind::Never:
      return false;
    case Condition::Kind::Chosen:
      return call.choices.at(condition.site()) == condition.choice();
    case Condition::Kind::Relation:
      return relation_holds(condition, call);
    case Condition::Kind::Named:
      return call.named.at(condition.name());
    case Condition::Kind::IsRoot:
    case Condition::Kind::DeviceIsCpu:
    case Condition::Kind::HasLanes:
    case Condition::Kind::KeepsCells:
    case Condition::Kind::InBlocks:
    case Condition::Kind::CopiesAhead:
    case Condition::Kind::OnMatrixUnits:
    case Condition::Kind::Apart:
    case Condition::Kind::UnitStride:
      return call.facts.contains(condition.kind());
    case Condition::Kind::Not:
      return !term_holds(terms.front());
    case Condition::Kind::All:
      return std::all_of(terms.begin(), terms.end(), term_holds);
    case Condition::Kind::Any:
      return std::any_of(terms.begin(), terms.end(), term_holds);
  }
  PB_CHECK(false, "every condition has a value");
  return false;
}

}  // namespace pb::testing
