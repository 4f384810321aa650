// SPDX-License-Identifier: MIT
// The options of pbtune that name the program and say how it is run. All commands that run the program share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autotuner/measure/measurement.h"
#include "autotuner/measure/problem_case.h"
#include "runtime/config/info.h"

namespace pbtune {

/// The program and how it is run.
struct ProgramOptions {
  std::string program;                ///< path of the executable file
  std::int64_t n = -1;                ///< value of the size variables that a case does not fix; < 0: not given
  std::vector<ProblemCase> cases{1};  ///< at least one
  std::vector<std::pair<std::string, std::string>> given;  ///< names and values of --set
  // Values of the program's own options, which the program judges; empty: its own choice.
  std::string device;
  std::string device_memory;  ///< bytes, perhaps with K, M or G
  std::string device_limit;   ///< seconds
  double tolerance = -1;      ///< largest error of an output; < 0: the program's own tolerance
  std::uint64_t seed = 1;     ///< seed of generated inputs
};

/// Returns the path in a form that does not depend on the current folder; `path` itself if the folder cannot be read.
[[nodiscard]] std::string absolute(const std::string& path);
/// Returns the options of the program that say which device it uses, and how, as words of a command line.
[[nodiscard]] std::vector<std::string> device_arguments(const ProgramOptions& options);
/// Returns the options for a Measurement of one of the program's cases. `is_resident` keeps data on the device between
/// trials.
[[nodiscard]] MeasureOptions measure_options(const ProgramOptions& options, bool is_resident, std::size_t case_id = 0);
/// Compares the names of sizes and numbers with those of the program's main transform, before any of them is used. What
/// their values may be is the program's to say.
///
/// Errors: throws pbrt::UserError for the first name that the program does not have
void check_names(const ProgramOptions& options, const pbrt::TrainingInfo& info);
/// Reads the training information, the file PROGRAM.info beside the program.
///
/// Errors: throws pbrt::UserError if `program` names a source, or the .info or .cfg file of a program; pbrt::IoError if
///         the program or its .info file is missing; pbrt::ConfigError if the file is malformed
[[nodiscard]] pbrt::TrainingInfo info_of(const std::string& program);

}  // namespace pbtune
