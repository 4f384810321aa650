// SPDX-License-Identifier: MIT
// How an OpenCL device is used: what the user or a test may choose when it is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "runtime/gpu/device.h"

namespace pbrt::cl {

/// How a device reports that an operation has ended.
enum class EndReports : std::uint8_t {
  ByDevice,   ///< a thread for GPUs, callbacks for others (a waiting thread would take a core from them)
  Callbacks,  ///< clSetEventCallback
  Thread,     ///< event_waiter.h
};

/// Whether a CPU counts as a GPU and runs the text of GPUs: POLYBRICKS_RUN_AS_GPU=1 in the environment, for tests.
[[nodiscard]] inline bool runs_as_gpu() {
  const char* text = std::getenv("POLYBRICKS_RUN_AS_GPU");
  return text != nullptr && std::string(text) == "1";
}

/// How a device is opened.
struct Options {
  /// Folder of compiled kernels; empty: $XDG_CACHE_HOME/polybricks/kernels or ~/.cache/polybricks/kernels. "none": no
  /// files.
  std::string cache_folder;
  /// Size of a pinned chunk through which transfers of devices with their own memory go; 0: transfers go straight from
  /// and to the storage.
  std::size_t staging_chunk_bytes = 0;
  /// If false, devices have buffers of their own, and copies, also where they share the host's memory.
  bool may_use_host_memory = true;
  EndReports ends = EndReports::ByDevice;
  std::optional<gpu::LaneExchange> exchange;  ///< the only way that kernels use; none: the best that the device has
  bool is_profiled = false;                   ///< counts the time of kernels by the device's clock
};

}  // namespace pbrt::cl
