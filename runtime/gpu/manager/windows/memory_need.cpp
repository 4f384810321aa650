// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/windows/memory_need.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/gpu/manager/windows/find_windows.h"

namespace pbrt::gpu {
namespace {

/// What the buffers of all storages of the job take that `counts` picks.
template <class Counts>
std::uint64_t buffers_of(const LaunchJob& job, Counts counts) {
  std::uint64_t bytes = 0;
  const std::vector<LaunchRegion>& regions = job.plan.regions;
  for (auto region = regions.begin(); region != regions.end(); ++region) {
    const auto is_same = [&](const LaunchRegion& before) { return before.record == region->record; };
    if (counts(*region->record) && std::none_of(regions.begin(), region, is_same))
      bytes += buffer_bytes_of(*region->record);
  }
  return bytes;
}

/// What all memory that a job needs takes together.
std::uint64_t bytes_of(const LaunchJob& job) {
  std::uint64_t bytes = scratch_bytes_of(job);
  bytes += buffers_of(job, [&](const StorageRecord& record) { return job.window_of(record) == nullptr; });
  for (const LaunchWindow& window : job.windows) bytes += window.num_bytes;
  return bytes;
}

/// The largest buffer that the job needs of a storage which `counts` picks.
template <class Counts>
std::uint64_t largest_of(const LaunchJob& job, Counts counts) {
  std::uint64_t bytes = 0;
  for (const LaunchRegion& region : job.plan.regions)
    if (counts(*region.record)) bytes = std::max<std::uint64_t>(bytes, buffer_bytes_of(*region.record));
  return bytes;
}

/// The most that the device gives in one piece.
std::uint64_t most_in_one(const ManagedDevice& device) {
  const std::uint64_t most = device.info().max_alloc_bytes;
  return most == 0 ? device.memory_limit() : std::min(most, device.memory_limit());
}

/// Whether windows of smaller launches could fit: there may be some, beside the buffers that cannot be less.
bool may_fit_windows(const LaunchJob& job, const ManagedDevice& device) {
  const auto is_cut = [&](const StorageRecord& record) { return may_have_window(job.plan, record); };
  const auto is_whole = [&](const StorageRecord& record) { return !is_cut(record); };
  return !device.info().shares_host_memory && buffers_of(job, is_cut) > 0 &&
         buffers_of(job, is_whole) < device.memory_limit() && largest_of(job, is_whole) <= most_in_one(device);
}

}  // namespace

std::size_t buffer_bytes_of(const StorageRecord& record) { return std::max<std::size_t>(record.storage().bytes(), 1); }

std::size_t scratch_bytes_of(const LaunchJob& job) { return job.choice == nullptr ? 0 : job.choice->scratch_bytes; }

bool fits_memory(const LaunchJob& job, const ManagedDevice& device) { return bytes_of(job) <= device.memory_limit(); }

bool may_fit_memory(LaunchJob& job, const ManagedDevice& device) {
  const bool may_fit = fits_memory(job, device) || use_windows(job, device);
  job.windows.clear();
  return may_fit;
}

bool fits_without_records(const LaunchJob& job, const ManagedDevice& device) {
  const std::size_t records = scratch_bytes_of(job);
  return records != 0 && bytes_of(job) - records <= device.memory_limit();
}

bool may_fit_in_pieces(const LaunchJob& job, const ManagedDevice& device) {
  return may_fit_windows(job, device) || fits_without_records(job, device);
}

bool use_windows(LaunchJob& job, const ManagedDevice& device) {
  if (job.only_prefetch || !job.windows.empty() || device.info().shares_host_memory) return false;
  job.windows = windows_of(job.plan, job.choice == nullptr ? Halo{} : job.choice->halo);
  if (!job.windows.empty() && fits_memory(job, device)) return true;
  job.windows.clear();
  return false;
}

std::string reason_against(const LaunchJob& job, const ManagedDevice& device) {
  const std::uint64_t bytes = bytes_of(job);
  if (bytes <= device.memory_limit()) {
    const auto is_whole = [&](const StorageRecord& record) { return job.window_of(record) == nullptr; };
    const std::uint64_t largest = largest_of(job, is_whole), most = most_in_one(device);
    if (largest <= most) return "the device has no memory left";
    return "a matrix needs " + std::to_string(largest) + " bytes in one piece, and the device gives " +
           std::to_string(most) + " at most";
  }
  return "its matrices need " + std::to_string(bytes) + " bytes of device memory, of which " +
         std::to_string(device.memory_limit()) + " may be used";
}

}  // namespace pbrt::gpu
