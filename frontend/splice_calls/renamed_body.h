// SPDX-License-Identifier: MIT
// Bodies of callees with the names of their callers. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/splice_calls/call_chain.h"
#include "frontend/splice_calls/refusal.h"
#include "lang/program.h"

namespace pb::splicing {

/// What the names of one rule of a callee mean in the transform that gets the rule.
struct BodyNames {
  std::map<std::string, Formula> sizes;               ///< by size variable of the callee
  std::map<std::string, std::uint32_t> size_indices;  ///< of the size variables of the transform that gets the rule
  std::vector<std::uint32_t> inputs;                  ///< by input: its new index; meaningless in `numbers`
  std::map<std::uint32_t, GivenNumber> numbers;       ///< inputs that are numbers, by index
  std::map<std::uint32_t, MatrixId> scalar_inputs;    ///< by MatrixId of the callee
  std::map<std::uint32_t, GivenNumber> scalar_numbers;
  std::set<std::string> taken;  ///< names that bodies of the transform that gets the rule see from its header
};

/// Writes the body's names anew, in its tree and in its text, which keeps its lines.
///
/// Pre:     `rule` still has the callee's inputs; `made` has the matrices of `scalar_inputs`
/// Errors:  returns why the names cannot be told apart; the rule is then of no use
[[nodiscard]] Refusal rename_body(const Transform& callee, const Transform& made, Rule& rule, const BodyNames& names);

}  // namespace pb::splicing
