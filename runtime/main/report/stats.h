// SPDX-License-Identifier: MIT
// What --time, --stats and --hash print (docs/reference/language.md 12): times, what ran where, fallbacks, hashes.
#pragma once

#include <string>
#include <vector>

#include "runtime/main/command_line/options.h"
#include "runtime/main/engine/engine.h"

namespace pbrt {

struct StatsInput {
  std::string program;
  std::string transform;
  std::int64_t n = 1;  ///< the largest size variable
  std::uint64_t seed = 0;
  int threads = 1;
  std::string device;              ///< names with commas; empty: none in use
  std::vector<double> seconds;     ///< one per trial
  RunReport last;                  ///< report of the last trial
  std::vector<double> accuracies;  ///< one per trial, if asked for; as the metric gives them
  AccuracyInfo accuracy;
  bool has_hash = false;
  std::uint64_t hash[2] = {0, 0};
};

[[nodiscard]] std::string stats_text(const StatsInput& input, bool with_details);
[[nodiscard]] std::string stats_json(const StatsInput& input);
[[nodiscard]] std::string stats_xml(const StatsInput& input);

/// `accuracy 2.5, target 2: met`. More is better in what is printed: metrics of which less is better are negated.
[[nodiscard]] std::string accuracy_text(const StatsInput& input);

/// 128 bits as `0x…` with 32 digits.
[[nodiscard]] std::string hash_text(const StatsInput& input);

/// `1.234 ms`: four digits, always in milliseconds, so that two lines can be compared at a glance.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace pbrt
