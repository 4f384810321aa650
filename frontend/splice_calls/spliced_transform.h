// SPDX-License-Identifier: MIT
// The transform that a chain of calls becomes: the rules of the callees, over the matrices of the caller. Private to
// this folder.
#pragma once

#include <functional>
#include <vector>

#include "frontend/splice_calls/refusal.h"
#include "lang/program.h"

namespace pb::splicing {

/// The result of make_spliced.
struct SplicedTransform {
  Transform transform;       ///< without regions: frontend/infer_regions has not seen it
  std::vector<ExprId> args;  ///< of the caller's body: names of its outputs, then of its inputs, in their order
  Refusal refusal;           ///< why there is none; then the rest is of no use
};

/// Makes one transform of the calls of a rule's body. What the calls pass on are its `through` matrices.
///
/// Where several calls write a matrix, each but the last one of a result gets a matrix of its own. So none of them may
/// read what it finds there, which `reads_initially` says of an output.
///
/// Pre:     types are checked, and regions known
[[nodiscard]] SplicedTransform make_spliced(
    const Program& program, TransformId caller, RuleId rule,
    const std::function<bool(const Program&, TransformId, MatrixId)>& reads_initially);

/// Returns the rules that the program has written, without those that call spliced transforms.
[[nodiscard]] std::vector<RuleId> written_rules(const Transform& transform);

}  // namespace pb::splicing
