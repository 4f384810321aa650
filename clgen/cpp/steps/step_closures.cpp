// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/step_closures.h"

#include <algorithm>

#include "clgen/cpp/steps/band_code.h"
#include "clgen/cpp/steps/tile_launch_code.h"
#include "clgen/facts/names.h"

namespace pb {

StepClosures::StepClosures(const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                           std::set<StepId> nodes)
    : context_(context),
      id_(transform),
      plan_(context.plan.transforms[transform.index()]),
      dispatch_(dispatch),
      nodes_(std::move(nodes)) {}

const StepClosures::SharedClosure* StepClosures::find(const DispatchForm& form) const {
  const auto found =
      std::find_if(shared_.begin(), shared_.end(), [&](const SharedClosure& one) { return one.form == form; });
  return found == shared_.end() ? nullptr : &*found;
}

bool StepClosures::may_share(StepId step) const {
  const LoweredTransform& lowered = lowered_of(context_, id_);
  return nodes_.contains(step) && tile_launches_of(lowered, step).empty() && !may_run_in_bands(lowered, step) &&
         !box_args(lowered.steps[step], true).empty();
}

void StepClosures::emit_shared(Writer& out) {
  std::vector<std::pair<StepId, DispatchForm>> forms;
  for (const StepId id : plan_.steps.ids())
    if (may_share(id)) forms.emplace_back(id, dispatch_.form_of(id));
  for (const auto& one : forms) {
    const DispatchForm& form = one.second;
    const auto has_form = [&form](const auto& other) { return other.second == form; };
    if (find(form) != nullptr || std::count_if(forms.begin(), forms.end(), has_form) < 2) continue;
    shared_.push_back({form, "pb_run_" + std::to_string(shared_.size())});
    emit_shared_closure(out, one.first, shared_.back().name);
  }
}

void StepClosures::emit_shared_closure(Writer& out, StepId step, const std::string& name) const {
  std::string params = "pbrt::Frame& pb_step";
  // A dispatch to both a device and the CPU leaves the CPU's part in the boxes.
  const bool is_shared = dispatch_.is_shared(step);
  for (const StepBox& box : lowered_of(context_, id_).steps[step].boxes)
    params += (is_shared ? ", " + type_of(box) + " " : ", const " + type_of(box) + "& ") + box.name;
  out.open("const auto " + name + " = [&](" + params + ")");
  dispatch_.emit_dispatch(out, step, "pb_step", true);
  out.close(";");
}

void StepClosures::emit(Writer& out, StepId step) const {
  out.open("const auto " + name_of(step) + " = [&](pbrt::Frame& pb_step)");
  const SharedClosure* shared = may_share(step) ? find(dispatch_.form_of(step)) : nullptr;
  if (shared == nullptr)
    emit_step(out, context_, id_, dispatch_, step, "pb_step");
  else
    out.line(shared->name + "(pb_step, " + joined(box_args(lowered_of(context_, id_).steps[step], false)) + ");");
  out.close(";");
}

}  // namespace pb
