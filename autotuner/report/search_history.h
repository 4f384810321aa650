// SPDX-License-Identifier: MIT
// What a journal says about a search as a whole: per size what was tried when, how fast it was, and who was best. Used
// by reports.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autotuner/measure/journal.h"

namespace pbtune {

/// A configuration at one size; its trials together.
struct Tried {
  std::string fingerprint;
  std::string origin;                  ///< `all opencl`, `change Conv.split_size`, …
  double at_s = 0;                     ///< when its first trial ended
  OutcomeKind kind = OutcomeKind::Ok;  ///< how the last trial ended
  Sample times_ns;                     ///< times of the trials that ended well
  bool is_on_device = false;           ///< in part at least
  [[nodiscard]] bool is_good() const { return kind == OutcomeKind::Ok && !times_ns.empty(); }
  /// Whether this was one choice everywhere, with the default's values.
  [[nodiscard]] bool is_fixed_choice() const { return origin == "the default" || origin.starts_with("all "); }
};

/// The part of a search from the inputs of one size to those of the next.
struct Phase {
  std::int64_t n = 0;
  double begin_s = 0, end_s = 0;
  std::vector<Tried> tried;  ///< in order of appearance
  std::string chosen = {};   ///< fingerprint of what the search chose in the end; of the last phase only
  /// The configuration that was chosen; if none was, the one with the least median, of at least three trials if any has
  /// so many. Null if nothing ended well. The pointer leads into `tried`.
  [[nodiscard]] const Tried* best() const;
  [[nodiscard]] const Tried* best_fixed() const;
  [[nodiscard]] const Tried* standard() const;
};

struct History {
  std::vector<Phase> phases;
  std::map<OutcomeKind, int> outcomes;  ///< number of runs by how they ended
  int num_configurations = 0;
};

[[nodiscard]] History history_of(const JournalContents& journal, const InfoIndex& index);

}  // namespace pbtune
