// SPDX-License-Identifier: MIT
// One rule of a callee in the transform that a chain of calls becomes. Private to this folder.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/splice_calls/call_chain.h"
#include "frontend/splice_calls/refusal.h"
#include "lang/program.h"

namespace pb::splicing {

/// What a matrix of a callee is in the transform that is made.
struct Bound {
  MatrixId matrix;
  std::optional<GivenNumber> number;  ///< a single-number input: then `matrix` is none
};

/// A transform whose call is spliced.
struct Callee {
  TransformId id;
  std::vector<Bound> matrices;           ///< by MatrixId
  std::map<std::string, Formula> sizes;  ///< its size variables, in sizes of the transform that is made
};

/// Adds a rule of a callee to `made`, over the matrices and sizes that the callee has there. `taken` are the names that
/// bodies of `made` see from its header.
///
/// Errors:  returns why the rule cannot be there; nothing is added then
[[nodiscard]] Refusal add_spliced_rule(Transform& made, const std::set<std::string>& taken, const Callee& callee,
                                       const Transform& transform, const Rule& rule);

}  // namespace pb::splicing
