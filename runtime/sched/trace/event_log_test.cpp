// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/event_log.h"

#include <gtest/gtest.h>

#include <thread>

namespace pbrt {
namespace {

TraceEvent numbered(std::int64_t i) { return {TraceKind::Steal, false, false, "steal", nullptr, i, i + 1, i}; }

std::int64_t size_of(const EventLog& log) {
  std::int64_t size = 0;
  log.for_each([&](const TraceEvent&) { ++size; });
  return size;
}

TEST(EventLog, ReadersSeeWholeEventsWhileTheyAreWritten) {
  ChunkBudget budget(100);
  EventLog log(&budget);
  constexpr std::int64_t kNumEvents = 20000;
  std::thread writer([&] {
    for (std::int64_t i = 0; i < kNumEvents; ++i) log.add(numbered(i));
  });
  std::int64_t most = 0;
  while (most < kNumEvents) {
    std::int64_t next = 0;
    log.for_each([&](const TraceEvent& event) {
      EXPECT_EQ(event.amount, next);
      EXPECT_EQ(event.end_ns, next + 1);
      ++next;
    });
    EXPECT_GE(next, most);
    most = next;
  }
  writer.join();
}

TEST(EventLog, DropsWhatComesAfterTheBudgetIsUsedUp) {
  ChunkBudget budget(2);
  EventLog a(&budget), b(&budget);
  constexpr std::int64_t kChunk = EventLog::kChunkEvents;
  for (std::int64_t i = 0; i < 3 * kChunk - 1; ++i) a.add(numbered(i));
  EXPECT_EQ(size_of(a), 3 * kChunk - 1);
  for (std::int64_t i = 0; i < kChunk + 5; ++i) b.add(numbered(i));
  EXPECT_EQ(size_of(b), kChunk) << "the first chunk is its own";
  EXPECT_EQ(b.num_dropped(), 5);
  a.add(numbered(0));
  EXPECT_EQ(size_of(a), 3 * kChunk) << "it has room in its last chunk";
  EXPECT_EQ(a.num_dropped(), 0);
}

TEST(EventLog, KeepsNothingWithoutABudget) {
  EventLog log(nullptr);
  log.add(numbered(1));
  EXPECT_EQ(size_of(log), 0);
  EXPECT_EQ(log.num_dropped(), 0);
}

}  // namespace
}  // namespace pbrt
