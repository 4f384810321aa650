// SPDX-License-Identifier: MIT
// The text form of the Ast: headers in canonical form, bodies as trees.
#include <fmt/format.h>

#include <string>

#include "lang/ast.h"
#include "lang/check.h"

namespace pb {
namespace {

template <class Items, class Print>
std::string joined(const Items& items, const Print& print, std::string_view separator = ", ") {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += separator;
    out += print(item);
  }
  return out;
}

std::string formulas(const std::vector<Formula>& items) {
  return joined(items, [](const Formula& f) { return to_string(f); });
}

std::string names(const std::vector<ast::Name>& items) {
  return joined(items, [](const ast::Name& n) { return n.text; });
}

std::string number(const ast::Number& n) {
  return n.is_integer ? fmt::format("{}", n.integer) : fmt::format("{}", n.value);
}

const char* spell(ast::MatrixClauseKind kind) {
  switch (kind) {
    case ast::MatrixClauseKind::From:
      return "from";
    case ast::MatrixClauseKind::To:
      return "to";
    case ast::MatrixClauseKind::Through:
      return "through";
  }
  PB_CHECK(false, "every clause has a keyword");
}

const char* spell(ast::TunableClauseKind kind) {
  switch (kind) {
    case ast::TunableClauseKind::Config:
      return "config";
    case ast::TunableClauseKind::Tunable:
      return "tunable";
    case ast::TunableClauseKind::AccuracyVariable:
      return "accuracy_variable";
  }
  PB_CHECK(false, "every clause has a keyword");
}

const char* spell(ast::TransformKind kind) {
  switch (kind) {
    case ast::TransformKind::Transform:
      return "transform";
    case ast::TransformKind::Function:
      return "function";
    case ast::TransformKind::Forward:
      return "transform";
  }
  PB_CHECK(false, "every kind of transform has a keyword");
}

const char* accessor_suffix(ast::Accessor accessor) {
  switch (accessor) {
    case ast::Accessor::Whole:
      return "";
    case ast::Accessor::All:
      return ".all";
    case ast::Accessor::Cell:
      return ".cell";
    case ast::Accessor::Row:
      return ".row";
    case ast::Accessor::Column:
      return ".column";
    case ast::Accessor::Region:
      return ".region";
  }
  PB_CHECK(false, "every accessor has a spelling");
}

std::string matrix(const ast::Matrix& m) {
  std::string out = m.element ? std::string(header_word(*m.element)) + " " : "";
  out += m.name.text;
  if (m.versions) {
    out += "<" + (m.versions->first ? to_string(*m.versions->first) + ".." : "") + to_string(m.versions->last) + ">";
  }
  if (!m.extents.empty()) out += "[" + formulas(m.extents) + "]";
  if (m.range) out += " in " + to_string(m.range->lo) + ".." + to_string(m.range->hi);
  return out;
}

std::string region(const ast::Region& r) {
  std::string out = r.matrix.text;
  if (r.version) out += "<" + to_string(*r.version) + ">";
  out += accessor_suffix(r.accessor);
  if (r.accessor != ast::Accessor::Whole) out += "(" + formulas(r.coords) + ")";
  return out;
}

std::string binding(const ast::RegionBinding& b) {
  std::string out = region(b.region);
  if (b.name) out += " " + b.name->text;
  if (b.is_optional_marker) out += " = OPTIONAL";
  if (b.missing_value) out += " = " + to_string(*b.missing_value);
  return out;
}

std::string condition(const ast::Condition& c) {
  if (const auto* relation = std::get_if<Relation>(&c.node))
    return to_string(relation->lhs) + " " + spelling(relation->op) + " " + to_string(relation->rhs);
  const auto& junction = std::get<ast::Junction>(c.node);
  return joined(
      junction.operands,
      [](const ast::Condition& operand) {
        const bool is_relation = std::holds_alternative<Relation>(operand.node);
        return is_relation ? condition(operand) : "(" + condition(operand) + ")";
      },
      junction.is_or ? " || " : " && ");
}

std::string tunable(const ast::Tunable& t) {
  std::string out = spell(t.kind);
  if (t.is_real) out += " double";
  if (t.is_size_specific) out += " sizespecific";
  if (t.has_accuracy_hint) out += " accuracyhint";
  if (t.array_extent) out += fmt::format(" array({})", *t.array_extent);
  if (t.initial) out += " initial(" + number(*t.initial) + ")";
  if (t.min) out += " min(" + number(*t.min) + ")";
  if (t.max) out += " max(" + number(*t.max) + ")";
  return out + " " + t.name.text;
}

class AstPrinter {
 public:
  void add(const ast::NativeBlock& block) { line(fmt::format("native {} tokens", block.tokens.size())); }

  void add(const ast::Transform& t) {
    std::string head = t.is_main ? "main " : "";
    head += t.is_memoized ? "memoized " : "";
    line(head + spell(t.kind) + " " + t.name.text);
    for (const ast::MatrixClause& c : t.matrix_clauses)
      line(std::string("  ") + spell(c.kind) + " " + joined(c.matrices, matrix));
    clauses(t);
    if (t.kind == ast::TransformKind::Forward) {
      line("  forward");
      return;
    }
    for (const ast::Rule& rule : t.rules) add(rule);
    for (const Body& body : t.alternatives) {
      line("  alternative");
      out_ += to_string(body, 2);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  void clauses(const ast::Transform& t) {
    if (!t.params.empty()) line("  param " + names(t.params));
    if (!t.template_params.empty()) {
      line("  template <" +
           joined(t.template_params,
                  [](const ast::TemplateParam& p) { return fmt::format("{}({},{})", p.name.text, p.lo, p.hi); }) +
           ">");
    }
    if (t.accuracy_metric) line("  accuracy_metric " + t.accuracy_metric->text);
    if (!t.accuracy_bins.empty()) line("  accuracy_bins " + joined(t.accuracy_bins, number));
    if (t.generator) line("  generator " + t.generator->text);
    for (const ast::Name& feature : t.input_features) line("  input_feature " + feature.text);
    for (const ast::Tunable& item : t.tunables) line("  " + tunable(item));
    if (t.tolerance)
      line("  tolerance " + number(t.tolerance->rel) + (t.tolerance->abs ? ", " + number(*t.tolerance->abs) : ""));
    if (t.verify) line("  verify " + t.verify->text);
  }

  void add(const ast::Rule& rule) {
    line("  rule" + (rule.label ? " " + rule.label->text : std::string()));
    if (rule.priority_span.is_known()) line(fmt::format("    priority {}", rule.priority));
    if (rule.is_rotatable) line("    rotatable");
    if (rule.is_distinct) line("    distinct");
    if (rule.is_recursive)
      line("    recursive" + (rule.recursive_size ? " " + to_string(*rule.recursive_size) : std::string()));
    for (const ast::Duplicate& d : rule.duplicates)
      line(fmt::format("    duplicate {} {}..{}", d.name.text, d.lo, d.hi));
    for (const ast::RegionBinding& b : rule.outputs)
      line((rule.is_return_form ? "    to return " : "    to ") + binding(b));
    for (const ast::RegionBinding& b : rule.inputs) line("    from " + binding(b));
    for (const ast::Matrix& m : rule.temporaries) line("    using " + matrix(m));
    if (rule.where) line("    where " + condition(*rule.where));
    out_ += to_string(rule.body, 2);
  }

  std::string out_;
};

}  // namespace

std::string to_string(const Ast& ast) {
  AstPrinter printer;
  for (const auto& item : ast.items) std::visit([&](const auto& node) { printer.add(node); }, item);
  return printer.take();
}

}  // namespace pb
