// SPDX-License-Identifier: MIT
// The inside of Manager: queue, thread, tasks. Private to runtime/gpu; manager.cpp has the thread, tasks.cpp the
// tasks, memory.cpp the buffers, launch.cpp what fibers call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "runtime/gpu/kernel_table.h"
#include "runtime/gpu/launch_job.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/sched/trace.h"

namespace pbrt::gpu {

/// A copy or a kernel in flight. Lives until the device has reported its end and the manager has seen it.
class Operation final : public Completion {
 public:
  /// What an operation is in a trace.
  struct Label {
    TraceKind kind = TraceKind::Kernel;
    const RuleDesc* rule = nullptr;  ///< of a kernel
    std::int64_t amount = 0;         ///< cells or bytes
  };

  Operation(Manager::Impl& manager, const Label& of, CopyOrder in_order) : label(of), order(in_order), manager_(&manager) {}
  void took(const DeviceTimes& device_times) noexcept override { times = device_times; }
  void done(bool ok) noexcept override;

  const Label label;
  const CopyOrder order;
  std::int64_t enqueued_ns = 0;  ///< if the manager is traced
  DeviceTimes times;             ///< zero unless the device is profiled; written before done

  std::vector<std::unique_ptr<OperationPart>> parts;
  // Manager thread only.
  bool is_applied = false;  ///< has ended, and the records know it
  bool is_ok = false;

 private:
  Manager::Impl* manager_;
};

using JobPtr = std::shared_ptr<LaunchJob>;

// The tasks of a kernel execution, in the order of the queue.
struct PrepareTask {
  JobPtr job;
};
struct CopyInTask {
  JobPtr job;
  std::size_t region = 0;
};
struct ExecuteTask {
  JobPtr job;
};
/// One per launch: applies what the read-backs and the kernel did when they have ended.
struct CompletionTask {
  JobPtr job;
};

// Tasks that fibers wait for.
struct FetchTask {
  StorageRef storage;
  OwnedView view;
  WaitingFiber waiting;  ///< none: nobody waits for this one
};  ///< copy-out on demand
struct QuiesceTask {
  StorageRef storage;
  OwnedView view;
  WaitingFiber waiting;
};  ///< nothing in flight or newer on the device
struct DropTask {
  StorageRef storage;
  WaitingFiber waiting;
};
struct DrainTask {
  WaitingFiber waiting;
};
/// Waits for an eviction's copy-out.
struct EvictionTask {
  std::shared_ptr<Operation> operation;
};

using Task = std::variant<PrepareTask, CopyInTask, ExecuteTask, CompletionTask, FetchTask, QuiesceTask, DropTask,
                          DrainTask, EvictionTask>;

enum class Progress : std::uint8_t { Done, NotReady };

struct Manager::Impl {
  Impl(std::unique_ptr<Device> managed, ManagerOptions manager_options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Any thread.
  void push(Task task);
  void push_all(std::vector<Task> tasks);
  void signal_end(Operation& operation, bool ok);
  /// Lets tasks that are not ready be tried again.
  void poke();
  template <class F>
  void count(F&& change) {
    const std::lock_guard lock(statistics_mutex);
    change(statistics);
  }
  [[nodiscard]] std::string failure_message();
  [[nodiscard]] bool is_patient() const { return options.patience.count() != 0; }

  // Manager thread: manager.cpp.
  void run_thread();
  void run_task(Task task);
  [[nodiscard]] Progress attempt(Task& task);
  [[nodiscard]] bool is_finished() const;
  /// Stays awake until `epoch` is no longer `seen`, or for options.patience. Pre: `mutex` is not held.
  void await_change(std::uint64_t seen);
  void flush_if_needed();
  /// Applies operations that have ended to the records. Pre: `lock` holds `mutex`; it is released meanwhile.
  void apply_ended(std::unique_lock<std::mutex>& lock);
  void apply(Operation& operation, bool ok);
  void fail_device(const std::string& why);
  void abandon_operations();
  void warn(const std::string& line);
  [[nodiscard]] std::shared_ptr<Operation> new_operation(const Operation::Label& label,
                                                         CopyOrder order = CopyOrder::InQueue);
  /// Forgets an operation that the device refused.
  void discard(Operation& operation);
  void shut_down();
  void bring_all_home();

  // Manager thread: tasks.cpp.
  [[nodiscard]] Progress run(PrepareTask& task);
  [[nodiscard]] Progress run(CopyInTask& task);
  [[nodiscard]] Progress run(ExecuteTask& task);
  [[nodiscard]] Progress run(CompletionTask& task);
  [[nodiscard]] Progress run(FetchTask& task);
  [[nodiscard]] Progress run(QuiesceTask& task);
  [[nodiscard]] Progress run(DropTask& task);
  [[nodiscard]] Progress run(DrainTask& task);
  [[nodiscard]] Progress run(EvictionTask& task);
  void end(LaunchJob& job, bool ok, const std::string& reason);
  void fail(LaunchJob& job, const std::string& reason) { end(job, false, reason); }
  [[nodiscard]] Progress copy_in(LaunchJob& job, LaunchRegion& region);
  [[nodiscard]] bool choose_kernel(LaunchJob& job);
  [[nodiscard]] bool tiles_fit(LaunchJob& job);
  [[nodiscard]] std::vector<KernelArg> arguments(const LaunchJob& job) const;
  void enqueue_kernel(LaunchJob& job);
  void enqueue_eager_reads(LaunchJob& job);
  void record_kernel(LaunchJob& job, Operation& operation);
  void unpin(LaunchJob& job);
  /// Whether these parts are worth a copy beside kernels.
  [[nodiscard]] bool are_long(const StorageRecord& record, const BoxSet& boxes) const;
  /// Whether a copy beside the queue still has to end before the kernel.
  [[nodiscard]] bool waits_for_copies(const LaunchJob& job) const;
  /// True if there are any.
  [[nodiscard]] bool enqueue_late_reads(LaunchJob& job);
  /// What is to be read, and where.
  struct ReadBack {
    BoxSet boxes;
    CopyOrder order = CopyOrder::InQueue;
  };
  /// Enqueues reads of what `choose` says; they count as copied when the operation has ended. Null: there is nothing.
  ///
  /// It is asked under the record's lock, under which the copy is noted, too: a host that overwrites boxes (forget) comes
  /// before, and they are not read, or it waits for the copy.
  [[nodiscard]] std::shared_ptr<Operation> copy_out(StorageRecord& record, StorageRef storage,
                                                    const std::function<ReadBack(StorageRecord&)>& choose);
  /// The same for all that is dirty and not under way, in the queue.
  [[nodiscard]] std::shared_ptr<Operation> copy_out_all(StorageRecord& record, StorageRef storage);
  /// The same of a box on demand, perhaps beside kernels; then without what is still being written. False: to be tried again.
  [[nodiscard]] bool bring(StorageRecord& record, const StorageRef& storage, const std::function<GridBox(StorageRecord&)>& box_of);

  // Manager thread: memory.cpp.
  enum class Acquired : std::uint8_t { Yes, Later, No };
  [[nodiscard]] Acquired acquire_buffers(LaunchJob& job);
  [[nodiscard]] Acquired acquire_buffer(StorageRecord& record);
  /// Whether the limit leaves room for a buffer, or would if the pool were emptied of some.
  [[nodiscard]] bool has_room(std::size_t size_bytes) const;
  [[nodiscard]] std::unique_ptr<Buffer> take_pooled(std::size_t size_bytes);
  void pin(LaunchJob& job, StorageRecord& record);
  [[nodiscard]] bool empty_pool();
  [[nodiscard]] bool evict_clean();
  [[nodiscard]] bool evict_dirty();
  /// Pre: registry mutex held, record's mutex held.
  void release_buffer(StorageRecord& record);
  /// Keeps the buffer for the next matrix of its size, where it is not the host's own memory. Pre: as release_buffer.
  void recycle_buffer(StorageRecord& record);

  std::unique_ptr<Device> device;
  DeviceInfo info;
  ManagerOptions options;
  std::uint64_t memory_limit = 0;
  std::shared_ptr<Registry> registry;

  // The queue: any thread, under `mutex`.
  mutable std::mutex mutex;
  std::condition_variable wake;
  std::deque<Task> queue;
  /// Counts pushes and ended operations. Written under `mutex`; read without it by await_change only.
  std::atomic<std::uint64_t> epoch{0};
  struct Ended {
    Operation* operation;
    bool ok;
    std::int64_t time_ns;  ///< if the manager is traced
  };
  std::vector<Ended> ended;  ///< reported by the device, not yet applied
  bool is_stopping = false;
  std::string failure;  ///< why the device was dropped
  std::atomic<bool> is_alive{true};
  std::atomic<std::int64_t> active_jobs{0};

  // Manager thread only.
  KernelTable kernels;
  std::vector<std::shared_ptr<Operation>> operations;  ///< in flight
  std::vector<std::shared_ptr<Operation>> abandoned;   ///< of a failed device: it may still report their end
  int num_kernels = 0;  ///< of them
  int num_beside = 0;   ///< of them, copies beside the queue
  bool needs_flush = false;
  int num_pinning_jobs = 0;  ///< prepared and not ended
  std::uint64_t clock = 0;

  mutable std::mutex statistics_mutex;
  DeviceStatistics statistics;
  Device::Counters counters_at_reset;
  std::vector<RejectedKernel> rejected;

  // trace.cpp. Null lanes: not traced.
  [[nodiscard]] std::int64_t traced_time() const { return managing == nullptr ? 0 : Trace::now_ns(); }
  void record_task(const Task& task, std::int64_t start_ns);
  void record_end(const Operation& operation, std::int64_t time_ns);
  TraceLane* managing = nullptr;
  /// Manager thread: a lane and when the operation before ended.
  struct TracedQueue {
    TraceLane* lane = nullptr;
    std::int64_t free_ns = 0;
  };
  [[nodiscard]] TracedQueue& queue_of(const Operation& operation);
  TracedQueue on_device, beside_in, beside_out;

  std::thread thread;
};

}  // namespace pbrt::gpu
