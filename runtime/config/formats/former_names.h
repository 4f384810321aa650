// SPDX-License-Identifier: MIT
// Configurations of PetaBricks (docs/reference/language.md 13, 8.4), with one `NAME = VALUE` per line. Programs do not
// read them, because rules had numbers in them. A message tells the user what each name is called now; `pbtune migrate`
// carries over what applies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/config/info.h"

namespace pbrt {

/// Whether the first line with content is `NAME = VALUE`.
[[nodiscard]] bool is_former_configuration(std::string_view text);

/// Why the text is no configuration: a line, then one for each of its names.
///
/// Pre:     is_former_configuration(text)
[[nodiscard]] std::string about_former_configuration(std::string_view text, const std::string& path,
                                                     const InfoIndex& index);

/// The names and numbers of the text, in its order. Values that are not numbers are left out.
///
/// Pre:     is_former_configuration(text)
[[nodiscard]] std::vector<std::pair<std::string, double>> former_values(std::string_view text);

/// What a name of PetaBricks stands for in a program.
struct FormerName {
  enum class Kind : std::uint8_t {
    Unknown,
    Distributed,
    Threads,
    SequentialCutoff,
    Unrolled,
    LevelRule,
    LevelCutoff,
    Tunable
  };
  Kind kind = Kind::Unknown;
  const TransformInfo* transform = nullptr;  ///< null: all of them
  int level = 0;                             ///< number of the level, from 1; only for LevelRule and LevelCutoff
  std::string tunable = {};                  ///< its name now
  int element = -1, bucket = -1;             ///< only for a tunable; -1: not said
};
[[nodiscard]] FormerName find_former_name(std::string_view name, const InfoIndex& index);

/// Says what the name of PetaBricks is called now, in words for a message: "`transforms.Half.tunables.split_size`";
/// empty if it stands for nothing.
[[nodiscard]] std::string former_name_now(std::string_view name, const InfoIndex& index);

}  // namespace pbrt
