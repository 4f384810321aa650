// SPDX-License-Identifier: MIT
#include "autotuner/trials/population.h"

#include <algorithm>
#include <utility>

namespace pbtune {

double Population::best_ns() const { return is_empty() ? 0 : median(best().times_ns); }

void Population::add(Candidate candidate) { members_.push_back(std::move(candidate)); }

void Population::sort() { std::stable_sort(members_.begin(), members_.end(), ranks_before); }

void Population::prune() {
  sort();
  if (members_.size() > max_size_)
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(max_size_), members_.end());
}

std::vector<Candidate> Population::take_all() { return std::exchange(members_, {}); }

}  // namespace pbtune
