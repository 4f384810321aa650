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

/// How long copies between the host's memory and a device go (copies/host_copies.h).
struct CopyOptions {
  std::size_t num_threads = 0;       ///< that copy together; 0: the driver copies
  std::size_t min_long_bytes = 0;    ///< shorter copies go straight to the driver
  std::size_t min_crew_bytes = 0;    ///< the threads copy once there were long copies of this size in all
  std::size_t chunk_bytes = 0;       ///< of page-locked memory; each thread has two
  std::size_t max_locked_bytes = 0;  ///< of the host's memory that is page-locked at a time
  std::size_t max_small_bytes = 0;   ///< of a copy that goes through page-locked memory in one piece
};

/// What is good for a device with a memory of its own: up to twelve threads, half of the machine's memory.
[[nodiscard]] CopyOptions usual_copies();

/// How a device is opened.
struct Options {
  /// Folder of compiled kernels; empty: $XDG_CACHE_HOME/polybricks/kernels or ~/.cache/polybricks/kernels. "none": no
  /// files.
  std::string cache_folder;
  /// If false, devices have buffers of their own, and copies, also where they share the host's memory.
  bool may_use_host_memory = true;
  EndReports ends = EndReports::ByDevice;
  std::optional<CopyOptions> copies;  ///< none: the usual ones for GPUs with a memory of their own; else straight
  std::optional<gpu::LaneExchange> exchange;  ///< the only way that kernels use; none: the best that the device has
  bool shares_events = true;                  ///< small launches end together, as far as anybody hears of it
  bool is_profiled = false;                   ///< counts the time of kernels by the device's clock
};

}  // namespace pbrt::cl
