// SPDX-License-Identifier: MIT
#include "clgen/emit_lowered.h"

#include <fmt/format.h>

#include <algorithm>

#include "clgen/lower/cpu_loops.h"
#include "clgen/lower/kernel_tree.h"
#include "clgen/lower/nest_loops.h"
#include "clgen/lower/reads_ahead.h"
#include "clgen/lower/rule_shape.h"
#include "clgen/lower/schedule/schedule_text.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/lower/tree_text.h"
#include "clgen/names.h"
#include "clgen/numbering.h"

namespace pb {
namespace {

/// Returns a line for each loop of a rule's body that asks for elements ahead.
std::string reads_ahead_text(const RuleShape& rule) {
  std::string out;
  for (const ReadsAhead& reads : find_reads_ahead(rule.rule, rule.facts))
    out += fmt::format("  its loop over {} asks ahead for {}\n", reads.counter, joined(reads.inputs));
  return out;
}

}  // namespace

std::string emit_lowered(const Program& program, const Plan& plan) {
  std::string out;
  const bool has_devices = has_kernels(plan);
  for (const TransformPlan& transform : plan.transforms) {
    out += to_text(program, transform, make_schedule(program, transform, has_devices));
    for (const StepId id : transform.steps.ids()) {
      const Step& step = transform.steps[id];
      const bool is_in_nest = std::any_of(transform.nests.begin(), transform.nests.end(),
                                          [&](const Nest& nest) { return has_member(nest, id); });
      if (!is_in_nest && !step.loops.empty()) {
        const RuleShape rule(program, transform.transform, step.rule);
        out += to_text(rule, id, lower_cpu_loops(rule, step)) + reads_ahead_text(rule);
      }
      for (const Version version : {Version::OpenCl, Version::OpenClLocal})
        if (!choices_running(transform, step, version).empty())
          out += to_text(program, lower_kernel(program, transform, id, version));
    }
    for (const FusedSteps& steps : transform.fused) out += to_text(program, transform, steps);
    for (const Nest& nest : transform.nests) {
      out += to_text(transform, nest);
      for (const NestMember& member : nest.members) {
        const RuleShape rule(program, transform.transform, transform.steps[member.step].rule);
        out += to_text(rule, member.step, lower_member_loops(rule, transform, nest, member));
      }
    }
  }
  return out;
}

}  // namespace pb
