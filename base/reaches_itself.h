// SPDX-License-Identifier: MIT
// Tells whether a node of a directed graph lies on a cycle. pbc and pbtune find in this way the transforms that call
// themselves, directly or through others: pbc in a Plan, and pbtune in training information.
#pragma once

#include <set>
#include <vector>

namespace pb {

/// Whether a path of at least one edge leads from `start` back to it. `next_of(node)` is the range of nodes that an
/// edge leads to from `node`.
///
/// Pre:     nodes have an order; finitely many are reached
template <class Node, class NextOf>
[[nodiscard]] bool reaches_itself(const Node& start, const NextOf& next_of) {
  std::set<Node> seen;
  std::vector<Node> waiting{start};
  while (!waiting.empty()) {
    const Node node = waiting.back();
    waiting.pop_back();
    for (const Node& next : next_of(node)) {
      if (next == start) return true;
      if (seen.insert(next).second) waiting.push_back(next);
    }
  }
  return false;
}

}  // namespace pb
