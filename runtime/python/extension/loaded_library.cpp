// SPDX-License-Identifier: MIT
#include "runtime/python/extension/loaded_library.h"

#include <dlfcn.h>
#include <pybind11/pybind11.h>

#include <filesystem>

#include "runtime/python/extension/interpreter_lock.h"
#include "runtime/python/extension/interrupt_watch.h"
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

namespace {

/// `edges` of `/tmp/libedges.so`.
std::string name_of(const std::string& file) {
  std::string name = std::filesystem::path(file).stem();
  if (!name.starts_with("lib") || !file.ends_with(".so"))
    raise_argument_error("`" + file + "` is not called libNAME.so, as pbc --library calls its libraries");
  return name.substr(3);
}

/// Ends a context. It may wait for workers, so the interpreter's lock is not held meanwhile.
void end_context(pb_context* context) {
  PyThreadState* const thread = PyEval_SaveThread();
  pb_context_destroy(context);
  take_lock(thread);
}

}  // namespace

const pb_library* load_library(const std::string& file) {
  const std::string symbol = name_of(file) + "_library";
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) raise(PyExc_OSError, dlerror());
  const auto tables = reinterpret_cast<const pb_library* (*)()>(dlsym(handle, symbol.c_str()));
  if (tables == nullptr)
    raise_argument_error("`" + file + "` has no function `" + symbol +
                         "`: pbc --library did not make it, or it was renamed");
  const pb_library* const library = tables();
  if (library == nullptr) raise(PyExc_MemoryError, "there is no memory for the tables of a library");
  if (library->interface != PB_INTERFACE)
    raise_argument_error("`" + file + "` has version " + std::to_string(library->interface) +
                         " of the interface, this package has " + std::to_string(PB_INTERFACE) + ": compile it again");
  return library;
}

void Context::set_options(const ContextOptions& options) {
  InterruptWatch::start();
  pb_options wishes{};
  const char* const device = options.device ? options.device->c_str() : nullptr;
  wishes.configuration_file = options.configuration_file ? options.configuration_file->c_str() : nullptr;
  wishes.devices = &device;
  wishes.num_devices = device != nullptr ? 1 : 0;
  wishes.threads = options.threads;
  wishes.is_strict = options.is_strict ? 1 : 0;
  wishes.seed = options.seed;
  wishes.device_memory = options.device_memory;
  wishes.device_limit = options.device_limit;
  wishes.verifies_device = options.verifies_device ? 1 : 0;
  pb_context* made = nullptr;
  const pb_status status = without_lock([&] { return pb_context_create(library_, &wishes, &made); });
  check_status(status);
  handle_ = std::shared_ptr<pb_context>(made, end_context);
}

void Context::cancel() const { check_status(pb_context_cancel(handle_.get())); }

}  // namespace pbpy
