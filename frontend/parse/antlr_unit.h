// SPDX-License-Identifier: MIT
// One unit (a header, a rule header, a body) that ANTLR reads: its token stream, its parser, what happens at an error,
// and the limit on nesting.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "PbccParser.h"
#include "antlr4-runtime.h"
#include "frontend/parse/token_source.h"
#include "lang/body/body.h"
#include "lang/token.h"

namespace pb {

/// A syntax error of a header, in terms of the unit's tokens.
struct UnitError {
  std::size_t token = 0;         ///< index of the token found; the unit's size at the unit's end
  std::size_t start_token = 0;   ///< where the construct begins that could not be recognised
  size_t rule = 0;               ///< rule of the grammar that was being read
  std::vector<size_t> expected;  ///< token types; empty if they are not known
};

/// Thrown by parsing and by the tree builders when the tree gets deeper than kMaxTreeDepth.
struct TreeTooDeep {
  std::size_t token = 0;
};
inline constexpr std::size_t kMaxTreeDepth = 1500;

/// Counts one level of a recursion over the tree while it lives. Chains such as `a+b+c+…` are
/// deep trees that ANTLR reads without recursion, so the builders count for themselves.
class DepthGuard {
 public:
  DepthGuard(std::size_t& depth, const antlr4::ParserRuleContext* context) : depth_(depth) {
    if (++depth_ > kMaxTreeDepth) {
      --depth_;
      throw TreeTooDeep{context->start->getStartIndex()};
    }
  }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  std::size_t& depth_;
};

class Unit {
 public:
  Unit(UnitKind kind, std::span<const Token> tokens, const KnownNames& names);
  ~Unit();
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  /// Runs the entry rule of the kind: first with the fast prediction and no recovery, then, if that
  /// fails, with the exact one; headers go on at the next clause, bodies make opaque what has an error.
  ///
  /// Post: headers and rules: `errors()` holds what was wrong; bodies: `opaque_at` knows the places
  /// Errors: throws TreeTooDeep
  void parse();

  [[nodiscard]] const std::vector<pb_antlr::PbccParser::HeaderContext*>& headers() const { return headers_; }
  [[nodiscard]] pb_antlr::PbccParser::RuleHeaderContext* rule_header() const { return rule_header_; }
  [[nodiscard]] pb_antlr::PbccParser::BodyContext* body() const { return body_; }
  [[nodiscard]] const std::vector<UnitError>& errors() const { return errors_; }
  /// Index of the token at which this part of a body could not be read; none if it could.
  [[nodiscard]] std::optional<std::size_t> opaque_at(const antlr4::ParserRuleContext* context) const;
  [[nodiscard]] const antlr4::dfa::Vocabulary& vocabulary() const { return parser_.getVocabulary(); }
  [[nodiscard]] UnitKind kind() const { return kind_; }
  [[nodiscard]] std::span<const Token> tokens() const { return tokens_; }

  /// Index of an ANTLR token in the unit's tokens.
  [[nodiscard]] static std::size_t index_of(const antlr4::Token* token) { return token->getStartIndex(); }
  [[nodiscard]] static TokenRange range_of(const antlr4::ParserRuleContext* context);

 private:
  class Strategy;
  class DepthListener;
  void run_entry_rule();

  UnitKind kind_;
  std::span<const Token> tokens_;
  UnitTokenSource source_;
  antlr4::CommonTokenStream stream_;
  pb_antlr::PbccParser parser_;
  std::unique_ptr<DepthListener> listener_;
  std::vector<pb_antlr::PbccParser::HeaderContext*> headers_;
  pb_antlr::PbccParser::RuleHeaderContext* rule_header_ = nullptr;
  pb_antlr::PbccParser::BodyContext* body_ = nullptr;
  std::vector<UnitError> errors_;
  std::unordered_map<const antlr4::ParserRuleContext*, std::size_t> opaque_;
};

}  // namespace pb
