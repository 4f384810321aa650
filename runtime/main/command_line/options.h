// SPDX-License-Identifier: MIT
// The command line of a compiled program (docs/reference/language.md 11.1, 11.2, docs/architecture.md 2.1): text to a
// plain struct, and its help. Knows nothing of the program's transforms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pbrt {

enum class StatsFormat : std::uint8_t { None, Text, Json, Xml };

struct Options {
  std::vector<std::string> words;  ///< words that are no options: params, then files
  std::optional<std::int64_t> n;
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::pair<std::string, std::string>> given;  ///< names and values of --set, as written
  std::optional<std::uint64_t> seed;
  bool is_fixed_random = false;
  int trials = 1;
  bool wants_time = false;
  double max_sec = 0;  ///< 0: no limit
  bool is_resident = false;
  bool is_profiled = false;
  std::string config;
  std::string transform;
  int threads = 0;  ///< 0: not given
  std::optional<bool> large_pages;
  std::optional<std::string> device;
  bool wants_device_list = false;
  StatsFormat stats = StatsFormat::None;
  std::string trace;  ///< file; empty: none
  bool is_strict = false;
  bool verifies_device = false;
  bool wants_device_copies = false;
  std::uint64_t device_memory = 0;  ///< the most bytes that are used on a device; 0: no limit was given
  double device_limit = 0;          ///< seconds after which an operation of a device counts as hung; 0: no limit
  bool fills_nan = false;
  bool is_server = false;
  bool only_builds = false;
  bool wants_help = false;
  bool wants_version = false;
  bool wants_hash = false;
  bool wants_accuracy = false;
  std::optional<double> accuracy_target;  ///< run the cheapest bin that promises it
  int precision = 8;
  int maxval = 0;
  std::string iogen_create;
  std::string iogen_run;
  bool wants_reset = false;
  bool saves_config = false;
};

/// Reads the command line.
///
/// Errors:  UserError with one line: unknown option (with a suggestion), value missing or out of range
[[nodiscard]] Options parse_options(int argc, const char* const* argv);

/// The list of options for --help.
[[nodiscard]] std::string options_help();

}  // namespace pbrt
