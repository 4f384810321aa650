// SPDX-License-Identifier: MIT
// Memory of the runtime for an array that may stay on a device between calls, as a buffer of Python. The class of the
// package that users see is in polybricks/_device_array.py.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/python/extension/array_matrix.h"
#include "runtime/python/extension/loaded_library.h"

namespace pbpy {

/// Threads: holds the interpreter's lock, but while it waits for a device
class DeviceMemory {
 public:
  /// A dense array of this shape, whose dimension 0 is the fastest.
  ///
  /// Errors:  TypeError for a dtype that no matrix has, polybricks.Error
  DeviceMemory(const Context& context, const std::string& dtype, const std::vector<std::int64_t>& shape, Axes axes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Brings all cells to the host.
  void fetch() const;
  /// Says that the host wrote cells.
  void changed() const;
  [[nodiscard]] pybind11::buffer_info buffer() const;

 private:
  std::shared_ptr<pb_context> context_;
  pb_matrix matrix_{};
  Axes axes_;
};

}  // namespace pbpy
