// SPDX-License-Identifier: MIT
// What the parts of a transform's entry functions share: the transform, its plan, and the frame that statements use.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/context/cpp_context.h"
#include "clgen/writer/writer.h"

namespace pb {

struct CallContext {
  /// `context` must live as long as this.
  CallContext(const CppContext& context, TransformId id);

  const CppContext& context;
  TransformId id;
  const Transform& transform;
  const TransformPlan& plan;
  std::string name;                ///< of the transform in identifiers
  std::string frame = "pb_frame";  ///< the frame of what `run_T` does before its steps
};

/// Returns the matrices in the order of a call: outputs, then inputs.
[[nodiscard]] std::vector<MatrixId> call_matrices(const Transform& transform);
/// Returns the parameters of `call_T` after the frame: outputs, then inputs.
[[nodiscard]] std::vector<Parameter> call_params(const Transform& transform);
/// Returns these parameters as the text of a list.
[[nodiscard]] std::string call_params_text(const Transform& transform);

/// Returns the extents of all arguments.
[[nodiscard]] std::vector<std::string> call_extents(const Transform& transform);
/// Returns the size that is compared with the sequential cut-off.
[[nodiscard]] std::string largest_extent(const Transform& transform);

}  // namespace pb
