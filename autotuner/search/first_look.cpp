// SPDX-License-Identifier: MIT
#include "autotuner/search/first_look.h"

#include <algorithm>
#include <utility>

namespace pbtune {
namespace {

/// What the seeds did at a size.
struct Agreement {
  std::vector<Candidate> agreeing;  ///< on the device, the fastest first
  bool is_too_small = false;        ///< some ended without the device, because the size is below a cut-off
};

Agreement agreement_of(const FirstLook& look, const std::vector<NamedConfiguration>& seeds, double limit) {
  Agreement out;
  for (const NamedConfiguration& seed : seeds) {
    look.on_phase("first look at the device");
    Candidate candidate;
    candidate.configuration = seed.configuration;
    candidate.origin = seed.name;
    if (!look.trials.measure(candidate, 1, limit)) continue;
    if (ran_on_device(look.space.index(), candidate.ran))
      out.agreeing.push_back(std::move(candidate));
    else
      out.is_too_small = true;
  }
  std::stable_sort(out.agreeing.begin(), out.agreeing.end(), ranks_before);
  return out;
}

}  // namespace

std::vector<Candidate> find_agreeing_on_device(const FirstLook& look) {
  constexpr double kMostShare = 0.15;  // of the time, for all sizes
  // A size that takes more is the last one: the next may be four times as large, and its reference take 64 times as
  // long.
  constexpr double kMostSizeShare = kMostShare / 64;
  constexpr double kLeastNs = 100e6;  // small runs on a device consist of its start
  const std::vector<NamedConfiguration> seeds = look.space.device_seeds();
  const double begin_s = look.trials.elapsed_s();
  const double all_s = look.options.budget_s - begin_s, end_s = begin_s + kMostShare * all_s;
  std::vector<Candidate> found;
  double reference_ns = 0;
  for (std::size_t i = 0; !seeds.empty() && i + 1 < look.options.sizes.size(); ++i) {
    if (look.schedule.is_small(i)) continue;
    const double size_begin_s = look.trials.elapsed_s();
    if (size_begin_s > end_s) break;
    look.schedule.begin_size(i, size_begin_s);
    const Prepared prepared = look.prepare(look.options.sizes[i]);
    if (prepared.status == PrepareStatus::TooSlow) break;
    if (prepared.status != PrepareStatus::Ready) continue;
    const double left_ns = std::max(0.0, end_s - look.trials.elapsed_s()) * 1e9;
    const double limit = limit_ms(std::min(kSlowestSeed * std::max(prepared.reference_ns, kLeastNs), left_ns), 1);
    Agreement now = agreement_of(look, seeds, limit);
    if (now.agreeing.empty() && !now.is_too_small) return {};
    if (now.agreeing.empty()) continue;
    found = std::move(now.agreeing);
    reference_ns = prepared.reference_ns;
    if (look.trials.prepare_s() > kMostSizeShare * all_s) break;
  }
  // What is behind one thread where that is no longer cheap will hardly be far ahead at the target.
  if (!found.empty() && reference_ns > 0 && rank_time_ns(found[0]) > reference_ns) found.clear();
  return found;
}

}  // namespace pbtune
