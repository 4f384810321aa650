// SPDX-License-Identifier: MIT
// Ctrl-C ends a call of the main thread.
//
// Python notes a signal in its own handler and acts on it when the main thread is back in the interpreter. While that
// thread is in a call, Python is told to write the number of each signal into a pipe, as asyncio has it; a thread of
// ours waits at the other end and cancels the call. Python then raises KeyboardInterrupt as always. So the calls
// themselves pay for no thread and no handler. A program that handles SIGINT itself gets it when the call has ended.
#pragma once

#include "runtime/embed/polybricks.h"

namespace pbpy {

/// Lives from before a call releases the interpreter's lock until it is held again. On other threads than the main one
/// it does nothing.
///
/// Threads: holds the interpreter's lock when made and ended
class InterruptWatch {
 public:
  /// Errors:  what Python raises for signals that came before
  explicit InterruptWatch(pb_context* context);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Starts the thread in this process, once. Called when a context is made.
  static void start();

  /// Called when the lock is held again.
  ///
  /// Errors:  what Python raises for signals that came meanwhile
  void end();

 private:
  void raise_signals();
  void stop();

  bool is_watching_ = false;
};

}  // namespace pbpy
