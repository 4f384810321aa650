// SPDX-License-Identifier: MIT
// Notices for the person while targets are tuned. They are shown on the terminal and kept in the journal. A notice that
// may recur is given only once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "autotuner/trials/evaluator.h"
#include "autotuner/trials/search_events.h"

namespace pbtune {

/// The places that notices go to.
struct NoticeOutlets {
  std::function<void(const std::string& text, bool is_important)> say;  ///< to the person
  std::function<void(const std::string& text)> keep;                    ///< in the journal
};

class Notices {
 public:
  /// Keeps a reference to `index`. `seed` is that of the search.
  Notices(const InfoIndex& index, std::uint64_t seed, NoticeOutlets outlets)
      : index_(index), seed_(seed), outlets_(std::move(outlets)) {}

  void note(const std::string& text);
  /// Gives a warning that is shown even with `--quiet`.
  void warn(const std::string& text);
  /// Gives notice of what preparing the inputs showed, for example that two runs of the default differ, so that nothing
  /// can be verified. The same text twice in a row is said once.
  void note_prepared(const Prepared& prepared);
  /// Says that other programs keep processors busy, if waits are a large part of the measured time. Said once.
  ///
  /// Units:   nanoseconds of all runs together
  void note_load(double total_ns, double waited_ns);
  /// Says that the search cannot be resumed any more, for the reason `trouble`; does nothing if it is empty. Said once.
  void note_trouble(const std::string& trouble);
  /// Says that a configuration gives wrong outputs or crashes.
  void note_failed(const Candidate& candidate, const Outcome& outcome, bool is_wrong_but_fast);

  /// How many failed candidates were wrong, and would have been the fastest.
  [[nodiscard]] int num_wrong_but_fast() const { return num_wrong_but_fast_; }

 private:
  const InfoIndex& index_;
  const std::uint64_t seed_;
  NoticeOutlets outlets_;
  std::string last_prepared_;
  int num_wrong_but_fast_ = 0;
  bool is_load_known_ = false, is_trouble_known_ = false;
};

}  // namespace pbtune
