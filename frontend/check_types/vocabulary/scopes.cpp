// SPDX-License-Identifier: MIT
#include "frontend/check_types/vocabulary/scopes.h"

#include "frontend/check_types/vocabulary/arithmetic.h"

namespace pb::checking {
namespace {

BodyType constant(BodyType::Kind kind) {
  BodyType type = plain_type(kind);
  type.is_const = true;
  return type;
}

BodyType tunable_type(const UserTunable& tunable) {
  BodyType type = constant(tunable.is_real ? BodyType::Kind::Double : BodyType::Kind::Int);
  if (tunable.array_extent > 0) {
    type.element = tunable.is_real ? ElementType::Double : ElementType::Int;
    type.kind = BodyType::Kind::Array;
    type.extent = tunable.array_extent;
  }
  return type;
}

NameBinding bound(NameKind kind, std::size_t index) { return {kind, static_cast<std::uint32_t>(index)}; }

}  // namespace

Scopes::Scopes(const Program& program, const Transform& transform, const Rule& rule) : scopes_(1) {
  declare_constants(transform, rule);
  declare_matrices(program, transform, rule);
}

void Scopes::declare_constants(const Transform& transform, const Rule& rule) {
  auto& names = scopes_.front();
  const BodyType index_type = constant(BodyType::Kind::Int);
  for (std::size_t i = 0; i < rule.constants.size(); ++i) {
    const bool is_real = std::holds_alternative<double>(rule.constants[i].value);
    names[rule.constants[i].name] = {bound(NameKind::Constant, i),
                                     is_real ? constant(BodyType::Kind::Double) : index_type};
  }
  for (std::size_t i = 0; i < transform.size_vars.size(); ++i)
    names[transform.size_vars[i].name] = {bound(NameKind::SizeVar, i), index_type};
  for (const TunableId id : transform.tunables.ids())
    names[transform.tunables[id].name] = {{NameKind::Tunable, id.value}, tunable_type(transform.tunables[id])};
}

void Scopes::declare_matrices(const Program& program, const Transform& transform, const Rule& rule) {
  auto& names = scopes_.front();
  for (const MatrixId id : transform.matrices_of(MatrixRole::From)) {
    const Matrix& matrix = transform.matrices[id];
    if (!matrix.extents.empty()) continue;
    names[matrix.name] = {{NameKind::ScalarInput, id.value},
                          element_type(program, matrix.element, matrix.is_element_t, true)};
  }
  for (std::size_t i = 0; i < rule.vars.size(); ++i)
    names[rule.vars[i].name] = {bound(NameKind::RuleVar, i), constant(BodyType::Kind::Int)};
  for (std::size_t i = 0; i < rule.inputs.size(); ++i)
    declare_region(program, transform.matrices[rule.inputs[i].matrix], rule.inputs[i], NameKind::Input, i);
  for (std::size_t i = 0; i < rule.outputs.size(); ++i)
    declare_region(program, transform.matrices[rule.outputs[i].matrix], rule.outputs[i], NameKind::Output, i);
  for (std::size_t i = 0; i < rule.temporaries.size(); ++i) {
    const RuleTemporary& temporary = rule.temporaries[i];
    BodyType type = element_type(program, temporary.element, temporary.is_element_t, false);
    type.num_dims = static_cast<int>(temporary.extents.size());
    if (type.num_dims > 0) type.kind = BodyType::Kind::Region;
    names[temporary.name] = {bound(NameKind::Temporary, i), type};
  }
}

void Scopes::declare_region(const Program& program, const Matrix& matrix, const RegionAccess& access, NameKind kind,
                            std::size_t index) {
  if (access.binding.empty()) return;
  BodyType type = element_type(program, matrix.element, matrix.is_element_t, kind == NameKind::Input);
  if (access.kind != AccessKind::Cell) {
    type.kind = BodyType::Kind::Region;
    type.num_dims = access.num_body_dims();
  }
  scopes_.front()[access.binding] = {bound(kind, index), type};
}

void Scopes::declare_local(const std::string& name, const BodyType& type, std::uint32_t local) {
  scopes_.back()[name] = {{NameKind::Local, local}, type};
}

void Scopes::retype_local(const std::string& name, const BodyType& type) { scopes_.back().at(name).type = type; }

std::optional<NamedThing> Scopes::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace pb::checking
