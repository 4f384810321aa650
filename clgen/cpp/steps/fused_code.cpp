// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/fused_code.h"

#include <algorithm>

#include "clgen/cpp/loops/loop_code.h"
#include "clgen/cpp/loops/piece_code.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

const TransformPlan& plan_of(const CppContext& context, TransformId transform) {
  return context.plan.transforms[transform.index()];
}

std::vector<RuleCode> member_codes(const CppContext& context, TransformId transform, const FusedSteps& steps) {
  std::vector<RuleCode> codes;
  for (const StepId id : steps) codes.emplace_back(context, transform, plan_of(context, transform).steps[id].rule);
  return codes;
}

/// Returns the first member, joined with what functions need that run all members.
RuleCode joint_code(const CppContext& context, TransformId transform, std::size_t index) {
  std::vector<RuleCode> codes = member_codes(context, transform, plan_of(context, transform).fused[index]);
  for (std::size_t i = 1; i < codes.size(); ++i) codes[0].join(codes[i]);
  codes[0].stem = fused_stem(context, transform, index);
  return codes[0];
}

void emit_fused_loops(Writer& out, const CppContext& context, const RuleCode& code, std::size_t index) {
  const TransformPlan& plan = plan_of(context, code.transform_id);
  const FusedSteps& steps = plan.fused[index];
  const std::vector<RuleCode> members = member_codes(context, code.transform_id, steps);
  emit_joined_loops(out, code, members, plan.steps[steps[0]],
                    lowered_of(context, code.transform_id).fused[index].loops);
}

}  // namespace

std::string fused_stem(const CppContext& context, TransformId transform, std::size_t index) {
  return identifier_of(context.program, transform) + "_f" + std::to_string(index);
}

void emit_fused_step(Writer& out, const CppContext& context, TransformId transform, std::size_t index) {
  const TransformPlan& plan = plan_of(context, transform);
  const FusedSteps& steps = plan.fused[index];
  const RuleCode code = joint_code(context, transform, index);
  std::vector<std::string> names;
  for (const StepId id : steps) names.push_back(code.transform.rules[plan.steps[id].rule].name);
  const std::string name = code.transform.name + "." + joined(names, " + ");
  out.line("// in one loop: " + name);
  out.line("[[maybe_unused]] constexpr pbrt::RuleDesc " + rule_constant(code.stem) + " = {" + quoted(name) +
           ", \"cpu\"};");
  emit_fused_loops(out, context, code, index);
  out.blank();
  Writer statements;
  statements.indent();
  emit_scalar_constants(statements, code, ScalarSet::Step);
  const HostParts& hosted = lowered_of(context, transform).fused[index].hosted;
  emit_arrivals(statements, hosted, "pb_frame");
  statements.line("const pbrt::RuleScope pb_scope(pb_frame, " + rule_constant(code.stem) + ", " +
                  std::to_string(steps.size()) + " * pb_box.volume());");
  const auto fast = declare_views(statements, code, lowered_of(context, transform).fused[index].views, "pb_unit");
  emit_piece(statements, code, code.stem, Condition::never(), fast, "pb_box");
  emit_departures(statements, hosted, "pb_frame");
  std::vector<Parameter> params = step_params(code);
  params.push_back({"const " + box_type(plan.steps[steps[0]]) + "&", "pb_box"});
  emit_function(out, "PB_STEP void step_" + code.stem + "_cpu", params, statements);
  out.blank();
}

std::string fused_call(const CppContext& context, TransformId transform, std::size_t index, const std::string& frame) {
  const RuleCode code = joint_code(context, transform, index);
  return "step_" + code.stem + "_cpu(" +
         joined(versioned_step_args(context.plan.transforms[transform.index()], code, frame)) + ", pb_box);";
}

}  // namespace pb
