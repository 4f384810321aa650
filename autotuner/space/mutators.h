// SPDX-License-Identifier: MIT
// Mutators: functions that make a new configuration by changing an existing one at random. They are
// generated from the training information, one set per program.
// Source: Phothilimthana et al., ASPLOS 2013, section 5.2.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "autotuner/space/search_space.h"
#include "runtime/config/rng.h"

namespace pbtune {

/// A site whose choices or schedules may be varied, with the values that each of its schedules has.
struct ScheduleGene {
  int site = 0;
  std::vector<int> choices;         ///< allowed alternatives; one: there is no choice
  std::vector<TunableGene> values;  ///< those that may be varied
  std::vector<SizeCut> cuts;        ///< where levels may begin
};

struct Mutator {
  std::string name;  ///< words for people: `add a level to Conv.Out#1`
  int site = -1;     ///< the site it belongs to, else -1
  int tunable = -1;  ///< the tunable it belongs to, else -1
  /// Changes the configuration; `n` is the size being tuned. Returns false if nothing could be changed.
  std::function<bool(Configuration&, pbrt::Rng&, std::int64_t n)> apply;
};

/// Keeps a reference to `space`.
[[nodiscard]] std::vector<Mutator> make_mutators(const Space& space);

/// The elementary steps, for the distribution tests.
///
/// A whole number scaled by a log-normal factor (sigma = ln 2: small changes are likelier than large ones, halving as
/// likely as doubling), never the same number again unless the range has only one.
[[nodiscard]] double scaled_log_normal(double value, double min, double max, pbrt::Rng& rng);
/// Changes one element of a tunable's values (of those for size `n`, and with `is_range` of all larger ones by the same
/// rule). `first`: where the values of the schedule in question begin.
bool change_values(std::vector<double>& values, const TunableGene& gene, std::size_t first, std::int64_t n,
                   bool is_range, pbrt::Rng& rng);
bool add_level(Selector& selector, const std::vector<int>& choices, std::int64_t n, pbrt::Rng& rng);
/// Cuts a level at a random size up to `n`, with all orders of magnitude alike. One of its two parts gets another
/// choice.
bool split_level(Selector& selector, const std::vector<int>& choices, std::int64_t n, pbrt::Rng& rng);
/// Adds a level that tells apart the values of one of the sizes. It gets another choice, or the level that it is taken
/// from does.
bool add_case_level(Selector& selector, const ScheduleGene& gene, pbrt::Rng& rng);
/// Lets a level test another one of the sizes.
bool move_to_other_size(Selector& selector, const std::vector<SizeCut>& cuts, pbrt::Rng& rng);
/// Adds a level beside another one, and a schedule for one of the two: a copy of what they have, in which one value is
/// changed.
bool add_schedule(const Space& space, Configuration& configuration, const ScheduleGene& gene, std::int64_t n,
                  pbrt::Rng& rng);
bool remove_level(Selector& selector, pbrt::Rng& rng);
bool change_level(Selector& selector, const std::vector<int>& choices, pbrt::Rng& rng);
bool move_cut_off(Selector& selector, pbrt::Rng& rng);
/// Gives all sizes from a random one on, at or below `n`, one choice.
bool change_range(Selector& selector, const std::vector<int>& choices, std::int64_t n, pbrt::Rng& rng);
/// Doubles or halves one extent, moves a factor of two between extents, or draws a new shape.
bool change_shape(std::vector<double>& shape, const TunableGene& gene, pbrt::Rng& rng);

}  // namespace pbtune
