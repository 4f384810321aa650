// SPDX-License-Identifier: MIT
#include "choicegraph/passes/analysis/connected_parts.h"

#include <algorithm>

namespace pb::choices {
namespace {

/// Finds the parts by Tarjan's algorithm; a part comes out after all that it reaches.
class Parts {
 public:
  Parts(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& edge)
      : edge_(edge), index_(count, 0), low_(count, 0), is_open_(count, false) {}

  std::vector<std::vector<std::size_t>> find() {
    // The search starts with the last node, so that nodes without an order between them stay in their order.
    for (std::size_t node = index_.size(); node-- > 0;)
      if (index_[node] == 0) visit(node);
    std::reverse(out_.begin(), out_.end());
    return std::move(out_);
  }

 private:
  void visit(std::size_t node) {
    index_[node] = low_[node] = ++num_seen_;
    open_.push_back(node);
    is_open_[node] = true;
    for (std::size_t next = index_.size(); next-- > 0;) {
      if (next == node || !edge_(node, next)) continue;
      if (index_[next] == 0) {
        visit(next);
        low_[node] = std::min(low_[node], low_[next]);
      } else if (is_open_[next]) {
        low_[node] = std::min(low_[node], index_[next]);
      }
    }
    if (low_[node] != index_[node]) return;
    std::vector<std::size_t> part;
    std::size_t member = 0;
    do {
      member = open_.back();
      open_.pop_back();
      is_open_[member] = false;
      part.push_back(member);
    } while (member != node);
    std::sort(part.begin(), part.end());
    out_.push_back(std::move(part));
  }

  const std::function<bool(std::size_t, std::size_t)>& edge_;
  std::vector<std::size_t> index_, low_;
  std::vector<bool> is_open_;
  std::vector<std::size_t> open_;
  std::size_t num_seen_ = 0;
  std::vector<std::vector<std::size_t>> out_;
};

}  // namespace

std::vector<std::vector<std::size_t>> connected_parts(std::size_t count,
                                                      const std::function<bool(std::size_t, std::size_t)>& edge) {
  return Parts(count, edge).find();
}

}  // namespace pb::choices
