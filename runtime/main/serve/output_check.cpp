// SPDX-License-Identifier: MIT
#include "runtime/main/serve/output_check.h"

#include <algorithm>
#include <cmath>

#include "runtime/main/engine/judge.h"

namespace pbrt {

OutputCheck::OutputCheck(Engine& engine, const TransformDesc& transform) : engine_(engine), transform_(transform) {
  for (int i = 0; i < transform.num_outputs; ++i) output_names_.emplace_back(transform.outputs[i].name);
}

Difference OutputCheck::compare(const Problem& problem, const std::vector<AnyMatrix>& outputs, double tolerance) {
  Difference found =
      compare_outputs(problem.outputs, outputs, output_names_, engine_.info_of(transform_).tolerance, tolerance);
  if (transform_.verifier < 0) return found;
  found.is_within = is_accepted(engine_, problem, outputs);
  if (!found.is_within)
    found.where = std::string(engine_.program().transforms[transform_.verifier].name) + " does not accept the outputs";
  return found;
}

CheckedCells OutputCheck::checked_sums(const Problem& problem) const {
  const bool says_otherwise = engine_.info_of(transform_).tolerance.is_given || transform_.verifier >= 0;
  return says_otherwise ? CheckedCells() : checked_cells(problem);
}

void OutputCheck::check(const Problem& problem, double tolerance, protocol::Reply& reply) {
  if (is_by_accuracy()) check_accuracy(problem, reply);
  if (!reference_.empty()) check_agreement(problem, tolerance, reply);
}

void OutputCheck::check_accuracy(const Problem& problem, protocol::Reply& reply) {
  constexpr double kMost = 1e308;  // the largest number that the protocol can carry
  const double measured = accuracy_of(engine_, problem);
  const double worst = accuracy().higher_is_better ? -kMost : kMost;
  const double found = std::isnan(measured) ? worst : std::clamp(measured, -kMost, kMost);
  const bool is_worse = accuracy().higher_is_better ? found < reply.accuracy : found > reply.accuracy;
  if (!reply.has_accuracy || is_worse) reply.accuracy = found;
  reply.has_accuracy = true;
  if (accuracy().is_met_by(found)) return;
  reply.status = protocol::Status::AccuracyMissed;
  reply.message.clear();
}

/// For each output the reference that it agrees with; the first one if it agrees with neither.
std::vector<AnyMatrix> OutputCheck::nearest_reference(const Problem& problem, double tolerance) const {
  std::vector<AnyMatrix> out = reference_;
  for (std::size_t i = 0; i < in_other_order_.size(); ++i) {
    const auto agrees = [&](const AnyMatrix& reference) {
      return compare_outputs({problem.outputs[i]}, {reference}, {output_names_[i]},
                             engine_.info_of(transform_).tolerance, tolerance)
          .is_within;
    };
    if (!agrees(reference_[i]) && agrees(in_other_order_[i])) out[i] = in_other_order_[i];
  }
  return out;
}

/// How cells differ from sums in wider numbers, and outputs of which these say too little, from the reference.
Difference OutputCheck::difference_from_sums(const Problem& problem) const {
  const std::vector<AnyMatrix> nearest = nearest_reference(problem, -1);
  std::vector<AnyMatrix> outputs, references;
  std::vector<std::string> names;
  std::vector<bool> has_shape;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    has_shape.push_back(problem.outputs[i].has_same_shape(nearest[i]));
    if (has_shape[i] && sums_.is_whole[i]) continue;
    outputs.push_back(problem.outputs[i]);
    references.push_back(nearest[i]);
    names.push_back(output_names_[i]);
  }
  Difference out = compare_outputs(outputs, references, names, engine_.info_of(transform_).tolerance, -1);
  for (const CheckedCell& cell : sums_.cells) {
    const auto i = static_cast<std::size_t>(cell.output);
    if (has_shape[i]) add_difference(cell, problem.outputs[i], output_names_[i], out);
  }
  return out;
}

void OutputCheck::check_agreement(const Problem& problem, double tolerance, protocol::Reply& reply) {
  const Difference found = sums_.cells.empty() || tolerance >= 0
                               ? compare(problem, nearest_reference(problem, tolerance), tolerance)
                               : difference_from_sums(problem);
  reply.max_error_abs = std::max(reply.max_error_abs, found.abs);
  reply.max_error_rel = std::max(reply.max_error_rel, found.rel);
  if (found.is_within) return;
  reply.status = protocol::Status::Wrong;
  reply.message = found.where;
}

}  // namespace pbrt
