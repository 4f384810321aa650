// SPDX-License-Identifier: MIT
#include "runtime/sched/worker_pool.h"

#include <algorithm>

#include "runtime/config/machine.h"

namespace pbrt {

WorkerPool::WorkerPool(int num_workers) : has_cpu_per_worker(num_workers <= available_cpus()) {}

void WorkerPool::assign(int worker, detail::Task& task) const {
  workers[static_cast<std::size_t>(worker)]->tasks.push_mail(task);
}

bool WorkerPool::may_assign() const {
  const int num_others = num_workers() - 1;
  return has_cpu_per_worker && parking.num_parked() == 0 && 2 * parking.num_searching() >= num_others;
}

void WorkerPool::push_external(detail::Task& task) {
  external_random_ = external_random_ * 6364136223846793005U + 1442695040888963407U;
  workers[(external_random_ >> 33) % workers.size()]->tasks.push_mail(task);
}

bool WorkerPool::has_work() const {
  return std::any_of(workers.begin(), workers.end(),
                     [](const WorkerSlot* worker) { return !worker->tasks.is_empty(); });
}

}  // namespace pbrt
