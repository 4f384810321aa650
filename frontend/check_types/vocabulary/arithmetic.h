// SPDX-License-Identifier: MIT
// Arithmetic of C++ on the types that bodies know, and the types of built-in functions. Private to check_types.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb::checking {

[[nodiscard]] bool is_arithmetic(const BodyType& type);
[[nodiscard]] BodyType promoted(BodyType type);
[[nodiscard]] BodyType common_type(const BodyType& a, const BodyType& b);
/// Whether the types are the same but for `const`.
[[nodiscard]] bool is_same_type(BodyType a, const BodyType& b);
[[nodiscard]] BodyType plain_type(BodyType::Kind kind);

/// The type of one element of a matrix of `element`.
[[nodiscard]] BodyType element_type(const Program& program, ElementType element, bool is_element_t, bool is_const);
/// `ElementT` as written in the body becomes what --element says.
[[nodiscard]] BodyType normalised(const Program& program, BodyType type);

/// The type of a call of a function, or of a constant, from docs/reference/language.md 7.7 or from the mathematics of
/// C++; none if it is neither.
[[nodiscard]] std::optional<BodyType> type_of_builtin_call(const std::string& callee,
                                                           const std::vector<BodyType>& args);
[[nodiscard]] std::optional<BodyType> type_of_builtin_constant(const std::string& name);

}  // namespace pb::checking
