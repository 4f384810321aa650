// SPDX-License-Identifier: MIT
// Finds out whether a rule that reads its own output is a scan.
#pragma once

#include <optional>

#include "choicegraph/plan/scan.h"
#include "lang/program.h"

namespace pb::choices {

/// What is known of a rule: it is a scan, or it reads its own output and is none, or it does not read its own output.
struct ScanSearch {
  std::optional<Scan> scan;
  std::optional<WhyNotScan> why_not;
};

/// Examines a rule. `element` is the type that ElementT stands for.
[[nodiscard]] ScanSearch find_scan(const Rule& rule, ElementType element);

}  // namespace pb::choices
