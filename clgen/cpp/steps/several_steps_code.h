// SPDX-License-Identifier: MIT
// What the printers share that run several steps of a call together: of launches, and of bands on the CPU. Private to
// clgen/cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clgen/cpp/context/cpp_context.h"
#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/writer/writer.h"

namespace pb {

class SeveralStepsCode {
 protected:
  /// Pre: all arguments outlive this object
  SeveralStepsCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch)
      : out_(out),
        context_(context),
        id_(id),
        transform_(context.program.transforms[id]),
        plan_(context.plan.transforms[id.index()]),
        dispatch_(dispatch) {}

  /// Declares `pb_launch` of the kernel called `name`.
  void emit_launch_of(const std::string& name, const std::string& frame);
  /// Prints that the launch runs `box`, of `num_dims` loops, in groups of the shape that the step's rule has.
  void emit_range(const std::string& box, std::size_t num_dims, const Step& shape_of);
  /// Declares `name`: the extents of what a group keeps of a matrix, `more[d]` cells more than it has instances along
  /// loop d. Then gives the launch `count` buffers of them.
  void emit_buffers(const std::string& name, const Matrix& matrix, const std::vector<std::int64_t>& more,
                    std::size_t count = 1);
  /// The call that runs the launch, as `pb_piece`, at the place of the step. It says whether that worked.
  [[nodiscard]] std::string run_call(const std::string& frame, const Step& step, const std::string& check) const;

  Writer& out_;
  const CppContext& context_;
  const TransformId id_;
  const Transform& transform_;
  const TransformPlan& plan_;
  const StepDispatch& dispatch_;
};

}  // namespace pb
