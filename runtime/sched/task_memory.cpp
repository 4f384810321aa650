// SPDX-License-Identifier: MIT
#include "runtime/sched/task_memory.h"

#include <new>

namespace pbrt {

void TaskReserve::refill(int size_class, FreeList& list) {
  const std::lock_guard<std::mutex> guard(lock_);
  FreeList& reserve = free_[size_class];
  if (reserve.size == 0) {
    const std::size_t size_bytes = kTaskSizes[size_class];
    slabs_.reserve(slabs_.size() + 1);
    auto* slab = static_cast<char*>(::operator new (size_bytes* kBatch, std::align_val_t{kTaskAlignment}));
    slabs_.push_back(slab);
    for (int i = 0; i < kBatch; ++i) reserve.push(slab + static_cast<std::size_t>(i) * size_bytes);
  }
  for (int i = 0; i < kBatch && reserve.size > 0; ++i) list.push(reserve.pop());
}

void TaskReserve::absorb(int size_class, FreeList& list) {
  const std::lock_guard<std::mutex> guard(lock_);
  for (int i = 0; i < kBatch; ++i) free_[size_class].push(list.pop());
}

void TaskReserve::release(void* address, std::uint8_t size_class) {
  if (size_class == kHeapTask) return free_heap_task(address);
  const std::lock_guard<std::mutex> guard(lock_);
  free_[size_class].push(address);
}

TaskReserve::~TaskReserve() {
  for (void* slab : slabs_) ::operator delete (slab, std::align_val_t{kTaskAlignment});
}

namespace {

// The calling thread's cache; null on threads that are no workers. Functions that use it are never inlined, so that no
// caller keeps the thread's identity across a switch of fibers.
thread_local TaskCache* cache_of_thread = nullptr;

}  // namespace

[[gnu::noinline]] void TaskCache::set_of_thread(TaskCache* cache) { cache_of_thread = cache; }

[[gnu::noinline]] void release_task_memory(TaskReserve& reserve, void* address, std::uint8_t size_class) {
  TaskCache* const cache = cache_of_thread;
  if (cache != nullptr && &cache->reserve() == &reserve) {
    cache->release(address, size_class);
  } else {
    reserve.release(address, size_class);
  }
}

}  // namespace pbrt
