// SPDX-License-Identifier: MIT
// Pooled memory for tasks: per worker free lists of four block sizes, filled from and emptied
// into a reserve shared by the workers of a scheduler, in batches. No heap allocation per
// task once the lists are warm; larger closures fall back to the heap. Used by frames and workers.
//
// A block goes back to the free list of the worker that finished the task, which need not be the one
// that allocated it. A list that grows beyond kMaxFree hands a batch to the reserve, so
// blocks that wander from producers to thieves come back, and memory stays bounded by the
// largest number of tasks alive plus kMaxFree per worker and size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace pbrt {

namespace detail {
/// Memory for a task. `size_class` goes into Task::size_class.
struct TaskMemory {
  void* address;
  std::uint8_t size_class;
};
}  // namespace detail

inline constexpr int kNumTaskSizes = 4;
inline constexpr std::size_t kTaskSizes[kNumTaskSizes] = {64, 128, 256, 512};
inline constexpr std::uint8_t kHeapTask = 255;
inline constexpr std::size_t kTaskAlignment = 64;

inline void free_heap_task(void* address) { ::operator delete (address, std::align_val_t{kTaskAlignment}); }

struct FreeBlock {
  FreeBlock* next;
};

/// A chain of free blocks of one size.
struct FreeList {
  FreeBlock* first = nullptr;
  int size = 0;

  void push(void* block) {
    first = new (block) FreeBlock{first};
    ++size;
  }
  /// Takes a block off the list. Pre: it is not empty.
  [[nodiscard]] void* pop() {
    FreeBlock* block = first;
    first = block->next;
    --size;
    return block;
  }
};

/// The blocks of a scheduler; frees them all when it dies.
class TaskReserve {
 public:
  /// Moves about kBatch free blocks of one size into `list`.
  ///
  /// Errors:  std::bad_alloc
  /// Threads: any
  void refill(int size_class, FreeList& list);
  /// Takes kBatch blocks out of `list`.
  void absorb(int size_class, FreeList& list);
  /// Takes back one block from code that runs on no worker.
  void release(void* address, std::uint8_t size_class);

  static constexpr int kBatch = 64;

  TaskReserve() = default;
  ~TaskReserve();
  TaskReserve(const TaskReserve&) = delete;
  TaskReserve& operator=(const TaskReserve&) = delete;

 private:
  std::mutex lock_;
  FreeList free_[kNumTaskSizes];
  std::vector<void*> slabs_;
};

/// Free lists of one worker.
///
/// Threads: owner only
class TaskCache {
 public:
  explicit TaskCache(TaskReserve& reserve) : reserve_(reserve) {}

  /// Makes `cache` the one of the calling thread; null: the thread has none.
  static void set_of_thread(TaskCache* cache);
  [[nodiscard]] TaskReserve& reserve() const { return reserve_; }

  /// The smallest size class that holds `size_bytes`; kNumTaskSizes means that the block comes from the heap.
  static constexpr int size_class_of(std::size_t size_bytes) {
    int size_class = 0;
    while (size_class < kNumTaskSizes && size_bytes > kTaskSizes[size_class]) ++size_class;
    return size_class;
  }

  template <std::size_t kBytes>
  [[nodiscard]] detail::TaskMemory allocate() {
    constexpr int kClass = size_class_of(kBytes);
    if constexpr (kClass == kNumTaskSizes) {
      return {::operator new (kBytes, std::align_val_t{kTaskAlignment}), kHeapTask};
    } else {
      FreeList& list = free_[kClass];
      if (list.first == nullptr) [[unlikely]]
        reserve_.refill(kClass, list);
      return {list.pop(), static_cast<std::uint8_t>(kClass)};
    }
  }

  void release(void* address, std::uint8_t size_class) {
    if (size_class == kHeapTask) return free_heap_task(address);
    FreeList& list = free_[size_class];
    list.push(address);
    if (list.size > kMaxFree) [[unlikely]]
      reserve_.absorb(size_class, list);
  }

 private:
  static constexpr int kMaxFree = 4 * TaskReserve::kBatch;

  FreeList free_[kNumTaskSizes];
  TaskReserve& reserve_;
};

/// Takes back a block of `reserve`: into the free lists of the calling thread if these belong to the same reserve.
///
/// Threads: any
void release_task_memory(TaskReserve& reserve, void* address, std::uint8_t size_class);

}  // namespace pbrt
