// SPDX-License-Identifier: MIT
#include "runtime/config/machine.h"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace pbrt {
namespace {

int affinity_cpus() {
  // The mask of a large machine does not fit a cpu_set_t. The kernel then returns an error, and a larger mask is tried.
  for (int size = 1024; size <= 1 << 20; size *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(size));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    const bool is_known = set != nullptr && ::sched_getaffinity(0, bytes, set) == 0;
    const int count = is_known ? CPU_COUNT_S(bytes, set) : 0;
    if (set != nullptr) CPU_FREE(set);
    if (is_known) return std::max(1, count);
  }
  return 1;
}

/// The number of CPUs that the quota in `folder` allows; nothing if there is no quota.
std::optional<double> quota_in(const std::string& folder, bool is_v2) {
  std::ifstream quota_file(folder + (is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
  std::string quota;
  double period = 0;
  if (!(quota_file >> quota)) return std::nullopt;
  if (is_v2) {
    quota_file >> period;
  } else {
    std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  }
  const double limit = std::strtod(quota.c_str(), nullptr);  // "max" and -1: no limit
  if (!(limit > 0) || !(period > 0)) return std::nullopt;
  return limit / period;
}

/// Bytes that the processes of the group in `folder` may have together; nothing if there is no limit.
std::optional<double> memory_in(const std::string& folder, bool is_v2) {
  std::ifstream file(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  double limit = 0;
  if (!(file >> limit) || !(limit > 0)) return std::nullopt;  // "max"
  return limit;
}

/// A function that returns the limit of a group by its folder; nothing if there is no limit.
using LimitOf = std::optional<double> (*)(const std::string& folder, bool is_v2);

/// The least limit from the process's own group up to the root.
std::optional<double> least_limit(LimitOf limit_in, const std::string& root, std::string path, bool is_v2) {
  std::optional<double> least;
  for (;;) {
    const std::optional<double> here = limit_in(root + path, is_v2);
    if (here && (!least || *here < *least)) least = here;
    if (path.empty()) return least;
    const std::size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

/// The least limit on the process. `controller` is the controller that holds it in the first version of control groups.
std::optional<double> cgroup_limit(LimitOf limit_in, const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  std::optional<double> least;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    std::optional<double> limit;
    if (controllers == ",,") limit = least_limit(limit_in, "/sys/fs/cgroup", path, true);
    if (controllers.find("," + controller + ",") != std::string::npos)
      limit = least_limit(limit_in, "/sys/fs/cgroup/" + controller, path, false);
    if (limit && (!least || *limit < *least)) least = limit;
  }
  return least;
}

/// The word that stands in brackets in the file, for example `madvise` in `always [madvise] never`; empty if there is
/// no such file.
std::string chosen_word(const std::string& path) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (word.size() > 2 && word.front() == '[' && word.back() == ']') return word.substr(1, word.size() - 2);
  return "";
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const bool is_model =
        line.rfind("model name", 0) == 0 || line.rfind("cpu model", 0) == 0 || line.rfind("Model", 0) == 0;
    if (is_model) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<struct hwloc_topology, TopologyDeleter>;

/// A topology with its parts registered; null if there is no memory. hwloc's plugins (OpenCL, PCI, GL) are not even
/// loaded: they cost more than all the rest and would open device drivers. Where hwloc is linked statically, it has
/// none.
hwloc_topology_t new_topology() {
#ifdef PB_HWLOC_HAS_PLUGINS
  constexpr const char* kPlugins = "HWLOC_PLUGINS_PATH";
  const bool is_ours = std::getenv(kPlugins) == nullptr;
  if (is_ours) ::setenv(kPlugins, "", 1);
#endif
  hwloc_topology_t made = nullptr;
  const bool is_made = hwloc_topology_init(&made) == 0;
#ifdef PB_HWLOC_HAS_PLUGINS
  if (is_ours) ::unsetenv(kPlugins);
#endif
  return is_made ? made : nullptr;
}

/// Cores and caches only.
Topology load_topology() {
  hwloc_topology_t raw = new_topology();
  if (raw == nullptr) return nullptr;
  Topology topology(raw);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

void add_topology(Machine& machine) {
  const Topology topology = load_topology();
  if (!topology) return;
  machine.cores = std::max(1, hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE));
  for (hwloc_obj_t at = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PU, 0); at != nullptr; at = at->parent) {
    if (hwloc_obj_type_is_dcache(at->type))
      machine.caches.push_back(
          {static_cast<int>(at->attr->cache.depth), static_cast<std::int64_t>(at->attr->cache.size)});
  }
}

double difference(double a, double b) { return a == b ? 0 : std::fabs(std::log2(std::max(a, 1.0) / std::max(b, 1.0))); }

}  // namespace

int available_cpus() {
  const int cpus = affinity_cpus();
  const std::optional<double> quota = cgroup_limit(&quota_in, "cpu");
  return quota ? std::clamp(static_cast<int>(std::ceil(*quota - 1e-9)), 1, cpus) : cpus;
}

double memory_bytes() {
  double ram = std::numeric_limits<double>::infinity();
  double swap = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kib = 0;
    if (word == "MemTotal:" && file >> kib) ram = 1024 * kib;
    if (word == "SwapTotal:" && file >> kib) swap = 1024 * kib;
  }
  if (const std::optional<double> limit = cgroup_limit(&memory_in, "memory")) ram = std::min(ram, *limit);
  return ram + swap;
}

bool has_large_pages_on_request() {
  const std::string folder = "/sys/kernel/mm/transparent_hugepage/";
  std::string word = chosen_word(folder + "hugepages-2048kB/enabled");
  if (word.empty() || word == "inherit") word = chosen_word(folder + "enabled");
  return word == "madvise";
}

Machine detect_machine(std::vector<DeviceId> devices) {
  Machine machine;
  machine.cpu = cpu_model();
  machine.cpus = available_cpus();
  machine.cores = machine.cpus;
  add_topology(machine);
  machine.devices = std::move(devices);
  return machine;
}

double machine_distance(const Machine& a, const Machine& b) {
  constexpr double kDeviceCount = 100, kDeviceName = 60, kDriver = 5, kCpu = 20, kCpus = 8, kCores = 2, kCache = 1;
  double distance = 0;
  const std::size_t common = std::min(a.devices.size(), b.devices.size());
  distance += kDeviceCount * static_cast<double>(std::max(a.devices.size(), b.devices.size()) - common);
  for (std::size_t i = 0; i < common; ++i) {
    if (a.devices[i].name != b.devices[i].name) distance += kDeviceName;
    if (a.devices[i].driver != b.devices[i].driver) distance += kDriver;
  }
  if (a.cpu != b.cpu) distance += kCpu;
  distance += kCpus * difference(a.cpus, b.cpus) + kCores * difference(a.cores, b.cores);
  const std::size_t levels = std::min(a.caches.size(), b.caches.size());
  distance += kCache * static_cast<double>(std::max(a.caches.size(), b.caches.size()) - levels);
  for (std::size_t i = 0; i < levels; ++i)
    distance +=
        kCache * difference(static_cast<double>(a.caches[i].size_bytes), static_cast<double>(b.caches[i].size_bytes));
  return distance;
}

std::string describe(const Machine& machine) {
  if (machine == Machine{}) return "any machine";
  std::string out = machine.cpu + " (" + std::to_string(machine.cpus) + (machine.cpus == 1 ? " CPU)" : " CPUs)");
  for (const DeviceId& device : machine.devices) out += ", " + device.name;
  return out;
}

}  // namespace pbrt
