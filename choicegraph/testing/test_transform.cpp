// SPDX-License-Identifier: MIT
#include "choicegraph/testing/test_transform.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "lang/check.h"

namespace pb::testing {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class FormulaReader {
 public:
  FormulaReader(std::string_view text, const std::vector<std::string>& vars, const std::vector<std::string>& tunables)
      : text_(text), vars_(vars), tunables_(tunables) {}

  Formula read_all() {
    Formula out = read_sum();
    PB_CHECK(at_ == text_.size(), "a test formula is well formed");
    return out;
  }

 private:
  static Formula binary(FormulaOp op, Formula a, Formula b) {
    return {BinaryFormula{op, {std::move(a), std::move(b)}}, {}};
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  Formula read_sum() {
    Formula out = read_product();
    while (peek() == '+' || peek() == '-') {
      const FormulaOp op = text_[at_++] == '+' ? FormulaOp::Add : FormulaOp::Sub;
      out = binary(op, std::move(out), read_product());
    }
    return out;
  }
  Formula read_product() {
    Formula out = read_power();
    while (peek() == '*' || peek() == '/') {
      const FormulaOp op = text_[at_++] == '*' ? FormulaOp::Mul : FormulaOp::Div;
      out = binary(op, std::move(out), read_power());
    }
    return out;
  }
  Formula read_power() {
    Formula out = read_atom();
    while (peek() == '^') {
      ++at_;
      out = binary(FormulaOp::Pow, std::move(out), read_atom());
    }
    return out;
  }
  Formula read_atom() {
    if (peek() == '-') {
      ++at_;
      return {NegatedFormula{{read_atom()}}, {}};
    }
    if (peek() == '(') {
      ++at_;
      Formula out = read_sum();
      PB_CHECK(peek() == ')', "a test formula closes its parentheses");
      ++at_;
      return out;
    }
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_') ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    PB_CHECK(!word.empty(), "a test formula has an operand");
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return {IntLiteral{std::stoll(word)}, {}};
    SymbolKind kind = SymbolKind::SizeVar;
    if (contains(vars_, word)) kind = SymbolKind::RuleVar;
    if (contains(tunables_, word)) kind = SymbolKind::Tunable;
    return {SymbolRef{kind, word}, {}};
  }

  std::string_view text_;
  const std::vector<std::string>& vars_;
  const std::vector<std::string>& tunables_;
  std::size_t at_ = 0;
};

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Splits at commas that are in no parentheses.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  int depth = 0;
  std::string item;
  for (const char c : text) {
    if (c == ',' && depth == 0) {
      out.push_back(std::exchange(item, {}));
      continue;
    }
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    item += c;
  }
  if (!item.empty()) out.push_back(item);
  return out;
}

/// `OUT.cell(x,y)` in parts.
struct RegionText {
  std::string matrix;
  std::string accessor;
  std::vector<std::string> args;
};

RegionText take_apart(const std::string& spelled) {
  const std::string text = without_blanks(spelled);
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return {text, "all", {}};
  const std::size_t open = text.find('(');
  return {text.substr(0, dot), text.substr(dot + 1, open - dot - 1),
          split(text.substr(open + 1, text.size() - open - 2))};
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else if (!word.empty()) {
      out.push_back(std::exchange(word, {}));
    }
  }
  return out;
}

Formula plus_one(const Formula& formula) { return {BinaryFormula{FormulaOp::Add, {formula, {IntLiteral{1}, {}}}}, {}}; }

}  // namespace

Formula parse_formula(const std::string& text, const std::vector<std::string>& rule_vars,
                      const std::vector<std::string>& tunables) {
  const std::string compact = without_blanks(text);
  return FormulaReader(compact, rule_vars, tunables).read_all();
}

TestTransform& TestTransform::tunable(const std::string& name, double min, double max) {
  UserTunable tunable;
  tunable.name = name;
  tunable.initial = tunable.min = min;
  tunable.max = max;
  transform_.tunables.add(tunable);
  tunables_.push_back(name);
  return *this;
}

TestTransform& TestTransform::add(const std::string& spelled, MatrixRole role) {
  std::string text = without_blanks(spelled);
  const std::size_t open = text.find('[');
  Matrix matrix;
  if (const std::size_t before_versions = text.find(';'); before_versions != std::string::npos) {
    matrix.has_versions = true;
    text.replace(before_versions, 1, before_versions == open + 1 ? "" : ",");
  }
  matrix.name = text.substr(0, open);
  matrix.role = role;
  const std::string inner = open == std::string::npos ? "" : text.substr(open + 1, text.size() - open - 2);
  for (const std::string& extent : split(inner)) {
    matrix.extents.push_back(parse_formula(extent, {}, tunables_));
    for (const std::string& name : symbols_of(matrix.extents.back(), SymbolKind::SizeVar)) {
      const auto known = std::find_if(transform_.size_vars.begin(), transform_.size_vars.end(),
                                      [&](const SizeVar& var) { return var.name == name; });
      if (known == transform_.size_vars.end()) transform_.size_vars.push_back({name, {}, 0, {}, {}});
    }
  }
  transform_.matrices.add(std::move(matrix));
  return *this;
}

void TestTransform::find_vars(const std::string& region, Rule& rule) const {
  for (const std::string& arg : take_apart(region).args) {
    for (const std::string& word : words_of(arg)) {
      const auto is_named = [&](const auto& declared) { return declared.name == word; };
      const bool is_size = std::any_of(transform_.size_vars.begin(), transform_.size_vars.end(), is_named);
      const bool is_var = std::any_of(rule.vars.begin(), rule.vars.end(), is_named);
      if (std::isdigit(static_cast<unsigned char>(word.front())) == 0 && !is_size && !is_var &&
          !contains(tunables_, word))
        rule.vars.push_back({word, {}});
    }
  }
}

RegionAccess TestTransform::access(const std::string& spelled, const std::vector<std::string>& vars) const {
  const std::size_t border = spelled.find('=');
  const RegionText text = take_apart(spelled.substr(0, border));
  RegionAccess out;
  for (const MatrixId id : transform_.matrices.ids())
    if (transform_.matrices[id].name == text.matrix) out.matrix = id;
  PB_CHECK(!out.matrix.is_none(), "a test names its matrices");
  const Matrix& matrix = transform_.matrices[out.matrix];
  const Formula zero{IntLiteral{0}, {}};
  std::vector<Formula> args;
  for (const std::string& arg : text.args) args.push_back(parse_formula(arg, vars, tunables_));
  const std::size_t rank = matrix.extents.size();
  for (std::size_t d = 0; d < rank; ++d) {
    const bool is_line = (text.accessor == "row" && d == 1) || (text.accessor == "column" && d == 0);
    if (text.accessor == "cell" || is_line) {
      out.kind = text.accessor == "cell"  ? AccessKind::Cell
                 : text.accessor == "row" ? AccessKind::Row
                                          : AccessKind::Column;
      out.lo.push_back(args.at(is_line ? 0 : d));
      out.hi.push_back(plus_one(out.lo.back()));
    } else if (text.accessor == "region") {
      out.kind = AccessKind::Region;
      out.lo.push_back(args.at(d));
      out.hi.push_back(args.at(rank + d));
    } else {
      out.lo.push_back(zero);
      out.hi.push_back(matrix.extents[d]);
    }
  }
  if (border != std::string::npos) {
    const auto word = find_border(spelled.substr(border + 1));
    PB_CHECK(word.has_value(), "a test names a border behind `=`");
    out.border = *word;
    out.num_mapped_dims = rank - (matrix.has_versions ? 1 : 0);
  }
  return out;
}

TestTransform& TestTransform::rule(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs,
                                   int priority) {
  Rule rule;
  rule.priority = priority;
  rule.body.root = rule.body.stmts.add({BlockStmt{}, {}, {}});
  for (const std::string& output : outputs) find_vars(output, rule);
  std::vector<std::string> vars;
  for (const RuleVar& var : rule.vars) vars.push_back(var.name);
  std::string target;
  for (const std::string& output : outputs) {
    rule.outputs.push_back(access(output, vars));
    target += (target.empty() ? "" : "+") + take_apart(output).matrix;
  }
  for (const std::string& input : inputs) rule.inputs.push_back(access(input, vars));
  int number = 1;
  for (const Rule& other : transform_.rules)
    if (other.name.substr(0, other.name.find('#')) == target) ++number;
  rule.name = target + "#" + std::to_string(number);
  transform_.rules.add(std::move(rule));
  return *this;
}

TestTransform& TestTransform::where(const std::string& lhs, RelationOp op, const std::string& rhs) {
  Rule& rule = transform_.rules[RuleId(transform_.rules.size() - 1)];
  std::vector<std::string> vars;
  for (const RuleVar& var : rule.vars) vars.push_back(var.name);
  rule.where.push_back({parse_formula(lhs, vars, tunables_), op, parse_formula(rhs, vars, tunables_), {}});
  return *this;
}

Program TestTransform::program() const {
  Program out;
  out.name = "test";
  out.main = out.transforms.add(transform_);
  return out;
}

TestTransform convolution(const std::string& width) {
  return TestTransform()
      .from("In[w,h]")
      .from("Kernel[KWIDTH]")
      .to("Out[w-KWIDTH+1,h-KWIDTH+1]")
      .rule({"Out.cell(x,y)"}, {"In.region(x,y,x+" + width + ",y+" + width + ")", "Kernel"});
}

TestTransform versioned_plate() {
  return TestTransform()
      .from("A[w,h]")
      .from("N[t]")
      .through("T[w,h;t]")
      .to("B[w,h]")
      .rule({"T.cell(x,y,0)"}, {"A.cell(x,y)"})
      .rule({"B.cell(x,y)"}, {"T.cell(x,y,t-1)"});
}

}  // namespace pb::testing
