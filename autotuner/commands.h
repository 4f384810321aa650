// SPDX-License-Identifier: MIT
// The subcommands that look at configurations. Each returns the exit status and throws pbrt::RuntimeError.
#pragma once

#include <cstdint>
#include <string>

#include "autotuner/measure/program_options.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {

struct LookOptions {
  ProgramOptions run;
  std::string config;     ///< empty: beside the program
  std::string html = {};  ///< for a report: the HTML page to write instead of text
};

/// `pbtune report`: how each entry came to be, what it gains, what was rejected; in words or as a page.
int report(const LookOptions& options);

/// `pbtune explain`: what is chosen for this machine, in words.
int explain_command(const LookOptions& options);

/// `pbtune check`: 0 if the file is valid and without warnings, else 1.
int check(const LookOptions& options);

struct OutputCheckOptions {
  ProgramOptions run;
  int num_configurations = 20;
  std::int64_t max_n = 300;
};
/// `pbtune check --outputs`: random configurations at awkward sizes must give the outputs of the default one.
/// 0 if all agree, else 1; names the choice that does not and the smallest size at which it does not.
int check_outputs(const OutputCheckOptions& options);

struct SampleOptions {
  ProgramOptions run;
  int num_configurations = 1;
  std::int64_t max_n = 300;
  int max_threads = 2;
};
/// `pbtune sample`: prints random valid configurations, one JSON object per line: what `--config` takes in a file and
/// `--serve` in a request. Drawn by the generator that `check --outputs` uses; `--device none` leaves out device
/// versions.
int sample(const SampleOptions& options);

/// The word for `--config` that stands for no file: the program's default.
inline constexpr const char* kNoConfig = "none";

struct CompareOptions {
  ProgramOptions run;
  std::string first, second = kNoConfig;
  int num_rounds = 21;
  double time_limit_s = 30;
  bool is_resident = false;
};
/// `pbtune compare`: times of two configurations, their ratio and how sure it is. 1 if one does not run or is wrong.
int compare_command(const CompareOptions& options);

/// Prints a file's notes and warnings to standard error; 1 if there were warnings.
int print_warnings(const pbrt::ConfigFile& file, const std::string& path);

/// The entry that a command line names: a file's entry for a machine, with its warnings printed, or the default for
/// `none`.
/// Errors:  throws ConfigError if the file has no entry
[[nodiscard]] pbrt::ConfigEntry entry_named(const std::string& path, const InfoIndex& index,
                                            const pbrt::Machine& machine);

/// `pbtune diff`: 0 if the entries for this machine are the same, else 1.
int diff(const std::string& program, const std::string& first, const std::string& second);

}  // namespace pbtune
