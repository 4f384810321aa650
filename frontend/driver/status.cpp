// SPDX-License-Identifier: MIT
#include "frontend/driver/status.h"

#include "lang/diagnostics.h"

namespace pb {

std::string status_page() {
  std::string out =
      "# What is not supported yet\n\n"
      "This page is generated: `pbc --emit=status > docs/status.md`. A test compares it with the compiler.\n\n";
  std::string rows;
  for (const DiagInfo& info : all_diagnostics()) {
    if (!info.is_status) continue;
    rows += "| " + std::string(info.doc) + " | " + std::string(info.format) + " |\n";
  }
  if (rows.empty()) return out + "No construct of the language is refused as not supported.\n";
  return out +
         "The grammar covers the whole language. The constructs below are read and then refused with one message at\n"
         "their place. Numbers are sections of the language reference.\n\n"
         "| construct | message |\n| --- | --- |\n" +
         rows;
}

}  // namespace pb
