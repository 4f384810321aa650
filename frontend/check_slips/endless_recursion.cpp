// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "frontend/check_slips/slips.h"
#include "lang/certain_calls.h"

namespace pb::slips {
namespace {

/// The sizes of an argument that is one of the rule's matrices as a whole; null if it is something else.
const std::vector<Formula>* whole_extents(const Transform& transform, const Rule& rule, ExprId arg) {
  const NameBinding& binding = rule.body_types.bindings[arg.index()];
  if (binding.kind == NameKind::Temporary) return &rule.temporaries[binding.index].extents;
  if (binding.kind != NameKind::Input && binding.kind != NameKind::Output) return nullptr;
  const RegionAccess& access = (binding.kind == NameKind::Input ? rule.inputs : rule.outputs)[binding.index];
  return access.kind == AccessKind::All && !access.is_slice ? &transform.matrices[access.matrix].extents : nullptr;
}

/// Whether a call of the transform within one of its rules hands over matrices of the sizes that it got.
bool keeps_sizes(const Transform& transform, const Rule& rule, const TransformCall& call) {
  std::vector<MatrixId> params = transform.matrices_of(MatrixRole::To);
  for (const MatrixId input : transform.matrices_of(MatrixRole::From)) params.push_back(input);
  if (call.args.size() != params.size()) return false;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::vector<Formula>& wanted = transform.matrices[params[i]].extents;
    if (wanted.empty()) continue;
    const std::vector<Formula>* given = whole_extents(transform, rule, call.args[i]);
    if (given == nullptr || *given != wanted) return false;
  }
  return true;
}

}  // namespace

void find_endless_recursion(const Program& program, TransformId id, Diagnostics& diags) {
  const Transform& transform = program.transforms[id];
  const TransformCall* found = nullptr;
  const Rule* caller = nullptr;
  const auto is_endless = [&](const Rule& rule) {
    const auto calls = certain_calls(rule, [&](const TransformCall& call) {
      const bool is_same = call.targets.front() == id && keeps_sizes(transform, rule, call);
      if (is_same && found == nullptr) {
        found = &call;
        caller = &rule;
      }
      return is_same;
    });
    return !calls.empty();
  };
  for (const MatrixId output : transform.matrices_of(MatrixRole::To)) {
    found = nullptr;
    std::size_t num_rules = 0;
    bool ends = false;
    for (const Rule& rule : transform.rules) {
      const bool writes = std::any_of(rule.outputs.begin(), rule.outputs.end(),
                                      [&](const RegionAccess& access) { return access.matrix == output; });
      if (!writes) continue;
      ++num_rules;
      ends = ends || !is_endless(rule);
    }
    if (ends || num_rules == 0) continue;
    diags.emit(DiagKind::EndlessRecursion, caller->body.stmts[found->stmt].span)
        .arg(transform.source_name)
        .arg(transform.matrices[output].name)
        .label(transform.span, "no rule ends it")
        .hint("call it on a smaller part, only under a condition, or add a rule that makes `" +
              transform.matrices[output].name + "` by itself");
    return;
  }
}

}  // namespace pb::slips
