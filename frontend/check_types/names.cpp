// SPDX-License-Identifier: MIT
// Names visible in a body (docs/reference/language.md 5.10) and the scopes of its locals.
#include <algorithm>

#include "frontend/check_types/body_checker.h"

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

}  // namespace

BodyType BodyChecker::element_type(ElementType element, bool is_element_t, bool is_const) const {
  BodyType type = number_type(is_element_t ? program_.element : element);
  type.is_element = is_element_t;
  type.is_const = is_const;
  return type;
}

BodyType BodyChecker::normalised(BodyType type) const {
  if (!type.is_element) return type;
  type.element = program_.element;
  if (type.kind == BodyType::Kind::Float || type.kind == BodyType::Kind::Double)
    type.kind = number_type(type.element).kind;
  return type;
}

void BodyChecker::declare_region(const RegionAccess& access, NameKind kind, std::uint32_t index) {
  if (access.binding.empty()) return;
  const Matrix& matrix = transform_.matrices[access.matrix];
  const bool is_const = kind == NameKind::Input;
  BodyType type = element_type(matrix.element, matrix.is_element_t, is_const);
  if (access.kind != AccessKind::Cell) {
    type.kind = BodyType::Kind::Region;
    type.num_dims = access.num_body_dims();
  }
  scopes_.back()[access.binding] = {{kind, index}, type};
}

void BodyChecker::enter_rule_scope() {
  push_scope();
  auto& names = scopes_.back();
  const auto at = [](std::size_t index) { return static_cast<std::uint32_t>(index); };
  const BodyType index_type = constant(BodyType::Kind::Int);
  for (std::size_t i = 0; i < rule_.constants.size(); ++i) {
    const bool is_real = std::holds_alternative<double>(rule_.constants[i].value);
    names[rule_.constants[i].name] = {{NameKind::Constant, at(i)},
                                      is_real ? constant(BodyType::Kind::Double) : index_type};
  }
  for (std::size_t i = 0; i < transform_.size_vars.size(); ++i) {
    names[transform_.size_vars[i].name] = {{NameKind::SizeVar, at(i)}, index_type};
  }
  for (const TunableId id : transform_.tunables.ids()) {
    names[transform_.tunables[id].name] = {{NameKind::Tunable, id.value}, tunable_type(transform_.tunables[id])};
  }
  for (const MatrixId id : transform_.matrices_of(MatrixRole::From)) {
    const Matrix& matrix = transform_.matrices[id];
    if (!matrix.extents.empty()) continue;
    names[matrix.name] = {{NameKind::ScalarInput, id.value}, element_type(matrix.element, matrix.is_element_t, true)};
  }
  for (std::size_t i = 0; i < rule_.vars.size(); ++i)
    names[rule_.vars[i].name] = {{NameKind::RuleVar, at(i)}, index_type};
  for (std::size_t i = 0; i < rule_.inputs.size(); ++i) declare_region(rule_.inputs[i], NameKind::Input, at(i));
  for (std::size_t i = 0; i < rule_.outputs.size(); ++i) declare_region(rule_.outputs[i], NameKind::Output, at(i));
  for (std::size_t i = 0; i < rule_.temporaries.size(); ++i) {
    const RuleTemporary& temporary = rule_.temporaries[i];
    BodyType type = element_type(temporary.element, temporary.is_element_t, false);
    type.num_dims = static_cast<int>(temporary.extents.size());
    if (type.num_dims > 0) type.kind = BodyType::Kind::Region;
    names[temporary.name] = {{NameKind::Temporary, at(i)}, type};
  }
}

void BodyChecker::declare_local(const std::string& name, const BodyType& type, std::uint32_t local) {
  scopes_.back()[name] = {{NameKind::Local, local}, type};
}

void BodyChecker::retype_local(const std::string& name, const BodyType& type) { scopes_.back().at(name).type = type; }

std::optional<NamedThing> BodyChecker::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  }
  return std::nullopt;
}

void BodyChecker::report_if_invisible_matrix(const std::string& name, Span span) {
  const auto matrix = std::find_if(transform_.matrices.begin(), transform_.matrices.end(),
                                   [&](const Matrix& candidate) { return candidate.name == name; });
  if (matrix == transform_.matrices.end()) return;
  for (const NativeBlock& block : program_.native_blocks) {  // a prefix block may use the name for something of its own
    for (const BodyToken& token : block.tokens) {
      if (token.text == name) return;
    }
  }
  for (const Stmt& stmt : body().stmts) {  // and C++ that the grammar does not carry may declare it
    if (!std::holds_alternative<OpaqueStmt>(stmt.node)) continue;
    for (std::uint32_t i = stmt.tokens.begin; i < stmt.tokens.end; ++i) {
      if (body().tokens[i].text == name) return;
    }
  }
  std::string hint = "name the region in the rule's header, for example `" + name + " " + name + "`";
  if (rule_.is_return_form && transform_.matrices[rule_.outputs.front().matrix].name == name)
    hint = "this rule returns its element: write `return …;` instead of an assignment, or name the output: `to (" +
           name + ".cell(…) out) from …`";
  for (const auto* accesses : {&rule_.outputs, &rule_.inputs}) {
    for (const RegionAccess& access : *accesses) {
      if (transform_.matrices[access.matrix].name == name && !access.binding.empty()) {
        hint = "this rule calls a region of it `" + access.binding + "`";
      }
    }
  }
  diags_.emit(DiagKind::MatrixNotInBody, span).arg(name).label(matrix->span, "the matrix").hint(hint);
}

}  // namespace pb::checking
