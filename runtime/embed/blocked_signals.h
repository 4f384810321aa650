// SPDX-License-Identifier: MIT
// Threads that a library makes get no signals of the host: while this lives, new threads begin with signals blocked.
// Signals of a thread's own crash stay, since the host may have handlers for them.
#pragma once

#include <csignal>

namespace pbrt {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&blocked, crash);
    is_set_ = pthread_sigmask(SIG_SETMASK, &blocked, &before_) == 0;
  }
  ~BlockedSignals() {
    if (is_set_) (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);  // it cannot fail: the mask was in force
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
  bool is_set_;
};

}  // namespace pbrt
