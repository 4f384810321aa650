// SPDX-License-Identifier: MIT
#include "autotuner/tune/confirmation.h"

#include <algorithm>

namespace pbtune {
namespace {

/// Whether an earlier target, whose result is `earlier[k]`, misses its accuracy with the configuration on inputs on
/// which it reached it.
bool spoils(const Elsewhere& elsewhere, std::size_t k, const Configuration& configuration) {
  constexpr double kSlowest = 8, kLeastMs = 200;
  const Configuration& found_last = elsewhere.earlier.back().best;
  double best_ns = elsewhere.earlier[k].best_ns;  // of the slowest case
  for (const CaseResult& one : elsewhere.earlier[k].cases) best_ns = std::max(best_ns, one.best_ns);
  const RunSpec check{1, kLeastMs + kSlowest * best_ns * 1e-6, "check of " + elsewhere.targets[k].transform};
  bool is_spoilt = false;
  // An earlier target may reach its accuracy so narrowly on its own inputs that it misses it on others. That is
  // accepted.
  for (int variant = 0; variant <= elsewhere.num_variants; ++variant) {
    const Outcome before = elsewhere.run(k, variant, found_last, check);
    const Outcome after = elsewhere.run(k, variant, configuration, check);
    is_spoilt = is_spoilt || (before.kind == OutcomeKind::Ok && after.kind != OutcomeKind::Ok);
  }
  return is_spoilt;
}

}  // namespace

Outcome confirm(const Elsewhere& elsewhere, const Configuration& configuration, const RunSpec& spec) {
  const std::size_t current = elsewhere.earlier.size();
  Outcome worst;
  worst.kind = OutcomeKind::Ok;
  for (int variant = 1; variant <= elsewhere.num_variants && worst.kind == OutcomeKind::Ok; ++variant)
    worst = elsewhere.run(current, variant, configuration, spec);
  for (std::size_t k = 0; k < current && worst.kind == OutcomeKind::Ok; ++k) {
    if (!is_different_for(elsewhere.targets[k], elsewhere.index, configuration, elsewhere.earlier.back().best))
      continue;
    if (!spoils(elsewhere, k, configuration)) continue;
    worst.kind = OutcomeKind::Error;
    worst.message = elsewhere.targets[k].transform + " misses its target with it";
  }
  return worst;
}

}  // namespace pbtune
