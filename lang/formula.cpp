// SPDX-License-Identifier: MIT
#include "lang/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "lang/check.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

enum class Style { Source, C, RealC, CheckedC, Solution };

constexpr std::int64_t kMaxExponent = 64;

std::string spell_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string print(const Formula& formula, Style style, Precedence context);

std::string print_power_in_c(const BinaryFormula& power, Style style, Precedence context) {
  const auto* exponent = std::get_if<IntLiteral>(&power.operands[1].node);
  PB_CHECK(exponent != nullptr && exponent->value >= 0 && exponent->value <= kMaxExponent,
           "exponents are checked to be small constants before C is printed");
  if (exponent->value == 0) return style == Style::RealC ? "1.0" : "1";
  const std::string base = print(power.operands[0], style, exponent->value == 1 ? context : Precedence::Primary);
  std::string out = base;
  for (std::int64_t i = 1; i < exponent->value; ++i) out += "*" + base;
  return exponent->value > 1 && context > Precedence::Multiplicative ? "(" + out + ")" : out;
}

bool is_number(const Formula& formula) {
  return std::holds_alternative<IntLiteral>(formula.node) || std::holds_alternative<RealLiteral>(formula.node);
}

/// `context`: the least precedence that needs no parentheses here.
std::string print(const Formula& formula, Style style, Precedence context) {
  return std::visit(
      [&](const auto& node) -> std::string {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, IntLiteral>) {
          const std::string text = fmt::format("{}", node.value) + (style == Style::RealC ? ".0" : "");
          return node.value < 0 && context > Precedence::Additive ? "(" + text + ")" : text;
        } else if constexpr (std::is_same_v<Node, RealLiteral>) {
          const std::string text = spell_real(node.value);
          return node.value < 0 && context > Precedence::Additive ? "(" + text + ")" : text;
        } else if constexpr (std::is_same_v<Node, SymbolRef>) {
          return style == Style::RealC ? "static_cast<double>(" + node.name + ")" : node.name;
        } else if constexpr (std::is_same_v<Node, NegatedFormula>) {
          const std::string text = "-" + print(node.operand[0], style, Precedence::Multiplicative);
          return context > Precedence::Additive ? "(" + text + ")" : text;
        } else {
          static_assert(std::is_same_v<Node, BinaryFormula>);
          if (style != Style::Source && node.op == FormulaOp::Pow) return print_power_in_c(node, style, context);
          if (style == Style::Solution && node.op == FormulaOp::Div &&
              !symbols_of(node.operands[1], SymbolKind::SizeVar).empty()) {
            return "pbrt::factor(" + print(node.operands[0], style, Precedence::Additive) + ", " +
                   print(node.operands[1], style, Precedence::Additive) + ")";
          }
          if (style >= Style::CheckedC && node.op == FormulaOp::Div && !is_number(node.operands[1])) {
            return "pbrt::quotient(" + print(node.operands[0], style, Precedence::Additive) + ", " +
                   print(node.operands[1], style, Precedence::Additive) + ", \"" + to_string(formula) + "\")";
          }
          const Precedence own = precedence_of(node.op);
          // The right operand keeps its parentheses at equal precedence: C division truncates, so a*(b/c) is not a*b/c.
          const std::string text =
              print(node.operands[0], style, own) + spelling(node.op) + print(node.operands[1], style, tighter(own));
          return own < context ? "(" + text + ")" : text;
        }
      },
      formula.node);
}

void collect(const Formula& formula, SymbolKind kind, std::vector<std::string>& out) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, SymbolRef>) {
          if (node.kind == kind && std::find(out.begin(), out.end(), node.name) == out.end()) out.push_back(node.name);
        } else if constexpr (std::is_same_v<Node, NegatedFormula>) {
          collect(node.operand[0], kind, out);
        } else if constexpr (std::is_same_v<Node, BinaryFormula>) {
          for (const Formula& operand : node.operands) collect(operand, kind, out);
        }
      },
      formula.node);
}

void collect_names(const Formula& formula, std::vector<std::string>& names) {
  std::visit(Overloaded{[](const IntLiteral&) {}, [](const RealLiteral&) {},
                        [&](const SymbolRef& ref) {
                          if (std::find(names.begin(), names.end(), ref.name) == names.end()) names.push_back(ref.name);
                        },
                        [&](const BinaryFormula& binary) {
                          for (const Formula& operand : binary.operands) collect_names(operand, names);
                        },
                        [&](const NegatedFormula& negated) { collect_names(negated.operand.front(), names); }},
             formula.node);
}

}  // namespace

std::string to_string(const Formula& formula) { return print(formula, Style::Source, Precedence::Additive); }

std::string to_c(const Formula& formula) { return print(formula, Style::C, Precedence::Additive); }

std::string to_real_c(const Formula& formula) { return print(formula, Style::RealC, Precedence::Additive); }

std::string to_checked_c(const Formula& formula) { return print(formula, Style::CheckedC, Precedence::Additive); }

std::string to_solution_c(const Formula& formula) { return print(formula, Style::Solution, Precedence::Additive); }

Formula renamed(const Formula& formula, const std::vector<std::pair<std::string, std::string>>& names) {
  Formula out = formula;
  if (auto* symbol = std::get_if<SymbolRef>(&out.node)) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& pair) { return pair.first == symbol->name; });
    if (found != names.end()) symbol->name = found->second;
  } else if (auto* binary = std::get_if<BinaryFormula>(&out.node)) {
    for (Formula& operand : binary->operands) operand = renamed(operand, names);
  } else if (auto* negated = std::get_if<NegatedFormula>(&out.node)) {
    negated->operand[0] = renamed(negated->operand[0], names);
  }
  return out;
}

std::vector<std::string> symbols_of(const Formula& formula, SymbolKind kind) {
  std::vector<std::string> out;
  collect(formula, kind, out);
  return out;
}

std::vector<std::string> names_in(const Formula& formula) {
  std::vector<std::string> names;
  collect_names(formula, names);
  return names;
}

bool has_real(const Formula& formula) {
  return std::visit(Overloaded{[](const IntLiteral&) { return false; }, [](const RealLiteral&) { return true; },
                               [](const SymbolRef&) { return false; },
                               [](const BinaryFormula& binary) {
                                 return has_real(binary.operands[0]) || has_real(binary.operands[1]);
                               },
                               [](const NegatedFormula& negated) { return has_real(negated.operand.front()); }},
                    formula.node);
}

}  // namespace pb
