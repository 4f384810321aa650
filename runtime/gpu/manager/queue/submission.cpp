// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/submission.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/gpu/manager/manager_impl.h"

namespace pbrt::gpu {
namespace {

/// The tasks of one kernel execution, in order.
std::vector<Task> tasks_of(const JobPtr& job) {
  std::vector<Task> tasks;
  tasks.reserve(job->plan.regions.size() + 3);
  tasks.push_back(PrepareTask{job});
  for (std::size_t region = 0; region < job->plan.regions.size(); ++region)
    if (job->plan.regions[region].is_read) tasks.push_back(CopyInTask{job, region});
  job->num_copy_ins = static_cast<int>(tasks.size()) - 1;
  tasks.push_back(ExecuteTask{job});
  tasks.push_back(CompletionTask{job});
  return tasks;
}

}  // namespace

Outcome submit(Frame& frame, ManagerImpl& manager, LaunchPlan plan, bool only_prefetch,
               const std::function<void()>& begin) {
  Outcome outcome;
  Suspension suspension(frame, manager.queue.is_patient());
  auto job = std::make_shared<LaunchJob>();
  job->plan = std::move(plan);
  job->only_prefetch = only_prefetch;
  job->waiting.outcome = &outcome;
  job->waiting.waker = suspension.waker();
  std::vector<Task> tasks = tasks_of(job);
  job.reset();
  manager.submit(std::move(tasks), begin);
  suspension.wait();
  return outcome;
}

void attach(const std::shared_ptr<Registry>& registry, LaunchRegion& region) {
  region.record = &StorageRecord::of(*region.storage.get(), region.view.element_bytes);
  region.home = &region.record->attach(registry);
}

}  // namespace pbrt::gpu
