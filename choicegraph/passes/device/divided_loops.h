// SPDX-License-Identifier: MIT
// Which loops the work-items of a device may divide among each other. Private to this folder.
#pragma once

#include <string>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb::choices {

/// Returns why work-items may not divide the iterations of a fold, or of a map's head; empty if they may.
/// `keeps_order`: only orders that give the same bits are allowed.
[[nodiscard]] std::string why_not_divided(const Rule& rule, const Fold& loop, bool keeps_order);

/// Returns why work-items may not divide a loop that updates or stores cells at computed places; empty if they may.
/// Devices update whole numbers of 32 bits so that no update is lost. What rounds store lies at different places.
[[nodiscard]] std::string why_not_divided(const Rule& rule, const ScatterLoop& loop, bool keeps_order);

/// Whether the number of iterations is worth dividing: it is no constant, and no extent of a small box.
[[nodiscard]] bool is_long(const Rule& rule, const Fold& loop);

/// Returns the loop of the same kind inside of one, if all updates and stores stand there and its range is the same in
/// all iterations around it; else none.
[[nodiscard]] StmtId divided_inner(const Rule& rule, const Computation& computation, StmtId loop);

}  // namespace pb::choices
