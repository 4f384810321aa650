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
  void set_trying(const std::string& what) {
    trying_ = what;
    num_building_ = 0;
  }
  /// Says that the run that begins must build kernels first.
  void note_kernels(int num_kernels);
  /// Redraws the line if it is time; called while a measurement is waited for.
  void tick();
  /// Prints a line that stays: above the redrawn one on a terminal. It is shown also when quiet if `is_important`.
  void say(const std::string& text, bool is_important = false);
  void finish();

 private:
  [[nodiscard]] std::string summary() const;
  void erase_line();

  bool is_quiet_, is_terminal_;
  bool is_line_shown_ = false;
  SearchState state_;
  std::string trying_;
  int num_kernels_ = 0;   ///< all that were built
  int num_building_ = 0;  ///< those of them that are built for the run under way
  std::chrono::steady_clock::time_point begin_, last_drawn_{}, last_line_;
  std::int64_t last_line_n_ = -1;
  double last_line_best_ = 0;
};

/// The line about a search: the time left comes first, and a gain over the default is called what it is: a first
/// impression. `elapsed_s` is the time by the clock on the wall.
[[nodiscard]] std::string progress_line(const SearchState& state, double elapsed_s, const std::string& trying);
/// What is done for the run under way: building kernels, of `num_kernels` so far, or the run itself.
[[nodiscard]] std::string trying_text(const std::string& trying, int num_building, int num_kernels);
/// The text, cut to at most `width` columns.
[[nodiscard]] std::string cut_to(const std::string& text, std::size_t width);

/// `1 size`, `3 sizes`, for words whose plural ends in s alone.
[[nodiscard]] std::string count_text(std::size_t count, const char* what);
/// `1.23 s`, `45.6 ms`, `7.89 us`.
[[nodiscard]] std::string time_text(double ns);
/// `48 s`, `0.095 s`: the time that a search may take.
[[nodiscard]] std::string limit_text(double seconds);
/// `3.1x faster`, `1.2x slower`, `as fast`.
[[nodiscard]] std::string ratio_text(double old_ns, double new_ns);
/// Whether ratio_text says that neither is faster.
[[nodiscard]] bool is_as_fast(double old_ns, double new_ns);

}  // namespace pbtune
