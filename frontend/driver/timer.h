// SPDX-License-Identifier: MIT
// Times of the passes, for --time-passes.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace pb {

class PassTimer {
 public:
  /// Runs `pass` and keeps how long it took under `name`.
  template <class F>
  auto run(const char* name, F&& pass) {
    const Stopper stopper{*this, name, std::chrono::steady_clock::now()};
    return std::forward<F>(pass)();
  }
  /// The time of each pass in milliseconds, one line per pass.
  [[nodiscard]] std::string report() const;

 private:
  struct Stopper {
    PassTimer& timer;
    const char* name = nullptr;
    std::chrono::steady_clock::time_point start;
    ~Stopper() { timer.times_.emplace_back(name, std::chrono::steady_clock::now() - start); }
  };
  std::vector<std::pair<const char*, std::chrono::steady_clock::duration>> times_;
};

}  // namespace pb
