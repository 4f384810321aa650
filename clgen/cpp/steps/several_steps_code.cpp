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

void SeveralStepsCode::emit_buffers(const std::string& name, const Matrix& matrix,
                                    const std::vector<std::int64_t>& more, std::size_t count) {
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < more.size(); ++d) {
    std::string steps[] = {"0", "0", "0"};
    steps[d] = "1";
    dims.push_back("{{" + steps[0] + ", " + steps[1] + ", " + steps[2] + "}, " + std::to_string(1 + more[d]) + "}");
  }
  out_.line("const pbrt::gpu::TileDim " + name + "[] = {" + joined(dims) + "};");
  for (std::size_t i = 0; i < count; ++i)
    out_.line("pb_launch.tile(sizeof(" + element_text(matrix.element, matrix.is_element_t) + "), " +
              std::to_string(more.size()) + ", " + name + ");");
}

std::string SeveralStepsCode::run_call(const std::string& frame, const Step& step, const std::string& check) const {
  return "pb_context.run(" + frame + ", pb_launch, " + site_constant(context_, id_, step.site) + ", " +
         dispatch_.choice_value(step, Version::OpenCl) + ", " + check + ", &pb_piece)";
}

}  // namespace pb
