// SPDX-License-Identifier: MIT
// What a search tries before it mutates: one change at a time, to accuracy values, to the choices of sites, to
// work-groups and shares of a device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/search/attempts.h"
#include "autotuner/search/schedule.h"
#include "autotuner/search/selection.h"
#include "autotuner/search/site_sweep.h"
#include "autotuner/search/starting_points.h"
#include "autotuner/space/search_space.h"
#include "autotuner/trials/population.h"
#include "autotuner/trials/search_events.h"
#include "autotuner/trials/trials.h"

namespace pbtune {

/// What sweeps work with.
struct SweepContext {
  const Space& space;
  const Schedule& schedule;
  Population& population;
  Trials& trials;
  Selection& selection;
  Attempts& attempts;
  const SearchEvents& events;
  std::function<void(const std::string& phase)> on_phase;
};

class Sweeps {
 public:
  /// Keeps the references.
  explicit Sweeps(SweepContext context) : context_(std::move(context)), site_sweep_(context_.space) {}

  /// Lowers the accuracy values of a candidate, one after the other, as far as the target allows. Returns what it
  /// became. A choice may be far more accurate than it must be, and slow for that reason alone.
  [[nodiscard]] Candidate lower_accuracy(Candidate parent);
  /// Compares the best few that make different choices for the transform that is measured with their neighbours, each
  /// of which makes another choice at one site from size `from` on.
  void try_sites(std::int64_t from);
  /// Tries the usual work-group shapes and shares for every member that runs on a device, one value after the other.
  void try_usual_values();
  /// The best of the size before with each choice that was nearly as good there, for where runs are so long that sites
  /// are not tried one by one.
  [[nodiscard]] std::vector<StartingPoint> promising_choices(const Candidate& best, std::int64_t previous_n) const;

 private:
  /// The seconds left at this size.
  [[nodiscard]] double left_s() const;
  void try_sites_of(Candidate parent, std::int64_t from, double end_s);
  /// A value that is often good for a tunable.
  struct UsualValue {
    int tunable = 0;
    std::vector<double> values;
  };
  /// Those of the tunables that take part in runs of a candidate.
  [[nodiscard]] std::vector<UsualValue> usual_values_for(const Candidate& candidate) const;
  void try_usual_values_of(Candidate parent, double end_s);

  SweepContext context_;
  SiteSweep site_sweep_;
};

}  // namespace pbtune
