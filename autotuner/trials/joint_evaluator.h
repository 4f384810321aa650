// SPDX-License-Identifier: MIT
// Several cases as one objective: a configuration's time is the geometric mean of its times for the cases, so the
// ratio of two configurations is the mean of their ratios, and a large case does not drown a small one. The search
// sees one evaluation; Session in tune.cpp makes it of the measurements. See Note [One time for several cases].
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/trials/evaluator.h"

namespace pbtune {

/// A case: what it is called, and how its inputs are made and run. The functions are those of Evaluator.
struct CaseEvaluator {
  std::string name;
  /// Its inputs follow the size. Others, as files and inputs whose sizes are all fixed, take part at the last size
  /// alone.
  bool has_sizes = true;
  std::function<Prepared(const PrepareSpec&)> prepare;
  std::function<Outcome(const Configuration&, const RunSpec&)> run;
  std::function<Prepared(const Configuration& reference)> renew;
  std::function<void(std::span<const Configuration>)> expect{};
};

/// The outcome of a configuration for several cases, from those of each. The first that is not usable speaks for all,
/// else there are as many times as each has, and the accuracy is that of the worst.
///
/// Pre:     there is an outcome
[[nodiscard]] Outcome joined(std::span<const Outcome> outcomes, bool higher_is_better);

class JointEvaluator {
 public:
  /// Pre:     there is a case
  JointEvaluator(std::vector<CaseEvaluator> cases, std::int64_t last_n, bool higher_is_better)
      : cases_(std::move(cases)), last_n_(last_n), higher_is_better_(higher_is_better) {}

  /// Prepares the cases that take part at a size. Those that have no inputs of a smaller size than the last are left
  /// out there. The time is the geometric mean of theirs, and the maker of the reference is the least sure one.
  [[nodiscard]] Prepared prepare(const PrepareSpec& spec);
  /// Runs the cases one after the other, until one fails or it is certain that the limit is missed.
  [[nodiscard]] Outcome run(const Configuration& configuration, const RunSpec& spec);
  [[nodiscard]] Prepared renew(const Configuration& reference);
  void expect(std::span<const Configuration> configurations) const;

 private:
  struct Part {
    std::size_t case_id = 0;
    double least_ns = 0;  ///< the least time at this size so far, at first that of the reference
  };
  [[nodiscard]] std::string words_about(std::size_t case_id, const std::string& message) const;
  [[nodiscard]] double limit_ms_of(std::size_t part, double limit_ms, std::span<const Outcome> before) const;
  /// The least that the mean can be if the last of the outcomes is that of a case which failed; 0: not known.
  [[nodiscard]] double least_mean_ns(std::span<const Outcome> outcomes) const;

  std::vector<CaseEvaluator> cases_;
  std::int64_t last_n_;
  bool higher_is_better_;
  std::vector<Part> parts_;  ///< the cases that take part at this size
};

}  // namespace pbtune
