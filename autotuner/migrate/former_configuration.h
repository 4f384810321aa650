// SPDX-License-Identifier: MIT
// A configuration of PetaBricks (docs/reference/language.md 13) in the names of today, for `pbtune migrate`: levels of
// selectors, whose rules had numbers, and values. What it says of the names themselves is
// runtime/config/formats/former_names.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autotuner/migrate/written_configuration.h"
#include "runtime/config/info.h"

namespace pbtune {

struct FormerConfiguration {
  WrittenConfiguration written;
  std::vector<std::string> changed;  ///< how numbers of rules were read
  std::vector<std::string> dropped;
};

/// Reads the text of such a configuration. Pre: pbrt::is_former_configuration(text).
[[nodiscard]] FormerConfiguration read_former(std::string_view text, const pbrt::InfoIndex& index);

}  // namespace pbtune
