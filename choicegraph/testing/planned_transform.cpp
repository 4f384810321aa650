// SPDX-License-Identifier: MIT
#include "choicegraph/testing/planned_transform.h"

#include "choicegraph/passes/build_plan.h"
#include "choicegraph/plan/plan_text.h"
#include "choicegraph/plan/verify_plan.h"
#include "frontend/infer_regions/infer_regions.h"

namespace pb::testing {

PlannedTransform::PlannedTransform(const TestTransform& transform) : program(transform.program()) {
  if (!infer_regions(program, diags)) return;
  plan = build_plan(program, diags);
  if (!diags.has_errors()) verify(plan, program);
}

std::string PlannedTransform::text() const { return to_string(plan, program); }

std::string PlannedTransform::messages() const {
  std::string out;
  for (const Diagnostic& diagnostic : diags.all()) {
    out += diagnostic.message() + "\n";
    for (const DiagLabel& note : diagnostic.notes) out += "note: " + note.text + "\n";
  }
  return out;
}

std::vector<std::string> PlannedTransform::segments() const {
  std::vector<std::string> out;
  for (const Segment& segment : only().segments) {
    std::string line = transform().matrices[segment.matrix].name;
    for (const IndexRange& range : segment.box) line += " [" + to_string(range.lo) + ", " + to_string(range.hi) + ")";
    line += " by";
    for (const RuleId rule : segment.candidates) line += " " + transform().rules[rule].name;
    out.push_back(line);
  }
  return out;
}

}  // namespace pb::testing
