// SPDX-License-Identifier: MIT
// What a person sees while a search runs: on a terminal one line that is redrawn at most ten times a
// second, otherwise a plain line now and then.
#pragma once

#include <chrono>
#include <string>

#include "autotuner/search/search.h"

namespace pbtune {

class Progress {
 public:
  Progress(bool is_quiet, std::chrono::steady_clock::time_point begin);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set_state(const SearchState& state);
  void set_trying(const std::string& what) { trying_ = what; }
  /// Redraws the line if it is time; called while a measurement is waited for.
  void tick();
  /// Prints a line that stays: above the bar on a terminal. It is shown also when quiet if `is_important`.
  void say(const std::string& text, bool is_important = false);
  void finish();

 private:
  [[nodiscard]] std::string bar_line(std::size_t width) const;
  [[nodiscard]] std::string summary() const;
  void erase_bar();

  bool is_quiet_, is_terminal_;
  bool is_bar_shown_ = false;
  SearchState state_;
  std::string trying_;
  std::chrono::steady_clock::time_point begin_, last_drawn_{}, last_line_;
  std::int64_t last_line_n_ = -1;
  double last_line_best_ = 0;
};

/// `1.23 s`, `45.6 ms`, `7.89 us`.
[[nodiscard]] std::string time_text(double ns);
/// `3.1x faster`, `1.2x slower`, `as fast`.
[[nodiscard]] std::string ratio_text(double old_ns, double new_ns);
/// Whether ratio_text says that neither is faster.
[[nodiscard]] bool is_as_fast(double old_ns, double new_ns);

}  // namespace pbtune
