// SPDX-License-Identifier: MIT
#include "runtime/sched/queues/deque.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "runtime/sched/queues/mailbox.h"

namespace pbrt {
namespace {

using detail::Task;

TEST(Deque, OwnerPopsTheNewestFirst) {
  Deque deque;
  Task tasks[3];
  for (Task& task : tasks) ASSERT_TRUE(deque.push(task));
  EXPECT_EQ(deque.pop(), &tasks[2]);
  EXPECT_EQ(deque.pop(), &tasks[1]);
  EXPECT_EQ(deque.pop(), &tasks[0]);
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_TRUE(deque.is_empty());
}

TEST(Deque, ThievesTakeTheOldestFirst) {
  Deque deque;
  Task tasks[3];
  for (Task& task : tasks) ASSERT_TRUE(deque.push(task));
  EXPECT_EQ(deque.steal(), &tasks[0]);
  EXPECT_EQ(deque.pop(), &tasks[2]);
  EXPECT_EQ(deque.steal(), &tasks[1]);
  EXPECT_EQ(deque.steal(), nullptr);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST(Deque, RefusesWhenFullAndWrapsAround) {
  Deque deque;
  std::vector<Task> tasks(static_cast<std::size_t>(Deque::kCapacity));
  for (int round = 0; round < 3; ++round) {
    std::size_t pushed = 0;
    while (deque.push(tasks[pushed])) ++pushed;
    EXPECT_EQ(pushed, tasks.size() - 1);
    for (std::size_t i = 0; i < pushed / 2; ++i) EXPECT_EQ(deque.steal(), &tasks[i]);
    for (std::size_t i = pushed; i-- > pushed / 2;) EXPECT_EQ(deque.pop(), &tasks[i]);
    EXPECT_EQ(deque.pop(), nullptr);
  }
}

struct CountedTask : Task {
  int plain = 0;  // written by the owner before the push, read by whoever takes the task
  std::atomic<int> num_taken{0};
};

/// One owner pushes and pops at random, `num_thieves` steal; each task must be taken exactly once.
void race(int num_thieves, unsigned seed, int num_tasks) {
  Deque deque;
  std::vector<CountedTask> tasks(static_cast<std::size_t>(num_tasks));
  std::atomic<int> num_taken{0};
  const auto take = [&](Task* task) {
    if (task == nullptr) return;
    auto& counted = static_cast<CountedTask&>(*task);
    EXPECT_EQ(counted.plain, 1);
    counted.num_taken.fetch_add(1, std::memory_order_relaxed);
    num_taken.fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> thieves;
  for (int t = 0; t < num_thieves; ++t) {
    thieves.emplace_back([&] {
      while (num_taken.load(std::memory_order_relaxed) < num_tasks) take(deque.steal());
    });
  }
  std::mt19937 rng(seed);
  std::size_t next = 0;
  while (num_taken.load(std::memory_order_relaxed) < num_tasks) {
    // Short bursts keep the deque near empty, where the conflicts are.
    for (unsigned burst = rng() % 4; burst > 0 && next < tasks.size(); --burst) {
      tasks[next].plain = 1;
      if (!deque.push(tasks[next])) break;
      ++next;
    }
    for (unsigned burst = rng() % 4; burst > 0; --burst) take(deque.pop());
  }
  for (std::thread& thief : thieves) thief.join();
  for (const CountedTask& task : tasks) ASSERT_EQ(task.num_taken.load(), 1) << "seed " << seed;
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST(Deque, EachTaskIsTakenOnceUnderRaces) {
  for (int num_thieves = 1; num_thieves <= 3; ++num_thieves) {
    for (unsigned seed = 1; seed <= 5; ++seed) race(num_thieves, seed, 20000);
  }
}

TEST(Mailbox, IsAQueue) {
  Mailbox mailbox;
  Task tasks[3];
  EXPECT_EQ(mailbox.take(), nullptr);
  for (Task& task : tasks) mailbox.push(task);
  EXPECT_FALSE(mailbox.is_empty());
  for (Task& task : tasks) EXPECT_EQ(mailbox.take(), &task);
  EXPECT_EQ(mailbox.take(), nullptr);
  mailbox.push(tasks[1]);
  EXPECT_EQ(mailbox.take(), &tasks[1]);
}

TEST(Mailbox, EachTaskIsTakenOnceUnderRaces) {
  constexpr int kTasks = 20000;
  Mailbox mailbox;
  std::vector<CountedTask> tasks(2 * kTasks);
  std::atomic<int> num_taken{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kTasks; ++i) {
        tasks[t * kTasks + i].plain = 1;
        mailbox.push(tasks[t * kTasks + i]);
      }
    });
    threads.emplace_back([&] {
      while (num_taken.load(std::memory_order_relaxed) < 2 * kTasks) {
        if (Task* task = mailbox.take()) {
          EXPECT_EQ(static_cast<CountedTask*>(task)->plain, 1);
          static_cast<CountedTask*>(task)->num_taken.fetch_add(1);
          num_taken.fetch_add(1);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CountedTask& task : tasks) ASSERT_EQ(task.num_taken.load(), 1);
}

}  // namespace
}  // namespace pbrt
