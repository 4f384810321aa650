// SPDX-License-Identifier: MIT
// Values of a tree's expressions, and points of boxes, where tests run a tree. Not part of the compiler. Private to
// this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "choicegraph/testing/oracle.h"
#include "lang/check.h"
#include "lang/index/index_expr.h"

namespace pb::testing {

inline std::int64_t value(const IndexExpr& expr, const Values& values) {
  const auto found = evaluate(expr, {values.begin(), values.end()});
  PB_CHECK(found.has_value(), "an expression of a tree has a value");
  return *found;
}

inline std::string point_text(const Point& point) {
  std::string out;
  for (const std::int64_t at : point) out += (out.empty() ? "(" : ", ") + std::to_string(at);
  return out + ")";
}

/// Calls `visit` with points of the box from 0 to `lengths`. Along dimension d they begin at first[d] and are by[d]
/// apart.
inline void for_each_point(const Point& lengths, const Point& first, const Point& by,
                           const std::function<void(const Point&)>& visit) {
  Point at = first;
  for (std::size_t d = 0; d < at.size(); ++d)
    if (at[d] >= lengths[d]) return;
  for (;;) {
    visit(at);
    std::size_t d = 0;
    while (d < at.size() && (at[d] += by[d]) >= lengths[d]) {
      at[d] = first[d];
      ++d;
    }
    if (d == at.size()) return;
  }
}

}  // namespace pb::testing
