// SPDX-License-Identifier: MIT
// Which rounds of a fold in blocks have run, where groups run all rounds of their instances or a range of them. Part of
// run_tree. Not part of the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "choicegraph/testing/oracle.h"

namespace pb::testing {

class RoundRanges {
 public:
  RoundRanges(std::int64_t in_block, std::int64_t num_ranges) : in_block_(in_block), num_ranges_(num_ranges) {}

  /// Returns the values of the groups that run the same instances in a stage: one for each range in the first of two
  /// stages, and one that runs no rounds in the second.
  [[nodiscard]] std::vector<Values> values_of_groups(const Values& values, int stage) const;
  /// The rounds of a group, of so many in all. Ranges are whole blocks, and the last ones may have none.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> rounds_of(const Values& values, std::int64_t all) const;

  /// Notes that an instance begins in a group, or that it runs the block there. Returns whether that is next.
  [[nodiscard]] bool begin(const Point& instance, const Values& values, std::int64_t all);
  [[nodiscard]] bool run(const Point& instance, const Values& values);
  /// Whether all rounds of the instance have run.
  [[nodiscard]] bool is_done(const Point& instance, std::int64_t all) const;

 private:
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> rounds_of(std::int64_t range, std::int64_t all) const;

  const std::int64_t in_block_, num_ranges_;
  std::map<std::pair<Point, std::int64_t>, std::int64_t> next_;  ///< by instance and range
};

}  // namespace pb::testing
