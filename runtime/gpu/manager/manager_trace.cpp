// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/manager_trace.h"

#include <algorithm>
#include <variant>

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

ManagerTrace::ManagerTrace(const ManagerOptions& options, ManagerStatistics& statistics)
    : clock_(options.trace != nullptr), trace_(options.trace), name_(options.trace_name), statistics_(statistics) {
  if (trace_ == nullptr) return;
  on_device_.lane = &trace_->lane(name_);
  managing_ = &trace_->lane(name_ + ", management");
}

ManagerTrace::Lane& ManagerTrace::lane_of(const Operation& operation) {
  if (operation.order == CopyOrder::InQueue) return on_device_;
  const bool is_in = operation.label.kind == TraceKind::CopyIn;
  Lane& lane = is_in ? beside_in_ : beside_out_;
  if (lane.lane == nullptr) lane.lane = &trace_->lane(name_ + (is_in ? ", copies in" : ", copies out"));
  return lane;
}

void ManagerTrace::record_task(const Task& task, std::int64_t start_ns) {
  const TaskName name = std::visit(NameOf{}, task);
  managing_->add({TraceKind::Management, false, false, name.task, name.rule, start_ns, trace_clock_ns(), 0});
}

/// Records the end of an operation. The operations of a queue run one after the other, so this one began when the one
/// before had ended, or when it was enqueued. The device's own clock, if it is asked, knows better how long it took.
void ManagerTrace::record_end(const Operation& operation, std::int64_t time_ns) {
  const DeviceTimes& times = operation.times;
  const bool is_timed = times.end_ns != 0;
  Lane& lane = lane_of(operation);
  std::int64_t start = std::max(operation.enqueued_ns, lane.free_ns);
  std::int64_t end = std::max(time_ns, start);
  if (is_timed) {
    start = std::clamp(operation.enqueued_ns + times.start_ns - times.queued_ns, start, end);
    end = std::clamp(start + times.end_ns - times.start_ns, start, end);
  }
  lane.free_ns = end;
  const auto& [kind, rule, amount] = operation.label;
  if (kind != TraceKind::Kernel) {
    lane.lane->add(
        {kind, false, false, kind == TraceKind::CopyIn ? "copy in" : "copy out", nullptr, start, end, amount});
    return;
  }
  lane.lane->add(
      {kind, false, false, rule->name != nullptr ? rule->name : "kernel", rule->version, start, end, amount});
  statistics_.add_kernel(rule, amount, is_timed ? times.end_ns - times.start_ns : end - start);
}

}  // namespace pbrt::gpu
