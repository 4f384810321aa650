// SPDX-License-Identifier: MIT
// `pbtune ./prog --n N`: everything around a search: what the program says about itself, the existing
// configuration, the journal, progress, and the file that is written.
#pragma once

#include <cstdint>
#include <string>

#include "autotuner/measure/program_options.h"
#include "autotuner/search/search.h"

namespace pbtune {

enum class Effort : std::uint8_t { Quick, Normal, Full };
[[nodiscard]] const char* to_string(Effort effort);

struct TuneOptions {
  ProgramOptions run;
  std::string output;  ///< empty: beside the program
  Effort effort = Effort::Normal;
  double time_limit_s = 0;  ///< 0: by effort
  int threads = 0;          ///< 0: tuned
  bool is_resident = false;
  bool is_quiet = false;
};

inline constexpr const char* kTunerVersion = "pbtune " PB_VERSION;

[[nodiscard]] SearchOptions search_options(Effort effort, double time_limit_s, std::uint64_t seed);

/// The clock that the time limit is compared with: seconds since the process, or a test, began.
[[nodiscard]] Clock wall_clock();

/// Tunes. Returns the exit status. Throws pbrt::RuntimeError.
int tune(const TuneOptions& options, const Clock& clock);

}  // namespace pbtune
