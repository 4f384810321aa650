// SPDX-License-Identifier: MIT
#include "autotuner/report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pbtune {
namespace {

constexpr std::chrono::milliseconds kRedrawEvery{100};
constexpr std::chrono::seconds kLineEvery{10};

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string time_text(double ns) {
  if (ns >= 1e9) return fmt::format("{:.3g} s", ns * 1e-9);
  if (ns >= 1e6) return fmt::format("{:.3g} ms", ns * 1e-6);
  return fmt::format("{:.3g} us", ns * 1e-3);
}

std::string count_text(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string limit_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2g} s", std::max(0.0, seconds)) : fmt::format("{:.0f} s", seconds);
}

std::string ratio_text(double old_ns, double new_ns) {
  if (!(old_ns > 0) || !(new_ns > 0)) return "";
  const double ratio = old_ns / new_ns;
  if (ratio > 1.005) return fmt::format("{:.{}f}x faster", ratio, ratio < 10 ? 2 : 0);
  if (ratio < 0.995) return fmt::format("{:.2f}x slower", 1 / ratio);
  return "as fast";
}

bool is_as_fast(double old_ns, double new_ns) { return ratio_text(old_ns, new_ns) == "as fast"; }

Progress::Progress(bool is_quiet, std::chrono::steady_clock::time_point begin)
    : is_quiet_(is_quiet), is_terminal_(::isatty(STDERR_FILENO) == 1), begin_(begin), last_line_(begin) {}

Progress::~Progress() { finish(); }

void Progress::set_state(const SearchState& state) {
  state_ = state;
  set_trying(state.phase);
  if (is_quiet_ || is_terminal_) return tick();
  const bool is_new_size = state.n != last_line_n_;
  const bool is_news = state.best_ns > 0 && state.best_ns < 0.95 * last_line_best_;
  const auto now = std::chrono::steady_clock::now();
  if (!is_new_size && now - last_line_ < (is_news ? kLineEvery / 5 : kLineEvery)) return;
  last_line_ = now;
  last_line_n_ = state.n;
  last_line_best_ = state.best_ns;
  put(summary() + "\n");
}

std::string progress_line(const SearchState& state, double elapsed_s, const std::string& trying) {
  const double left_s = std::max(0.0, state.budget_s - std::max(elapsed_s, state.elapsed_s));
  std::string out = fmt::format("{:.0f} s left, size {} ({} of {})", std::ceil(left_s), state.n, state.size_index + 1,
                                state.num_sizes);
  if (state.best_ns > 0) out += ", " + time_text(state.best_ns);
  if (state.best_ns > 0 && state.default_ns > 0)
    out += ": " + ratio_text(state.default_ns, state.best_ns) + " at first sight";
  return out + "; " + trying;
}

std::string trying_text(const std::string& trying, int num_building, int num_kernels) {
  if (num_kernels == 0) return trying;
  if (num_building == 0) return fmt::format("{} ({} kernels built)", trying, num_kernels);
  if (num_building == 1) return fmt::format("{}, building kernel {}", trying, num_kernels);
  return fmt::format("{}, building kernels {} to {}", trying, num_kernels - num_building + 1, num_kernels);
}

std::string cut_to(const std::string& text, std::size_t width) {
  constexpr std::size_t kDots = 3;
  return text.size() <= width || width < kDots ? text : text.substr(0, width - kDots) + "...";
}

std::string Progress::summary() const {
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return progress_line(state_, elapsed_s, trying_text(trying_, num_building_, num_kernels_));
}

void Progress::note_kernels(int num_kernels) {
  num_building_ = num_kernels;
  num_kernels_ += num_kernels;
}

void Progress::tick() {
  if (is_quiet_ || !is_terminal_ || state_.num_sizes == 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_drawn_ < kRedrawEvery) return;
  last_drawn_ = now;
  is_line_shown_ = true;
  // A line that fills the terminal would go on to the next one.
  put("\r" + cut_to(summary(), terminal_width() - 1) + "\033[K");
}

void Progress::erase_line() {
  if (is_line_shown_) put("\r\033[K");
  is_line_shown_ = false;
}

void Progress::say(const std::string& text, bool is_important) {
  if (is_quiet_ && !is_important) return;
  erase_line();
  put(text + "\n");
}

void Progress::finish() { erase_line(); }

}  // namespace pbtune
