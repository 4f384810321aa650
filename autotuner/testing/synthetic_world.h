// SPDX-License-Identifier: MIT
// A world for tests of whole searches, in which the formula of the synthetic program says what a run takes.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "autotuner/testing/synthetic.h"
#include "autotuner/trials/evaluator.h"
#include "autotuner/trials/statistics.h"
#include "runtime/config/rng.h"

namespace pbtune::testing {

/// A world without a program: times from the formula with noise, a clock that advances by them.
class SyntheticWorld {
 public:
  explicit SyntheticWorld(const InfoIndex& index, std::uint64_t seed) : index_(index), rng_(seed) {}

  Evaluator evaluator() {
    Evaluator out;
    out.prepare = [this](const PrepareSpec& spec) {
      n_ = spec.n;
      if (prepare) return prepare(spec);
      return Prepared{n_ >= skip_below ? PrepareStatus::Ready : PrepareStatus::Skipped, reference_ns, "too small"};
    };
    out.renew = renew;
    out.run = [this](const Configuration& configuration, const RunSpec& spec) { return run(configuration, spec); };
    out.elapsed_s = [this] { return elapsed_s; };
    return out;
  }

  Outcome run(const Configuration& configuration, const RunSpec& spec) {
    Outcome out;
    out.kind = OutcomeKind::Ok;
    out.ran = reported.empty() ? synthetic_ran(configuration, n_) : reported;
    out.has_large_matrices = has_large_matrices;
    for (int i = 0; i < spec.trials; ++i) {
      ++num_trials;
      out.times_ns.push_back(true_ns(configuration) * std::exp(noise * std::fabs(rng_.normal())));
      elapsed_s += out.times_ns.back() * 1e-9 + 1e-3;
    }
    const bool is_slow = has_limits && spec.limit_ms > 0 && minimum(out.times_ns) > spec.limit_ms * 1e6;
    if (is_slow) out.kind = OutcomeKind::TimedOut;
    if (is_slow && is_killed) {
      for (const double time : out.times_ns) elapsed_s -= time * 1e-9;
      elapsed_s += spec.limit_ms * 1e-3 * spec.trials;
      out.times_ns.clear();
    }
    if (is_wrong && is_wrong(configuration)) out.kind = OutcomeKind::Wrong;
    for (const RanChoice& ran : out.ran) {
      if (!(ran == wrong)) continue;
      out.kind = OutcomeKind::Wrong;
      for (double& time : out.times_ns) time /= 20;
    }
    return out;
  }

  [[nodiscard]] std::int64_t n() const { return n_; }
  [[nodiscard]] double true_ns(const Configuration& configuration) const {
    return true_time ? true_time(configuration) : synthetic_ns(index_, configuration, n_);
  }

  std::function<double(const Configuration&)> true_time;  ///< instead of the formula
  std::function<Prepared(const PrepareSpec&)> prepare;    ///< instead of inputs and reference that take no time
  std::function<Prepared(const Configuration&)> renew;
  std::vector<RanChoice> reported{};  ///< what each run reports; empty: what the synthetic program does
  double noise = 0.03;
  int num_trials = 0;
  double elapsed_s = 0;
  std::int64_t skip_below = 0;
  double reference_ns = 0;
  bool has_large_matrices = true;
  bool has_limits = false;  ///< whether a run that takes longer than its limit fails
  bool is_killed = false;   ///< whether it ends at its limit then
  RanChoice wrong{-1, -1};
  std::function<bool(const Configuration&)> is_wrong;  ///< beside those that make this choice

 private:
  const InfoIndex& index_;
  pbrt::Rng rng_;
  std::int64_t n_ = 0;
};

}  // namespace pbtune::testing
