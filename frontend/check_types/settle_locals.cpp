// SPDX-License-Identifier: MIT
#include "frontend/check_types/settle_locals.h"

#include <algorithm>
#include <string>
#include <vector>

#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

class Settler {
 public:
  explicit Settler(Rule& rule) : body_(rule.body), types_(rule.body_types) {}

  void run() {
    std::vector<StmtId> declarations;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          if (std::holds_alternative<DeclStmt>(body_.stmts[id].node)) declarations.push_back(id);
        },
        [](ExprId) {});
    for (const StmtId id : declarations) declaration(std::get<DeclStmt>(body_.stmts[id].node));
  }

 private:
  void declaration(DeclStmt& decl) {
    settle_type(decl);
    const std::string& text = decl.type_text;
    const bool is_const = text.starts_with("const ") || text.starts_with("constexpr ");
    const bool is_int = decl.type.kind == Kind::Int && !decl.type.is_unsigned && decl.type.narrow_bytes == 0;
    for (Declarator& declarator : decl.declarators) {
      for (ExprId& extent : declarator.extents) settle_extent(extent);
      const bool is_plain = declarator.extents.empty() && declarator.pointer_depth == 0 && !declarator.is_reference;
      const bool is_constant = is_const && is_int && is_plain && !declarator.init.is_none();
      values_.push_back(is_constant ? value_of(declarator.init) : std::nullopt);
      count_items(declarator);
    }
  }

  /// Gives the locals of an `auto` their type. In `auto x = a, y = 2*a` all have one type; C++ refuses anything else.
  void settle_type(DeclStmt& decl) {
    if (!is_auto(decl.type_text)) return;
    const std::string qualifier = decl.type_text.substr(0, decl.type_text.rfind("auto"));
    const auto is_plain = [](const Declarator& d) {
      return d.pointer_depth == 0 && !d.is_reference && d.extents.empty() && !d.init.is_none();
    };
    if (decl.declarators.empty() || !std::all_of(decl.declarators.begin(), decl.declarators.end(), is_plain)) return;
    // A temporary that is a single number is a handle: the local is another name of it.
    const auto is_temporary = [&](const Declarator& d) {
      return types_.bindings[d.init.index()].kind == NameKind::Temporary;
    };
    const BodyType& type = types_.types[decl.declarators.front().init.index()];
    if (!is_number(type) || std::any_of(decl.declarators.begin(), decl.declarators.end(), is_temporary)) return;
    decl.type = type;
    decl.type.is_const = !qualifier.empty();
    decl.type_text = qualifier + spell_number(type);
  }

  /// The value of a constant expression of integers; the rule's own constants are numbers by now.
  std::optional<std::int64_t> value_of(ExprId id) const {
    return constant_value(body_, id, [&](ExprId name) {
      const NameBinding& binding = types_.bindings[name.index()];
      const bool is_known = binding.kind == NameKind::Local && binding.index < values_.size();
      return is_known ? values_[binding.index] : std::nullopt;
    });
  }

  ExprId number(std::int64_t value, Expr like) {
    like.node = IntegerExpr{std::to_string(value)};
    BodyType type;
    type.kind = Kind::Int;
    types_.types.push_back(type);
    types_.bindings.emplace_back();
    return body_.exprs.add(std::move(like));
  }

  void settle_extent(ExprId& extent) {
    if (extent.is_none() || std::holds_alternative<IntegerExpr>(body_.exprs[extent].node)) return;
    if (const auto value = value_of(extent); value && *value > 0) extent = number(*value, body_.exprs[extent]);
  }

  /// Gives an array its extent from its items, as in `double w[] = {1, 2, 3}`.
  void count_items(Declarator& declarator) {
    if (declarator.extents.size() != 1 || !declarator.extents.front().is_none() || declarator.init.is_none()) return;
    const Expr init = body_.exprs[declarator.init];
    const auto* list = std::get_if<InitListExpr>(&init.node);
    if (list != nullptr && !list->items.empty())
      declarator.extents.front() = number(static_cast<std::int64_t>(list->items.size()), init);
  }

  Body& body_;
  BodyTypes& types_;
  std::vector<std::optional<std::int64_t>> values_;  ///< values of constant locals, by the number of their declarators
};

}  // namespace

bool is_auto(const std::string& type_text) {
  return type_text == "auto" || type_text == "const auto" || type_text == "constexpr auto";
}

void settle_locals(Rule& rule) { Settler(rule).run(); }

}  // namespace pb::checking
