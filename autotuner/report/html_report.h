// SPDX-License-Identifier: MIT
// `pbtune report --html`: a page without references to other files. It shows what was chosen for which sizes, what that
// gains over the default and over each fixed choice, and how the search went.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

/// Whether a file that begins so is a page of html_report().
[[nodiscard]] bool is_report_page(std::string_view head);

/// The page as HTML that is also well-formed XML. The same data always gives the same bytes.
[[nodiscard]] std::string html_report(const ReportData& data);

}  // namespace pbtune
