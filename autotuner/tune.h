// SPDX-License-Identifier: MIT
// `pbtune ./prog --n N`: everything around a search: what the program says about itself, the existing
// configuration, the journal, progress, interruption, and the file that is written.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/measurement.h"
#include "autotuner/search.h"

namespace pbtune {

enum class Effort : std::uint8_t { Quick, Normal, Full };
[[nodiscard]] const char* to_string(Effort effort);

/// What says how the program is run, for all subcommands that run it.
struct ProgramOptions {
  std::string program;
  std::int64_t n = -1;  ///< < 0: not given
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::string> inputs;
  std::string device;  ///< empty: the program's own choice
  double tolerance = -1;
  std::uint64_t seed = 1;
};

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
inline constexpr int kExitInterrupted = 130;

[[nodiscard]] MeasureOptions measure_options(const ProgramOptions& options, bool is_resident);
/// The training information beside the program. Throws pbrt::IoError with a hint if it is not there.
[[nodiscard]] pbrt::TrainingInfo info_of(const std::string& program);
[[nodiscard]] SearchOptions search_options(Effort effort, double time_limit_s, std::uint64_t seed);

/// Seconds since the process, or a test, began: what the time limit is compared with.
[[nodiscard]] Clock wall_clock();

/// Returns the exit status. Throws pbrt::RuntimeError.
int tune(const TuneOptions& options, const Clock& clock);

/// From now on SIGINT, SIGTERM and SIGHUP only leave a mark, which throw_if_interrupted() turns into Interrupted.
void catch_signals();
void throw_if_interrupted();

}  // namespace pbtune
