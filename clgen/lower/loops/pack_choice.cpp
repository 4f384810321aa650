// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/pack_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/loop_forms.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/independence.h"
#include "clgen/lower/analysis/repeated_reads.h"
#include "clgen/lower/loops/counted_loops.h"
#include "clgen/lower/loops/inside_cells.h"
#include "lang/types.h"

namespace pb {
namespace {

/// Whether some matrix has elements of one or two bytes.
bool has_narrow_elements(const RuleShape& rule) {
  return std::any_of(rule.matrices.begin(), rule.matrices.end(), [&](const RuleMatrix& use) {
    const Matrix& matrix = rule.matrix(use.matrix);
    return use.is_touched && !matrix.is_element_t && size_bytes(matrix.element) <= 2;
  });
}

/// Whether the rows that a pack copies are read again and again, so that the copies cost little beside what they save.
bool pays_for_rows(const RuleShape& rule, const PackFacts& facts) {
  for (std::size_t i = 0; i < facts.inputs.size(); ++i)
    if (facts.inputs[i].reads_own_row && !reads_again(rule.rule, i)) return false;
  return true;
}

/// Whether the instances are a box, or one whose rows begin and end at bounds of their own.
bool has_whole_rows(const Step& step) {
  if (is_box(step)) return true;
  Step rows = step;
  rows.loops.back().lower.clear();
  rows.loops.back().upper.clear();
  return step.loops.size() > 1 && is_box(rows);
}

}  // namespace

bool is_left_to_compilers(const RuleShape& rule, const PackFacts& facts) {
  return facts.is_plain ||
         (has_narrow_elements(rule) && !facts.calls_vector_functions && has_independent_body(rule.rule));
}

std::optional<PackFacts> find_packs(const RuleShape& rule, const Step& step) {
  if (rule.has_calls() || !has_whole_rows(step)) return std::nullopt;
  for (const RuleMatrix& use : rule.matrices)
    if (use.needs_handle) return std::nullopt;
  std::optional<PackFacts> facts =
      find_pack_facts(rule.rule, step, rule.element, find_inside_box(rule, step).has_value());
  if (!facts || is_left_to_compilers(rule, *facts) || !pays_for_rows(rule, *facts)) return std::nullopt;
  facts->constant_loops = find_constant_loops(rule.rule);
  facts->counted_loops = find_counted_loops(rule.rule, facts->constant_loops);
  return facts;
}

Condition condition_of_packs(const RuleShape& rule, const PackFacts& facts) {
  std::vector<Condition> terms;
  terms.push_back(Condition::relation(rule.loop_value(TunableRole::Packs, 1), RelationOp::NotEqual, index_const(0)));
  for (std::size_t i = 0; i < facts.inputs.size(); ++i)
    if (facts.inputs[i].reads_own_row)
      terms.push_back(Condition::relation(view_extent(rule.matrix(rule.rule.inputs[i].matrix), 0),
                                          RelationOp::LessEqual, index_const(kMostRowCells)));
  return Condition::all_of(std::move(terms));
}

Condition repeat_condition(const RuleShape& rule) {
  std::vector<Condition> terms;
  for (const RuleMatrix& output : rule.matrices) {
    if (!output.is_output) continue;
    if (output.is_input || !output.is_overwritten) return Condition::never();
    for (const RuleMatrix& input : rule.matrices)
      if (input.is_input) terms.push_back(are_apart(output.matrix, input.matrix));
  }
  return Condition::all_of(std::move(terms));
}

}  // namespace pb
