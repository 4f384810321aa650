// SPDX-License-Identifier: MIT
#include "runtime/sched/cpus.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

namespace pbrt {
namespace {

int cpus_in_affinity_mask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  // More CPUs than a cpu_set_t holds.
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// CPUs that the quota files of one cgroup directory grant; infinity where there is no limit.
double quota_of(const std::string& directory) {
  // Version 2: "max 100000" or "150000 100000".
  if (std::ifstream file(directory + "/cpu.max"); file) {
    double quota = 0;
    double period = 0;
    if (file >> quota >> period && quota > 0 && period > 0) return quota / period;
    return HUGE_VAL;
  }
  // Version 1: -1 where there is no limit.
  double quota = 0;
  double period = 0;
  std::ifstream quota_file(directory + "/cpu.cfs_quota_us");
  std::ifstream period_file(directory + "/cpu.cfs_period_us");
  if (quota_file >> quota && period_file >> period && quota > 0 && period > 0) return quota / period;
  return HUGE_VAL;
}

/// The smallest quota from the cgroup `path` up to the root of its hierarchy.
double quota_up_from(const std::string& root, std::string path) {
  double quota = quota_of(root);
  while (path.size() > 1) {
    quota = std::min(quota, quota_of(root + path));
    path.resize(path.rfind('/'));
  }
  return quota;
}

bool has_controller(const std::string& controllers, const std::string& name) {
  return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

int cpus_within_quota(int num_in_mask, const char* proc_cgroup_file, const char* cgroup_root) {
  const std::string root = cgroup_root;
  double quota = HUGE_VAL;
  std::ifstream file(proc_cgroup_file);
  // Lines of "hierarchy:controllers:path"; version 2 has no controllers.
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      quota = std::min(quota, quota_up_from(root, path));
    } else if (has_controller(controllers, "cpu")) {
      quota = std::min({quota, quota_up_from(root + "/cpu", path), quota_up_from(root + "/cpu,cpuacct", path)});
    }
  }
  if (quota >= num_in_mask) return num_in_mask;
  return std::max(1, static_cast<int>(std::lround(quota)));
}

int available_cpus() { return cpus_within_quota(cpus_in_affinity_mask(), "/proc/self/cgroup", "/sys/fs/cgroup"); }

}  // namespace pbrt
