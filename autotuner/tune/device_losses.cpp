// SPDX-License-Identifier: MIT
#include "autotuner/tune/device_losses.h"

#include <utility>

namespace pbtune {
namespace {

constexpr std::size_t kMostProfiled = 4;

}  // namespace

std::vector<pbrt::DeviceLoss> device_losses(const InfoIndex& index, const SearchResult& result,
                                            const ProfiledRun& run) {
  std::vector<pbrt::DeviceLoss> out;
  for (const DeviceAttempt& attempt : result.device_attempts) {
    pbrt::DeviceLoss loss;
    for (const int site : attempt.sites) loss.sites.push_back(index.site_name(site));
    loss.time_ns = attempt.time_ns;
    loss.cpu_ns = result.best_ns;
    if (out.size() < kMostProfiled) {
      const Outcome outcome = run(attempt);
      if (outcome.device_costs && !outcome.times_ns.empty()) {
        loss.costs = *outcome.device_costs;
        loss.profiled_ns = outcome.times_ns.back();  // costs are those of the last trial
      }
    }
    out.push_back(std::move(loss));
  }
  return out;
}

}  // namespace pbtune

// Note [Profiled runs]
// A trial of the search says how long it took, not where the time went: for that the device's queue is profiled, and
// each copy is timed, which makes small kernels slower. So trials are never profiled. After the search, a program of
// its own runs what lost once more, with `--profile`. It takes no decision, and nothing of it is in the journal.
