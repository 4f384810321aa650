// SPDX-License-Identifier: MIT
// --trace and --stats of one invocation: makes the recording and puts the file in place at its end, also after an error
// or a signal that ends the process (SIGINT, SIGTERM, SIGHUP).
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/main/command_line/options.h"
#include "runtime/matrix/files/output_file.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt {

class TraceOutput {
 public:
  /// Blocks signals in the calling thread, which is the process's only one at this time, if there is a file to write.
  ///
  /// Errors:  IoError if the file cannot be written, UserError if it is an input or output of the run
  TraceOutput(const Options& options, std::string program);
  /// Ends the recording. Without write() the file is left as it was.
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  /// The recording; null if nothing is recorded.
  [[nodiscard]] Trace* trace() { return trace_ ? &*trace_ : nullptr; }

  /// Refuses a file that the run reads or writes, and that the recording would replace: it is given up. `what` says
  /// which it is.
  ///
  /// Errors:  UserError
  void check_is_not(const std::string& path, const char* what);

  /// Writes the file. Does nothing if no file was asked for, or if it was written before.
  ///
  /// Errors:  IoError; nothing is left behind
  /// Threads: any
  void write();
  /// Writes the file as write() does, while another error is being reported. An error of its own is only printed.
  void write_anyway() noexcept;

 private:
  void watch_signals();

  const std::string program_;
  std::optional<Trace> trace_;
  std::mutex mutex_;
  std::optional<OutputFile> file_;  // under mutex_; empty once it was written
  sigset_t watched_{};
  std::atomic<bool> is_over_{false};
  std::thread watcher_;
};

}  // namespace pbrt
