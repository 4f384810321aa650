// SPDX-License-Identifier: MIT
#include "frontend/check_types/matrix_names.h"

#include <algorithm>

namespace pb::checking {
namespace {

/// Whether C++ that the compiler does not analyse uses the name. A prefix block may use it for something of its own,
/// and a statement that the grammar does not know may declare it.
bool is_named_in_opaque_code(const BodyContext& context, const std::string& name) {
  const auto is_it = [&](const BodyToken& token) { return token.text == name; };
  for (const NativeBlock& block : context.program.native_blocks)
    if (std::any_of(block.tokens.begin(), block.tokens.end(), is_it)) return true;
  const Body& body = context.body();
  for (const Stmt& stmt : body.stmts) {
    if (!std::holds_alternative<OpaqueStmt>(stmt.node)) continue;
    for (std::uint32_t i = stmt.tokens.begin; i < stmt.tokens.end; ++i)
      if (is_it(body.tokens[i])) return true;
  }
  return false;
}

std::string hint_for(const Transform& transform, const Rule& rule, const std::string& name) {
  std::string hint = "name the region in the rule's header, for example `" + name + " " + name + "`";
  if (rule.is_return_form && transform.matrices[rule.outputs.front().matrix].name == name)
    hint = "this rule returns its element: write `return …;` instead of an assignment, or name the output: `to (" +
           name + ".cell(…) out) from …`";
  for (const auto* accesses : {&rule.outputs, &rule.inputs}) {
    for (const RegionAccess& access : *accesses) {
      if (transform.matrices[access.matrix].name == name && !access.binding.empty())
        hint = "this rule calls a region of it `" + access.binding + "`";
    }
  }
  return hint;
}

}  // namespace

void report_if_invisible_matrix(BodyContext& context, const std::string& name, Span span) {
  const auto& matrices = context.transform.matrices;
  const auto matrix =
      std::find_if(matrices.begin(), matrices.end(), [&](const Matrix& candidate) { return candidate.name == name; });
  if (matrix == matrices.end() || is_named_in_opaque_code(context, name)) return;
  context.diags.emit(DiagKind::MatrixNotInBody, span)
      .arg(name)
      .label(matrix->span, "the matrix")
      .hint(hint_for(context.transform, context.rule, name));
}

}  // namespace pb::checking
