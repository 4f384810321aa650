// SPDX-License-Identifier: MIT
// `pbtune report --html`: one page that needs nothing but itself: what was chosen, for which sizes, what it gains over
// the default and over each fixed choice, and how the search went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autotuner/report/search_history.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {

struct ReportData {
  const InfoIndex* index = nullptr;
  const pbrt::ConfigFile* file = nullptr;
  std::optional<History> history;  ///< the last search; absent: there is no journal of this state of the program
  std::vector<std::string> notes;  ///< what that search noted
  std::vector<std::string> arguments;
};

/// HTML that is well-formed XML too. Same data, same bytes.
[[nodiscard]] std::string html_report(const ReportData& data);

}  // namespace pbtune
