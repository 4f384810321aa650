// SPDX-License-Identifier: MIT
// The fingerprint of a machine. It decides whether a tuned configuration fits. CPU, caches and cores come from hwloc
// (without PCI and I/O discovery, which is slow), devices from the caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pbrt {

struct DeviceId {
  std::string name;
  std::string driver;
  bool operator==(const DeviceId&) const = default;
};

struct CacheInfo {
  int level = 1;
  std::int64_t size_bytes = 0;
  bool operator==(const CacheInfo&) const = default;
};

struct Machine {
  std::string cpu;                ///< model name
  int cpus = 1;                   ///< available to the process: affinity and cgroup quota
  int cores = 1;                  ///< physical cores of the machine
  std::vector<CacheInfo> caches;  ///< data and unified caches of one CPU, smallest level first
  std::vector<DeviceId> devices;  ///< in `--list-devices` order
  bool operator==(const Machine&) const = default;
};

/// CPUs that this process may use: affinity mask and cgroup quota (rounded up), at least 1. Cheap.
[[nodiscard]] int available_cpus();

/// Bytes of memory and swap that this process may have: the machine's, or what its control group allows; infinite if
/// unknown. If a process touches more, the system ends it or another one.
[[nodiscard]] double memory_bytes();

/// Whether the system puts memory on large pages (2 MiB) only if a program asks for them. If it always or never does,
/// asking changes nothing.
[[nodiscard]] bool has_large_pages_on_request();

/// Describes this machine. Cost: a few milliseconds.
[[nodiscard]] Machine detect_machine(std::vector<DeviceId> devices);

/// Returns how badly a configuration tuned on `a` fits `b`; 0 only if both have the same devices, CPUs and sizes of
/// caches. Other devices weigh most, then the CPU, then the number of CPUs, then caches.
[[nodiscard]] double machine_distance(const Machine& a, const Machine& b);

/// A description in one line for people: `Intel Xeon … (2 CPUs), PoCL`.
[[nodiscard]] std::string describe(const Machine& machine);

}  // namespace pbrt
