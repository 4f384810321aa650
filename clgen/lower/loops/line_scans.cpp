// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/line_scans.h"

#include <utility>

#include "choicegraph/plan/launch_scans.h"
#include "clgen/facts/same_factor.h"
#include "clgen/facts/value_before.h"

namespace pb {

LineScans line_scans_of(const Program& program, const Transform& transform, const Step& step, const Scan& scan,
                        RuleInstance instance) {
  const Rule& rule = transform.rules[step.rule];
  LineScans out{scan, static_cast<int>(loop_of(scan, step)), {}, std::move(instance)};
  for (const ScannedValue& value : scan.values) {
    const Matrix& matrix = transform.matrices[rule.outputs[value.output].matrix];
    out.types.push_back(matrix.is_element_t ? program.element : matrix.element);
    out.same_factors.push_back(has_factor(value) && has_same_factor(transform, rule, value));
    out.begins_again.push_back(has_factor(value) && may_begin_again(rule, value));
    out.instance.inputs[value.input] = {OperandKind::Continued};
  }
  out.stores_values_only = scan.values.size() == rule.outputs.size();
  return out;
}

}  // namespace pb
