// SPDX-License-Identifier: MIT
#include "runtime/sched/overflow.h"

#include <sys/mman.h>

#include <csignal>
#include <cstddef>

#include "runtime/sched/worker.h"

namespace pbrt {
namespace {

// A signal handler has no parameters of ours: written before the handler is installed.
void (*overflow_report)() = nullptr;
struct sigaction previous_action[2];
constexpr int kSignals[] = {SIGSEGV, SIGBUS};

/// Of one thread, which has none of another library (a sanitizer's, say).
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

void handle_fault(int signal, siginfo_t* info, void*) {
  const bool is_fault = info->si_code > 0;  // else somebody sent the signal
  if (is_fault && Worker::is_below_running_stack(info->si_addr)) overflow_report();
  // Not ours: the instruction is repeated, or the signal sent again, for the handler before.
  sigaction(signal, &previous_action[signal == kSignals[0] ? 0 : 1], nullptr);
  if (!is_fault) raise(signal);
}

}  // namespace

void on_stack_overflow(void (*report)()) {
  overflow_report = report;
  for (int i = 0; i < 2; ++i) {
    struct sigaction action {};
    action.sa_sigaction = &handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], &action, &previous_action[i]);
  }
}

void prepare_for_overflow() { static thread_local const AlternateStack stack; }

}  // namespace pbrt
