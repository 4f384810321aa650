// SPDX-License-Identifier: MIT
// Local variables whose type or extent the text leaves to the C++ compiler: the tree gets what it would find, so that
// kernels and packs need not know `auto`, nor constants by name. The user's text stays as it is.
#include <algorithm>
#include <string>
#include <vector>

#include "frontend/check_types/body_checker.h"
#include "lang/body_walk.h"
#include "lang/overloaded.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

/// What is known of one local, by the number of its declarator.
struct Local {
  bool is_signed_int = false;          ///< `int`, or `auto` of such a value
  std::optional<std::int64_t> value;   ///< of a constant
};

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
    const std::size_t prefix = text.starts_with("const ") ? 6 : text.starts_with("constexpr ") ? 10 : 0;
    const std::string word = text.substr(prefix);
    const bool is_const = prefix > 0;
    const bool is_int = word == "int" || word == "IndexT";
    for (Declarator& declarator : decl.declarators) {
      for (ExprId& extent : declarator.extents) settle_extent(extent);
      const bool is_plain = declarator.extents.empty() && declarator.pointer_depth == 0 && !declarator.is_reference;
      Local local;
      local.is_signed_int = is_int && is_plain;
      if (local.is_signed_int && is_const && !declarator.init.is_none()) local.value = value_of(declarator.init);
      locals_.push_back(local);
      count_items(declarator);
    }
  }

  /// `auto x = a, y = 2*a`: all have one type, or C++ refuses them.
  void settle_type(DeclStmt& decl) {
    if (!is_auto(decl.type_text)) return;
    const std::string qualifier = decl.type_text.substr(0, decl.type_text.rfind("auto"));
    const auto is_plain = [](const Declarator& d) {
      return d.pointer_depth == 0 && !d.is_reference && d.extents.empty() && !d.init.is_none();
    };
    if (decl.declarators.empty() || !std::all_of(decl.declarators.begin(), decl.declarators.end(), is_plain)) return;
    const ExprId init = decl.declarators.front().init;
    const BodyType& type = types_.types[init.index()];
    std::string word;
    if (type.is_element) word = "ElementT";
    else if (type.kind == Kind::Double) word = "double";
    else if (type.kind == Kind::Float) word = "float";
    else if (type.kind == Kind::Bool) word = "bool";
    else if (is_signed_int(init)) word = "int";
    else return;
    decl.type = type;
    decl.type.is_const = !qualifier.empty();
    decl.type_text = qualifier + word;
  }

  /// Whether C++ gives the integer the type `int` itself: there are narrower and unsigned ones of the same kind.
  bool is_signed_int(ExprId id) const {
    if (types_.types[id.index()].kind != Kind::Int) return false;
    return std::visit(
        Overloaded{
            [](const IntegerExpr& literal) { return literal.text.find_first_of("uU") == std::string::npos; },
            [&](const NameExpr&) { return is_signed_name(types_.bindings[id.index()]); },
            [&](const UnaryExpr& unary) {
              return (unary.op == UnaryOp::Plus || unary.op == UnaryOp::Minus) && is_signed_int(unary.operand);
            },
            [&](const BinaryExpr& binary) {
              const bool is_sum = binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub || binary.op == BinaryOp::Mul ||
                                  binary.op == BinaryOp::Div || binary.op == BinaryOp::Mod;
              return is_sum && is_signed_int(binary.lhs) && is_signed_int(binary.rhs);
            },
            [&](const ConditionalExpr& either) { return is_signed_int(either.if_true) && is_signed_int(either.if_false); },
            [](const CastExpr& cast) { return cast.type_text == "int" || cast.type_text == "IndexT"; },
            [](const FloatExpr&) { return false; },
            [](const CharExpr&) { return false; },
            [](const StringExpr&) { return false; },
            [](const BoolExpr&) { return false; },
            [](const AssignExpr&) { return false; },
            [](const CallExpr&) { return false; },
            [](const MemberExpr& member) { return member.is_call && member.name != "cell"; },  // the size of a region
            [](const SubscriptExpr&) { return false; },
            [](const InitListExpr&) { return false; },
            [](const OpaqueExpr&) { return false; },
        },
        body_.exprs[id].node);
  }

  bool is_signed_name(const NameBinding& binding) const {
    if (binding.kind == NameKind::Local) return binding.index < locals_.size() && locals_[binding.index].is_signed_int;
    return binding.kind == NameKind::SizeVar || binding.kind == NameKind::RuleVar;
  }

  /// The value of a constant expression of integers; the rule's own constants are numbers by now.
  std::optional<std::int64_t> value_of(ExprId id) const {
    const Expr& expr = body_.exprs[id];
    if (const auto* literal = std::get_if<IntegerExpr>(&expr.node)) return literal_value(literal->text);
    if (std::holds_alternative<NameExpr>(expr.node)) {
      const NameBinding& binding = types_.bindings[id.index()];
      const bool is_known = binding.kind == NameKind::Local && binding.index < locals_.size();
      return is_known ? locals_[binding.index].value : std::nullopt;
    }
    if (const auto* unary = std::get_if<UnaryExpr>(&expr.node); unary != nullptr && unary->op == UnaryOp::Minus) {
      const auto value = value_of(unary->operand);
      return value ? std::optional(-*value) : std::nullopt;
    }
    const auto* binary = std::get_if<BinaryExpr>(&expr.node);
    if (binary == nullptr) return std::nullopt;
    const auto lhs = value_of(binary->lhs);
    const auto rhs = lhs ? value_of(binary->rhs) : std::nullopt;
    return rhs ? apply(binary->op, *lhs, *rhs) : std::nullopt;
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

  /// `double w[] = {1, 2, 3}`
  void count_items(Declarator& declarator) {
    if (declarator.extents.size() != 1 || !declarator.extents.front().is_none() || declarator.init.is_none()) return;
    const Expr init = body_.exprs[declarator.init];
    const auto* list = std::get_if<InitListExpr>(&init.node);
    if (list != nullptr && !list->items.empty())
      declarator.extents.front() = number(static_cast<std::int64_t>(list->items.size()), init);
  }

  Body& body_;
  BodyTypes& types_;
  std::vector<Local> locals_;
};

}  // namespace

void settle_locals(Rule& rule) { Settler(rule).run(); }

}  // namespace pb::checking
