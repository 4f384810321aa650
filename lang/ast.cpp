// SPDX-License-Identifier: MIT
#include "lang/ast.h"

#include "lang/check.h"

namespace pb {

std::vector<const ast::Transform*> Ast::transforms() const {
  std::vector<const ast::Transform*> out;
  for (const auto& item : items)
    if (const auto* transform = std::get_if<ast::Transform>(&item)) out.push_back(transform);
  return out;
}

std::vector<const ast::NativeBlock*> Ast::native_blocks() const {
  std::vector<const ast::NativeBlock*> out;
  for (const auto& item : items)
    if (const auto* block = std::get_if<ast::NativeBlock>(&item)) out.push_back(block);
  return out;
}

std::string text_of(const Body& body, TokenRange range) {
  PB_CHECK(range.begin <= range.end && range.end <= body.tokens.size(), "a token range lies inside its body");
  std::string out;
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    if (i != range.begin) out += body.tokens[i].leading;
    out += body.tokens[i].text;
  }
  return out;
}

std::set<std::string> names_of_header(const ast::Transform& transform) {
  std::set<std::string> out;
  for (const ast::MatrixClause& clause : transform.matrix_clauses)
    for (const ast::Matrix& matrix : clause.matrices)
      for (const Formula& extent : matrix.extents)
        for (const std::string& name : names_in(extent)) out.insert(name);
  for (const ast::Name& param : transform.params) out.insert(param.text);
  for (const ast::TemplateParam& param : transform.template_params) out.insert(param.name.text);
  for (const ast::Tunable& tunable : transform.tunables) out.insert(tunable.name.text);
  return out;
}

}  // namespace pb
