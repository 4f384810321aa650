// SPDX-License-Identifier: MIT
// The options that a person gives to `pbtune`, and the options of searches, journals and files that follow from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autotuner/measure/program_options.h"
#include "autotuner/search/search_options.h"

namespace pbtune {

enum class Effort : std::uint8_t { Quick, Normal, Full };
[[nodiscard]] const char* to_string(Effort effort);

struct TuneOptions {
  ProgramOptions run;
  std::string output;  ///< empty: beside the program
  Effort effort = Effort::Normal;
  double time_limit_s = 0;  ///< 0: follows from the effort
  int threads = 0;          ///< 0: tuned
  bool is_resident = false;
  bool is_quiet = false;
};

inline constexpr const char* kTunerVersion = "pbtune " PB_VERSION;

[[nodiscard]] SearchOptions search_options(Effort effort, double time_limit_s, std::uint64_t seed);

/// Everything in the options that has a say in what a search does, normalised: two searches with the same words may
/// share a journal.
[[nodiscard]] std::vector<std::string> journal_arguments(const TuneOptions& options);

/// The arguments that say what was tuned, as a person would write them.
[[nodiscard]] std::string arguments_text(const TuneOptions& options);

}  // namespace pbtune
