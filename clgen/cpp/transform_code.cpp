// SPDX-License-Identifier: MIT
#include "clgen/cpp/transform_code.h"

#include "clgen/cpp/calls/call_choices.h"
#include "clgen/cpp/calls/call_frame.h"
#include "clgen/cpp/calls/call_sizes.h"
#include "clgen/cpp/calls/call_storage.h"
#include "clgen/cpp/calls/entry_code.h"
#include "clgen/cpp/steps/band_code.h"
#include "clgen/cpp/steps/schedule_code.h"
#include "clgen/cpp/steps/step_functions.h"
#include "clgen/facts/names.h"
#include "lang/source.h"

namespace pb {
namespace {

/// Prints the statements of `run_T`.
void emit_run_body(Writer& out, CallContext call, const Schedule& schedule, const StepFunctionNames& functions) {
  emit_sizes(out, call);
  emit_variable_checks(out, call);
  if (schedule.has_frames_in_steps) {
    call.frame = "pb_parent";
    out.line("pb_parent.throw_if_aborted();");
  } else {
    emit_frame(out, call);
  }
  out.declare("pbrt::RunContext&", "pb_context", call.frame + ".context()");
  emit_uncovered(out, call, nullptr);
  emit_choices(out, call);
  emit_tuned_values(out, call);
  const auto emit_before = [&](const StepDispatch& dispatch) {
    emit_bands_flags(out, call.context, call.id, dispatch);
    emit_temporaries(out, call, dispatch.conditions());
    emit_void_outputs(out, call, dispatch.conditions());
    emit_uncovered(out, call, &dispatch.conditions());
  };
  const EmitFrame emit_frame_of_step = [&](Writer& to) { emit_frame(to, call); };
  emit_schedule(out, call.context, call.id, schedule, functions, emit_before,
                schedule.has_frames_in_steps ? emit_frame_of_step : EmitFrame());
}

}  // namespace

void emit_transform(Writer& out, const CppContext& context, TransformId transform, const std::vector<Kernel>& kernels) {
  const CallContext call(context, transform);
  const Schedule& schedule = lowered_of(context, transform).schedule;
  const StepFunctionNames functions = emit_step_functions(out, context, transform, schedule, kernels);
  Writer body;
  body.indent();
  emit_run_body(body, call, schedule, functions);
  out.line("// transform " + call.transform.name + "   " + origin_of(context.sources, call.transform.span));
  out.open("static void run_" + call.name + "(pbrt::Frame& pb_parent, " + call_params_text(call.transform) + ")");
  out.verbatim(body.text());
  out.close();
  out.blank();
  emit_entries(out, call);
}

}  // namespace pb
