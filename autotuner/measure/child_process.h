// SPDX-License-Identifier: MIT
// A program run as a child with pipes: lines in, lines out, what it prints as errors is kept for
// messages. It has its own process group, which dies as a whole, also with us.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace pbtune {

class ChildProcess {
 public:
  enum class Priority { Usual, WhenIdle };  ///< WhenIdle: it runs when processors have nothing else to do

  /// Starts `arguments[0]` (a path, not searched for).
  ///
  /// Errors: throws pbrt::IoError if it cannot be started
  explicit ChildProcess(const std::vector<std::string>& arguments, Priority priority = Priority::Usual);
  ~ChildProcess();  ///< kills the group and reaps the child
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Sends a line; false if the child is gone or does not read.
  [[nodiscard]] bool send_line(const std::string& line);

  enum class Read { Line, TimedOut, Ended };
  /// Waits for a line until `deadline`, or takes one that is there already; calls `on_tick` (may throw) about ten times
  /// a second. `Ended`: the child closed its output or died, or sent a line beyond all bounds.
  [[nodiscard]] Read read_line(std::string& line, std::chrono::steady_clock::time_point deadline,
                               const std::function<void()>& on_tick);

  void kill();
  /// Kills what is left of the child and says how it ended: `killed by signal 11 (Segmentation fault)`, `exit status
  /// 3`.
  [[nodiscard]] std::string end();
  /// The last lines that the child printed to standard error.
  [[nodiscard]] const std::string& last_errors() const { return errors_; }

 private:
  void drain_errors();
  void reap();

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, error_ = -1;  ///< our ends of its descriptors 0, 1, 2
  std::string buffer_;
  std::string errors_;
  int wait_status_ = 0;
  bool is_reaped_ = false;
  bool was_killed_by_us_ = false;
};

}  // namespace pbtune
