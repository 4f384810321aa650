// SPDX-License-Identifier: MIT
#include "frontend/parse/rewrite/distinct_rounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "frontend/parse/rewrite/round_jumps.h"
#include "frontend/parse/rewrite/round_names.h"

namespace pb {
namespace {

/// The element type as bodies spell it.
std::string element_of(const ast::Matrix& matrix) {
  return matrix.element ? std::string(spell(*matrix.element)) : "ElementT";
}

/// `sign * variable + rest`, where the rest has none of the rule's variables.
struct Coordinate {
  int sign = 1;
  std::optional<Formula> rest;  ///< none: 0
};

Formula negated(Formula formula) {
  const Span span = formula.span;
  if (auto* literal = std::get_if<IntLiteral>(&formula.node)) return {IntLiteral{-literal->value}, span};
  return {NegatedFormula{{std::move(formula)}}, span};
}

/// `a + b` or `a - b`, without `+ -1`.
Formula joined_by(FormulaOp op, Formula a, Formula b) {
  const Span span = a.span;
  if (const auto* literal = std::get_if<IntLiteral>(&b.node)) {
    const std::int64_t value = op == FormulaOp::Add ? literal->value : -literal->value;
    if (value == 0) return a;
    if (const auto* other = std::get_if<IntLiteral>(&a.node)) return {IntLiteral{other->value + value}, span};
    op = value > 0 ? FormulaOp::Add : FormulaOp::Sub;
    b.node = IntLiteral{value > 0 ? value : -value};
  }
  return {BinaryFormula{op, {std::move(a), std::move(b)}}, span};
}

/// Makes the loops and the header of one rule.
class RoundMaker {
 public:
  RoundMaker(const ast::Transform& transform, ast::Rule& rule, std::span<const Token> body, Diagnostics& diags)
      : rule_(rule), body_(body), diags_(diags), names_(transform, rule, body) {}

  /// Whether instances share an output: it does not name all variables.
  [[nodiscard]] bool is_shared() const {
    return std::any_of(rule_.outputs.begin(), rule_.outputs.end(), [&](const ast::RegionBinding& output) {
      const std::set<std::string> own = names_.variables_in(output.region);
      return std::any_of(names_.variables().begin(), names_.variables().end(),
                         [&](const std::string& var) { return !own.contains(var); });
    });
  }

  [[nodiscard]] std::vector<Token> run() {
    if (!has_known_cells()) return {body_.begin(), body_.end()};
    check();
    for (const auto* list : {&rule_.outputs, &rule_.inputs})
      for (const ast::RegionBinding& binding : *list) note_limits(binding);
    if (!ok_) return {body_.begin(), body_.end()};
    note_hidden();
    make_regions(rule_.outputs, true);
    make_regions(rule_.inputs, false);
    // The first variable changes fastest, as coordinates do.
    for (const auto& [name, other] : hidden_)
      if (names_.is_known(name)) add("const IndexT " + other + " = " + name + ";");
    for (auto var = names_.variables().rbegin(); var != names_.variables().rend(); ++var) open_loop(*var);
    for (const std::string& line : cells_) add(line);
    add("{");
    for (std::size_t i = 0; i < body_.size(); ++i) add_of_body(i);
    add("}");
    for (std::size_t i = 0; i < names_.variables().size(); ++i) add("}");
    return std::move(out_);
  }

 private:
  /// The limits of a variable: of each, those that are no numbers, and the first value that is one.
  struct Limits {
    std::optional<std::int64_t> first_number;
    std::vector<std::string> first, last;
  };

  void refuse(const std::string& what, Span span) {
    if (ok_) diags_.emit(DiagKind::DistinctRounds, span).arg(what);
    ok_ = false;
  }

  // ---- what loops cannot have

  /// Whether cells are those of matrices of the header, which have as many coordinates. Else frontend/resolve says why.
  [[nodiscard]] bool has_known_cells() const {
    const auto is_known = [&](const ast::RegionBinding& binding) {
      const ast::Matrix* matrix = names_.matrix_of(binding.region);
      return binding.region.accessor != ast::Accessor::Cell ||
             (matrix != nullptr && matrix->extents.size() == binding.region.coords.size());
    };
    return std::all_of(rule_.outputs.begin(), rule_.outputs.end(), is_known) &&
           std::all_of(rule_.inputs.begin(), rule_.inputs.end(), is_known);
  }

  void check() {
    if (rule_.where) refuse("must have no `where`; test it in the body", rule_.span);
    if (rule_.is_return_form) refuse("must name its outputs", rule_.span);
    if (!rule_.temporaries.empty()) refuse("must have no temporaries", rule_.temporaries.front().span);
    for (const Token& jump : jumps_out_of(body_))
      refuse("must have no `" + jump.text + "` " + (jump.text == "return" ? "" : "outside of loops ") + "in its body",
             jump.expansion);
    check_names();
    for (const auto* list : {&rule_.outputs, &rule_.inputs})
      for (const ast::RegionBinding& binding : *list) {
        if (names_.variables_in(binding.region).empty()) continue;
        const ast::Region& region = binding.region;
        const bool is_cell = region.accessor == ast::Accessor::Cell && binding.name &&
                             (!region.version || names_.variables_in(*region.version).empty());
        if (!is_cell || binding.missing_value || binding.is_optional_marker)
          refuse("must have its variables in coordinates of `.cell`, none of them optional", region.span);
      }
  }

  /// Names of regions and what the body declares stand beside the rounds' variables.
  void check_names() {
    for (const auto* list : {&rule_.outputs, &rule_.inputs})
      for (const ast::RegionBinding& binding : *list) {
        if (!binding.name) continue;
        const auto& [name, span] = *binding.name;
        if (names_.is_variable(name)) {
          diags_.emit(DiagKind::RegionNameTaken, span).arg(name).arg("a rule variable");
          ok_ = false;
        } else if (names_.is_size(name)) {
          diags_.emit(DiagKind::RegionHidesSize, span).arg(name).hint("rename the region to use both in the body");
        }
      }
    for (const ast::RegionBinding& output : rule_.outputs) check_declarations(output, "an output");
    for (const ast::RegionBinding& input : rule_.inputs)
      if (is_renamed(input)) check_declarations(input, "a region");
  }
  void check_declarations(const ast::RegionBinding& binding, const std::string& what) {
    if (!binding.name || (names_.variables_in(binding.region).empty() && !is_renamed(binding))) return;
    for (std::size_t i = 1; i < body_.size(); ++i)
      if (body_[i].text == binding.name->text && (follows_type(i) || is_of_brackets(i)))
        refuse("must not declare `" + body_[i].text + "` in its body, the name of " + what, body_[i].expansion);
  }

  /// Whether the region is no cell of a round, and called like a size: coordinates and limits mean the size.
  [[nodiscard]] bool is_renamed(const ast::RegionBinding& binding) const {
    return binding.name && names_.is_size(binding.name->text) && names_.variables_in(binding.region).empty();
  }

  // ---- the rounds

  [[nodiscard]] std::optional<Coordinate> coordinate_of(const Formula& formula, const std::string& var) const {
    const auto has = [&](const Formula& part) { return names_.variables_in(part).contains(var); };
    if (std::holds_alternative<SymbolRef>(formula.node)) return Coordinate();
    if (const auto* minus = std::get_if<NegatedFormula>(&formula.node)) {
      std::optional<Coordinate> out = coordinate_of(minus->operand.front(), var);
      if (!out) return out;
      out->sign = -out->sign;
      if (out->rest) out->rest = negated(std::move(*out->rest));
      return out;
    }
    const auto* binary = std::get_if<BinaryFormula>(&formula.node);
    if (binary == nullptr || (binary->op != FormulaOp::Add && binary->op != FormulaOp::Sub)) return std::nullopt;
    const Formula &a = binary->operands[0], &b = binary->operands[1];
    if (has(a) == has(b)) return std::nullopt;
    std::optional<Coordinate> out = coordinate_of(has(a) ? a : b, var);
    if (!out) return out;
    if (has(a)) {
      out->rest = out->rest                      ? joined_by(binary->op, std::move(*out->rest), b)
                  : binary->op == FormulaOp::Add ? b
                                                 : negated(b);
      return out;
    }
    if (binary->op == FormulaOp::Sub) out->sign = -out->sign;
    out->rest = out->rest ? joined_by(binary->op, a, std::move(*out->rest)) : a;
    return out;
  }

  /// Whether the body can compute it as headers do: in whole numbers that are sums and differences of sizes.
  [[nodiscard]] static bool is_sum(const Formula& formula) {
    if (const auto* minus = std::get_if<NegatedFormula>(&formula.node)) return is_sum(minus->operand.front());
    const auto* binary = std::get_if<BinaryFormula>(&formula.node);
    if (binary == nullptr) return !std::holds_alternative<RealLiteral>(formula.node);
    return (binary->op == FormulaOp::Add || binary->op == FormulaOp::Sub) && is_sum(binary->operands[0]) &&
           is_sum(binary->operands[1]);
  }

  /// The extent of the matrix that the cell is one of. The whole region knows those that the body would have to
  /// compute.
  [[nodiscard]] Formula extent_of(const ast::RegionBinding& binding, const ast::Matrix& matrix, std::size_t d) const {
    const Formula& extent = matrix.extents[d];
    if (is_sum(extent)) return extent;
    const std::string size = names_.whole_name(binding.name->text) + ".size(" + std::to_string(d) + ")";
    return {SymbolRef{SymbolKind::Unresolved, size}, extent.span};
  }

  /// Notes between which values of its variables the cell lies inside of its matrix.
  void note_limits(const ast::RegionBinding& binding) {
    const ast::Matrix* matrix = names_.matrix_of(binding.region);
    for (std::size_t d = 0; ok_ && d < binding.region.coords.size(); ++d) {
      const Formula& coord = binding.region.coords[d];
      const std::set<std::string> vars = names_.variables_in(coord);
      if (vars.empty()) continue;
      const auto form = vars.size() == 1 ? coordinate_of(coord, *vars.begin()) : std::nullopt;
      if (!form) return refuse("must have coordinates such as `i`, `i + 1` or `n - 1 - i`", coord.span);
      if (form->rest && !is_sum(*form->rest))
        return refuse("must have coordinates that add and subtract sizes and whole numbers", coord.span);
      const Formula extent = extent_of(binding, *matrix, d);
      const Formula one = {IntLiteral{1}, coord.span};
      std::optional<Formula> first, last = extent;
      if (form->sign > 0 && form->rest) {
        first = negated(*form->rest);
        last = joined_by(FormulaOp::Sub, extent, *form->rest);
      } else if (form->sign < 0) {
        const Formula rest = form->rest.value_or(Formula{IntLiteral{0}, coord.span});
        first = joined_by(FormulaOp::Add, joined_by(FormulaOp::Sub, rest, extent), one);
        last = joined_by(FormulaOp::Add, rest, one);
      }
      Limits& limits = limits_[*vars.begin()];
      const auto add_once = [](std::vector<std::string>& texts, const std::string& text) {
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
      };
      const auto* number = first ? std::get_if<IntLiteral>(&first->node) : nullptr;
      if (!first || number != nullptr)
        limits.first_number = std::max(limits.first_number.value_or(number ? number->value : 0),
                                       number ? number->value : std::int64_t{0});
      else
        add_once(limits.first, to_c(*first));
      add_once(limits.last, to_c(*last));
    }
  }

  /// Whether the token of the body is declared there, behind the name of its type.
  [[nodiscard]] bool follows_type(std::size_t i) const {
    static const std::set<std::string> kNoTypes = {"return", "else", "do", "case", "and", "or", "not", "throw"};
    return i > 0 && body_[i - 1].kind == TokenKind::Name && !kNoTypes.contains(body_[i - 1].text);
  }

  /// Whether the token is declared in brackets: `i` of `auto& [value, i]` or of `[i = 3]`.
  [[nodiscard]] bool is_of_brackets(std::size_t i) const {
    const bool has_value = i + 1 < body_.size() && body_[i + 1].text == "=";
    const auto may_be_inside = [](const Token& token) {
      return token.kind == TokenKind::Name || token.kind == TokenKind::Integer || token.text == "," ||
             token.text == "&" || token.text == "=";
    };
    while (i > 0 && may_be_inside(body_[i - 1])) --i;
    if (i < 2 || body_[i - 1].text != "[") return false;
    const Token& before = body_[i - 2];
    if (before.text == "auto" || before.text == "const" || before.text == "&" || before.text == "&&") return true;
    const bool is_subscript = before.kind == TokenKind::Name || before.text == ")" || before.text == "]";
    return has_value && (!is_subscript || before.text == "return");
  }

  /// Notes other names for what coordinates are made of, where something hides it: the cell of an input, which stands
  /// before coordinates of others, or what the body may declare. A coordinate of an output stands in the body, in the
  /// place of the cell's name.
  void note_hidden() {
    std::set<std::string> names, cells;
    for (const ast::RegionBinding& output : rule_.outputs)
      for (const Formula& coord : output.region.coords)
        for (const std::string& name : names_in(coord)) names.insert(name);
    for (const ast::RegionBinding& input : rule_.inputs) {
      if (names_.variables_in(input.region).empty()) continue;
      cells.insert(input.name->text);
      for (const Formula& coord : input.region.coords)
        for (const std::string& name : names_in(coord))
          if (cells.contains(name)) hidden_[name] = names_.free_name(name + "_");
    }
    for (const std::string& name : names)
      if (cells.contains(name)) hidden_[name] = names_.free_name(name + "_");
    for (std::size_t i = 1; i < body_.size(); ++i) {
      const std::string& before = body_[i - 1].text;
      const bool may_be_declared = before == "," || before == "*" || before == "&" || before == "&&" || before == ">" ||
                                   follows_type(i) || is_of_brackets(i);
      if (may_be_declared && names.contains(body_[i].text))
        hidden_[body_[i].text] = names_.free_name(body_[i].text + "_");
    }
  }

  [[nodiscard]] Formula with_other_names(Formula formula) const {
    if (auto* symbol = std::get_if<SymbolRef>(&formula.node)) {
      if (const auto hidden = hidden_.find(symbol->name); hidden != hidden_.end()) symbol->name = hidden->second;
    } else if (auto* minus = std::get_if<NegatedFormula>(&formula.node)) {
      for (Formula& each : minus->operand) each = with_other_names(each);
    } else if (auto* binary = std::get_if<BinaryFormula>(&formula.node)) {
      for (Formula& each : binary->operands) each = with_other_names(each);
    }
    return formula;
  }

  /// Makes whole matrices of cells with variables, gives regions that are called like sizes other names, and notes what
  /// stands for the names in the body.
  void make_regions(std::vector<ast::RegionBinding>& bindings, bool are_outputs) {
    for (ast::RegionBinding& binding : bindings) {
      ast::Region& region = binding.region;
      if (is_renamed(binding)) {
        const std::string other = names_.free_name(binding.name->text + "_");
        renamed_[std::exchange(binding.name->text, other)] = other;
      }
      if (names_.variables_in(region).empty()) continue;
      const std::string name = binding.name->text;
      const std::string whole = names_.whole_name(binding.name->text);
      std::string cell = whole + ".cell(";
      for (std::size_t d = 0; d < region.coords.size(); ++d)
        cell += (d == 0 ? "" : ", ") + to_c(with_other_names(region.coords[d]));
      cell += ")";
      if (are_outputs)
        renamed_[name] = cell;
      else
        cells_.push_back("const " + element_of(*names_.matrix_of(region)) + " " + name + " = " + cell + ";");
      binding.name->text = whole;
      region.accessor = ast::Accessor::Whole;
      region.coords.clear();
    }
  }

  // ---- text

  void add(const std::string& text) {
    const Span span = rule_.span;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t blank = text.find_first_not_of(' ', at);
      if (blank == std::string::npos) return;
      const std::size_t end = end_of_token(text, blank);
      Token token;
      token.text = text.substr(blank, end - blank);
      token.leading = blank > at || at == 0 ? " " : "";
      const char first = token.text.front();
      token.kind = std::isdigit(static_cast<unsigned char>(first)) != 0                   ? TokenKind::Integer
                   : std::isalpha(static_cast<unsigned char>(first)) != 0 || first == '_' ? TokenKind::Name
                                                                                          : TokenKind::Punctuator;
      token.spelling = token.expansion = span;
      out_.push_back(std::move(token));
      at = end;
    }
  }
  static std::size_t end_of_token(const std::string& text, std::size_t at) {
    const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (!is_letter(text[at])) return at + (text.compare(at, 2, "++") == 0 ? 2 : 1);
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    return end;
  }

  /// The largest of some limits, `max`, or the least, `min`. A program may have another thing of that name.
  [[nodiscard]] std::string nested(const std::vector<std::string>& texts, const std::string& function) const {
    std::string out = texts.front();
    const bool is_free = names_.free_name(function) == function;
    for (std::size_t i = 1; i < texts.size(); ++i) {
      const std::string& next = texts[i];
      const std::string order = function == "max" ? ") < (" : ") > (";
      out = is_free ? function + "(" + out + ", " + next + ")"
                    : "((" + out + order + next + ") ? (" + next + ") : (" + out + "))";
    }
    return out;
  }

  void open_loop(const std::string& var) {
    Limits& limits = limits_.at(var);
    if (limits.first_number) limits.first.insert(limits.first.begin(), std::to_string(*limits.first_number));
    const auto hidden = hidden_.find(var);
    const std::string& name = hidden == hidden_.end() ? var : hidden->second;
    add("for (IndexT " + name + " = " + nested(limits.first, "max") + "; " + name + " < " + nested(limits.last, "min") +
        "; " + name + "++) {");
    if (name != var) add("const IndexT " + var + " = " + name + ";");
  }

  /// Adds a token of the body. The name of an output's cell becomes the cell; a region that has another name gets that.
  void add_of_body(std::size_t i) {
    const Token& token = body_[i];
    const auto renamed = renamed_.find(token.text);
    const bool is_member = i > 0 && (body_[i - 1].text == "." || body_[i - 1].text == "->");
    if (token.kind != TokenKind::Name || renamed == renamed_.end() || is_member) return out_.push_back(token);
    const std::size_t first = out_.size();
    add(renamed->second);
    for (std::size_t k = first; k < out_.size(); ++k) {
      out_[k].spelling = token.spelling;
      out_[k].expansion = token.expansion;
    }
    out_[first].leading = token.leading;
  }

  ast::Rule& rule_;
  std::span<const Token> body_;
  Diagnostics& diags_;
  RoundNames names_;
  std::map<std::string, Limits> limits_;
  std::vector<std::string> cells_;              ///< declarations of inputs that are single cells
  std::map<std::string, std::string> renamed_;  ///< what names of regions in the body stand for
  std::map<std::string, std::string> hidden_;   ///< other names of what the body may hide
  std::vector<Token> out_;
  bool ok_ = true;
};

}  // namespace

std::vector<Token> with_distinct_rounds(const ast::Transform& transform, ast::Rule& rule, std::span<const Token> body,
                                        Diagnostics& diags) {
  if (rule.is_distinct) {
    RoundMaker maker(transform, rule, body, diags);
    if (maker.is_shared()) return maker.run();
  }
  return {body.begin(), body.end()};
}

}  // namespace pb
