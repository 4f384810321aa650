// SPDX-License-Identifier: MIT
// What a search has tried: the numbers of its candidates, and the configurations of a size.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/candidate.h"

namespace pbtune {

class Attempts {
 public:
  /// Keeps a reference.
  explicit Attempts(const InfoIndex& index) : index_(index) {}

  /// Forgets the configurations of the size before.
  void begin_size() { tried_.clear(); }
  /// True once for each configuration at a size.
  [[nodiscard]] bool is_new(const Configuration& configuration) {
    return tried_.insert(fingerprint(index_, configuration)).second;
  }
  /// A number that no candidate has yet.
  [[nodiscard]] int next_id() { return next_id_++; }
  [[nodiscard]] Candidate child_of(const Candidate& parent, Configuration configuration, std::string origin) {
    Candidate out;
    out.configuration = std::move(configuration);
    out.origin = std::move(origin);
    out.id = next_id();
    out.parent = parent.id;
    return out;
  }

 private:
  const InfoIndex& index_;
  std::set<std::string> tried_;  ///< fingerprints
  int next_id_ = 0;
};

}  // namespace pbtune
