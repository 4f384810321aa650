// SPDX-License-Identifier: MIT
// What the end of a search works with: the population and the default at the target size, and the trials that are left.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autotuner/search/schedule.h"
#include "autotuner/search/search_options.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/references.h"
#include "autotuner/trials/trials.h"

namespace pbtune {

struct FinalsContext {
  const Space& space;
  const SearchOptions& options;
  const Schedule& schedule;
  const Population& population;  ///< not empty
  const Candidate& standard;     ///< the default as measured at this size; without times if it did not end in time
  const std::vector<NamedConfiguration>& before;  ///< configurations known from before the search
  const References& references;                   ///< of the size
  Trials& trials;
  std::function<void(const std::string& phase)> on_phase;

  [[nodiscard]] double default_ns() const { return default_time_ns(standard); }
  /// What a run of the best takes, with putting outputs back and verifying them.
  [[nodiscard]] double run_s() const { return trials.work_s(population.best_ns()) + trials.overhead_s(); }
  /// The time by which the final comparison must have at most `num_left` parts to go, estimated from the runs so far.
  [[nodiscard]] double end_before_parts(int num_left) const {
    return schedule.end_before_parts(
        num_left, {trials.work_s(population.best_ns()), trials.work_s(default_ns()), trials.overhead_s()});
  }
};

}  // namespace pbtune
