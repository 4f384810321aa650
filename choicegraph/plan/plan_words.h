// SPDX-License-Identifier: MIT
// Words of the Plan's text form that the printer and the reader share. Private to this folder.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "choicegraph/plan/plan.h"

namespace pb::choices {

inline constexpr std::array<std::pair<LoopOrder, std::string_view>, 4> kOrderWords{{
    {LoopOrder::Parallel, "parallel"},
    {LoopOrder::Increasing, "increasing"},
    {LoopOrder::Decreasing, "decreasing"},
    {LoopOrder::Nested, "nested"},
}};

inline constexpr std::array<std::pair<RowKind, std::string_view>, 3> kRowWords{{
    {RowKind::Parallel, "parallel"},
    {RowKind::Carried, "carried"},
    {RowKind::Slices, "slices"},
}};

inline constexpr std::array<std::pair<Regrouping, std::string_view>, 3> kRegroupingWords{{
    {Regrouping::Exact, "exact"},
    {Regrouping::Rounds, "rounds"},
    {Regrouping::Never, "source"},
}};

template <class Table, class Key>
[[nodiscard]] constexpr std::string_view word_of(const Table& table, Key key) {
  for (const auto& [value, word] : table)
    if (value == key) return word;
  return {};
}

}  // namespace pb::choices
