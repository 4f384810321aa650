// SPDX-License-Identifier: MIT
// Strongly connected parts of small graphs, over steps or transforms.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace pb::choices {

/// The parts of the nodes 0 … count-1 that reach each other, each in increasing order; a part comes before those that
/// it reaches. `edge(a, b)` says that b comes after a.
[[nodiscard]] std::vector<std::vector<std::size_t>> connected_parts(
    std::size_t count, const std::function<bool(std::size_t, std::size_t)>& edge);

}  // namespace pb::choices
