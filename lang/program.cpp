// SPDX-License-Identifier: MIT
#include "lang/program.h"

#include <algorithm>
#include <set>

#include "lang/check.h"

namespace pb {
namespace {

void verify_access(const RegionAccess& access, const Rule& rule, const Transform& transform) {
  PB_CHECK(access.matrix.index() < transform.matrices.size(), "an access names a matrix of its transform");
  const Matrix& matrix = transform.matrices[access.matrix];
  PB_CHECK(access.lo.size() == matrix.extents.size(), "an access has a begin per dimension");
  PB_CHECK(access.hi.size() == matrix.extents.size(), "an access has an end per dimension");
  PB_CHECK(access.missing_value.has_value() == (access.border == Border::Default), "a default is a value");
  PB_CHECK(access.num_mapped_dims <= access.lo.size() && (access.num_mapped_dims == 0 || maps_cells(access.border)),
           "borders map coordinates");
  PB_CHECK(!matrix.extents.empty() || access.kind == AccessKind::Cell, "an access of a single number is a cell");
  PB_CHECK(rule.is_return_form || !access.binding.empty(), "only the output of a return form has no name");
  PB_CHECK(!access.cells.is_known() || access.cells.domain().num_dims() == static_cast<int>(rule.vars.size()),
           "cells are a map from rule variables");
}

void verify_rule(const Rule& rule, const Transform& transform) {
  PB_CHECK(!rule.outputs.empty(), "a rule has an output");
  for (const RegionAccess& output : rule.outputs) {
    verify_access(output, rule, transform);
    PB_CHECK(transform.matrices[output.matrix].role != MatrixRole::From, "outputs are no inputs of the transform");
  }
  for (const RegionAccess& input : rule.inputs) verify_access(input, rule, transform);
  PB_CHECK(!rule.domain.is_known() || rule.domain.num_dims() == static_cast<int>(rule.vars.size()),
           "the domain is a set over the rule variables");
  PB_CHECK(!rule.body.root.is_none(), "a body has a root block");
  const bool has_types = !rule.body_types.types.empty();
  PB_CHECK(!has_types || rule.body_types.types.size() == rule.body.exprs.size(), "every expression has a type");
  PB_CHECK(rule.body_types.bindings.size() == rule.body_types.types.size(), "every expression has a binding");
}

void verify_calls(const Rule& rule, const Program& program) {
  for (const TransformCall& call : rule.calls) {
    PB_CHECK(call.stmt.index() < rule.body.stmts.size(), "a call is a statement of its body");
    PB_CHECK(!call.choice.empty() || call.targets.size() == 1, "a call without a choice has one callee");
    for (const TransformId target : call.targets)
      PB_CHECK(target.index() < program.transforms.size(), "a call is one of a transform");
    if (call.choice.empty()) continue;
    PB_CHECK(call.of_template.index() < program.templates.size(), "a choice is one among instances");
    PB_CHECK(call.choice.size() == program.templates[call.of_template].params.size(),
             "a choice has an argument per parameter");
  }
}

void verify_template(const Template& which, const Program& program) {
  PB_CHECK(!which.params.empty(), "a template has a parameter");
  PB_CHECK(which.first.index() + which.num_instances() <= program.transforms.size(), "instances are transforms");
  for (std::size_t i = 0; i < which.num_instances(); ++i) {
    const Transform& instance = program.transforms[TransformId(which.first.index() + i)];
    PB_CHECK(instance.template_args == which.args_of(i), "instances stand in the order of their numbers");
  }
}

void verify_transform(const Transform& transform, const Program& program) {
  std::set<std::string> names;
  for (const Rule& rule : transform.rules) {
    PB_CHECK(names.insert(rule.name).second, "rule names are unique in a transform");
    verify_rule(rule, transform);
    verify_calls(rule, program);
  }
  for (const SizeVar& var : transform.size_vars) {
    PB_CHECK(!var.is_size || &var == transform.size_vars.data() || (&var - 1)->is_size, "sizes come first");
    if (var.is_given_by_run()) continue;
    PB_CHECK(var.is_size, "what follows from a size is in its formula");
    PB_CHECK(var.matrix.index() < transform.matrices.size(), "a size variable comes from a matrix");
    const Matrix& matrix = transform.matrices[var.matrix];
    PB_CHECK(matrix.role != MatrixRole::Through, "a size variable comes from an argument");
    PB_CHECK(var.dim >= 0 && var.dim < matrix.num_dims(), "a size variable comes from a dimension of its matrix");
  }
  if (transform.accuracy && transform.accuracy->metric)
    PB_CHECK(transform.accuracy->metric->index() < program.transforms.size(), "a metric is a transform");
  PB_CHECK(!transform.verifier || transform.verifier->index() < program.transforms.size(),
           "who verifies is a transform");
  PB_CHECK(!transform.spliced ||
               transform.spliced->rule.index() < program.transforms[transform.spliced->caller].rules.size(),
           "the calls of a rule were spliced");
  PB_CHECK(!transform.generator || transform.generator->index() < program.transforms.size(),
           "a generator is a transform");
}

}  // namespace

std::vector<std::string> Transform::size_names() const {
  std::vector<std::string> names;
  for (const SizeVar& var : size_vars)
    if (var.is_size) names.push_back(var.name);
  return names;
}

const SizeVar* Transform::param_of_run() const {
  const auto found =
      std::find_if(size_vars.begin(), size_vars.end(), [](const SizeVar& var) { return var.is_given_by_run(); });
  return found == size_vars.end() ? nullptr : &*found;
}

bool RegionAccess::is_fixed_dim(std::size_t dim) const {
  switch (kind) {
    case AccessKind::Cell:
      return true;
    case AccessKind::Row:
      if (dim == 1) return true;
      break;
    case AccessKind::Column:
      if (dim == 0) return true;
      break;
    case AccessKind::Region:
    case AccessKind::All:
      break;
  }
  return is_slice && dim + 1 == lo.size();
}

int RegionAccess::num_body_dims() const {
  int count = 0;
  for (std::size_t dim = 0; dim < lo.size(); ++dim) count += is_fixed_dim(dim) ? 0 : 1;
  return count;
}

std::vector<MatrixId> Transform::matrices_of(MatrixRole role) const {
  std::vector<MatrixId> out;
  for (const MatrixId id : matrices.ids()) {
    if (matrices[id].role == role) out.push_back(id);
  }
  return out;
}

std::size_t Template::num_instances() const {
  std::size_t count = 1;
  for (const TemplateParam& param : params) count *= static_cast<std::size_t>(param.count());
  return count;
}

std::vector<std::int64_t> Template::args_of(std::size_t instance) const {
  std::vector<std::int64_t> args;
  for (const TemplateParam& param : params) {
    const auto count = static_cast<std::size_t>(param.count());
    args.push_back(param.lo + static_cast<std::int64_t>(instance % count));
    instance /= count;
  }
  return args;
}

std::string Template::name_of(const std::vector<std::int64_t>& args) const {
  std::string out = name + "<";
  for (std::size_t i = 0; i < params.size(); ++i)
    out += (i == 0 ? "" : ",") + std::string(params[i].is_bin ? "bin " : "") + std::to_string(args[i]);
  return out + ">";
}

std::optional<TransformId> Program::find_transform(std::string_view declared_name) const {
  for (const TransformId id : transforms.ids())
    if (transforms[id].source_name == declared_name) return id;
  return std::nullopt;
}

std::vector<std::string> Program::transform_names() const {
  std::set<std::string> names;
  for (const Transform& transform : transforms)
    if (!transform.spliced) names.insert(transform.source_name);
  return {names.begin(), names.end()};
}

std::optional<TemplateId> Program::find_template(std::string_view declared_name) const {
  for (const TemplateId id : templates.ids())
    if (templates[id].name == declared_name) return id;
  return std::nullopt;
}

std::string Program::instance_note(TransformId id) const {
  const Transform& transform = transforms[id];
  const auto of = find_template(transform.source_name);
  return of && templates[*of].first != id ? "in `" + transform.name + "`" : "";
}

void verify(const Program& program) {
  PB_CHECK(program.main.index() < program.transforms.size(), "the main transform exists");
  std::set<std::string> names;
  for (const Transform& transform : program.transforms) {
    PB_CHECK(names.insert(transform.name).second, "transform names are unique");
    verify_transform(transform, program);
  }
  for (const Template& which : program.templates) verify_template(which, program);
}

}  // namespace pb
