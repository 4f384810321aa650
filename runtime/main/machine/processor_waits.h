// SPDX-License-Identifier: MIT
// How long a run waited for processors that other programs were using, as the kernel counts it (`schedstat` of each
// thread). The measurement server reports it with each time, so that a busy machine does not decide what is fast. Not
// the time in which threads sleep or wait for each other or for a device. See Note [What is subtracted].
#pragma once

#include <cstdint>
#include <map>

namespace pbrt {

class ProcessorWaits {
 public:
  ProcessorWaits();
  ~ProcessorWaits();
  ProcessorWaits(const ProcessorWaits&) = delete;
  ProcessorWaits& operator=(const ProcessorWaits&) = delete;

  /// Notes which threads the process has now. Threads that start later do not count.
  void find_threads();
  /// Begins to measure.
  void begin();
  /// Ends the measurement. The result is the number of nanoseconds by which the run would have been shorter on
  /// processors of its own. It is 0 if the kernel does not say, or if more threads were ready than there are
  /// processors, because then they waited for each other.
  [[nodiscard]] std::int64_t end();

 private:
  struct Thread {
    int file = -1;
    std::int64_t delay_ns = 0;  ///< when begin() was called
  };
  std::map<int, Thread> threads_;
  double num_cpus_;
  std::int64_t begin_ns_ = 0, begin_cpu_ns_ = 0;
};

/// How long a run waited that took `wall_ns`, and whose threads together ran `cpu_ns` and were ready without running
/// for `delay_ns`.
[[nodiscard]] std::int64_t waited_ns(std::int64_t wall_ns, std::int64_t cpu_ns, std::int64_t delay_ns, double num_cpus);

}  // namespace pbrt
