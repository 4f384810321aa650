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
#include "runtime/config/runtime_check.h"
#include "runtime/sched/crash.h"
#include "runtime/sched/trace/trace.h"

namespace pbrt {

Scheduler::Scheduler(int num_workers, Trace* trace) : pool_(num_workers) {
  PBRT_CHECK(num_workers >= 1, "a scheduler needs at least one worker");
  for (int i = 0; i < num_workers; ++i) {
    TraceLane* lane = trace != nullptr ? &trace->worker(i) : nullptr;
    if (lane != nullptr && i != 0) lane->await_owner();
    workers_.push_back(std::make_unique<Worker>(pool_, i, lane));
    pool_.workers.push_back(&workers_.back()->slot());
  }
  try {
    for (int i = 1; i < num_workers; ++i) {
      threads_.emplace_back([this, i] {
        prepare_for_crash();
        workers_[static_cast<std::size_t>(i)]->run_until_stopped(stop_);
      });
    }
  } catch (const std::system_error& error) {
    stop();
    throw RuntimeError("cannot start worker " + std::to_string(threads_.size() + 1) + " of " +
                       std::to_string(num_workers) + ": " + error.code().message() + "; ask for fewer threads");
  } catch (...) {
    stop();
    throw;
  }
}

Scheduler::~Scheduler() {
  stop();
  // The last waker may still be on its way out (worker.h, "Proof: suspension").
  const std::lock_guard<std::mutex> guard(pool_.external_lock);
}

void Scheduler::stop() {
  stop_.store(true, std::memory_order_seq_cst);
  pool_.parking.wake_all();
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
    prepare_for_crash();
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
  pool_.parking.wake_several(num_workers());
  for (const Clock::time_point end = Clock::now() + kLongest; pool_.parking.num_asleep() != 0 && Clock::now() < end;)
    sched_yield();
}

void Scheduler::abort() {
  const std::lock_guard<std::mutex> guard(abort_lock_);
  if (active_run_ != nullptr) active_run_->aborted.store(true, std::memory_order_relaxed);
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
