// SPDX-License-Identifier: MIT
// Work without the interpreter's lock. pybind11's own class takes the lock again in a destructor, which may not be
// left by the unwinding that is described below.
#pragma once

#include <pybind11/pybind11.h>

namespace pbpy {

/// Takes the interpreter's lock again, which PyEval_SaveThread gave up. Once Python has ended, it ends other threads
/// that want its lock: pthread_exit would run destructors that need the lock. Such a thread sleeps instead until the
/// process ends, as it does in Python 3.14.
void take_lock(PyThreadState* thread);

/// Does work that throws nothing while other threads of Python go on, and returns its result.
template <class Work>
auto without_lock(const Work& work) {
  PyThreadState* const thread = PyEval_SaveThread();
  const auto result = work();
  take_lock(thread);
  return result;
}

}  // namespace pbpy
