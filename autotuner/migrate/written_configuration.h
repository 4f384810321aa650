// SPDX-License-Identifier: MIT
// A configuration as its text says it: by names alone, whether the program knows them or not. Used by `pbtune migrate`.
// Code that runs or tunes a program reads a Configuration (runtime/config), which knows what the program has and
// nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pbtune {

/// The choice of a site from size `from` on. A site that is not merged has one part: itself.
struct WrittenLevel {
  std::int64_t from = 0;
  std::map<std::string, std::string> rules;  ///< rule of each part
  std::string on;
  std::string by = {};  ///< the size variable that it tests; empty: the largest size
  int schedule = 1;     ///< counted from 1, as files do
};

struct WrittenSite {
  std::string name;
  std::vector<WrittenLevel> levels;
};

/// A number, a list of numbers, or a list of such lists of equal length.
struct WrittenValue {
  std::string name;
  std::vector<double> numbers;
  int num_lists = 0;  ///< 0: a number or a plain list
  bool is_list = false;
  std::string text;  ///< the value as the file spells it
  int schedule = 0;  ///< which of its site's schedules has it, from 1; 0: it stands alone
};

struct WrittenTransform {
  std::string name;
  std::vector<WrittenSite> sites;
  std::vector<WrittenValue> values;  ///< those of schedules after those that stand alone
};

struct WrittenConfiguration {
  std::vector<WrittenValue> globals;
  std::string core_type;  ///< OpenBLAS's; empty: not said
  std::vector<WrittenTransform> transforms;
  std::vector<std::string> unread;  ///< names of members that are neither choices nor values
};

/// Reads the members `global` and `transforms` of an entry. Throws pbrt::ConfigError.
[[nodiscard]] WrittenConfiguration read_written(const std::string& entry, const std::string& file);

}  // namespace pbtune
