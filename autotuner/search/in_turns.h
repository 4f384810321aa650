// SPDX-License-Identifier: MIT
// The order in which things are measured that are to be compared: there and back, so that a machine that slows down or
// speeds up in a round does not favour the same one each time. Used at the end of a search and by `pbtune compare`.
#pragma once

#include <cstddef>

namespace pbtune {

/// Calls `function` for each element of a vector or array: forwards in even rounds, backwards in odd ones.
template <class Container, class Function>
void in_turns(Container& items, int round, const Function& function) {
  for (std::size_t i = 0; i < items.size(); ++i) function(items[round % 2 == 0 ? i : items.size() - 1 - i]);
}

}  // namespace pbtune
