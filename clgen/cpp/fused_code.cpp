// SPDX-License-Identifier: MIT
#include "clgen/cpp/fused_code.h"

#include <algorithm>

#include "clgen/cpp/instance_code.h"
#include "clgen/cpp/loop_code.h"
#include "clgen/cpp/piece_code.h"
#include "clgen/cpp/step_code.h"
#include "clgen/lower/independence.h"
#include "clgen/names.h"

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

/// The first member with what functions need that run all of them.
RuleCode joint_code(const CppContext& context, TransformId transform, std::size_t index) {
  std::vector<RuleCode> codes = member_codes(context, transform, plan_of(context, transform).fused[index]);
  for (std::size_t i = 1; i < codes.size(); ++i) codes[0].join(codes[i]);
  codes[0].stem = fused_stem(context, transform, index);
  return codes[0];
}

/// What members call the variables of the loops, where that is not what the first one does.
void emit_other_names(Writer& out, const TransformPlan& plan, const FusedSteps& steps) {
  const std::vector<LoopDim>& loops = plan.steps[steps[0]].loops;
  std::set<std::string> known;
  for (const StepId id : steps) {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const std::string& var = plan.steps[id].loops[i].var;
      if (var != loops[i].var && known.insert(var).second)
        out.line("[[maybe_unused]] const IndexT " + var + " = " + loops[i].var + ";");
    }
  }
}

void emit_fused_loops(Writer& to, const CppContext& context, const RuleCode& code, std::size_t index) {
  const TransformPlan& plan = plan_of(context, code.transform_id);
  const FusedSteps& steps = plan.fused[index];
  const std::vector<RuleCode> members = member_codes(context, code.transform_id, steps);
  const std::vector<LoopDim>& loops = plan.steps[steps[0]].loops;
  Writer out = loops_body(code);
  for (std::size_t i = 0; i < loops.size(); ++i)
    for (const char* side : {"lo", "hi"})
      out.line("const IndexT pb_" + std::string(side) + "_" + loops[i].var + " = static_cast<IndexT>(pb_box." + side +
               "[" + std::to_string(loops.size() - 1 - i) + "]);");
  const bool is_independent = std::all_of(members.begin(), members.end(),
                                          [](const RuleCode& member) { return has_independent_body(member.rule); });
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::string& var = loops[i].var;
    if (is_independent && i + 1 == loops.size()) out.line("PB_INDEPENDENT");
    out.open("for (IndexT " + var + " = pb_lo_" + var + "; " + var + " < pb_hi_" + var + "; ++" + var + ")");
  }
  emit_other_names(out, plan, steps);
  const auto value = [](std::size_t i) { return "pb_value_" + std::to_string(i); };
  for (std::size_t i = 0; i < members.size(); ++i)
    out.line("const " + element_of(members[i], members[i].rule.outputs[0]) + " " + value(i) + " = " +
             value_text(members[i]) + ";");
  for (std::size_t i = 0; i < members.size(); ++i)
    out.line(access_text(members[i], members[i].rule.outputs[0]) + " = " + value(i) + ";");
  for (std::size_t i = 0; i < loops.size(); ++i) out.close();
  emit_loops_function(to, code, "PB_LOOPS void loops_" + code.stem,
                      "const " + box_type(plan.steps[steps[0]]) + "& pb_box", out);
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
  const HostParts hosted = parts_of_step(plan, code, steps[0]);
  emit_arrivals(statements, hosted, "pb_frame");
  statements.line("const pbrt::RuleScope pb_scope(pb_frame, " + rule_constant(code.stem) + ", " +
                  std::to_string(steps.size()) + " * pb_box.volume());");
  const std::optional<Condition> unit = declare_unit(statements, code, "pb_unit");
  emit_piece(statements, code, code.stem, false, unit, "pb_box");
  emit_departures(statements, hosted, "pb_frame");
  std::vector<std::string> params = step_params(code);
  params.push_back("const " + box_type(plan.steps[steps[0]]) + "& pb_box");
  emit_function(out, "PB_STEP void step_" + code.stem + "_cpu", params, statements);
  out.blank();
}

std::string fused_call(const CppContext& context, TransformId transform, std::size_t index, const std::string& frame) {
  const RuleCode code = joint_code(context, transform, index);
  return "step_" + code.stem + "_cpu(" + joined(step_args(code, frame)) + ", pb_box);";
}

}  // namespace pb
