// SPDX-License-Identifier: MIT
// The events that one thread records: a log with one writer, which takes no lock. Its events lie in chunks that are
// never moved: a reader, on any thread and at any time (also after Ctrl-C), follows the chunks and sees what was
// published. What the events mean is not known here.
//
// Proof: publication. add() writes the event, then `count` with release; for_each() reads `count` with acquire and then
// only events below it. A new chunk is published by its predecessor's `next` likewise, once that one is full; a reader
// reads `next` first, so that it misses nothing in between. Chunks live as long as the log.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace pbrt {

enum class TraceKind : std::uint8_t {
  Rule,        ///< an execution of a rule, or a part of one; amount: cells
  Work,        ///< a worker, from finding a task to looking for the next
  Steal,       ///< a search that ended with another worker's task; amount: whose
  Mail,        ///< a search that ended with a task from a mailbox
  Search,      ///< a search that found nothing
  Park,        ///< asleep
  Management,  ///< a task of a device's management thread; amount: bytes it enqueued
  Kernel,      ///< on the device; amount: work-items
  CopyIn,      ///< to the device; amount: bytes
  CopyOut,     ///< from the device; amount: bytes
  Idle,        ///< the device had no operation
};

struct TraceEvent {
  TraceKind kind = TraceKind::Rule;
  bool is_resumed = false;    ///< not the first part of an execution
  bool is_suspended = false;  ///< not the last part
  const char* name = nullptr;
  const char* version = nullptr;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t amount = 0;
  // Rule: executions that were only counted since the event before of that rule and order of magnitude.
  std::int64_t num_untimed = 0;
  std::int64_t untimed_cells = 0;
  const char* why = nullptr;   ///< of a copy or an idle device, the reason
  std::int64_t waited_ns = 0;  ///< of an operation of a device: how long it was enqueued before it began
};

/// The chunks that the logs of a process may still add, all together. Threads: any.
class ChunkBudget {
 public:
  explicit ChunkBudget(int num_chunks) : num_left_(num_chunks) {}
  /// Takes one chunk out of the budget; false if none is left.
  [[nodiscard]] bool take() {
    // Relaxed: nothing else depends on the number.
    return num_left_.load(std::memory_order_relaxed) > 0 && num_left_.fetch_sub(1, std::memory_order_relaxed) > 0;
  }

 private:
  std::atomic<int> num_left_;
};

class EventLog {
 public:
  static constexpr std::uint32_t kChunkEvents = 1024;

  /// Each chunk after the first one is taken out of `budget`, which outlives the log. A log without a budget keeps no
  /// event.
  explicit EventLog(ChunkBudget* budget) : budget_(budget) {}
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Adds an event, or counts it as dropped where the budget is used up. Threads: the writer.
  void add(const TraceEvent& event);

  /// Calls `f` with each event, in the order in which they were added. Threads: any.
  template <class F>
  void for_each(const F& f) const {
    const Chunk* next = nullptr;
    for (const Chunk* chunk = &first_; chunk != nullptr; chunk = next) {
      // `next` is read before the count: a chunk that has a successor is full.
      next = chunk->next.load(std::memory_order_acquire);
      const std::uint32_t count = chunk->count.load(std::memory_order_acquire);
      for (std::uint32_t i = 0; i < count; ++i) f(chunk->events[i]);
    }
  }
  /// Events for which the budget had no chunk. Threads: any.
  [[nodiscard]] std::int64_t num_dropped() const { return num_dropped_.load(std::memory_order_relaxed); }

 private:
  struct Chunk {
    std::atomic<std::uint32_t> count{0};
    std::atomic<Chunk*> next{nullptr};
    std::array<TraceEvent, kChunkEvents> events;
  };

  ChunkBudget* const budget_;
  Chunk first_;
  Chunk* last_ = &first_;
  std::atomic<std::int64_t> num_dropped_{0};
};

}  // namespace pbrt
