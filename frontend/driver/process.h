// SPDX-License-Identifier: MIT
// Runs one child process and collects what it prints. Used by the driver for the C++ compiler.
#pragma once

#include <string>
#include <vector>

namespace pb {

struct ProcessResult {
  int start_error = 0;    ///< errno of a program that could not be started; 0: it ran
  int exit_status = 0;    ///< set if the child returned
  int signal_number = 0;  ///< set if a signal ended the child
  std::string output;     ///< standard output and standard error, as they came

  [[nodiscard]] bool succeeded() const { return start_error == 0 && exit_status == 0 && signal_number == 0; }
};

/// A child that was started and not yet waited for.
class RunningProcess {
 public:
  /// Starts `arguments[0]` (looked up in PATH) with the messages in English.
  ///
  /// Errors:  throws IoError if no pipe can be made; a program that cannot start shows in the result
  explicit RunningProcess(const std::vector<std::string>& arguments);
  /// Ends the child if nobody has waited for it.
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  /// Reads what the child prints until it ends. Called at most once.
  [[nodiscard]] ProcessResult finish();

 private:
  int pid_ = 0;
  int output_ = -1;
  int start_error_ = 0;
};

/// Runs `arguments[0]` (looked up in PATH) with the messages in English and waits for it.
///
/// Errors:  throws IoError if no pipe can be made
[[nodiscard]] ProcessResult run_process(const std::vector<std::string>& arguments);

}  // namespace pb
