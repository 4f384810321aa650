// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/launch_steps.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pb {

bool may_run_in(const TransformPlan& plan, const Step& step, Version version) {
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
    const std::vector<Version>& versions = alternative.versions;
    return std::find(versions.begin(), versions.end(), version) != versions.end() && runs(plan, alternative, step);
  });
}

bool has_basic_version(const TransformPlan& plan, const Step& step) { return may_run_in(plan, step, Version::OpenCl); }

namespace {

/// The size of a step's box: how many loops grow with the sizes, and the instances along the others.
struct BoxSize {
  std::size_t num_growing = 0;
  double num_constant = 1;
  auto operator<=>(const BoxSize&) const = default;
};

/// The number of a loop's iterations where all sizes are large: of a border as well, whose bounds name the sizes. None
/// if it is too large.
std::optional<std::int64_t> length_at_large_sizes(const LoopDim& loop) {
  constexpr std::int64_t kLarge = 1'000'000;
  const IndexExpr length = index_sub(loop.range.hi, loop.range.lo);
  SymbolValues sizes;
  for (const std::string& name : symbols_of(length)) sizes.emplace_back(name, kLarge);
  return evaluate(length, sizes);
}

BoxSize box_size(const Step& step) {
  constexpr std::int64_t kMostConstant = 10'000;
  BoxSize out;
  for (const LoopDim& loop : step.loops) {
    const std::optional<std::int64_t> length = length_at_large_sizes(loop);
    if (!length || *length > kMostConstant)
      ++out.num_growing;
    else
      out.num_constant *= static_cast<double>(*length);
  }
  return out;
}

}  // namespace

bool has_less_to_do(const Transform& transform, const Step& a, const Step& b) {
  const auto rank = [&](const Step& step) {
    return std::pair(box_size(step), transform.rules[step.rule].inputs.size());
  };
  return rank(a) < rank(b);
}

bool is_variable(const Formula& at, const std::string& var) {
  const auto* symbol = std::get_if<SymbolRef>(&at.node);
  return symbol != nullptr && symbol->name == var;
}

std::optional<std::int64_t> constant_of(const IndexExpr& at) {
  return at.op == IndexExpr::Op::Const ? std::optional(at.value) : std::nullopt;
}

std::optional<MatrixId> matrix_of_versions(const TransformPlan& plan, const Nest& nest) {
  for (const MatrixId id : plan.two_versions)
    if (nest_of_versions(plan, id) == &nest) return id;
  return std::nullopt;
}

}  // namespace pb
