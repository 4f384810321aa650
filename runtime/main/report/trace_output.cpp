// SPDX-License-Identifier: MIT
#include "runtime/main/report/trace_output.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/main/report/trace_json.h"

namespace pbrt {

namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// The signals that would end the process; those that it was told to ignore (nohup) are left out.
sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kEndingSignals) {
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) sigaddset(&set, signal);
  }
  return set;
}

/// The output that must not be lost when bodies end the process themselves (JASSERT, exit). A global, because handlers
/// of exit get no argument.
std::atomic<TraceOutput*> output_at_exit{nullptr};

void write_at_exit() {
  // Pairs with the stores in the constructor and the destructor.
  if (TraceOutput* output = output_at_exit.load(std::memory_order_acquire)) output->write_anyway();
}

[[noreturn]] void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
  std::terminate();
}

}  // namespace

TraceOutput::TraceOutput(const Options& options, std::string program) : program_(std::move(program)) {
  const bool wants_totals =
      !options.is_server && (options.stats == StatsFormat::Text || options.stats == StatsFormat::Json);
  if (options.trace.empty() && !wants_totals) return;
  trace_.emplace(!options.trace.empty());
  if (options.trace.empty()) return;
  file_.emplace(options.trace);
  for (const std::string& word : options.words) check_is_not(word, "an input or output");
  watched_ = ending_signals();
  pthread_sigmask(SIG_BLOCK, &watched_, nullptr);
  watcher_ = std::thread([this] { watch_signals(); });
  output_at_exit.store(this, std::memory_order_release);
  if (std::atexit(write_at_exit) != 0 || std::at_quick_exit(write_at_exit) != 0)
    throw IoError("no room for one more exit handler");
}

TraceOutput::~TraceOutput() {
  if (!watcher_.joinable()) return;
  output_at_exit.store(nullptr, std::memory_order_release);
  is_over_.store(true, std::memory_order_relaxed);  // relaxed suffices, because the signal below orders it
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread): the signal is blocked, and the watcher takes it with sigwait.
  pthread_kill(watcher_.native_handle(), SIGTERM);
  watcher_.join();
}

void TraceOutput::watch_signals() {
  // The destructor wakes this thread with SIGTERM. So the thread waits for that signal even if the process ignores it.
  sigset_t awaited = watched_;
  sigaddset(&awaited, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  for (;;) {
    int signal = 0;
    if (sigwait(&awaited, &signal) != 0) continue;
    if (is_over_.load(std::memory_order_relaxed)) return;
    if (sigismember(&watched_, signal) == 0) continue;
    write_anyway();
    end_by(signal);
  }
}

void TraceOutput::check_is_not(const std::string& path, const char* what) {
  const std::lock_guard lock(mutex_);
  if (!file_ || !file_->is_same_place(path)) return;
  file_.reset();  // errors, too, are followed by the recording
  throw UserError(path + ": the file of --trace is also " + what + ", which it would replace");
}

void TraceOutput::write() {
  const std::lock_guard lock(mutex_);
  if (!file_) return;
  OutputFile file = std::move(*file_);
  file_.reset();
  file.write(trace_json(*trace_, program_));
  file.finish();
  file.commit();
}

void TraceOutput::write_anyway() noexcept {
  try {
    write();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warning: %s\n", error.what());
  }
}

}  // namespace pbrt
