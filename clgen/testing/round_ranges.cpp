// SPDX-License-Identifier: MIT
#include "clgen/testing/round_ranges.h"

#include <algorithm>

#include "clgen/lower/tree/loop_tree.h"

namespace pb::testing {
namespace {

constexpr const char* kRange = "pb_range";

/// The number of a group's range. Groups that run all rounds have 0.
std::int64_t range_in(const Values& values) {
  const auto range = values.find(kRange);
  return range == values.end() ? 0 : range->second;
}

}  // namespace

std::vector<Values> RoundRanges::values_of_groups(const Values& values, int stage) const {
  std::vector<Values> out(num_ranges_ > 1 && stage == 1 ? static_cast<std::size_t>(num_ranges_) : 1, values);
  if (num_ranges_ == 1) return out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i][kRange] = stage == 1 ? static_cast<std::int64_t>(i) : num_ranges_;
  return out;
}

std::pair<std::int64_t, std::int64_t> RoundRanges::rounds_of(std::int64_t range, std::int64_t all) const {
  const std::int64_t num_blocks = (all + in_block_ - 1) / in_block_;
  const std::int64_t length = (num_blocks + num_ranges_ - 1) / num_ranges_ * in_block_;
  return {std::min(range * length, all), std::min((range + 1) * length, all)};
}

std::pair<std::int64_t, std::int64_t> RoundRanges::rounds_of(const Values& values, std::int64_t all) const {
  return rounds_of(range_in(values), all);
}

bool RoundRanges::begin(const Point& instance, const Values& values, std::int64_t all) {
  return next_.try_emplace({instance, range_in(values)}, rounds_of(values, all).first).second;
}

bool RoundRanges::run(const Point& instance, const Values& values) {
  const auto next = next_.find({instance, range_in(values)});
  if (next == next_.end() || next->second != values.at(block_var())) return false;
  next->second += in_block_;
  return true;
}

bool RoundRanges::is_done(const Point& instance, std::int64_t all) const {
  for (std::int64_t range = 0; range < num_ranges_; ++range) {
    const auto next = next_.find({instance, range});
    if (next == next_.end() || next->second < rounds_of(range, all).second) return false;
  }
  return true;
}

}  // namespace pb::testing
