// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/renamed_body.h"

#include <optional>
#include <string_view>
#include <utility>

namespace pb::splicing {
namespace {

bool is_lone_name(const Formula& formula) { return std::holds_alternative<SymbolRef>(formula.node); }

class Renamer {
 public:
  Renamer(const Transform& callee, const Transform& made, Rule& rule, const BodyNames& names)
      : callee_(callee), made_(made), rule_(rule), body_(rule.body), names_(names) {}

  Refusal run() {
    note_declared();
    check_header();
    const std::size_t count = body_.exprs.size();
    for (std::size_t i = 0; i < count; ++i) rename(ExprId(i));
    check_tokens();
    if (refusal_.is_given()) return refusal_;
    for (const auto& [token, text] : texts_) body_.tokens[token].text = text;
    return {};
  }

 private:
  void refuse(std::string reason, Span span) {
    if (!refusal_.is_given()) refusal_ = {std::move(reason), span};
  }

  /// Notes the names that the rule declares: they hide others in its body.
  void note_declared() {
    for (const RuleVar& var : rule_.vars) declared_.insert(var.name);
    for (const Constant& constant : rule_.constants) declared_.insert(constant.name);
    for (const auto* accesses : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *accesses) declared_.insert(access.binding);
    for (const RuleTemporary& temporary : rule_.temporaries) declared_.insert(temporary.name);
    for (const Stmt& stmt : body_.stmts)
      if (const auto* decl = std::get_if<DeclStmt>(&stmt.node))
        for (const Declarator& each : decl->declarators) declared_.insert(each.name);
  }

  /// Variables stand beside the sizes of the transform that gets the rule, and must not be called as they. A region
  /// hides a size in the body only, but not where the body's own matrices get their sizes.
  void check_header() {
    const auto check = [&](const std::string& name, Span span) {
      if (names_.taken.contains(name))
        refuse("`" + name + "` means something in both `" + made_.name + "` and `" + callee_.name + "`", span);
    };
    for (const RuleVar& var : rule_.vars) check(var.name, var.span);
    for (const Constant& constant : rule_.constants) check(constant.name, rule_.span);
    for (const RuleTemporary& temporary : rule_.temporaries) check(temporary.name, temporary.span);
    if (rule_.temporaries.empty()) return;
    for (const auto* accesses : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *accesses) check(access.binding, access.span);
  }

  void rename(ExprId id) {
    const auto* node = std::get_if<NameExpr>(&body_.exprs[id].node);
    if (node == nullptr) return;
    const std::string name = node->text;
    NameBinding& binding = rule_.body_types.bindings[id.index()];
    switch (binding.kind) {
      case NameKind::SizeVar:
        return put_size(id, name);
      case NameKind::Input:
        if (const auto number = names_.numbers.find(binding.index); number != names_.numbers.end())
          return put_number(id, number->second);
        binding.index = names_.inputs[binding.index];
        return;
      case NameKind::ScalarInput:
        if (const auto number = names_.scalar_numbers.find(binding.index); number != names_.scalar_numbers.end())
          return put_number(id, number->second);
        if (const auto matrix = names_.scalar_inputs.find(binding.index); matrix != names_.scalar_inputs.end())
          return put_scalar(id, matrix->second);
        return refuse("`" + callee_.name + "` uses `" + name + "`, which another call writes, by its name",
                      body_.exprs[id].span);
      case NameKind::Tunable:
      case NameKind::Param:
        return refuse("`" + callee_.name + "` uses `" + name + "`", body_.exprs[id].span);
      case NameKind::Unknown:
      case NameKind::Local:
      case NameKind::Output:
      case NameKind::Temporary:
      case NameKind::RuleVar:
      case NameKind::BuiltIn:
      case NameKind::Constant:
        return;
    }
  }

  /// Notes that the token of a name is to be `text`.
  void replace(ExprId id, const std::string& name, std::string text) {
    const TokenRange range = body_.exprs[id].tokens;
    if (range.begin == range.end) return;  // check_types made it, of other tokens
    if (range.end != range.begin + 1 || body_.tokens[range.begin].text != name)
      return refuse("`" + name + "` is no single word here", body_.exprs[id].span);
    if (is_referred_to(range.begin))
      return refuse("`" + callee_.name + "` has a reference to `" + name + "`, or its address", body_.exprs[id].span);
    texts_[range.begin] = std::move(text);
  }

  /// Whether the token is behind an `&`, or begins a reference: `auto& g = f`.
  [[nodiscard]] bool is_referred_to(std::size_t token) const {
    const auto is_at = [&](std::size_t before, std::string_view text) {
      return token >= before && body_.tokens[token - before].text == text;
    };
    return is_at(1, "&") || (is_at(3, "&") && (is_at(1, "=") || is_at(1, "(") || is_at(1, "{")));
  }

  /// Whether a size variable of the callee has its name in the transform that gets the rule, too.
  [[nodiscard]] bool is_same_size(const std::string& name) const {
    const auto value = names_.sizes.find(name);
    return value != names_.sizes.end() && is_lone_name(value->second) && to_string(value->second) == name;
  }

  /// No name of a formula may be hidden by one that the rule declares.
  void check_names(const Formula& formula, Span span) {
    for (const std::string& each : names_in(formula))
      if (declared_.contains(each))
        refuse("`" + each + "`, a name of `" + callee_.name + "`, is also a size of `" + made_.name + "`", span);
  }

  void put_size(ExprId id, const std::string& name) {
    const Formula& value = names_.sizes.at(name);
    const Span span = body_.exprs[id].span;
    if (!is_same_size(name)) check_names(value, span);
    if (has_real(value) || !fill(id, value)) return refuse("`" + to_string(value) + "` has no form in a body", span);
    replace(id, name, is_lone_name(value) ? to_c(value) : "(" + to_c(value) + ")");
  }

  /// Makes an expression the value of a formula. Returns false if the language of bodies lacks it.
  bool fill(ExprId id, const Formula& value) {
    if (const auto* number = std::get_if<IntLiteral>(&value.node)) {
      if (number->value < 0) return fill(id, {NegatedFormula{{{IntLiteral{-number->value}, value.span}}}, value.span});
      body_.exprs[id].node = IntegerExpr{std::to_string(number->value)};
      rule_.body_types.bindings[id.index()] = {};
      return true;
    }
    if (const auto* symbol = std::get_if<SymbolRef>(&value.node)) {
      const auto index = names_.size_indices.find(symbol->name);
      if (index == names_.size_indices.end()) return false;
      body_.exprs[id].node = NameExpr{symbol->name};
      rule_.body_types.bindings[id.index()] = {NameKind::SizeVar, index->second};
      return true;
    }
    rule_.body_types.bindings[id.index()] = {};
    if (const auto* negated = std::get_if<NegatedFormula>(&value.node)) {
      const ExprId operand = add_below(id);
      body_.exprs[id].node = UnaryExpr{UnaryOp::Minus, operand};
      return fill(operand, negated->operand.front());
    }
    const auto* binary = std::get_if<BinaryFormula>(&value.node);
    const auto op = binary == nullptr ? std::nullopt : operator_of(binary->op);
    if (!op) return false;
    const ExprId lhs = add_below(id);
    const ExprId rhs = add_below(id);
    body_.exprs[id].node = BinaryExpr{*op, lhs, rhs};
    return fill(lhs, binary->operands[0]) && fill(rhs, binary->operands[1]);
  }

  static std::optional<BinaryOp> operator_of(FormulaOp op) {
    switch (op) {
      case FormulaOp::Add:
        return BinaryOp::Add;
      case FormulaOp::Sub:
        return BinaryOp::Sub;
      case FormulaOp::Mul:
        return BinaryOp::Mul;
      case FormulaOp::Div:
        return BinaryOp::Div;
      case FormulaOp::Pow:
        return std::nullopt;
    }
    return std::nullopt;
  }

  /// An expression of the same type and place, to be filled.
  ExprId add_below(ExprId id) {
    const Expr copy = body_.exprs[id];
    BodyTypes& types = rule_.body_types;
    types.types.push_back(types.types[id.index()]);
    types.bindings.emplace_back();
    return body_.exprs.add(copy);
  }

  /// The number in the type of the input, as a call gives it.
  void put_number(ExprId id, const GivenNumber& number) {
    const std::string name = std::get<NameExpr>(body_.exprs[id].node).text;
    BodyType type = rule_.body_types.types[id.index()];
    type.is_const = false;
    const std::string word = spell_number(type);
    const auto* formula = std::get_if<Formula>(&number.value);
    if (formula != nullptr) check_names(*formula, body_.exprs[id].span);
    replace(id, name, "static_cast<" + word + ">(" + (number.is_negative ? "-" : "") + text_of(number) + ")");
    const ExprId operand = add_below(id);
    body_.exprs[id].node = CastExpr{type, word, operand};
    rule_.body_types.bindings[id.index()] = {};
    rule_.body_types.types[operand.index()] = number.type;
    ExprId value = operand;
    if (number.is_negative) {
      value = add_below(operand);
      body_.exprs[operand].node = UnaryExpr{UnaryOp::Minus, value};
    }
    if (formula != nullptr) {
      if (!fill(value, *formula)) refuse("`" + to_string(*formula) + "` has no form in a body", body_.exprs[id].span);
    } else if (const auto* integer = std::get_if<IntegerExpr>(&number.value)) {
      body_.exprs[value].node = *integer;
    } else {
      body_.exprs[value].node = std::get<FloatExpr>(number.value);
    }
  }

  static std::string text_of(const GivenNumber& number) {
    if (const auto* integer = std::get_if<IntegerExpr>(&number.value)) return integer->text;
    if (const auto* real = std::get_if<FloatExpr>(&number.value)) return real->text;
    const std::string text = to_c(std::get<Formula>(number.value));
    return number.is_negative ? "(" + text + ")" : text;
  }

  /// A single-number input of the transform that gets the rule.
  void put_scalar(ExprId id, MatrixId matrix) {
    const std::string name = std::get<NameExpr>(body_.exprs[id].node).text;
    const std::string& target = made_.matrices[matrix].name;
    if (target != name && declared_.contains(target))
      refuse("`" + target + "`, a name of `" + callee_.name + "`, is also an input of `" + made_.name + "`",
             body_.exprs[id].span);
    body_.exprs[id].node = NameExpr{target};
    rule_.body_types.bindings[id.index()].index = matrix.value;
    replace(id, name, target);
  }

  /// Whether the token follows `.`, `->` or `::`, so that it names a member of something.
  [[nodiscard]] bool is_member(std::uint32_t token) const {
    const std::string before = token == 0 ? "" : body_.tokens[token - 1].text;
    return before == "." || before == "->" || before == "::";
  }

  /// The names of the callee's header that mean something else now, or have another name.
  [[nodiscard]] std::set<std::string> changed_names() const {
    std::set<std::string> out;
    for (const auto& [name, value] : names_.sizes)
      if (!is_same_size(name)) out.insert(name);
    for (const auto& [input, number] : names_.numbers) out.insert(rule_.inputs[input].binding);
    for (const auto& [matrix, number] : names_.scalar_numbers) out.insert(callee_.matrices[MatrixId{matrix}].name);
    for (const auto& [matrix, target] : names_.scalar_inputs)
      if (const std::string& name = callee_.matrices[MatrixId{matrix}].name; name != made_.matrices[target].name)
        out.insert(name);
    return out;
  }

  /// Each word of the text that means something in the one header or the other must have been understood. Where a local
  /// hides such a name, the tree says which of the two a word is.
  void check_tokens() {
    const std::set<std::string> changed = changed_names();
    std::set<std::uint32_t> known;
    for (const ExprId id : body_.exprs.ids()) {
      const NameKind kind = rule_.body_types.bindings[id.index()].kind;
      const bool is_name = std::holds_alternative<NameExpr>(body_.exprs[id].node);
      if (is_name && (kind == NameKind::Local || kind == NameKind::Input || kind == NameKind::Output))
        known.insert(body_.exprs[id].tokens.begin);
    }
    for (std::uint32_t i = 0; i < body_.tokens.size(); ++i) {
      const std::string& text = body_.tokens[i].text;
      if (texts_.contains(i) || known.contains(i) || is_member(i)) continue;
      const bool is_new = names_.taken.contains(text) && !is_same_size(text) && !declared_.contains(text);
      if (changed.contains(text) || is_new)
        refuse("`" + text + "` stands in code that is passed through, or has several meanings",
               body_.tokens[i].expansion);
    }
  }

  const Transform& callee_;
  const Transform& made_;
  Rule& rule_;
  Body& body_;
  const BodyNames& names_;
  std::set<std::string> declared_;
  std::map<std::uint32_t, std::string> texts_;  ///< by token: its new text
  Refusal refusal_;
};

}  // namespace

Refusal rename_body(const Transform& callee, const Transform& made, Rule& rule, const BodyNames& names) {
  return Renamer(callee, made, rule, names).run();
}

}  // namespace pb::splicing
