// SPDX-License-Identifier: MIT
// How many CPUs this process may use: the default number of workers.
#pragma once

namespace pbrt {

/// CPUs in the process's affinity mask, but not more than its cgroups' quota (rounded to the nearest, at least 1).
///
/// Threads: any
/// Cost:    reads a few files of /proc and /sys
[[nodiscard]] int available_cpus();

/// As available_cpus, for other roots than /proc and /sys (tests). `num_in_mask` limits the result.
[[nodiscard]] int cpus_within_quota(int num_in_mask, const char* proc_cgroup_file, const char* cgroup_root);

}  // namespace pbrt
