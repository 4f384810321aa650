// SPDX-License-Identifier: MIT
#include "frontend/parse/distinct_rounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace pb {
namespace {

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
      : transform_(transform), rule_(rule), body_(body), diags_(diags) {
    note_known_names();
    for (const ast::RegionBinding& output : rule_.outputs) note_variables(output.region);
    for (const ast::RegionBinding& input : rule_.inputs) note_variables(input.region);
  }

  /// Whether instances share an output: it does not name all variables.
  [[nodiscard]] bool is_shared() const {
    return std::any_of(rule_.outputs.begin(), rule_.outputs.end(), [&](const ast::RegionBinding& output) {
      const std::set<std::string> own = variables_in(output.region);
      return std::any_of(vars_.begin(), vars_.end(), [&](const std::string& var) { return !own.contains(var); });
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
      if (known_.contains(name)) add("const IndexT " + other + " = " + name + ";");
    for (auto var = vars_.rbegin(); var != vars_.rend(); ++var) open_loop(*var);
    for (const std::string& line : cells_) add(line);
    add("{");
    for (std::size_t i = 0; i < body_.size(); ++i) add_of_body(i);
    add("}");
    for (std::size_t i = 0; i < vars_.size(); ++i) add("}");
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

  // ---- names

  void note_known_names() {
    const auto note = [&](const Formula& formula) {
      for (const std::string& name : names_in(formula)) known_.insert(name);
    };
    for (const ast::MatrixClause& clause : transform_.matrix_clauses)
      for (const ast::Matrix& matrix : clause.matrices) {
        known_.insert(matrix.name.text);
        for (const Formula& extent : matrix.extents) note(extent);
        if (!matrix.versions) continue;
        note(matrix.versions->last);
        if (matrix.versions->first) note(*matrix.versions->first);
      }
    for (const ast::Name& param : transform_.params) known_.insert(param.text);
    for (const ast::TemplateParam& param : transform_.template_params) known_.insert(param.name.text);
    for (const ast::Tunable& tunable : transform_.tunables) known_.insert(tunable.name.text);
    for (const ast::Duplicate& duplicate : rule_.duplicates) known_.insert(duplicate.name.text);
  }

  [[nodiscard]] std::set<std::string> variables_in(const Formula& formula) const {
    std::set<std::string> out;
    for (const std::string& name : names_in(formula))
      if (!known_.contains(name)) out.insert(name);
    return out;
  }
  [[nodiscard]] std::set<std::string> variables_in(const ast::Region& region) const {
    std::set<std::string> out;
    for (const Formula& coord : region.coords) out.merge(variables_in(coord));
    if (region.version) out.merge(variables_in(*region.version));
    return out;
  }

  void note_variables(const ast::Region& region) {
    std::vector<Formula> coords = region.coords;
    if (region.version) coords.push_back(*region.version);
    for (const Formula& coord : coords)
      for (const std::string& name : names_in(coord))
        if (!known_.contains(name) && std::find(vars_.begin(), vars_.end(), name) == vars_.end()) vars_.push_back(name);
  }

  /// The element type as bodies spell it.
  [[nodiscard]] static std::string element_of(const ast::Matrix& matrix) {
    return matrix.element ? std::string(spell(*matrix.element)) : "ElementT";
  }
  [[nodiscard]] const ast::Matrix* matrix_of(const ast::Region& region) const {
    for (const ast::MatrixClause& clause : transform_.matrix_clauses)
      for (const ast::Matrix& matrix : clause.matrices)
        if (matrix.name.text == region.matrix.text) return &matrix;
    return nullptr;
  }

  // ---- what loops cannot have

  /// Whether cells are those of matrices of the header, which have as many coordinates. Else frontend/resolve says why.
  [[nodiscard]] bool has_known_cells() const {
    const auto is_known = [&](const ast::RegionBinding& binding) {
      const ast::Matrix* matrix = matrix_of(binding.region);
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
    for (const Token& token : body_)
      if (token.text == "return") refuse("must have no `return` in its body", token.expansion);
    check_jumps();
    for (const auto* list : {&rule_.outputs, &rule_.inputs})
      for (const ast::RegionBinding& binding : *list) {
        if (variables_in(binding.region).empty()) continue;
        const ast::Region& region = binding.region;
        const bool is_cell = region.accessor == ast::Accessor::Cell && binding.name &&
                             (!region.version || variables_in(*region.version).empty());
        if (!is_cell || binding.missing_value || binding.is_optional_marker)
          refuse("must have its variables in coordinates of `.cell`, none of them optional", region.span);
      }
  }

  /// A jump out of the body would leave out the rounds of other instances.
  void check_jumps() {
    std::vector<bool> blocks{false};  // whether each of the open ones is in a loop of the body
    bool is_header = false, is_next = false, is_statement = false;
    int parens = 0, before_header = 0;
    for (const Token& token : body_) {
      const std::string& text = token.text;
      if (text == "for" || text == "while" || text == "switch") is_header = true, before_header = parens;
      if (text == "(") ++parens;
      if (text == ")" && --parens == before_header && is_header) {
        is_header = false;
        is_next = true;
        continue;
      }
      if (is_header) continue;
      if (text == "{") {
        blocks.push_back(blocks.back() || is_next || is_statement);
        is_next = false;
      } else if (text == "}" && blocks.size() > 1) {
        blocks.pop_back();
        is_statement = false;
      } else if (std::exchange(is_next, text == "do")) {
        is_statement = true;
      }
      if ((text == "break" || text == "continue") && !blocks.back() && !is_statement)
        refuse("must have no `" + text + "` outside of loops in its body", token.expansion);
      if (text == ";") is_statement = false;
    }
  }

  // ---- the rounds

  [[nodiscard]] std::optional<Coordinate> coordinate_of(const Formula& formula, const std::string& var) const {
    const auto has = [&](const Formula& part) { return variables_in(part).contains(var); };
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

  /// Notes between which values of its variables the cell lies inside of its matrix.
  void note_limits(const ast::RegionBinding& binding) {
    const ast::Matrix* matrix = matrix_of(binding.region);
    for (std::size_t d = 0; ok_ && d < binding.region.coords.size(); ++d) {
      const Formula& coord = binding.region.coords[d];
      const std::set<std::string> vars = variables_in(coord);
      if (vars.empty()) continue;
      const auto form = vars.size() == 1 ? coordinate_of(coord, *vars.begin()) : std::nullopt;
      if (!form) return refuse("must have coordinates such as `i`, `i + 1` or `n - 1 - i`", coord.span);
      const Formula& extent = matrix->extents[d];
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

  /// Returns the name, or a longer one that neither the header nor the body has.
  [[nodiscard]] std::string free_name(std::string name) const {
    const auto is_taken = [&] {
      const auto is_it = [&](const ast::RegionBinding& binding) { return binding.name && binding.name->text == name; };
      return known_.contains(name) || std::find(vars_.begin(), vars_.end(), name) != vars_.end() ||
             std::any_of(rule_.outputs.begin(), rule_.outputs.end(), is_it) ||
             std::any_of(rule_.inputs.begin(), rule_.inputs.end(), is_it) ||
             std::any_of(body_.begin(), body_.end(), [&](const Token& token) { return token.text == name; });
    };
    while (is_taken()) name += "_";
    return name;
  }

  /// Notes other names for what coordinates of outputs are made of, where the body may declare something that hides it:
  /// a coordinate stands in the body, in the place of the cell's name.
  void note_hidden() {
    std::set<std::string> names;
    for (const ast::RegionBinding& output : rule_.outputs)
      for (const Formula& coord : output.region.coords)
        for (const std::string& name : names_in(coord)) names.insert(name);
    for (std::size_t i = 1; i < body_.size(); ++i) {
      const std::string& before = body_[i - 1].text;
      const bool may_be_declared = before == "," || before == "*" || before == "&" || before == "&&" || before == ">" ||
                                   (body_[i - 1].kind == TokenKind::Name && before != "return" && before != "else");
      if (may_be_declared && names.contains(body_[i].text)) hidden_[body_[i].text] = free_name(body_[i].text + "_");
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

  /// Makes whole matrices of cells with variables, and notes what stands for their names.
  void make_regions(std::vector<ast::RegionBinding>& bindings, bool are_outputs) {
    for (ast::RegionBinding& binding : bindings) {
      ast::Region& region = binding.region;
      if (variables_in(region).empty()) continue;
      const std::string name = binding.name->text;
      const std::string whole = free_name("all_" + name);
      std::string cell = whole + ".cell(";
      for (std::size_t d = 0; d < region.coords.size(); ++d)
        cell += (d == 0 ? "" : ", ") + to_c(with_other_names(region.coords[d]));
      cell += ")";
      if (are_outputs)
        renamed_[name] = cell;
      else
        cells_.push_back("const " + element_of(*matrix_of(region)) + " " + name + " = " + cell + ";");
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
    const bool is_free = free_name(function) == function;
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

  /// Adds a token of the body. The name of an output's cell becomes the cell.
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

  const ast::Transform& transform_;
  ast::Rule& rule_;
  std::span<const Token> body_;
  Diagnostics& diags_;
  std::set<std::string> known_;
  std::vector<std::string> vars_;  ///< in order of appearance, outputs first
  std::map<std::string, Limits> limits_;
  std::vector<std::string> cells_;              ///< declarations of inputs that are single cells
  std::map<std::string, std::string> renamed_;  ///< the cells for which names of outputs stand
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
