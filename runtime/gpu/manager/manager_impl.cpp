// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/manager_impl.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <mutex>
#include <utility>
#include <variant>

#include "runtime/sched/cpu_relax.h"

namespace pbrt::gpu {
namespace {

/// How often a thread looks whether another one's turn is over before it gives up or sleeps: some microseconds, which
/// is what a launch takes.
constexpr int kLooksForTurn = 200;

/// With so many operations under way the device has enough to do, and a driver may let its caller wait.
constexpr std::size_t kMostUnderWay = 512;

/// How many launches of workers one of them asks for ends after. So many share an event (runtime/cl/cl_device.cpp).
constexpr int kLaunchesPerPoll = 16;

/// So long after a launch its code and the driver's are still in the caches of a worker, if it did little meanwhile.
constexpr std::chrono::microseconds kPause{300};

bool look_for_turn(std::mutex& turn) {
  for (int looks = 0; looks < kLooksForTurn; ++looks) {
    if (turn.try_lock()) return true;
    cpu_relax();
  }
  return false;
}

}  // namespace

ManagerImpl::ManagerImpl(std::unique_ptr<Device> managed, const ManagerOptions& options)
    : device(std::move(managed), options),
      check(options.verifies ? std::make_unique<DeviceCheck>(device, statistics) : nullptr),
      trace(options, statistics),
      queue(options.patience),
      operations(queue, trace.clock()),
      copies(device, queue, operations, statistics, options.verifies),
      memory(device, queue, operations, copies, statistics),
      launch_tasks_(parts()),
      host_tasks_(parts()),
      thread_([this] { run_thread(); }) {}

ManagerImpl::~ManagerImpl() {
  queue.stop();
  thread_.join();
  // The device goes before the operations, because a failed device may report their ends as long as it lives.
  device.close();
}

ManagerImpl::WorkerTurn::WorkerTurn(ManagerImpl& manager) : manager_(manager) {
  if (!manager.device->may_serve_workers() || !look_for_turn(manager.turn_)) return;
  turn_ = Turns(manager.turn_, std::adopt_lock);
  set_worker(true);
}

ManagerImpl::WorkerTurn::~WorkerTurn() {
  if (is_had()) set_worker(false);
}

void ManagerImpl::WorkerTurn::set_worker(bool is_worker) {
  manager_.is_worker_ = is_worker;
  manager_.launch_tasks_.set_brief(is_worker);
}

void ManagerImpl::submit(std::vector<Task> tasks, const std::function<void()>& begin) {
  begin();
  if (is_thread_quicker(tasks.front())) return queue.push(std::move(tasks));
  {
    const WorkerTurn turn(*this);
    if (!turn.is_had()) return queue.push(std::move(tasks));
    launch_here(std::move(tasks));
  }
  if (queue.is_patient())
    queue.note_launch_here();
  else
    device->watch();
}

bool ManagerImpl::is_thread_quicker(const Task& first) {
  if (!queue.is_patient() || std::get<PrepareTask>(first).job->only_prefetch) return false;
  const std::int64_t now = trace_clock_ns();
  const std::int64_t before = last_submit_ns_.exchange(now, std::memory_order_relaxed);
  return std::chrono::nanoseconds(now - before) > kPause && queue.is_watched();
}

void ManagerImpl::launch_here(std::vector<Task> tasks) {
  auto next = tasks.begin();
  if (++num_launched_here_ >= kLaunchesPerPoll) ask_for_ends();
  if (operations.size() < kMostUnderWay && do_brief_work()) {
    const JobPtr job = std::get<PrepareTask>(tasks.front()).job;
    while (next != tasks.end() && is_brief_here(*next) && do_here(*next)) ++next;
    if (job->is_enqueued) statistics.count([](DeviceStatistics& s) { ++s.launches_by_workers; });
  }
  tasks.erase(tasks.begin(), next);
  const bool is_done = tasks.empty();
  queue.push(std::move(tasks));
  // What others queued meanwhile, and what waited for what was done here, is done, too, or left to the management
  // thread.
  const bool is_all_done = do_brief_work() && is_done;
  send();
  if (!is_all_done || failure_) queue.poke();
}

bool ManagerImpl::is_brief_here(const Task& task) const {
  // A PrepareTask that is brief says so of its copies, too. What other tasks write meanwhile seldom changes that.
  const auto* const copy_in = std::get_if<CopyInTask>(&task);
  return copy_in != nullptr ? copy_in->job->windows.empty() : launch_tasks_.is_brief(task);
}

void ManagerImpl::ask_for_ends() {
  num_launched_here_ = 0;
  if (failure_ || !queue.is_patient()) return;
  device->poll();
  if (do_brief_work()) send();
}

void ManagerImpl::send() {
  if (failure_ || !operations.is_unsent()) return;
  try {
    operations.flush(*device);
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

bool ManagerImpl::do_brief_work() {
  while (!failure_) {
    if (queue.is_quiet() && !launches_.has_ended()) return true;
    take(queue.take_good_ends());
    if (JobPtr job = launches_.take_ended()) {
      Task completion = CompletionTask{std::move(job)};
      if (!launch_tasks_.is_brief(completion) || !do_here(completion)) return queue.push(std::move(completion)), false;
      continue;
    }
    const Task* const first = queue.first();
    if (first == nullptr) return queue.is_quiet();
    if (!launch_tasks_.is_brief(*first)) return false;
    Task task = queue.take_first();
    if (!do_here(task)) return queue.push(std::move(task)), false;
  }
  return false;
}

void ManagerImpl::run_thread() {
  Turns turn(turn_);
  for (Next next = take_turn(); next != Next::End; next = take_turn())
    if (next == Next::Idle) idle(turn);
  shut_down(turn);
}

ManagerImpl::Next ManagerImpl::take_turn() {
  if (failure_) {
    fail_device(*std::exchange(failure_, std::nullopt));
  } else if (JobPtr job = launches_.take_ended()) {
    take(CompletionTask{std::move(job)});
  } else if (Turn turn = queue.next(); auto* task = std::get_if<Task>(&turn)) {
    take(std::move(*task));
  } else if (auto* ended = std::get_if<std::vector<EndedOperation>>(&turn)) {
    take(*ended);
  } else {
    return std::get<NothingReady>(turn).is_over && operations.is_empty() ? Next::End : Next::Idle;
  }
  return Next::More;
}

void ManagerImpl::take(Task task) {
  if (do_here(task)) return;
  statistics.count([](DeviceStatistics& s) { ++s.requeues; });
  queue.put_back(std::move(task));
}

bool ManagerImpl::do_here(Task& task) {
  const std::int64_t start = trace.is_on() ? trace.clock().time_ns() : 0;
  if (attempt(task) == Progress::Done) {
    if (trace.is_on()) trace.record_task(task, start);
    queue.was_done();
    return true;
  }
  const auto* completion = std::get_if<CompletionTask>(&task);
  if (completion == nullptr || completion->job->stage != LaunchJob::Stage::Executing || failure_) return false;
  launches_.keep(completion->job);
  return true;
}

void ManagerImpl::take(const std::vector<EndedOperation>& ended) {
  for (const EndedOperation& each : ended) {
    if (each.operation->is_applied) continue;  // the device had failed before
    if (trace.is_on()) trace.record_end(*each.operation, each.time_ns);
    operations.end(*each.operation, each.ok);
    if (each.ok) continue;
    const std::string why = device->failure();
    fail_device(why.empty() ? "an operation did not succeed" : why);
  }
}

Progress ManagerImpl::attempt(Task& task) {
  const auto run_it = [this](auto& alternative) {
    if constexpr (requires { launch_tasks_.run(alternative); })
      return launch_tasks_.run(alternative);
    else
      return host_tasks_.run(alternative);
  };
  try {
    return std::visit(run_it, task);
  } catch (const std::exception& error) {
    if (is_worker_) return failure_ = error.what(), Progress::NotReady;
    fail_device(error.what());
  }
  return std::visit(run_it, task);
}

void ManagerImpl::idle(Turns& turn) {
  try {
    if (operations.flush(*device)) return;
  } catch (const std::exception& error) {
    return fail_device(error.what());
  }
  queue.begin_idle(launches_.is_end_awaited());
  turn.unlock();
  if (!queue.is_patient() || !queue.await_change(*device)) {
    device->watch();
    statistics.count([](DeviceStatistics& s) { ++s.sleeps; });
    queue.sleep();
  }
  turn = look_for_turn(turn_) ? Turns(turn_, std::adopt_lock) : Turns(turn_);
}

void ManagerImpl::fail_device(const std::string& why) {
  if (!device.fail(why)) return;
  device->finish();
  operations.abandon();
  memory.lose_all();
}

void ManagerImpl::shut_down(Turns& turn) {
  try {
    if (device.is_alive()) bring_all_home(turn);
  } catch (const std::exception& error) {
    fail_device(error.what());
  }
  launch_tasks_.forget_kernels();
  memory.close();
}

void ManagerImpl::bring_all_home(Turns& turn) {
  // While other devices use the host's memory there, the copies wait, and so does the thread until something has
  // happened.
  while (start_home() || !operations.is_empty())
    if (take_turn() != Next::More && (start_home() || !operations.is_empty())) idle(turn);
}

bool ManagerImpl::start_home() {
  bool is_left = false;
  for (const StorageRef& storage : memory.living_storages()) {
    StorageRecord& record = *StorageRecord::find(*storage.get());
    Residence* home = nullptr;
    {
      const std::lock_guard lock(record.mutex);
      home = record.at(*memory.registry());
    }
    static_cast<void>(copies.copy_out_all(*home, storage, "the device is used no more"));  // the caller waits
    const std::lock_guard lock(record.mutex);
    is_left = is_left || !home->dirty.is_empty();
  }
  return is_left;
}

}  // namespace pbrt::gpu

// Note [Launches of workers]
//
// Most launches need nothing that takes time: the kernel is built, the data is on the device, and the fiber goes on as
// soon as the kernel is enqueued. To hand such a launch to the management thread and to be woken by it costs more than
// to enqueue it: on an H100 20 microseconds against 7. So the worker takes a turn, if it can have one within a few
// microseconds, and does the tasks of its launch itself. It also does what others have queued before, and meanwhile.
//
// It stops at the first task that may take long, and leaves this one and those after it in the queue, for the
// management thread: kernels to build, memory to allocate, copies, what fibers wait for, a failure of the device.
// Drivers may compile at the first launch in groups of a shape, and may let the caller wait when much is under way;
// both are left to the management thread, too (LaunchTasks::is_brief). A device whose calls wait for another thread
// serves no workers at all (Device::may_serve_workers).
//
// A launch that follows none is left to a management thread that is awake: it has just asked the device for ends, or
// copied what the launch reads, so the driver's code and data are in its caches. On an H200's host the calls of such a
// launch take a worker 0.075 ms, and those of a chain 0.005.
//
// The order of the queue is kept: a worker launches only if no task in the queue is left to be tried. Tasks that were
// tried and not ready stay where they are, as if they had been tried once more. If its turn leaves anything that could
// be ready now, it changes the queue's epoch (poke), so that the management thread comes.
//
// No thread waits for a turn while it has one of another manager: tasks for other managers are pushed, and only
// submit() takes a worker's turn. A fiber is never suspended in a turn. The management thread holds its turn but while
// it idles, and waits for it there, since a worker's turn is short.
