// SPDX-License-Identifier: MIT
// What a traced manager records: its tasks on one lane, what the device did on the other.
#include <algorithm>
#include <type_traits>

#include "runtime/gpu/manager_impl.h"

namespace pbrt::gpu {
namespace {

/// The name of the job's kernel, also of one that no program names (tests make such).
const char* name_of(const LaunchJob& job) {
  if (job.only_prefetch) return nullptr;
  return job.plan.kernel->rule.name != nullptr ? job.plan.kernel->rule.name : job.plan.kernel->name;
}

struct TaskName {
  const char* task;
  const char* rule;
};

struct NameOf {
  TaskName operator()(const PrepareTask& task) const { return {"prepare", name_of(*task.job)}; }
  TaskName operator()(const CopyInTask& task) const { return {"copy-in", name_of(*task.job)}; }
  TaskName operator()(const ExecuteTask& task) const { return {"execute", name_of(*task.job)}; }
  TaskName operator()(const CompletionTask& task) const { return {"copy-out", name_of(*task.job)}; }
  TaskName operator()(const FetchTask&) const { return {"copy-out on demand", nullptr}; }
  TaskName operator()(const QuiesceTask&) const { return {"wait before a host write", nullptr}; }
  TaskName operator()(const DropTask&) const { return {"drop copies", nullptr}; }
  TaskName operator()(const DrainTask&) const { return {"drain", nullptr}; }
  TaskName operator()(const EvictionTask&) const { return {"evict", nullptr}; }
};

}  // namespace

Manager::Impl::TracedQueue& Manager::Impl::queue_of(const Operation& operation) {
  if (operation.order == CopyOrder::InQueue) return on_device;
  const bool is_in = operation.label.kind == TraceKind::CopyIn;
  TracedQueue& traced = is_in ? beside_in : beside_out;
  if (traced.lane == nullptr)
    traced.lane = &options.trace->lane(options.trace_name + (is_in ? ", copies in" : ", copies out"));
  return traced;
}

void Manager::Impl::record_task(const Task& task, std::int64_t start_ns) {
  const TaskName name = std::visit(NameOf{}, task);
  managing->add({TraceKind::Management, false, false, name.task, name.rule, start_ns, Trace::now_ns(), 0});
}

/// Records the end of an operation. The operations of a queue run one after the other, so this one began when the one before had
/// ended, or when it was enqueued. The device's own clock, if it is asked, knows better how long it took.
void Manager::Impl::record_end(const Operation& operation, std::int64_t time_ns) {
  const DeviceTimes& times = operation.times;
  const bool is_timed = times.end_ns != 0;
  TracedQueue& traced = queue_of(operation);
  std::int64_t start = std::max(operation.enqueued_ns, traced.free_ns);
  std::int64_t end = std::max(time_ns, start);
  if (is_timed) {
    start = std::clamp(operation.enqueued_ns + times.start_ns - times.queued_ns, start, end);
    end = std::clamp(start + times.end_ns - times.start_ns, start, end);
  }
  traced.free_ns = end;
  const auto& [kind, rule, amount] = operation.label;
  if (kind != TraceKind::Kernel) {
    traced.lane->add({kind, false, false, kind == TraceKind::CopyIn ? "copy in" : "copy out", nullptr, start, end, amount});
    return;
  }
  traced.lane->add({kind, false, false, rule->name != nullptr ? rule->name : "kernel", rule->version, start, end, amount});
  const std::int64_t time = is_timed ? times.end_ns - times.start_ns : end - start;
  count([&, rule = rule, amount = amount](DeviceStatistics& s) {
    auto found = std::find_if(s.kernels.begin(), s.kernels.end(),
                              [rule](const KernelTotals& known) { return known.rule == rule; });
    if (found == s.kernels.end()) found = s.kernels.insert(found, KernelTotals{rule});
    ++found->launches;
    found->cells += amount;
    found->time_ns += time;
  });
}

}  // namespace pbrt::gpu
