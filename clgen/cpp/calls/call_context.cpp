// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/call_context.h"

#include "clgen/facts/names.h"

namespace pb {

CallContext::CallContext(const CppContext& in_context, TransformId in_id)
    : context(in_context),
      id(in_id),
      transform(in_context.program.transforms[in_id]),
      plan(in_context.plan.transforms[in_id.index()]),
      name(identifier_of(in_context.program, in_id)) {}

std::vector<MatrixId> call_matrices(const Transform& transform) {
  std::vector<MatrixId> out = transform.matrices_of(MatrixRole::To);
  for (const MatrixId id : transform.matrices_of(MatrixRole::From)) out.push_back(id);
  return out;
}

std::vector<Parameter> call_params(const Transform& transform) {
  std::vector<Parameter> params;
  for (const MatrixId id : call_matrices(transform)) {
    const Matrix& matrix = transform.matrices[id];
    params.push_back({"const " + region_type(matrix, matrix.role == MatrixRole::From) + "&", matrix.name});
  }
  return params;
}

std::string call_params_text(const Transform& transform) {
  std::vector<std::string> texts;
  for (const Parameter& param : call_params(transform)) texts.push_back(to_cpp(param));
  return joined(texts);
}

std::vector<std::string> call_extents(const Transform& transform) {
  std::vector<std::string> out;
  for (const MatrixId id : call_matrices(transform)) {
    const Matrix& matrix = transform.matrices[id];
    for (std::size_t d = 0; d < matrix.extents.size(); ++d)
      out.push_back(matrix.name + ".size(" + std::to_string(d) + ")");
  }
  return out;
}

std::string largest_extent(const Transform& transform) {
  std::vector<std::string> items = call_extents(transform);
  items.insert(items.begin(), "1");
  return "pbrt::index_max(" + joined(items) + ")";
}

}  // namespace pb
