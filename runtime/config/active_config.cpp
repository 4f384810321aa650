// SPDX-License-Identifier: MIT
#include "runtime/config/active_config.h"

#include <cmath>

#include "runtime/config/configuration.h"
#include "runtime/config/machine.h"
#include "runtime/config/runtime_check.h"

namespace pbrt {
namespace {

std::int64_t rounded(double value) {
  constexpr double kLimit = 9.0e18;
  if (!(value > -kLimit)) return -static_cast<std::int64_t>(kLimit);
  return static_cast<std::int64_t>(std::llround(value < kLimit ? value : kLimit));
}

}  // namespace

ActiveConfig::ActiveConfig(const InfoIndex& index, const Configuration& configuration) {
  PBRT_CHECK(configuration.sites.size() == static_cast<std::size_t>(index.num_sites()), "one selector per site");
  PBRT_CHECK(configuration.tunables.size() == static_cast<std::size_t>(index.num_tunables()), "one value per tunable");
  for (const Selector& selector : configuration.sites) {
    SelectorRow row;
    PBRT_CHECK(!selector.levels.empty() && selector.levels.size() <= kMaxLevels, "1 to 12 levels");
    row.num_levels = static_cast<int>(selector.levels.size());
    for (std::size_t i = 0; i < selector.levels.size(); ++i) {
      row.from[i] = selector.levels[i].from;
      row.alternative[i] = selector.levels[i].alternative;
      row.schedule[i] = selector.levels[i].schedule;
      row.by[i] = selector.levels[i].by;
    }
    selectors_.push_back(row);
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const TunableInfo& info = *index.tunable(id).tunable;
    tunables_.push_back({ints_.size(), static_cast<std::size_t>(info.count), info.is_size_specific});
    for (const double value : configuration.tunables[static_cast<std::size_t>(id)]) {
      ints_.push_back(rounded(value));
      reals_.push_back(value);
    }
  }
  const int threads = index.find_tunable("", "threads");
  const int cutoff = index.find_tunable("", "sequential_cutoff");
  const std::int64_t wanted = threads < 0 ? 0 : tunable_int(threads);
  threads_ = wanted > 0 ? static_cast<int>(wanted) : available_cpus();
  if (cutoff >= 0) sequential_cutoff_ = tunable_int(cutoff);
  if (const int id = index.find_tunable("", kOpenBlasThreads); id >= 0)
    openblas_threads_ = static_cast<int>(tunable_int(id));
  if (const int id = index.find_tunable("", kLargePages); id >= 0) large_pages_ = tunable_int(id) != 0;
  if (const int id = index.find_tunable("", kDeviceWeights); id >= 0)
    device_weights_.assign(tunable_array(id), tunable_array(id) + index.tunable(id).tunable->count);
}

std::optional<ActiveConfig> ActiveConfig::in_other_fold_order(const InfoIndex& index) const {
  std::optional<ActiveConfig> out;
  for (int id = 0; id < index.num_tunables(); ++id) {
    if (index.tunable(id).tunable->role != TunableRole::FoldOrder) continue;
    if (!out) out = *this;
    const std::size_t begin = offset(id, 1);
    const std::size_t end =
        id + 1 < index.num_tunables() ? tunables_[static_cast<std::size_t>(id) + 1].offset : ints_.size();
    for (std::size_t at = begin; at < end; ++at) {  // of each schedule
      out->ints_[at] = 1 - ints_[at];
      out->reals_[at] = static_cast<double>(out->ints_[at]);
    }
  }
  return out;
}

}  // namespace pbrt
