// SPDX-License-Identifier: MIT
// Header clauses that the later stages do not carry yet: one message each, at its place.
#include "frontend/resolve/scope.h"

namespace pb::resolving {

bool check_supported(const ast::Transform& transform, Diagnostics& diags) {
  bool ok = true;
  const auto unsupported = [&](DiagKind kind, Span span) {
    diags.emit(kind, span);
    ok = false;
  };
  for (const ast::MatrixClause& clause : transform.matrix_clauses) {
    for (const ast::Matrix& matrix : clause.matrices) {
      if (matrix.element) unsupported(DiagKind::ElementTypesUnsupported, matrix.element_span);
    }
  }
  return ok;
}

}  // namespace pb::resolving
