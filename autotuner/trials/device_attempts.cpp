// SPDX-License-Identifier: MIT
#include "autotuner/trials/device_attempts.h"

#include <algorithm>

namespace pbtune {

bool DeviceAttempts::is_on_device(const RanChoice& ran) const {
  return pbrt::is_device(index_.site(ran.site).site->choice(ran.alternative).on);
}

void DeviceAttempts::note(std::int64_t n, const Configuration& configuration, const Outcome& outcome) {
  const bool is_right = outcome.kind == OutcomeKind::Ok || outcome.kind == OutcomeKind::AccuracyMissed ||
                        outcome.kind == OutcomeKind::TimedOut;
  if (!is_right || outcome.times_ns.empty()) return;
  const double time_ns = minimum(outcome.times_ns);
  for (const RanChoice& ran : outcome.ran) {
    if (!is_on_device(ran)) continue;
    const auto [known, is_new] = fastest_.try_emplace({n, ran.site}, Attempt{configuration, time_ns});
    if (!is_new && time_ns < known->second.time_ns) known->second = {configuration, time_ns};
  }
}

std::vector<DeviceAttempt> DeviceAttempts::lost(std::int64_t n, const std::vector<RanChoice>& ran) const {
  std::vector<int> on_cpu, on_device;
  for (const RanChoice& each : ran) (is_on_device(each) ? on_device : on_cpu).push_back(each.site);
  std::sort(on_cpu.begin(), on_cpu.end());
  on_cpu.erase(std::unique(on_cpu.begin(), on_cpu.end()), on_cpu.end());
  std::vector<DeviceAttempt> out;
  for (const int site : on_cpu) {
    if (std::find(on_device.begin(), on_device.end(), site) != on_device.end()) continue;
    const auto found = fastest_.find({n, site});
    if (found == fastest_.end()) continue;
    const auto same = std::find_if(out.begin(), out.end(), [&](const DeviceAttempt& other) {
      return other.configuration == found->second.configuration;
    });
    if (same != out.end())
      same->sites.push_back(site);
    else
      out.push_back({found->second.configuration, {site}, found->second.time_ns});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const DeviceAttempt& a, const DeviceAttempt& b) { return a.time_ns < b.time_ns; });
  return out;
}

}  // namespace pbtune
