// SPDX-License-Identifier: MIT
#include "runtime/sched/scheduler.h"

#include <sched.h>

#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/config/machine.h"
#include "runtime/config/runtime_check.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt {

Scheduler::Scheduler(int num_workers, Trace* trace) : has_cpu_per_worker_(num_workers <= available_cpus()) {
  PBRT_CHECK(num_workers >= 1, "a scheduler needs at least one worker");
  for (int i = 0; i < num_workers; ++i) {
    TraceLane* lane = trace != nullptr ? &trace->worker(i) : nullptr;
    if (lane != nullptr && i != 0) lane->await_owner();
    workers_.push_back(std::make_unique<Worker>(*this, i, lane));
  }
  try {
    for (int i = 1; i < num_workers; ++i) {
      threads_.emplace_back([this, i] { workers_[static_cast<std::size_t>(i)]->run_until_stopped(stop_); });
    }
  } catch (const std::system_error& error) {
    stop();
    throw RuntimeError("cannot start worker " + std::to_string(threads_.size() + 1) + " of " +
                       std::to_string(num_workers) + ": " + error.code().message() + "; `--threads` asks for fewer");
  } catch (...) {
    stop();
    throw;
  }
}

Scheduler::~Scheduler() {
  stop();
  // The last waker may still be on its way out (worker.h, "Proof: suspension").
  const std::lock_guard<std::mutex> guard(external_lock_);
}

void Scheduler::stop() {
  stop_.store(true, std::memory_order_seq_cst);
  parking_.wake_all();
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::run_erased(RunState& state, void (*call)(void*, Frame&), void* closure) {
  const std::lock_guard<std::mutex> run_guard(run_lock_);
  RootJob job;
  job.run = &state;
  job.call = call;
  job.closure = closure;
  state.num_workers = num_workers();
  set_active_run(&state);
  try {
    workers_[0]->run_root(job);
  } catch (const std::bad_alloc&) {  // not even a stack for the root
    job.error = std::current_exception();
  }
  set_active_run(nullptr);
  if (job.error) std::rethrow_exception(std::move(job.error));
}

void Scheduler::set_active_run(RunState* run) {
  const std::lock_guard<std::mutex> guard(abort_lock_);
  active_run_ = run;
}

void Scheduler::rouse() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLongest{1};
  parking_.wake_several(num_workers());
  for (const Clock::time_point end = Clock::now() + kLongest; parking_.num_asleep() != 0 && Clock::now() < end;)
    sched_yield();
}

void Scheduler::abort() {
  const std::lock_guard<std::mutex> guard(abort_lock_);
  if (active_run_ != nullptr) active_run_->aborted.store(true, std::memory_order_relaxed);
}

void Scheduler::assign(int worker, detail::Task& task) const {
  workers_[static_cast<std::size_t>(worker)]->tasks().push_mail(task);
}

bool Scheduler::may_assign() const {
  const int num_others = num_workers() - 1;
  return has_cpu_per_worker_ && parking_.num_parked() == 0 && 2 * parking_.num_searching() >= num_others;
}

void Scheduler::push_external(detail::Task& task) {
  external_random_ = external_random_ * 6364136223846793005U + 1442695040888963407U;
  workers_[(external_random_ >> 33) % workers_.size()]->tasks().push_mail(task);
}

bool Scheduler::has_work() const {
  for (const auto& worker : workers_) {
    if (!worker->tasks().is_empty()) return true;
  }
  return false;
}

WorkerCounts Scheduler::counts() const {
  WorkerCounts sum;
  for (const auto& worker : workers_) {
    sum.num_steals += worker->counts().num_steals;
    sum.num_mails += worker->counts().num_mails;
    sum.num_parks += worker->counts().num_parks;
    sum.num_suspensions += worker->counts().num_suspensions;
  }
  return sum;
}

}  // namespace pbrt
