// SPDX-License-Identifier: MIT
#include "autotuner/report/search_history.h"

#include <algorithm>
#include <set>

namespace pbtune {
namespace {

/// Whether a run only tested if a result holds elsewhere. The times of such runs are of other inputs.
bool is_check(const JournalEntry& entry) {
  return entry.spec.is_confirmation || entry.spec.what.starts_with("check of ");
}

Tried& tried_of(Phase& phase, const JournalEntry& entry) {
  const auto is_it = [&](const Tried& tried) { return tried.fingerprint == entry.fingerprint; };
  const auto found = std::find_if(phase.tried.begin(), phase.tried.end(), is_it);
  if (found != phase.tried.end()) return *found;
  Tried& tried = phase.tried.emplace_back();
  tried.fingerprint = entry.fingerprint;
  tried.origin = entry.spec.what;
  tried.at_s = entry.elapsed_s;
  return tried;
}

void add_run(Phase& phase, const JournalEntry& entry, const InfoIndex& index) {
  Tried& tried = tried_of(phase, entry);
  tried.kind = entry.outcome.kind;
  phase.end_s = entry.elapsed_s;
  if (entry.outcome.kind == OutcomeKind::Ok)
    tried.times_ns.insert(tried.times_ns.end(), entry.outcome.times_ns.begin(), entry.outcome.times_ns.end());
  tried.is_on_device = tried.is_on_device || ran_on_device(index, entry.outcome.ran);
}

template <class Predicate>
const Tried* least(const std::vector<Tried>& all, const Predicate& is_meant) {
  const Tried* best = nullptr;
  for (const Tried& tried : all)
    if (tried.is_good() && is_meant(tried) && (best == nullptr || median(tried.times_ns) < median(best->times_ns)))
      best = &tried;
  return best;
}

}  // namespace

const Tried* Phase::best() const {
  constexpr std::size_t kEnough = 3;  // one fast trial may be luck
  if (const Tried* found = least(tried, [&](const Tried& each) { return each.fingerprint == chosen; })) return found;
  const Tried* found = least(tried, [](const Tried& each) { return each.times_ns.size() >= kEnough; });
  return found != nullptr ? found : least(tried, [](const Tried&) { return true; });
}

const Tried* Phase::best_fixed() const {
  return least(tried, [](const Tried& each) { return each.is_fixed_choice(); });
}

const Tried* Phase::standard() const {
  return least(tried, [](const Tried& each) { return each.origin == "the default"; });
}

History history_of(const JournalContents& journal, const InfoIndex& index) {
  History out;
  std::set<std::string> fingerprints;
  bool is_renewed = false;  // times on other inputs would not fit those before
  for (const JournalEntry& entry : journal.entries) {
    if (entry.is_prepare) {
      if (entry.prepared.status == PrepareStatus::Ready) is_renewed = entry.is_renewal;
      if (entry.is_renewal) continue;
      if (entry.prepared.status == PrepareStatus::Ready)
        out.phases.push_back({entry.n, entry.elapsed_s, entry.elapsed_s, {}, {}});
      continue;
    }
    ++out.outcomes[entry.outcome.kind];
    fingerprints.insert(entry.fingerprint);
    if (!out.phases.empty() && !is_renewed && !is_check(entry)) add_run(out.phases.back(), entry, index);
  }
  if (!out.phases.empty()) out.phases.back().chosen = journal.best;
  out.num_configurations = static_cast<int>(fingerprints.size());
  return out;
}

}  // namespace pbtune
