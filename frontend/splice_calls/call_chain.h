// SPDX-License-Identifier: MIT
// Bodies that only call transforms on whole matrices, and what their calls pass on. Private to this folder.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "frontend/splice_calls/refusal.h"
#include "lang/program.h"

namespace pb::splicing {

/// A number that a call gives for a single-number input: as written, or a formula of sizes.
struct GivenNumber {
  bool is_negative = false;  ///< a minus sign stands before it
  std::variant<IntegerExpr, FloatExpr, Formula> value;
  BodyType type;  ///< of the value
};

/// An argument: a matrix of the rule or of its transform, or a number.
struct ChainArg {
  ExprId expr;
  NameBinding of;  ///< an output, input, temporary or single-number input; meaningless with `number`
  std::optional<GivenNumber> number;
};

struct ChainCall {
  TransformId callee;
  Span span;
  std::vector<ChainArg> args;  ///< outputs, then inputs, as the callee has them
};

struct CallChain {
  std::vector<ChainCall> calls;  ///< in the order of the text
  Refusal refusal;               ///< why the body is no chain; then `calls` is of no use
};

/// Reads a body as a chain of calls: each writes matrices as a whole, and reads inputs of the rule and what calls
/// before it have written.
///
/// Pre:     types are checked
[[nodiscard]] CallChain read_chain(const Program& program, const Rule& rule);

/// Whether the body has at least two calls that are statements of their own and a temporary, so that people may expect
/// a chain.
[[nodiscard]] bool looks_like_chain(const Rule& rule);

}  // namespace pb::splicing
