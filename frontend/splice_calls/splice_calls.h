// SPDX-License-Identifier: MIT
// Chains of calls as one transform. In
//   to (B b) from (A a) using (T[w, h]) { Rows(T, a); Columns(b, T); }
// each call stores its whole result. The pass adds a transform in which `T` is a `through` matrix and the rules of the
// callees make it and `B`, and a rule that calls this transform and is chosen in place of the one with the calls. So
// configurations decide which of the two runs, and what is known of steps and temporaries of one transform holds for
// the calls, too (docs/decisions/0068-chains-of-calls-are-spliced.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

/// What became of the calls of a rule.
struct SplicedCalls {
  TransformId caller;
  RuleId rule;
  std::optional<TransformId> made;  ///< none: the calls stay as they are
  std::string reason;               ///< only without `made`: why
  Span span;                        ///< of what prevents it
};

/// What later stages know of transforms.
struct TransformFacts {
  /// Why a transform of calls is of no use, in words; empty if it is.
  std::function<std::string(const Program& program, TransformId made)> why_not;
  /// Whether a call of a transform may read cells of an output that it has not written.
  std::function<bool(const Program& program, TransformId transform, MatrixId output)> reads_initially;
};

/// Adds transforms that do what chains of calls do, and rules that call them.
///
/// Pre:     infer_regions succeeded
/// Post:    transforms and rules from before keep their numbers; regions of the new ones are known
[[nodiscard]] std::vector<SplicedCalls> splice_calls(Program& program, const TransformFacts& facts);

}  // namespace pb
