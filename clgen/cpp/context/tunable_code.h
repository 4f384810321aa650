// SPDX-License-Identifier: MIT
// How generated code reads tunables: from the configuration of the run, or as constants where `pbc --config` fixed
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/context/cpp_context.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the type in which bodies see the tunable: `IndexT`, `double`, `std::array<IndexT, 3>`.
[[nodiscard]] std::string tunable_type(const UserTunable& declared);

/// Returns the name of the variable that holds the schedule of a site in a call.
[[nodiscard]] std::string schedule_name(SiteId site);
/// Returns the name of the truth value that the folds of a rule may be added up in any order.
[[nodiscard]] std::string fold_order_name(RuleId rule);
/// Returns the name of the number of rounds of a rule's folds that a task runs.
[[nodiscard]] std::string fold_chunk_name(RuleId rule);

/// A constant of C++: `constexpr IndexT` and `16`.
struct ConstantText {
  std::string type, value;
};
/// Returns the constant for a tunable of the user's that is fixed to the same value at all sizes; none for others.
[[nodiscard]] std::optional<ConstantText> constant_text(const PlanTunable& tunable, const UserTunable& declared);

/// Prints tables with the values of fixed tunables that are not a single number: `kFixed_T_0`.
void emit_fixed_values(Writer& out, const CppContext& context, TransformId transform);

/// Returns an expression for the value. `run` is an expression for the RunContext, and `n` for the size of the call. If
/// schedules of a site have the value, the variable schedule_name() is in scope.
[[nodiscard]] std::string tunable_value(const CppContext& context, TransformId transform, std::size_t index,
                                        const std::string& run, const std::string& n);
/// Returns an expression for a pointer to all elements of a tunable that is an array or a shape.
[[nodiscard]] std::string tunable_elements(const CppContext& context, TransformId transform, std::size_t index,
                                           const std::string& run, const std::string& n);

}  // namespace pb
