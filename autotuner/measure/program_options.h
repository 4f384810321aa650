// SPDX-License-Identifier: MIT
// The program that a command works on, and how it is run. All commands that start the program share this.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/measure/measurement.h"
#include "runtime/config/info.h"

namespace pbtune {

/// The options that say how the program is run, for all subcommands that run it.
struct ProgramOptions {
  std::string program;
  std::int64_t n = -1;  ///< < 0: not given
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::pair<std::string, std::string>> given;  ///< names and values of --set
  std::vector<std::string> inputs;
  std::string device;  ///< empty: the program's own choice
  double tolerance = -1;
  std::uint64_t seed = 1;
};

/// The path in a form that means the same in other folders.
[[nodiscard]] std::string absolute(const std::string& path);
[[nodiscard]] MeasureOptions measure_options(const ProgramOptions& options, bool is_resident);
/// The training information beside the program. Throws pbrt::IoError with a hint if it is not there.
[[nodiscard]] pbrt::TrainingInfo info_of(const std::string& program);

}  // namespace pbtune
