// SPDX-License-Identifier: MIT
#include "frontend/parse/antlr_unit.h"

#include <algorithm>
#include <string_view>

#include "lang/check.h"

namespace pb {

using antlr4::ParserRuleContext;
using antlr4::RecognitionException;
using pb_antlr::PbccParser;

/// Catches an error at the clause of a header, or at the statement, condition or `for` head of a body. Everything
/// inside of that is given up; everything beside it is kept.
class Unit::Strategy : public antlr4::DefaultErrorStrategy {
 public:
  explicit Strategy(Unit& unit) : unit_(unit) {}

  void sync(antlr4::Parser*) override {}  // no single-token repairs: they hide what was written

  antlr4::Token* recoverInline(antlr4::Parser* parser) override { throw antlr4::InputMismatchException(parser); }

  void reportError(antlr4::Parser* parser, const RecognitionException& error) override {
    if (is_reported_ || unit_.kind_ == UnitKind::Body) return;
    is_reported_ = true;
    UnitError out;
    out.token = index_of(error.getOffendingToken());
    out.start_token = out.token;
    if (const auto* no_alternative = dynamic_cast<const antlr4::NoViableAltException*>(&error))
      out.start_token = index_of(no_alternative->getStartToken());
    out.rule = parser->getContext()->getRuleIndex();
    if (out.start_token == out.token) {
      for (const ssize_t type : error.getExpectedTokens().toList()) out.expected.push_back(static_cast<size_t>(type));
    }
    unit_.errors_.push_back(std::move(out));
  }

  void recover(antlr4::Parser* parser, std::exception_ptr error) override {
    ParserRuleContext* context = parser->getContext();
    const size_t rule = context->getRuleIndex();
    const bool is_header =
        unit_.kind_ == UnitKind::Header && (rule == PbccParser::RuleClause || rule == PbccParser::RuleHeader);
    const bool is_body =
        unit_.kind_ == UnitKind::Body && (rule == PbccParser::RuleStmt || rule == PbccParser::RuleCondExpr ||
                                          rule == PbccParser::RuleForHead || rule == PbccParser::RuleBody);
    if (is_header) {
      is_reported_ = false;
      skip_to_clause(parser);
    } else if (is_body) {
      make_opaque(parser, context, error);
    } else if (parser->getContext()->parent != nullptr) {
      std::rethrow_exception(error);
    }
  }

 private:
  std::string_view text(std::size_t index) const {
    const bool is_token = index < unit_.tokens_.size() && unit_.tokens_[index].kind != TokenKind::String;
    return is_token ? std::string_view(unit_.tokens_[index].text) : "";
  }

  /// Goes to the next word that begins a clause.
  void skip_to_clause(antlr4::Parser* parser) {
    static constexpr std::string_view kClauses[] = {
        "main",          "memoized",  "transform", "template", "function",        "generator",     "gen",
        "config",        "param",     "parameter", "tunable",  "accuracy_metric", "accuracy_bins", "accuracy_variable",
        "input_feature", "scaled_by", "to",        "from",     "through",         "using"};
    auto* stream = parser->getTokenStream();
    while (stream->LA(1) != antlr4::Token::EOF) {
      const std::string_view word = text(index_of(stream->LT(1)));
      if (std::find(std::begin(kClauses), std::end(kClauses), word) != std::end(kClauses)) return;
      stream->consume();
    }
  }

  void make_opaque(antlr4::Parser* parser, ParserRuleContext* context, const std::exception_ptr& error) {
    std::size_t at = index_of(context->getStart());
    try {
      std::rethrow_exception(error);
    } catch (const RecognitionException& e) {
      const auto* failed = dynamic_cast<const ParserRuleContext*>(e.getCtx());
      const bool is_other = failed != nullptr && failed->getRuleIndex() == PbccParser::RuleOtherStmt;
      if (!is_other) at = index_of(e.getOffendingToken());
    }
    unit_.opaque_[context] = at;
    const std::size_t start = index_of(context->getStart());
    const std::size_t end =
        context->getRuleIndex() == PbccParser::RuleStmt ? end_of_statement(start) : end_of_parentheses(start);
    auto* stream = parser->getTokenStream();
    stream->seek(context->getStart()->getTokenIndex());
    while (stream->LA(1) != antlr4::Token::EOF && index_of(stream->LT(1)) < end) parser->consume();
  }

  /// Index of the `)` that closes the parentheses in which `start` stands.
  std::size_t end_of_parentheses(std::size_t start) const {
    std::size_t depth = 0;
    for (std::size_t i = start; i < unit_.tokens_.size(); ++i) {
      if (text(i) == "(" || text(i) == "[" || text(i) == "{") ++depth;
      const bool is_closer = text(i) == ")" || text(i) == "]" || text(i) == "}";
      if (is_closer && depth-- == 0) return i;
    }
    return unit_.tokens_.size();
  }

  /// Index behind the statement that begins at `start`: behind its `;`, or its `}` if that ends it.
  std::size_t end_of_statement(std::size_t start) const {
    static constexpr std::string_view kBlockWords[] = {"try",    "if",    "for",  "while",
                                                       "switch", "catch", "else", "namespace"};
    const bool ends_with_block =
        std::find(std::begin(kBlockWords), std::end(kBlockWords), text(start)) != std::end(kBlockWords);
    std::size_t depth = 0;
    for (std::size_t i = start; i < unit_.tokens_.size(); ++i) {
      if (text(i) == "(" || text(i) == "[" || text(i) == "{") ++depth;
      if (text(i) == ")" || text(i) == "]" || text(i) == "}") {
        if (depth == 0) return text(i) == "}" ? std::max(i, start) : i + 1;
        --depth;
        const bool goes_on = text(i + 1) == "catch" || text(i + 1) == "else";
        if (depth == 0 && text(i) == "}" && ends_with_block && !goes_on) return i + 1;
      }
      if (text(i) == ";" && depth == 0 && !(ends_with_block && text(i + 1) == "else")) return i + 1;
    }
    return unit_.tokens_.size();
  }

  Unit& unit_;
  bool is_reported_ = false;
};

class Unit::DepthListener : public antlr4::tree::ParseTreeListener {
 public:
  explicit DepthListener(antlr4::TokenStream& stream) : stream_(stream) {}
  void visitTerminal(antlr4::tree::TerminalNode*) override {}
  void visitErrorNode(antlr4::tree::ErrorNode*) override {}
  void enterEveryRule(ParserRuleContext*) override {
    if (++depth_ > kMaxTreeDepth) throw TreeTooDeep{index_of(stream_.LT(1))};
  }
  void exitEveryRule(ParserRuleContext*) override { --depth_; }
  void reset() { depth_ = 0; }

 private:
  antlr4::TokenStream& stream_;
  std::size_t depth_ = 0;
};

Unit::Unit(UnitKind kind, std::span<const Token> tokens, const KnownNames& names)
    : kind_(kind), tokens_(tokens), source_(kind, tokens, names), stream_(&source_), parser_(&stream_) {
  listener_ = std::make_unique<DepthListener>(stream_);
  parser_.removeErrorListeners();
  parser_.addParseListener(listener_.get());
}

Unit::~Unit() = default;

void Unit::parse() {
  auto* simulator = parser_.getInterpreter<antlr4::atn::ParserATNSimulator>();
  simulator->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  parser_.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    run_entry_rule();
    return;
  } catch (const antlr4::ParseCancellationException&) {
    // The fast prediction failed, so the unit is read once more, exactly and with recovery.
  }
  headers_.clear();
  stream_.seek(0);
  parser_.reset();
  listener_->reset();
  simulator->setPredictionMode(antlr4::atn::PredictionMode::LL);
  parser_.setErrorHandler(std::make_shared<Strategy>(*this));
  run_entry_rule();
}

void Unit::run_entry_rule() {
  switch (kind_) {
    case UnitKind::Header:
      do {
        const std::size_t before = stream_.index();
        headers_.push_back(parser_.header());
        if (stream_.LA(1) == antlr4::Token::EOF) return;
        // An error outside of any clause: the entry rule ended before the next one.
        PB_CHECK(stream_.index() > before, "recovery makes progress");
      } while (true);
    case UnitKind::Rule:
      rule_header_ = parser_.ruleHeader();
      return;
    case UnitKind::Body:
      body_ = parser_.body();
      return;
  }
}

std::optional<std::size_t> Unit::opaque_at(const ParserRuleContext* context) const {
  const auto it = opaque_.find(context);
  if (it == opaque_.end()) return std::nullopt;
  return it->second;
}

TokenRange Unit::range_of(const ParserRuleContext* context) {
  const auto begin = static_cast<std::uint32_t>(index_of(context->start));
  if (context->stop == nullptr) return {begin, begin};
  const auto last = static_cast<std::uint32_t>(index_of(context->stop));
  return {begin, last < begin ? begin : last + 1};
}

}  // namespace pb
