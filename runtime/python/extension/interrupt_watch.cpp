// SPDX-License-Identifier: MIT
#include "runtime/python/extension/interrupt_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "runtime/embed/blocked_signals.h"
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

namespace {

/// What the thread shares with the calls of the main thread, under the interpreter's lock. It is never destroyed: the
/// thread waits until the process ends.
struct Watcher {
  pid_t process;
  unsigned long main_thread;
  int read_end;
  int write_end;
  py::object set_wakeup_fd;       ///< of the module `signal`
  pb_context* context = nullptr;  ///< of the call in progress
  int previous_end = -1;          ///< where Python writes signals else

  /// Tells Python where to write the numbers of signals, and returns where it wrote them before.
  ///
  /// Threads: the main thread
  [[nodiscard]] int write_signals_to(int end) const {
    using namespace py::literals;
    return set_wakeup_fd(end, "warn_on_full_buffer"_a = false).cast<int>();
  }
};

Watcher* watcher = nullptr;  // of this process, or of the one that it was forked from; under the interpreter's lock

/// Whether SIGINT raises KeyboardInterrupt.
bool is_interrupt_python_s() {
  const py::module_ signal = py::module_::import("signal");
  return signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

/// Reads the signals that came, hands them on to who had them written before, and returns whether SIGINT is among them.
bool take_signals(const Watcher& of) {
  bool is_interrupt = false;
  for (unsigned char number = 0; read(of.read_end, &number, 1) == 1;) {
    is_interrupt = is_interrupt || number == SIGINT;
    if (of.previous_end < 0) continue;
    const ssize_t num_written = write(of.previous_end, &number, 1);
    static_cast<void>(num_written);  // a pipe that is full wakes its reader, too
  }
  return is_interrupt;
}

/// Signals are read under the lock: so none that belongs to one call cancels the next.
void watch(const Watcher& of) {
  for (;;) {
    pollfd signals{of.read_end, POLLIN, 0};
    if (poll(&signals, 1, -1) < 0 && errno != EINTR) return;
    const py::gil_scoped_acquire lock;
    const bool is_interrupt = take_signals(of);
    if (is_interrupt && of.context != nullptr && is_interrupt_python_s()) pb_context_cancel(of.context);
  }
}

}  // namespace

void InterruptWatch::start() {
  if (watcher != nullptr && watcher->process == getpid()) return;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    PyErr_SetFromErrno(PyExc_OSError);
    throw py::error_already_set();
  }
  const auto main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  watcher = new Watcher{getpid(), main_thread, ends[0], ends[1], py::module_::import("signal").attr("set_wakeup_fd")};
  const pbrt::BlockedSignals none_for_new_threads;
  std::thread(watch, std::cref(*watcher)).detach();
}

InterruptWatch::InterruptWatch(pb_context* context) {
  if (watcher == nullptr || PyThread_get_thread_ident() != watcher->main_thread) return;
  if (watcher->context != nullptr) return;  // a handler of the program, which the line below runs, calls a transform
  is_watching_ = true;
  watcher->previous_end = watcher->write_signals_to(watcher->write_end);
  watcher->context = context;
  raise_signals();
}

InterruptWatch::~InterruptWatch() { stop(); }

void InterruptWatch::end() {
  stop();
  raise_signals();
}

void InterruptWatch::raise_signals() {
  if (PyErr_CheckSignals() == 0) return;
  const py::error_already_set raised;  // takes the exception away, so that what follows may call Python
  stop();
  if (watcher != nullptr) static_cast<void>(take_signals(*watcher));
  throw raised;
}

void InterruptWatch::stop() {
  if (!is_watching_) return;
  is_watching_ = false;
  watcher->context = nullptr;
  try {
    static_cast<void>(watcher->write_signals_to(watcher->previous_end));
  } catch (...) {  // its owner has closed it meanwhile
  }
}

}  // namespace pbpy
