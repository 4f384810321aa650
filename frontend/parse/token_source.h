// SPDX-License-Identifier: MIT
// Preprocessed tokens as ANTLR reads them. One of the files of frontend/parse that include ANTLR.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "antlr4-runtime.h"
#include "lang/token.h"

namespace pb {

/// The kind of a unit of the grammar. It decides which words are keywords.
enum class UnitKind { Header, Rule, Body };

/// Whether the word cannot be a name in such a unit.
[[nodiscard]] bool is_reserved(UnitKind kind, std::string_view word);

/// Whether the word names a type in every body: `uint`, `MatrixRegion2D`.
[[nodiscard]] bool is_type_word(std::string_view word);

/// Names of the program that decide what a word of a body is.
struct KnownNames {
  const std::set<std::string>& transforms;  ///< of the whole program
  const std::set<std::string>& variables;   ///< of the rule around the body; some may be called like types
};

/// The tokens of one unit. Each ANTLR token keeps, as its start index, the index into `tokens`;
/// the final EOF has `tokens.size()`.
class UnitTokenSource : public antlr4::TokenSource {
 public:
  /// Reads `tokens` and keeps references to `names`, which matter in bodies only.
  UnitTokenSource(UnitKind kind, std::span<const Token> tokens, const KnownNames& names);

  std::unique_ptr<antlr4::Token> nextToken() override;
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream* getInputStream() override { return nullptr; }
  std::string getSourceName() override { return "unit"; }
  antlr4::TokenFactory<antlr4::CommonToken>* getTokenFactory() override;

 private:
  [[nodiscard]] size_t type_of(std::size_t index) const;
  [[nodiscard]] size_t type_of_word(std::size_t index) const;
  /// Whether a word that begins statements of bodies stands where it is a name.
  [[nodiscard]] bool is_plain_name(std::size_t index) const;
  [[nodiscard]] bool is_transform_call(std::size_t index) const;
  [[nodiscard]] bool begins_statement(std::size_t index) const;
  [[nodiscard]] std::string_view text(std::size_t index) const;

  UnitKind kind_;
  std::span<const Token> tokens_;
  const KnownNames names_;
  std::size_t next_ = 0;
  bool is_second_half_ = false;  // whether the next token is the second half of `>>`, which is read as two tokens
};

}  // namespace pb
