// SPDX-License-Identifier: MIT
// The candidates that a search keeps at one size, best first.
#pragma once

#include <cstddef>
#include <vector>

#include "autotuner/trials/candidate.h"

namespace pbtune {

class Population {
 public:
  /// Pre: `max_size` is positive
  explicit Population(int max_size) : max_size_(static_cast<std::size_t>(max_size)) {}

  [[nodiscard]] const std::vector<Candidate>& members() const { return members_; }
  [[nodiscard]] bool is_empty() const { return members_.empty(); }
  /// Pre: the population is not empty
  [[nodiscard]] const Candidate& best() const { return members_.front(); }
  /// The median time of the best; 0 without members.
  [[nodiscard]] double best_ns() const;
  /// Whether some member is accurate enough. Times count only if there is one.
  [[nodiscard]] bool has_accurate() const { return !is_empty() && best().meets_accuracy; }
  /// A member whose times may change. Who changes them calls sort.
  [[nodiscard]] Candidate& member(std::size_t i) { return members_[i]; }

  /// Adds a member behind the others. It gets its place by sort; there may be more than the most then, until prune.
  void add(Candidate candidate);
  void sort();
  /// Sorts, and drops the last members where there are too many.
  void prune();
  /// Empties the population and returns who was in it.
  [[nodiscard]] std::vector<Candidate> take_all();

 private:
  std::vector<Candidate> members_;
  std::size_t max_size_;
};

}  // namespace pbtune
