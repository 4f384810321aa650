// SPDX-License-Identifier: MIT
#include "runtime/config/random_configuration.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "runtime/config/configuration.h"
#include "runtime/config/index_of_id.h"
#include "runtime/config/rng.h"

namespace pbrt {
namespace {

/// Draws levels. Now and then some of a transform with several size variables test one of them.
Selector random_selector(const InfoIndex::SiteRef& ref, int num_schedules, Rng& rng, const RandomOptions& options) {
  constexpr double kVariableShare = 0.25;
  const SiteInfo& site = *ref.site;
  std::vector<int> allowed;
  for (int i = 0; i < site.num_choices(); ++i)
    if (options.allow_devices || !is_device(site.choice(i).on)) allowed.push_back(i);
  const auto draw = [&] {
    return allowed[at(static_cast<int>(rng.uniform_int(0, static_cast<std::int64_t>(allowed.size()) - 1)))];
  };
  const auto draw_schedule = [&] { return static_cast<int>(rng.uniform_int(0, num_schedules - 1)); };
  std::set<std::int64_t> cuts;
  while (cuts.size() + 1 < kMaxSelectorLevels && rng.chance(0.5))
    cuts.insert(std::llround(rng.log_uniform(2, std::max(2.0, static_cast<double>(options.max_n)))));
  Selector selector{{Level{0, draw(), draw_schedule()}}};
  for (const std::int64_t from : cuts) selector.levels.push_back({from, draw(), draw_schedule()});
  const auto num_variables = static_cast<std::int64_t>(ref.transform->sizes.size());
  for (std::size_t i = 1; num_variables > 1 && i < selector.levels.size(); ++i)
    if (rng.chance(kVariableShare)) selector.levels[i].by = static_cast<int>(rng.uniform_int(1, num_variables));
  return selector;
}

double random_number(const TunableInfo& tunable, Rng& rng, double max) {
  const double hi = std::min(tunable.max, std::max(max, tunable.min));
  if (tunable.type == TunableType::Real) {
    const bool is_bounded = tunable.max - tunable.min < 1e9;
    const double scale = std::max(1.0, std::fabs(tunable.initial_of(0)));
    const double value = is_bounded ? tunable.min + rng.uniform() * (tunable.max - tunable.min)
                                    : tunable.initial_of(0) + scale * rng.normal();
    return std::clamp(value, tunable.min, tunable.max);
  }
  const bool is_narrow = hi - tunable.min <= 64;
  if (is_narrow) return static_cast<double>(rng.uniform_int(std::llround(tunable.min), std::llround(hi)));
  // Wide ranges: each order of magnitude equally likely, counted from the minimum.
  return std::clamp(std::floor(tunable.min - 1 + rng.log_uniform(1, hi - tunable.min + 2)), tunable.min, hi);
}

std::vector<double> random_values(const TunableInfo& tunable, Rng& rng, const RandomOptions& options) {
  const bool is_number = tunable.role == TunableRole::TimeTile || tunable.role == TunableRole::PerTile;
  if (pb::is_of_launches(tunable.role) && !is_number) return random_shape(tunable, rng);
  const bool is_size = tunable.role == TunableRole::Cutoff || tunable.role == TunableRole::Split;
  // A variable without a limit may be the size of a matrix, so it stays in the range of sizes, and of its first value.
  constexpr double kMaxInt = 2147483647;
  const bool is_open = tunable.role == TunableRole::Accuracy && tunable.max >= kMaxInt;
  double max = tunable.max;
  if (is_size) max = static_cast<double>(options.max_n);
  if (is_open) max = std::max(static_cast<double>(options.max_n), 2 * tunable.initial_of(0));
  std::vector<double> values;
  for (int i = 0; i < tunable.num_values(); ++i) values.push_back(random_number(tunable, rng, max));
  return values;
}

}  // namespace

int max_product(TunableRole role) {
  if (role == TunableRole::BlockItems || role == TunableRole::BlockRounds) return kMaxBlockItems;
  if (role == TunableRole::BlockStages) return kMaxBlockStages;
  if (role == TunableRole::BlockParts) return kMaxBlockParts;
  if (role == TunableRole::MatrixUnits) return 1;
  return role == TunableRole::Items ? kMaxItemsOfWorkItem : kMaxWorkGroupItems;
}

std::vector<double> random_shape(const TunableInfo& tunable, Rng& rng) {
  constexpr double kOpenShare = 0.2;
  std::vector<double> values(at(tunable.num_values()), 1);
  const int most_bits = std::ilogb(max_product(tunable.role));
  for (std::size_t begin = 0; begin < values.size(); begin += at(tunable.count)) {
    if (tunable.min == 0 && rng.chance(kOpenShare)) {
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(begin), tunable.count, 0);
      continue;
    }
    int bits_left = static_cast<int>(rng.uniform_int(0, most_bits));
    for (int i = 0; i < tunable.count; ++i) {
      const int bits = i + 1 == tunable.count ? bits_left : static_cast<int>(rng.uniform_int(0, bits_left));
      values[begin + at(i)] = std::clamp(std::exp2(bits), tunable.min, tunable.max);
      bits_left -= bits;
    }
  }
  return values;
}

Configuration random_configuration(const InfoIndex& index, std::uint64_t seed, const RandomOptions& options) {
  Rng rng(seed);
  Configuration out = default_configuration(index);
  constexpr double kSchedulesShare = 0.25;
  for (int id = 0; id < index.num_sites(); ++id) {
    if (!index.site(id).site->fixed.empty()) continue;
    if (!index.scheduled(id).empty() && rng.chance(kSchedulesShare))
      set_num_schedules(index, out, id, static_cast<int>(rng.uniform_int(2, kMaxSchedules)));
    out.sites[at(id)] = random_selector(index.site(id), num_schedules(index, out, id), rng, options);
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    if (ref.tunable->role == TunableRole::Config || !ref.tunable->fixed.empty()) continue;
    const bool is_threads =
        ref.transform == nullptr && (ref.tunable->name == "threads" || ref.tunable->name == kOpenBlasThreads);
    if (is_threads) {
      out.tunables[at(id)][0] = static_cast<double>(rng.uniform_int(1, std::max(1, options.max_threads)));
      continue;
    }
    std::vector<double> drawn;  // for each schedule anew
    while (drawn.size() < out.tunables[at(id)].size()) {
      const std::vector<double> values = random_values(*ref.tunable, rng, options);
      drawn.insert(drawn.end(), values.begin(), values.end());
    }
    out.tunables[at(id)] = std::move(drawn);
  }
  (void)repair_forbidden(index, out);  // whether it changed something does not matter here
  return out;
}

}  // namespace pbrt
