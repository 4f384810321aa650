// SPDX-License-Identifier: MIT
#include "runtime/main/machine/processor_waits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "runtime/config/machine.h"

namespace pbrt {
namespace {

constexpr const char* kTasks = "/proc/self/task";

std::int64_t now_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The second number of the file: how long the thread was ready without running. 0: the kernel does not say.
std::int64_t delay_of(int file) {
  std::array<char, 128> text{};
  const ssize_t count = ::pread(file, text.data(), text.size() - 1, 0);
  if (count <= 0) return 0;
  const char* const begin = text.data();
  const char* const end = begin + count;
  const char* const space = std::find(begin, end, ' ');
  std::int64_t delay = 0;
  if (space != end) std::from_chars(space + 1, end, delay);
  return delay;
}

}  // namespace

std::int64_t waited_ns(std::int64_t wall_ns, std::int64_t cpu_ns, std::int64_t delay_ns, double num_cpus) {
  constexpr double kSlack = 0.1;
  if (wall_ns <= 0 || delay_ns <= 0) return 0;
  const double wall = static_cast<double>(wall_ns), delay = static_cast<double>(delay_ns);
  const double num_ready = std::max(1.0, (static_cast<double>(cpu_ns) + delay) / wall);
  if (num_ready > num_cpus + kSlack) return 0;
  return static_cast<std::int64_t>(std::min(wall, delay / num_ready));
}

ProcessorWaits::ProcessorWaits() : num_cpus_(available_cpus()) {}

ProcessorWaits::~ProcessorWaits() {
  for (const auto& [id, thread] : threads_) ::close(thread.file);
}

void ProcessorWaits::find_threads() {
  std::map<int, Thread> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kTasks, error)) {
    const int id = std::atoi(entry.path().filename().c_str());
    const auto known = threads_.find(id);
    Thread thread;
    if (known != threads_.end())
      thread = known->second;
    else
      thread.file = ::open((entry.path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC);
    if (thread.file >= 0) found.emplace(id, thread);
  }
  for (const auto& [id, thread] : threads_)
    if (!found.contains(id)) ::close(thread.file);
  threads_ = std::move(found);
}

void ProcessorWaits::begin() {
  for (auto& [id, thread] : threads_) thread.delay_ns = delay_of(thread.file);
  begin_cpu_ns_ = now_ns(CLOCK_PROCESS_CPUTIME_ID);
  begin_ns_ = now_ns(CLOCK_MONOTONIC);
}

std::int64_t ProcessorWaits::end() {
  const std::int64_t wall_ns = now_ns(CLOCK_MONOTONIC) - begin_ns_;
  const std::int64_t cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_ns_;
  std::int64_t delay_ns = 0;
  for (const auto& [id, thread] : threads_)
    delay_ns += std::max<std::int64_t>(0, delay_of(thread.file) - thread.delay_ns);
  return waited_ns(wall_ns, cpu_ns, delay_ns, num_cpus_);
}

}  // namespace pbrt

// Note [What is subtracted]
// The wall time of a single thread is the time in which it ran, slept, and was ready without running. The last part is
// what other programs cost it. If several threads share their work evenly, each loses its own part, and the run loses
// as much as one of them on average. That is the sum of their losses, divided by the average number of ready threads.
//
// In a run that waits for a device, less than one thread is ready on average; there the losses count whole. If a thread
// id is used again after its thread's end, nothing can be read from its file; that thread counts as never waiting.
