// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/pack_dialect.h"

#include <optional>

#include "clgen/facts/names.h"
#include "lang/body/bounding_quotients.h"
#include "lang/body/std_names.h"
#include "lang/types.h"

namespace pb {

std::string pack_of(const std::string& element, const std::string& shape) {
  return "pbrt::simd::Pack<" + element + ", " + shape + ">";
}

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

Dialect pack_dialect(const Rule& rule, VaryingValues varying) {
  const auto varies = [varying](ExprId id) { return varying.exprs[id.index()]; };
  Dialect dialect;
  const bool multiplies = varying.multiplies_quotients;
  if (multiplies) {
    dialect.expr = [varies, &rule](BodyCodePrinter& printer, ExprId id) -> std::optional<std::string> {
      if (!varies(id) || !is_division(rule.body, rule.body_types, id)) return std::nullopt;
      const auto& division = std::get<BinaryExpr>(rule.body.exprs[id].node);
      return "pbrt::simd::quotient(" + printer.expr(division.lhs, Precedence::Assign) + ", " +
             printer.expr(division.rhs, Precedence::Assign) + ")";
    };
  }
  dialect.call = [varies, multiplies](ExprId id, const CallExpr& call, const Texts& args) {
    if (call.callee == "IS_MISSING") return std::string("false");  // packs run where all cells exist
    if (!varies(id)) return call.callee + "(" + joined(args) + ")";
    const std::string name(without_std(call.callee));
    return "pbrt::simd::" + (multiplies && name == "sqrt" ? "root" : name) + "(" + joined(args) + ")";
  };
  dialect.cast = [varies](ExprId id, const CastExpr& cast, const std::string& operand) {
    return (varies(id) ? "pbrt::simd::convert<" : "static_cast<") + without_const(cast.type_text) + ">(" + operand +
           ")";
  };
  dialect.conditional = [varies, &rule](ExprId id, const ConditionalExpr& node, const std::string& condition,
                                        const std::string& if_true,
                                        const std::string& if_false) -> std::optional<std::string> {
    if (!varies(id)) return std::nullopt;
    if (varies(node.condition)) return "pbrt::simd::select(" + condition + ", " + if_true + ", " + if_false + ")";
    BodyType type = rule.body_types.types[id.index()];
    type.is_element = false;
    const std::string pack = pack_of(spell_number(type));
    return "(" + condition + " ? " + pack + "(" + if_true + ") : " + pack + "(" + if_false + "))";
  };
  dialect.declarator = [varying](const DeclStmt& decl, const Declarator& declarator, std::uint32_t local) {
    if (!varying.locals.contains(local)) return decl.type_text + " " + declarator.name;
    // What masks leave as it is must have a value.
    const bool needs_value = varying.has_masks && declarator.init.is_none() && declarator.extents.empty();
    return (decl.type.is_const ? "const " : "") + pack_of(without_const(decl.type_text)) + " " + declarator.name +
           (needs_value ? "{}" : "");
  };
  return dialect;
}

}  // namespace pb
