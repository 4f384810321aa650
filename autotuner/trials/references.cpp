// SPDX-License-Identifier: MIT
#include "autotuner/trials/references.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pbtune {

PrepareSpec References::spec(std::int64_t n, double left_s) const {
  constexpr double kMostShare =
      0.12;                    // of the time left, for the default if another configuration can make the reference
  constexpr int kNumRuns = 2;  // a reference is made twice
  PrepareSpec out{n};
  out.patience_s = left_s;
  if (!trusted_) return out;
  out.trusted = &*trusted_;
  const bool is_too_slow =
      (default_too_slow_n_ && n >= *default_too_slow_n_) || kNumRuns * default_s(n) > kMostShare * left_s;
  out.default_patience_s = is_too_slow ? 0 : std::max(0.0, kMostShare * left_s);
  return out;
}

void References::note(std::int64_t n, const Prepared& prepared) {
  if (prepared.status == PrepareStatus::TooSlow) too_slow_n_ = std::min(n, too_slow_n_.value_or(n));
  if (prepared.status != PrepareStatus::Ready) return;
  n_ = n;
  verification_ = {prepared.maker, prepared.maker == ReferenceMaker::Trusted ? trusted_n_ : n};
  stand_in_.reset();
  if (prepared.maker == ReferenceMaker::Trusted) stand_in_ = trusted_;
  if (prepared.maker != ReferenceMaker::Default)
    default_too_slow_n_ = std::min(n, default_too_slow_n_.value_or(n));
  else if (prepared.reference_ns > 0)
    default_times_s_[n] = prepared.reference_ns * 1e-9;
}

void References::trust(const Configuration& configuration) {
  if (is_kept_ || verification_.maker == ReferenceMaker::Trusted) return;
  trusted_ = configuration;
  trusted_n_ = n_;
}

void References::distrust() {
  verification_ = {ReferenceMaker::DefaultInParallel, n_};
  trusted_.reset();
  stand_in_.reset();
  is_kept_ = false;
}

double References::default_s(std::int64_t n) const {
  if (default_times_s_.empty()) return 0;
  const auto last = std::prev(default_times_s_.end());
  double growth = 1;  // with one size alone: work that is in proportion to the size is the least that is likely
  if (last != default_times_s_.begin()) {
    const auto before = std::prev(last);
    growth = growth_between(before->first, before->second, last->first, last->second);
  }
  return last->second * std::pow(static_cast<double>(n) / static_cast<double>(last->first), growth);
}

std::string References::words() const {
  const std::string size = "size " + std::to_string(n_);
  switch (verification_.maker) {
    case ReferenceMaker::Default:
      return "";
    case ReferenceMaker::DefaultInParallel:
      return size + ": the default is the reference on all threads, not on one";
    case ReferenceMaker::Trusted:
      return size +
             ": the default takes too long to be the reference;\n  outputs are verified against what agreed with it at "
             "size " +
             std::to_string(verification_.agreed_n);
  }
  return "";
}

}  // namespace pbtune

// Note [References at large sizes]
// A time counts only if the outputs were right, and what is right is what the default computes on one CPU thread. Where
// a device is a hundred times as fast, that reference would take more time than a person gives the whole search. So
// there are three makers of a reference. The default on one thread comes first, while it takes a small part of the time
// left. If it takes more, by the growth seen so far or by the clock, a configuration makes the reference that agreed
// with the default at a smaller size, where the default did make it: never one that agreed only with another stand-in.
// Where none is known, the default makes it on all threads. If the default then still ends in time as a candidate, it
// is compared with the stand-in. If they differ, the default counts, and all that was verified at this size is
// forgotten. Who made the reference is said during the search and with its result.
