// SPDX-License-Identifier: MIT
#include "runtime/sched/queues/parking.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace pbrt {
namespace {

TEST(Parking, DoesNotSleepWhenThereIsWork) {
  Parking parking;
  ParkingSpot spot;
  parking.begin_search();
  parking.park(spot, [] { return true; });
  EXPECT_EQ(parking.num_parked(), 0);
  parking.end_search();
}

TEST(Parking, WakeReachesTheWorkerOfTheSpot) {
  Parking parking;
  ParkingSpot spots[2];
  std::atomic<int> num_awake{0};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i) {
    threads[i] = std::thread([&, i] {
      parking.begin_search();
      parking.park(spots[i], [] { return false; });
      ++num_awake;
      parking.end_search();
    });
  }
  while (parking.num_parked() != 2) std::this_thread::yield();
  parking.wake(spots[0]);
  threads[0].join();
  // The worker that woke found nothing more to do and, as the last searcher, woke the other one.
  threads[1].join();
  EXPECT_EQ(num_awake.load(), 2);
  parking.wake(spots[0]);  // not parked: nothing happens
}

TEST(Parking, WakesAsManyAsWanted) {
  Parking parking;
  ParkingSpot spots[4];
  std::atomic<bool> may_end{false};
  std::thread threads[4];
  for (int i = 0; i < 4; ++i) {
    threads[i] = std::thread([&, i] {
      parking.begin_search();
      parking.park(spots[i], [] { return false; });
      while (!may_end.load()) std::this_thread::yield();
      parking.end_search();
    });
  }
  while (parking.num_parked() != 4) std::this_thread::yield();
  parking.wake_several(0);
  EXPECT_EQ(parking.num_parked(), 4);
  parking.wake_several(2);
  EXPECT_EQ(parking.num_parked(), 2);
  EXPECT_EQ(parking.num_searching(), 2);
  parking.wake_several(100);
  EXPECT_EQ(parking.num_parked(), 0);
  may_end = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Parking, WakesManyThroughEachOther) {
  constexpr int kCount = 16;
  Parking parking;
  ParkingSpot spots[kCount];
  std::atomic<int> num_awake{0};
  std::atomic<bool> may_end{false};
  std::thread threads[kCount];
  for (int i = 0; i < kCount; ++i) {
    threads[i] = std::thread([&, i] {
      parking.begin_search();
      parking.park(spots[i], [] { return false; });
      ++num_awake;
      while (!may_end.load()) std::this_thread::yield();
      parking.end_search();
    });
  }
  while (parking.num_asleep() != kCount) std::this_thread::yield();
  parking.wake_several(11);
  while (num_awake.load() != 11) std::this_thread::yield();
  EXPECT_EQ(parking.num_parked(), kCount - 11) << "not one more";
  parking.wake_several(kCount);
  while (num_awake.load() != kCount) std::this_thread::yield();
  EXPECT_EQ(parking.num_searching(), kCount);
  may_end = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(Parking, KnowsWhoIsBusyAndWhoSleeps) {
  Parking parking;
  ParkingSpot spot;
  EXPECT_EQ(parking.num_busy(3), 3);
  std::atomic<bool> may_end{false};
  std::thread sleeper([&] {
    parking.begin_search();
    parking.park(spot, [] { return false; });
    while (!may_end.load()) std::this_thread::yield();
    parking.end_search();
  });
  while (parking.num_asleep() != 1) std::this_thread::yield();
  EXPECT_EQ(parking.num_busy(3), 2);
  parking.wake_several(1);
  while (parking.num_asleep() != 0) std::this_thread::yield();
  EXPECT_EQ(parking.num_busy(3), 2) << "it searches";
  may_end = true;
  sleeper.join();
  EXPECT_EQ(parking.num_busy(3), 3);
}

/// A producer publishes numbers one by one and waits for each to be consumed: a lost wake hangs.
TEST(Parking, NoWakeIsLost) {
  constexpr int kRounds = 20000;
  Parking parking;
  ParkingSpot spots[2];
  std::atomic<int> published{0};
  std::atomic<int> consumed{0};
  std::atomic<bool> stop{false};
  std::thread consumers[2];
  for (int i = 0; i < 2; ++i) {
    consumers[i] = std::thread([&, i] {
      const auto has_work = [&] { return stop.load() || consumed.load() != published.load(); };
      while (!stop.load()) {
        parking.begin_search();
        if (!has_work()) parking.park(spots[i], has_work);
        int mine = consumed.load();
        const bool got = mine != published.load() && consumed.compare_exchange_strong(mine, mine + 1);
        parking.end_search();
        if (!got) std::this_thread::yield();
      }
    });
  }
  for (int i = 1; i <= kRounds; ++i) {
    published.store(i, std::memory_order_release);
    parking.notify();
    while (consumed.load() != i) std::this_thread::yield();
  }
  stop = true;
  parking.wake_all();
  for (std::thread& consumer : consumers) consumer.join();
  EXPECT_EQ(consumed.load(), kRounds);
}

}  // namespace
}  // namespace pbrt
