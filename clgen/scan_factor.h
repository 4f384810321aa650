// SPDX-License-Identifier: MIT
// The factor that the value one step back has in a linear recurrence, as text. Printers of C++ and of kernels share it.
#pragma once

#include <functional>
#include <string>

#include "choicegraph/plan/scan.h"
#include "clgen/body_code_printer.h"
#include "lang/program.h"

namespace pb {

/// Returns the text of `if_true` or `if_false`, as the condition of the node says.
using ChoiceText =
    std::function<std::string(const ConditionalExpr& node, const std::string& if_true, const std::string& if_false)>;

/// Returns the factor of the value before in the expression that combines it. `type` is the word of the value's type.
///
/// Pre: the value is a linear recurrence
[[nodiscard]] std::string factor_text(BodyCodePrinter& printer, const Rule& rule, const ScannedValue& value,
                                      const std::string& type, const ChoiceText& choice);

}  // namespace pb
