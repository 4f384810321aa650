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
    : clock_(options.trace != nullptr || options.is_timed),
      trace_(options.trace),
      name_(options.trace_name),
      statistics_(statistics) {
  if (trace_ == nullptr) return;
  on_device_.lane = &trace_->lane(name_);
  managing_ = &trace_->lane(name_ + ", management");
}

ManagerTrace::Lane& ManagerTrace::lane_of(const Operation& operation) {
  if (operation.order == CopyOrder::InQueue) return on_device_;
  const bool is_in = operation.label.kind == TraceKind::CopyIn;
  Lane& lane = is_in ? beside_in_ : beside_out_;
  if (lane.lane == nullptr && trace_ != nullptr)
    lane.lane = &trace_->lane(name_ + (is_in ? ", copies in" : ", copies out"));
  return lane;
}

void ManagerTrace::record_task(const Task& task, std::int64_t start_ns) {
  if (managing_ == nullptr) return;
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
  if (&lane == &on_device_) record_idleness(lane, operation.enqueued_ns, start);
  lane.free_ns = end;
  const auto& [kind, rule, amount, why] = operation.label;
  const std::int64_t took_ns = is_timed ? times.end_ns - times.start_ns : end - start;
  if (kind == TraceKind::Kernel)
    statistics_.add_kernel(rule, amount, took_ns);
  else
    statistics_.count([took_ns, is_copy_in = kind == TraceKind::CopyIn](DeviceStatistics& s) {
      (is_copy_in ? s.copy_in_ns : s.copy_out_ns) += took_ns;
    });
  if (lane.lane == nullptr) return;
  TraceEvent event{kind, false, false, nullptr, nullptr, start, end, amount};
  event.waited_ns = start - operation.enqueued_ns;
  if (kind == TraceKind::Kernel) {
    event.name = rule->name != nullptr ? rule->name : "kernel";
    event.version = rule->version;
  } else {
    event.name = kind == TraceKind::CopyIn ? "copy in" : "copy out";
    event.version = rule != nullptr ? rule->name : nullptr;
    event.why = why;
  }
  lane.lane->add(event);
}

/// Records what lies between the last operation in the queue and one that begins at `start_ns`: there was none, and
/// then the driver took its time.
void ManagerTrace::record_idleness(const Lane& lane, std::int64_t enqueued_ns, std::int64_t start_ns) {
  if (lane.free_ns == 0 || start_ns <= lane.free_ns) return;
  const std::int64_t enqueued = std::clamp(enqueued_ns, lane.free_ns, start_ns);
  statistics_.count([&](DeviceStatistics& s) { s.start_ns += start_ns - enqueued; });
  if (lane.lane == nullptr) return;
  const auto add = [&](std::int64_t from, std::int64_t to, const char* why) {
    if (from == to) return;
    TraceEvent event{TraceKind::Idle, false, false, "idle", nullptr, from, to, 0};
    event.why = why;
    lane.lane->add(event);
  };
  add(lane.free_ns, enqueued, "nothing was enqueued");
  add(enqueued, start_ns, "the driver had not begun what was enqueued");
}

}  // namespace pbrt::gpu
