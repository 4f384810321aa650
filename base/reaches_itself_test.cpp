// SPDX-License-Identifier: MIT
#include "base/reaches_itself.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace pb {
namespace {

TEST(ReachesItself, HoldsOfTheNodesOfACycleAlone) {
  // The graph's node 0 leads to the cycle 1, 2, 3, from which 4 is left; 5 leads to itself.
  const std::map<int, std::vector<int>> edges{{0, {1, 5}}, {1, {2}}, {2, {3}}, {3, {1, 4}}, {4, {}}, {5, {5}}};
  const auto next_of = [&](int node) -> const std::vector<int>& { return edges.at(node); };
  for (const int node : {0, 4}) EXPECT_FALSE(reaches_itself(node, next_of)) << node;
  for (const int node : {1, 2, 3, 5}) EXPECT_TRUE(reaches_itself(node, next_of)) << node;
}

}  // namespace
}  // namespace pb
