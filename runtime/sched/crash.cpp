// SPDX-License-Identifier: MIT
#include "runtime/sched/crash.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>

#include "runtime/sched/fiber.h"
#include "runtime/sched/worker.h"

namespace pbrt {
namespace {

// The reporter is a global, because a signal handler gets no parameters of ours. It is written before the handler is
// installed.
void (*crash_report)(const Crash& crash) = nullptr;
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kNumSignals = sizeof kSignals / sizeof kSignals[0];
struct sigaction previous_action[kNumSignals];
// Set while a thread reports. Another thread that crashes meanwhile waits for the end of the process.
std::atomic_flag is_reporting = ATOMIC_FLAG_INIT;

/// The stack of one thread for signal handlers, unless another library (a sanitizer, say) has given the thread one.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t before{};
    if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;  // an overflow then ends in a plain crash
    memory_ = memory;
    stack_t mine{};
    mine.ss_sp = memory;
    mine.ss_size = kBytes;
    sigaltstack(&mine, nullptr);
  }
  ~AlternateStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory_, kBytes);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  static constexpr std::size_t kBytes = std::size_t{128} * 1024;
  void* memory_ = nullptr;
};

/// Whether `address` lies in the guard pages below the stack that the calling thread's worker runs now.
/// Async-signal-safe.
bool is_below_running_stack(const void* address) {
  const Worker* const worker = Worker::of_thread();
  if (worker == nullptr || worker->running() == nullptr) return false;
  const char* const limit = worker->running()->stack_limit - kBodyBytes;
  const auto* const at = static_cast<const char*>(address);
  return at < limit && limit - at <= static_cast<std::ptrdiff_t>(kGuardBytes);
}

void handle_crash(int signal, siginfo_t* info, void*) {
  const bool is_fault = info->si_code > 0;  // if not, somebody sent the signal; abort() sends it to its own process
  if (is_fault || (signal == SIGABRT && info->si_pid == getpid())) {
    // Relaxed, because nothing is handed over.
    while (is_reporting.test_and_set(std::memory_order_relaxed)) pause();
    const bool is_access = signal == SIGSEGV || signal == SIGBUS;
    const void* address = is_access ? info->si_addr : nullptr;
    crash_report({signal, info->si_code, address, is_access && is_below_running_stack(address)});
  }
  // The handler that was there before gets the signal: the instruction is repeated, or the signal is sent again.
  for (int i = 0; i < kNumSignals; ++i)
    if (kSignals[i] == signal) sigaction(signal, &previous_action[i], nullptr);
  if (!is_fault) raise(signal);
}

}  // namespace

void on_crash(void (*report)(const Crash& crash)) {
  crash_report = report;
  for (int i = 0; i < kNumSignals; ++i) {
    struct sigaction action {};
    action.sa_sigaction = &handle_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, &previous_action[i]);
  }
}

void prepare_for_crash() {
  if (crash_report == nullptr) return;
  static thread_local const AlternateStack stack;
}

}  // namespace pbrt
