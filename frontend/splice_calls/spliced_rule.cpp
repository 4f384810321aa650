// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/spliced_rule.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/splice_calls/renamed_body.h"

namespace pb::splicing {
namespace {

/// Notes what a single-number input that bodies use by its name is.
void note_scalar(const Transform& made, const Callee& callee, const Transform& transform, MatrixId id,
                 BodyNames& names) {
  if (!transform.matrices[id].extents.empty()) return;
  const Bound& bound = callee.matrices[id.index()];
  if (bound.number) {
    names.scalar_numbers.emplace(id.value, *bound.number);
  } else if (made.matrices[bound.matrix].role == MatrixRole::From) {
    names.scalar_inputs.emplace(id.value, bound.matrix);
  }
}

void note_inputs(const Callee& callee, const Rule& rule, BodyNames& names) {
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    const Bound& bound = callee.matrices[rule.inputs[i].matrix.index()];
    if (bound.number) names.numbers.emplace(static_cast<std::uint32_t>(i), *bound.number);
    names.inputs.push_back(bound.number ? next : next++);
  }
}

void drop_numbers(const Callee& callee, Rule& rule) {
  std::erase_if(rule.inputs,
                [&](const RegionAccess& input) { return callee.matrices[input.matrix.index()].number.has_value(); });
}

void move(const Callee& callee, RegionAccess& access) {
  access.matrix = callee.matrices[access.matrix.index()].matrix;
  for (Formula& bound : access.lo) bound = substitute(bound, callee.sizes);
  for (Formula& bound : access.hi) bound = substitute(bound, callee.sizes);
  if (access.missing_value) access.missing_value = substitute(*access.missing_value, callee.sizes);
  access.tested_dims.clear();
  access.cells = {};
}

void move(const Callee& callee, std::vector<Relation>& relations) {
  for (Relation& relation : relations) {
    relation.lhs = substitute(relation.lhs, callee.sizes);
    relation.rhs = substitute(relation.rhs, callee.sizes);
  }
}

/// The matrices that a rule writes, joined by `+`.
std::string outputs_of(const Transform& made, const Rule& rule) {
  std::string out;
  for (const MatrixId id : made.matrices.ids())
    if (std::any_of(rule.outputs.begin(), rule.outputs.end(),
                    [&](const RegionAccess& output) { return output.matrix == id; }))
      out += (out.empty() ? "" : "+") + made.matrices[id].name;
  return out;
}

/// `T#2`: what the rule writes, and its number among the rules that write the same.
std::string name_of(const Transform& made, const Rule& rule) {
  const std::string outputs = outputs_of(made, rule);
  const auto others = std::count_if(made.rules.begin(), made.rules.end(),
                                    [&](const Rule& other) { return outputs_of(made, other) == outputs; });
  return outputs + "#" + std::to_string(others + 1);
}

}  // namespace

Refusal add_spliced_rule(Transform& made, const std::set<std::string>& taken, const Callee& callee,
                         const Transform& transform, const Rule& rule) {
  if (rule.is_dynamic || !rule.tried.empty())
    return {"instances of `" + transform.name + "." + rule.name + "` test their `where`", rule.span};
  Rule out = rule;
  out.domain = {};
  BodyNames names;
  names.sizes = callee.sizes;
  names.taken = taken;
  for (std::size_t i = 0; i < made.size_vars.size(); ++i)
    names.size_indices[made.size_vars[i].name] = static_cast<std::uint32_t>(i);
  for (const MatrixId id : transform.matrices_of(MatrixRole::From)) note_scalar(made, callee, transform, id, names);
  note_inputs(callee, out, names);
  if (Refusal found = rename_body(transform, made, out, names); found.is_given()) return found;
  drop_numbers(callee, out);
  for (auto* accesses : {&out.outputs, &out.inputs})
    for (RegionAccess& access : *accesses) move(callee, access);
  for (RuleTemporary& temporary : out.temporaries)
    for (Formula& extent : temporary.extents) extent = substitute(extent, callee.sizes);
  move(callee, out.where);
  for (Disjunction& either : out.where_any)
    for (std::vector<Relation>& all : either.any) move(callee, all);
  out.name = name_of(made, out);
  out.has_label = false;
  made.rules.add(std::move(out));
  return {};
}

}  // namespace pb::splicing
