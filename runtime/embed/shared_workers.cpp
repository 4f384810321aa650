// SPDX-License-Identifier: MIT
#include "runtime/embed/shared_workers.h"

#include <utility>

#include "runtime/embed/blocked_signals.h"

namespace pbrt {

SharedWorkers::SharedWorkers(int num_workers) {
  if (num_workers == 1) return;
  const BlockedSignals none_for_new_threads;
  team_ = std::make_shared<Scheduler>(num_workers);
}

std::shared_ptr<Scheduler> SharedWorkers::take() {
  if (team_ != nullptr) return team_;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (!idle_.empty()) {
      std::shared_ptr<Scheduler> workers = std::move(idle_.back());
      idle_.pop_back();
      return workers;
    }
    idle_.reserve(idle_.capacity() + 1);  // so that give() needs no memory
  }
  return std::make_shared<Scheduler>(1);
}

void SharedWorkers::give(std::shared_ptr<Scheduler> workers) {
  if (workers == team_) return;
  const std::lock_guard<std::mutex> guard(lock_);
  idle_.push_back(std::move(workers));
}

}  // namespace pbrt
