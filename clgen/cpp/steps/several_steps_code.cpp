// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/several_steps_code.h"

#include "clgen/cpp/steps/step_code.h"
#include "clgen/facts/names.h"

namespace pb {

void SeveralStepsCode::emit_launch_of(const std::string& name, const std::string& frame) {
  out_.line("pbrt::gpu::Launch pb_launch(kKernel_" + name + ", " + frame + ", " + frame + ".context().gpu());");
}

void SeveralStepsCode::emit_range(const std::string& box, std::size_t num_dims, const Step& shape_of) {
  out_.line("pb_launch.range(" + box + ");");
  out_.line("pb_launch.group(" + dispatch_.shape_value(shape_of, Version::OpenCl, TunableRole::WorkGroup) + ", " +
            std::to_string(num_dims) + ", " + dispatch_.shape_value(shape_of, Version::OpenCl, TunableRole::Items) +
            ");");
}

std::string SeveralStepsCode::run_call(const std::string& frame, const Step& step, const std::string& check) const {
  return "pb_context.run(" + frame + ", pb_launch, " + site_constant(context_, id_, step.site) + ", " +
         dispatch_.choice_value(step, Version::OpenCl) + ", " + check + ", &pb_piece)";
}

}  // namespace pb
