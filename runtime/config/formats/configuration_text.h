// SPDX-License-Identifier: MIT
// A configuration as JSON: the `global` and `transforms` of a file's entry, also what the measurement protocol carries.
// Files with entries: config_file.h.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/configuration.h"

namespace pbrt {

/// Mistakes in a configuration that reading it could correct. Per file there is at most one line for unknown names, one
/// for values out of range and one for values of a wrong kind. A rule that its site does not have is an error instead,
/// because sites are named after their rules.
struct ConfigWarnings {
  std::vector<std::string> unknown_names;    ///< `transforms.Blur`, `transforms.Conv.tunables.foo`
  std::map<std::string, std::string> hints;  ///< for some of those names: what should stand in their place, in words
  std::vector<std::string> bad_values;       ///< `Conv.split_size = -3 (1 to 2147483647)`
  std::vector<std::string> wrong_kinds =
      {};  ///< `Conv.split_size: expected a number from 1 to 2147483647, found a list`
  std::map<std::string, std::string> places = {};  ///< where each of these stands: `prog.cfg:7:30`
  /// Lines such as `prog.cfg:7:30: …` for each thing that the file decides in another way than `pbc --config` did. They
  /// are not among lines(), because the caller decides whether the program may run all the same.
  std::vector<std::string> differences = {};
  [[nodiscard]] std::vector<std::string> lines(const std::string& file) const;
};

/// The sites and tunables, by number, that a text says something about.
struct NamedParts {
  std::set<int> sites;
  std::set<int> tunables;
};

/// `{"global": …, "transforms": …}`; `indent` < 0: one line.
[[nodiscard]] std::string to_json(const InfoIndex& index, const Configuration& configuration, int indent);
/// Reads such an object. Missing members take their default. Throws ConfigError if `text` holds no such object.
[[nodiscard]] Configuration parse_configuration(std::string_view text, const std::string& name, const InfoIndex& index,
                                                ConfigWarnings& warnings);

}  // namespace pbrt
