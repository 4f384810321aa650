// SPDX-License-Identifier: MIT
// The relations between numbers that headers may ask for: how they are spelled, what they say, which is the opposite of
// which.
#pragma once

#include <cstdint>

#include "lang/formula.h"

namespace pb {

/// As C++, OpenCL C and headers write it.
[[nodiscard]] constexpr const char* spelling(RelationOp op) {
  switch (op) {
    case RelationOp::Less:
      return "<";
    case RelationOp::LessEqual:
      return "<=";
    case RelationOp::Greater:
      return ">";
    case RelationOp::GreaterEqual:
      return ">=";
    case RelationOp::Equal:
      return "==";
    case RelationOp::NotEqual:
      return "!=";
  }
  return "";
}

/// Whether two numbers have the relation; `difference`: the left one minus the right one.
[[nodiscard]] constexpr bool holds(RelationOp op, std::int64_t difference) {
  switch (op) {
    case RelationOp::Less:
      return difference < 0;
    case RelationOp::LessEqual:
      return difference <= 0;
    case RelationOp::Greater:
      return difference > 0;
    case RelationOp::GreaterEqual:
      return difference >= 0;
    case RelationOp::Equal:
      return difference == 0;
    case RelationOp::NotEqual:
      return difference != 0;
  }
  return false;
}

/// The relation that two numbers have exactly if they do not have `op`.
[[nodiscard]] constexpr RelationOp opposite(RelationOp op) {
  switch (op) {
    case RelationOp::Less:
      return RelationOp::GreaterEqual;
    case RelationOp::LessEqual:
      return RelationOp::Greater;
    case RelationOp::Greater:
      return RelationOp::LessEqual;
    case RelationOp::GreaterEqual:
      return RelationOp::Less;
    case RelationOp::Equal:
      return RelationOp::NotEqual;
    case RelationOp::NotEqual:
      return RelationOp::Equal;
  }
  return op;
}

}  // namespace pb
