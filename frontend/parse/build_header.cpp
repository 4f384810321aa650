// SPDX-License-Identifier: MIT
#include "frontend/parse/build_header.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "lang/check.h"

namespace pb {

using antlr4::ParserRuleContext;
using pb_antlr::PbccParser;

Span HeaderBuilder::span_of(const ParserRuleContext* context) const {
  const TokenRange range = Unit::range_of(context);
  if (range.begin >= range.end || range.end > tokens_.size()) return {};
  return join(tokens_[range.begin].expansion, tokens_[range.end - 1].expansion);
}

ast::Name HeaderBuilder::name(PbccParser::NameContext* context) const { return {context->getText(), span_of(context)}; }

std::int64_t HeaderBuilder::decimal(const std::string& text, Span span) {
  if (text.find_first_not_of("0123456789") != std::string::npos) {
    auto diagnostic = diags_.emit(DiagKind::NotAPlainNumber, span).arg(text);
    const std::size_t name = text.find_first_not_of("0123456789");
    const bool is_factor = std::isalpha(static_cast<unsigned char>(text[name])) != 0 && !text.starts_with("0");
    if (is_factor)
      diagnostic.hint("write a product with `*`: `" + text.substr(0, name) + "*" + text.substr(name) + "`");
    return 0;
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) diags_.emit(DiagKind::NumberOutOfRange, span).arg(text).arg("64 bits");
  return result.ec == std::errc() ? value : 0;
}

double HeaderBuilder::real(const std::string& text, Span span) {
  const bool is_plain = text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  char* end = nullptr;
  const double value = is_plain ? std::strtod(text.c_str(), &end) : 0;
  if (!is_plain || *end != '\0') {
    diags_.emit(DiagKind::NotAPlainNumber, span).arg(text);
    return 0;
  }
  if (!std::isfinite(value)) diags_.emit(DiagKind::NumberOutOfRange, span).arg(text).arg("a double");
  return std::isfinite(value) ? value : 0;
}

Formula HeaderBuilder::formula(PbccParser::FormulaContext* context) {
  const DepthGuard guard(depth_, context);
  const Span span = span_of(context);
  if (context->inner != nullptr) {
    Formula inner = formula(context->inner);
    inner.span = span;
    return inner;
  }
  if (context->sign != nullptr) {
    Formula operand = formula(context->formula(0));
    if (context->sign->getText() == "+") return operand;
    return {NegatedFormula{{std::move(operand)}}, span};
  }
  if (context->op != nullptr) {
    const auto op = find_formula_op(context->op->getText());
    PB_CHECK(op.has_value(), "the grammar lists the operators of formulas");
    BinaryFormula node{*op, {}};
    node.operands.push_back(formula(context->formula(0)));
    node.operands.push_back(formula(context->formula(1)));
    return {std::move(node), span};
  }
  if (context->INT() != nullptr) return {IntLiteral{decimal(context->INT()->getText(), span)}, span};
  if (context->FLOAT() != nullptr) return {RealLiteral{real(context->FLOAT()->getText(), span)}, span};
  return {SymbolRef{SymbolKind::Unresolved, context->getText()}, span};
}

std::vector<Formula> HeaderBuilder::formulas(const std::vector<PbccParser::FormulaContext*>& contexts) {
  std::vector<Formula> out;
  for (auto* context : contexts) out.push_back(formula(context));
  return out;
}

std::int64_t HeaderBuilder::integer(PbccParser::IntegerContext* context) {
  const std::int64_t value = decimal(context->INT()->getText(), span_of(context));
  return context->getStart()->getText() == "-" ? -value : value;
}

ast::Number HeaderBuilder::number(PbccParser::NumberContext* context) {
  ast::Number out;
  out.span = span_of(context);
  const bool is_negative = context->getStart()->getText() == "-";
  if (context->INT() != nullptr) {
    out.is_integer = true;
    out.integer = decimal(context->INT()->getText(), out.span);
    if (is_negative) out.integer = -out.integer;
    out.value = static_cast<double>(out.integer);
    return out;
  }
  out.value = real(context->FLOAT()->getText(), out.span);
  if (is_negative) out.value = -out.value;
  return out;
}

namespace {

ElementType element_type(const std::string& word) {
  if (word == "double") return ElementType::Double;
  if (word == "float") return ElementType::Float;
  if (word == "int") return ElementType::Int;
  if (word == "long") return ElementType::Long;
  if (word == "short") return ElementType::Short;
  if (word == "uchar") return ElementType::UChar;
  PB_CHECK(word == "ushort", "the grammar lists the element types");
  return ElementType::UShort;
}

}  // namespace

ast::Matrix HeaderBuilder::matrix(PbccParser::MatrixContext* context) {
  ast::Matrix out;
  out.span = span_of(context);
  if (auto* type = context->elementType()) {
    out.element = element_type(type->getText());
    out.element_span = span_of(type);
  }
  out.name = name(context->name());
  if (auto* versions = context->versions()) {
    out.versions.emplace();
    out.versions->span = span_of(versions);
    if (versions->formula().size() == 2) out.versions->first = formula(versions->formula(0));
    out.versions->last = formula(versions->formula().back());
  }
  out.extents = formulas(context->formula());
  if (auto* range = context->valueRange())
    out.range = ast::ValueRange{formula(range->formula(0)), formula(range->formula(1)), span_of(range)};
  return out;
}

std::vector<ast::Matrix> HeaderBuilder::matrices(const std::vector<PbccParser::MatrixContext*>& contexts) {
  std::vector<ast::Matrix> out;
  for (auto* context : contexts) out.push_back(matrix(context));
  return out;
}

namespace {

class TransformBuilder {
 public:
  TransformBuilder(const Unit& unit, ast::TransformKind kind, Span end, Diagnostics& diags)
      : unit_(unit), diags_(diags), build_(unit.tokens(), diags) {
    out_.kind = kind;
    out_.span = end;
  }

  std::optional<ast::Transform> run() {
    for (auto* header : unit_.headers())
      for (auto* context : header->clause())
        if (context->exception == nullptr) clause(context);
    if (!unit_.tokens().empty()) out_.span = join(unit_.tokens().front().expansion, unit_.tokens().back().expansion);
    if (!out_.name.text.empty()) return std::move(out_);
    if (unit_.errors().empty())
      diags_.emit(DiagKind::MissingTransformName, out_.span).hint("write `transform NAME` at its beginning");
    return std::nullopt;
  }

 private:
  void clause(PbccParser::ClauseContext* context) {
    const std::string word = context->getStart()->getText();
    if (word == "main") {
      out_.is_main = true;
      out_.main_span = build_.span_of(context);
    } else if (word == "memoized") {
      out_.is_memoized = true;
    } else if (word == "transform" || word == "function") {
      single(out_.name, context, word);
    } else if (word == "param" || word == "parameter") {
      for (auto* name : context->name()) out_.params.push_back(build_.name(name));
    } else if (word == "from" || word == "to" || word == "through" || word == "using") {
      matrix_clause(context, word);
    } else if (word == "config" || word == "tunable" || word == "accuracy_variable") {
      out_.tunables.push_back(tunable(context, word));
    } else if (word == "template") {
      template_clause(context);
    } else if (word == "scaled_by") {
      diags_.emit(DiagKind::ScaledBy, build_.span_of(context)).hint("call a transform that scales in a rule");
    } else if (word == "accuracy_bins") {
      bins(context);
    } else if (word == "tolerance") {
      tolerance(context);
    } else {
      named(context, word);
    }
  }

  void named(PbccParser::ClauseContext* context, const std::string& word) {
    if (word == "accuracy_metric")
      single(out_.accuracy_metric, context, word);
    else if (word == "generator" || word == "gen")
      single(out_.generator, context, word);
    else if (word == "verify")
      single(out_.verify, context, word);
    else if (word == "input_feature")
      out_.input_features.push_back(build_.name(context->name(0)));
    else
      PB_CHECK(word == "testcase", "every clause of the grammar is built, but for one that old programs have");
  }

  void single(ast::Name& target, PbccParser::ClauseContext* context, const std::string& word) {
    const ast::Name name = build_.name(context->name(0));
    if (!target.text.empty()) {
      repeated(name.span, word).label(target.span, "first here");
      return;
    }
    target = name;
  }

  void single(std::optional<ast::Name>& target, PbccParser::ClauseContext* context, const std::string& word) {
    ast::Name name = target.value_or(ast::Name{});
    single(name, context, word);
    target = name;
  }

  DiagBuilder repeated(Span span, const std::string& word) {
    return diags_.emit(DiagKind::RepeatedClause, span).arg(word);
  }

  void matrix_clause(PbccParser::ClauseContext* context, const std::string& word) {
    const auto kind = word == "from" ? ast::MatrixClauseKind::From
                      : word == "to" ? ast::MatrixClauseKind::To
                                     : ast::MatrixClauseKind::Through;
    out_.matrix_clauses.push_back({kind, build_.matrices(context->matrix()), build_.span_of(context)});
  }

  void template_clause(PbccParser::ClauseContext* context) {
    if (!out_.template_params.empty()) {
      repeated(build_.span_of(context), "template").label(out_.template_params.front().span, "first here");
      return;
    }
    for (auto* p : context->templateParam()) {
      out_.template_params.push_back(
          {build_.name(p->name()), build_.integer(p->integer(0)), build_.integer(p->integer(1)), build_.span_of(p)});
    }
  }

  void bins(PbccParser::ClauseContext* context) {
    const Span span = build_.span_of(context);
    if (!out_.accuracy_bins.empty()) repeated(span, "accuracy_bins").label(out_.accuracy_bins_span, "first here");
    out_.accuracy_bins.clear();
    for (auto* number : context->number()) out_.accuracy_bins.push_back(build_.number(number));
    out_.accuracy_bins_span = span;
  }

  void tolerance(PbccParser::ClauseContext* context) {
    const Span span = build_.span_of(context);
    if (out_.tolerance) repeated(span, "tolerance").label(out_.tolerance->span, "first here");
    out_.tolerance = ast::Tolerance{build_.number(context->number(0)), std::nullopt, span};
    if (context->number().size() > 1) out_.tolerance->abs = build_.number(context->number(1));
  }

  ast::Tunable tunable(PbccParser::ClauseContext* clause_context, const std::string& word) {
    auto* context = clause_context->tunable();
    ast::Tunable out;
    out.kind = word == "config"    ? ast::TunableClauseKind::Config
               : word == "tunable" ? ast::TunableClauseKind::Tunable
                                   : ast::TunableClauseKind::AccuracyVariable;
    out.name = build_.name(context->name());
    out.span = build_.span_of(clause_context);
    for (auto* modifier : context->modifier()) apply(modifier, out);
    const auto numbers = context->number();
    if (!numbers.empty()) out.initial = build_.number(numbers[0]);
    if (numbers.size() > 1) out.min = build_.number(numbers[1]);
    if (numbers.size() > 2) out.max = build_.number(numbers[2]);
    return out;
  }

  void apply(PbccParser::ModifierContext* modifier, ast::Tunable& out) {
    const std::string word = modifier->getStart()->getText();
    if (word == "double" || word == "float")
      out.is_real = true;
    else if (word == "sizespecific")
      out.is_size_specific = true;
    else if (word == "accuracyhint")
      out.has_accuracy_hint = true;
    else if (word == "array")
      out.array_extent = build_.integer(modifier->integer());
    else if (word == "initial")
      out.initial = build_.number(modifier->number());
    else if (word == "min")
      out.min = build_.number(modifier->number());
    else
      out.max = build_.number(modifier->number());
  }

  const Unit& unit_;
  Diagnostics& diags_;
  HeaderBuilder build_;
  ast::Transform out_;
};

}  // namespace

std::optional<ast::Transform> build_transform(const Unit& unit, ast::TransformKind kind, Span end, Diagnostics& diags) {
  return TransformBuilder(unit, kind, end, diags).run();
}

}  // namespace pb
