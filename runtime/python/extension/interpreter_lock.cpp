// SPDX-License-Identifier: MIT
#include "runtime/python/extension/interpreter_lock.h"

#include <cxxabi.h>
#include <unistd.h>

namespace pbpy {

void take_lock(PyThreadState* thread) {
  try {
    PyEval_RestoreThread(thread);
  } catch (const abi::__forced_unwind&) {
    for (;;) pause();
  }
}

}  // namespace pbpy
