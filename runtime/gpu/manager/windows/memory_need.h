// SPDX-License-Identifier: MIT
// How much of a device's memory a job needs, whether the limit has room for that, and what needs less: windows,
// launches of fewer instances. Who gets the memory, DeviceMemory says. Private to runtime/gpu.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/gpu/manager/managed_device.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/storage_record.h"

namespace pbrt::gpu {

// Threads: manager thread only

/// The size of the buffer of a storage.
[[nodiscard]] std::size_t buffer_bytes_of(const StorageRecord& record);
/// The size of the memory for the records of the job's stages.
[[nodiscard]] std::size_t scratch_bytes_of(const LaunchJob& job);

/// Whether the limit has room for all that the job needs together.
[[nodiscard]] bool fits_memory(const LaunchJob& job, const ManagedDevice& device);
/// The same before its kernel is chosen: false if it does not fit in any form. Pre: the job has no windows
[[nodiscard]] bool may_fit_memory(LaunchJob& job, const ManagedDevice& device);
/// Whether the limit has room for the job without the records of its stages, if it has some.
[[nodiscard]] bool fits_without_records(const LaunchJob& job, const ManagedDevice& device);
/// Whether a launch of fewer instances may fit where this one does not. It has smaller windows and fewer records, and
/// the same buffers of storages.
[[nodiscard]] bool may_fit_in_pieces(const LaunchJob& job, const ManagedDevice& device);

/// Lets a job that does not fit have windows, if it has none and they fit. Returns whether it does.
[[nodiscard]] bool use_windows(LaunchJob& job, const ManagedDevice& device);

/// Why a job got no memory, in words.
[[nodiscard]] std::string reason_against(const LaunchJob& job, const ManagedDevice& device);

}  // namespace pbrt::gpu
