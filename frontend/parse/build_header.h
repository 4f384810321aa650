// SPDX-License-Identifier: MIT
// From ANTLR's trees of headers and rule headers to the Ast.
#pragma once

#include <optional>

#include "frontend/parse/antlr_unit.h"
#include "lang/ast.h"
#include "lang/diagnostics.h"

namespace pb {

/// Builds the parts that clauses and rule headers share: names, numbers, formulas, matrices.
class HeaderBuilder {
 public:
  HeaderBuilder(std::span<const Token> tokens, Diagnostics& diags) : tokens_(tokens), diags_(diags) {}

  [[nodiscard]] Span span_of(const antlr4::ParserRuleContext* context) const;
  [[nodiscard]] ast::Name name(pb_antlr::PbccParser::NameContext* context) const;
  [[nodiscard]] Formula formula(pb_antlr::PbccParser::FormulaContext* context);
  [[nodiscard]] std::vector<Formula> formulas(const std::vector<pb_antlr::PbccParser::FormulaContext*>& contexts);
  [[nodiscard]] ast::Number number(pb_antlr::PbccParser::NumberContext* context);
  [[nodiscard]] std::int64_t integer(pb_antlr::PbccParser::IntegerContext* context);
  [[nodiscard]] ast::Matrix matrix(pb_antlr::PbccParser::MatrixContext* context);
  [[nodiscard]] std::vector<ast::Matrix> matrices(const std::vector<pb_antlr::PbccParser::MatrixContext*>& contexts);

  /// The value of a decimal integer. If it is no such integer or too large, reports that and returns 0.
  [[nodiscard]] std::int64_t decimal(const std::string& text, Span span);
  [[nodiscard]] double real(const std::string& text, Span span);

 private:
  std::span<const Token> tokens_;
  Diagnostics& diags_;
  std::size_t depth_ = 0;
};

/// Builds the clauses of one header. Missing or repeated clauses are reported, syntax errors are not.
///
/// Post: without a value if there is no name; that is said at `end`, what follows the header, if the header is empty
[[nodiscard]] std::optional<ast::Transform> build_transform(const Unit& unit, ast::TransformKind kind, Span end,
                                                            Diagnostics& diags);

/// Builds one rule header, without its body.
[[nodiscard]] ast::Rule build_rule(const Unit& unit, Diagnostics& diags);

}  // namespace pb
