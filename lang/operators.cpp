// SPDX-License-Identifier: MIT
#include "lang/operators.h"

#include <algorithm>
#include <iterator>

namespace pb {
namespace {

struct BinaryRow {
  BinaryOp op;
  const char* spelling;
  std::string_view word;
  Precedence precedence;
  OperatorKind kind;
  OperatorResult result;
};
#define PB_BINARY_OP(name, spelling, word, precedence, kind, result) \
  {BinaryOp::name, spelling, word, Precedence::precedence, OperatorKind::kind, OperatorResult::result},
constexpr BinaryRow kBinaryOps[] = {
#include "lang/operators.def"
};

struct UnaryRow {
  UnaryOp op;
  const char* spelling;
  OperatorPlace place;
  OperatorKind kind;
};
#define PB_UNARY_OP(name, spelling, place, kind) {UnaryOp::name, spelling, OperatorPlace::place, OperatorKind::kind},
constexpr UnaryRow kUnaryOps[] = {
#include "lang/operators.def"
};

struct FormulaRow {
  FormulaOp op;
  const char* spelling;
  Precedence precedence;
};
#define PB_FORMULA_OP(name, spelling, precedence) {FormulaOp::name, spelling, Precedence::precedence},
constexpr FormulaRow kFormulaOps[] = {
#include "lang/operators.def"
};

struct RelationRow {
  RelationOp op;
  const char* spelling;
  RelationOp opposite;
  bool (*holds)(std::int64_t difference);
};
#define PB_RELATION_OP(name, operator_, opposite) \
  {RelationOp::name, #operator_, RelationOp::opposite, [](std::int64_t difference) { return difference operator_ 0; }},
constexpr RelationRow kRelationOps[] = {
#include "lang/operators.def"
};

// The enumerators and the rows come from the same lines, so that a row stands at its operator's number.
const BinaryRow& row_of(BinaryOp op) { return kBinaryOps[static_cast<std::size_t>(op)]; }
const UnaryRow& row_of(UnaryOp op) { return kUnaryOps[static_cast<std::size_t>(op)]; }
const FormulaRow& row_of(FormulaOp op) { return kFormulaOps[static_cast<std::size_t>(op)]; }
const RelationRow& row_of(RelationOp op) { return kRelationOps[static_cast<std::size_t>(op)]; }

template <class Rows, class Matches>
auto find_op(const Rows& rows, const Matches& matches) -> std::optional<decltype(std::begin(rows)->op)> {
  const auto found = std::find_if(std::begin(rows), std::end(rows), matches);
  if (found == std::end(rows)) return std::nullopt;
  return found->op;
}

}  // namespace

const char* spelling(BinaryOp op) { return row_of(op).spelling; }
const char* spelling(UnaryOp op) { return row_of(op).spelling; }
const char* spelling(FormulaOp op) { return row_of(op).spelling; }
const char* spelling(RelationOp op) { return row_of(op).spelling; }

Precedence precedence_of(BinaryOp op) { return row_of(op).precedence; }
Precedence precedence_of(FormulaOp op) { return row_of(op).precedence; }

OperatorKind kind_of(BinaryOp op) { return row_of(op).kind; }
OperatorKind kind_of(UnaryOp op) { return row_of(op).kind; }

OperatorResult result_of(BinaryOp op) { return row_of(op).result; }
OperatorPlace place_of(UnaryOp op) { return row_of(op).place; }

std::optional<BinaryOp> find_binary_op(std::string_view text) {
  return find_op(kBinaryOps,
                 [&](const BinaryRow& row) { return text == row.spelling || (text == row.word && !text.empty()); });
}

std::optional<BinaryOp> find_assignment_op(std::string_view text) {
  if (!text.ends_with('=')) return std::nullopt;
  text.remove_suffix(1);
  return find_op(kBinaryOps, [&](const BinaryRow& row) { return has_assignment(row.result) && text == row.spelling; });
}

std::optional<UnaryOp> find_unary_op(std::string_view text, OperatorPlace place) {
  return find_op(kUnaryOps, [&](const UnaryRow& row) { return text == row.spelling && row.place == place; });
}

std::optional<FormulaOp> find_formula_op(std::string_view text) {
  return find_op(kFormulaOps, [&](const FormulaRow& row) { return text == row.spelling; });
}

std::optional<RelationOp> find_relation_op(std::string_view text) {
  if (text == "=") return RelationOp::Equal;
  return find_op(kRelationOps, [&](const RelationRow& row) { return text == row.spelling; });
}

bool holds(RelationOp op, std::int64_t difference) { return row_of(op).holds(difference); }

RelationOp opposite(RelationOp op) { return row_of(op).opposite; }

}  // namespace pb
