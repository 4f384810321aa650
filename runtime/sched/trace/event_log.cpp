// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/event_log.h"

#include <memory>

namespace pbrt {

EventLog::~EventLog() {
  for (Chunk* chunk = first_.next.load(std::memory_order_relaxed); chunk != nullptr;) {
    const std::unique_ptr<Chunk> owned(chunk);
    chunk = owned->next.load(std::memory_order_relaxed);
  }
}

void EventLog::add(const TraceEvent& event) {
  if (budget_ == nullptr) return;
  // Relaxed: only the writer changes it.
  std::uint32_t count = last_->count.load(std::memory_order_relaxed);
  if (count == kChunkEvents) {
    if (!budget_->take()) {
      num_dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    Chunk* fresh = std::make_unique<Chunk>().release();
    // Pairs with for_each.
    last_->next.store(fresh, std::memory_order_release);
    last_ = fresh;
    count = 0;
  }
  last_->events[count] = event;
  // Pairs with for_each.
  last_->count.store(count + 1, std::memory_order_release);
}

}  // namespace pbrt
