// SPDX-License-Identifier: MIT
// How generated code reads tunables: from the configuration of the run, or as constants where `pbc --config` fixed
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/cpp_context.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The type in which bodies see the tunable: `IndexT`, `double`, `std::array<IndexT, 3>`.
[[nodiscard]] std::string tunable_type(const UserTunable& declared);

/// A constant of C++: `constexpr IndexT` and `16`.
struct ConstantText {
  std::string type, value;
};
/// Of a tunable, declared by the user, that is fixed to the same at all sizes.
[[nodiscard]] std::optional<ConstantText> constant_text(const PlanTunable& tunable, const UserTunable& declared);

/// Values of fixed tunables that are no single number: `kFixed_T_0`.
void emit_fixed_values(Writer& out, const CppContext& context, TransformId transform);

/// An expression for the value; `run`: an expression for the RunContext, `n`: for the size of the call.
[[nodiscard]] std::string tunable_value(const CppContext& context, TransformId transform, std::size_t index,
                                        const std::string& run, const std::string& n);
/// An expression for a pointer to all elements of a tunable that is an array or a shape.
[[nodiscard]] std::string tunable_elements(const CppContext& context, TransformId transform, std::size_t index,
                                           const std::string& run, const std::string& n);

}  // namespace pb
