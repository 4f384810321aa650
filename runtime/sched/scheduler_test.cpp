// SPDX-License-Identifier: MIT
// Behaviour of frames, calls, exceptions, abort and suspension on 1 to 8 workers.
#include "runtime/sched/scheduler.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/sched/helpers.h"
#include "runtime/sched/test_fib.h"

namespace pbrt {
namespace {

class OnWorkers : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, OnWorkers, testing::Values(1, 2, 3, 8));

TEST_P(OnWorkers, RecursiveSpawnsComputeFibonacci) {
  Scheduler scheduler(GetParam());
  for (int round = 0; round < 3; ++round) {
    std::int64_t result = 0;
    scheduler.run([&](Frame& root) { result = fib(root, 20); });
    EXPECT_EQ(result, 6765);
  }
}

TEST_P(OnWorkers, SyncWaitsForAllSpawnedTasks) {
  Scheduler scheduler(GetParam());
  std::vector<int> done(20000, 0);  // more than a deque holds
  scheduler.run([&](Frame& root) {
    for (std::size_t i = 0; i < done.size(); ++i) root.spawn([&done, i](Frame&) { done[i] = 1; });
    root.sync();
    for (const int d : done) EXPECT_EQ(d, 1);
  });
}

TEST_P(OnWorkers, RootSyncsAtItsEnd) {
  Scheduler scheduler(GetParam());
  std::atomic<int> count{0};
  scheduler.run([&](Frame& root) {
    for (int i = 0; i < 100; ++i) root.spawn([&](Frame& f) { f.spawn([&](Frame&) { ++count; }); });
  });
  EXPECT_EQ(count.load(), 100);
}

TEST_P(OnWorkers, LargeClosuresAreCarried) {
  Scheduler scheduler(GetParam());
  std::array<std::int64_t, 200> numbers{};
  numbers[199] = 7;
  std::atomic<std::int64_t> sum{0};
  scheduler.run([&](Frame& root) {
    for (int i = 0; i < 50; ++i) root.spawn([numbers, &sum](Frame&) { sum += numbers[199]; });
  });
  EXPECT_EQ(sum.load(), 350);
}

TEST_P(OnWorkers, SyncRethrowsTheExceptionOfAChild) {
  Scheduler scheduler(GetParam());
  std::string caught;
  int num_finished = 0;
  scheduler.run([&](Frame& root) {
    try {
      root.spawn([](Frame& f) { f.spawn([](Frame&) { throw std::runtime_error("from a child"); }); });
      root.spawn([&](Frame&) { ++num_finished; });
      root.sync();
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    root.sync();  // the exception is thrown once
  });
  EXPECT_EQ(caught, "from a child");
  EXPECT_EQ(num_finished, 1);
}

TEST_P(OnWorkers, RunRethrowsWhatTheRootLetsOut) {
  Scheduler scheduler(GetParam());
  EXPECT_THROW(scheduler.run([](Frame& root) { root.spawn([](Frame&) { throw std::runtime_error("x"); }); }),
               std::runtime_error);
  EXPECT_THROW(scheduler.run([](Frame&) { throw std::logic_error("y"); }), std::logic_error);
  int ran = 0;
  scheduler.run([&](Frame&) { ran = 1; });
  EXPECT_EQ(ran, 1);
}

TEST_P(OnWorkers, UnwindingWaitsForTheChildrenOfEachFrame) {
  Scheduler scheduler(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> finished{0};
    EXPECT_THROW(scheduler.run([&](Frame& root) {
      CallFrame frame(root);
      int local = 0;  // children refer to it
      for (int i = 0; i < 20; ++i) {
        frame.spawn([&](Frame&) {
          std::this_thread::yield();
          std::atomic_ref<int>(local).fetch_add(1);
          ++finished;
        });
      }
      throw std::runtime_error("body failed");
    }),
                 std::runtime_error);
    EXPECT_EQ(finished.load(), 20);
  }
}

TEST_P(OnWorkers, BodiesOfOneFrameEndOneByOne) {
  Scheduler scheduler(GetParam());
  for (int round = 0; round < 50; ++round) {
    std::vector<int> of_body(4);
    scheduler.run([&](Frame& root) {
      CallFrame frame(root);
      for (int body = 0; body < 4; ++body) {
        const bool fails = body == 1, child_fails = body == 2;
        const auto run_body = [&] {
          int local = 0;  // children refer to it
          const BodyScope scope(frame);
          for (int i = 0; i < 20; ++i) {
            frame.spawn([&, i](Frame&) {
              std::this_thread::yield();
              std::atomic_ref<int>(of_body[static_cast<std::size_t>(body)]).fetch_add(1);
              std::atomic_ref<int>(local).fetch_add(1);
              if (i == 7 && (fails || child_fails)) throw std::runtime_error("child failed");
            });
          }
          if (fails) throw std::logic_error("body failed");
        };
        // What the body throws goes before what its children throw, and nothing of it is left for the next body.
        if (fails) {
          EXPECT_THROW(run_body(), std::logic_error);
        } else if (child_fails) {
          EXPECT_THROW(run_body(), std::runtime_error);
        } else {
          run_body();
        }
        EXPECT_EQ(of_body[static_cast<std::size_t>(body)], 20);
      }
    });
  }
}

TEST_P(OnWorkers, ManyChildrenMayThrow) {
  Scheduler scheduler(GetParam());
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(scheduler.run([&](Frame& root) {
      for (int i = 0; i < 200; ++i) root.spawn([i](Frame&) { throw std::runtime_error(std::to_string(i)); });
    }),
                 std::runtime_error);
  }
}

TEST_P(OnWorkers, CallFrameBelowTheCutoffIsSequential) {
  Scheduler scheduler(GetParam());
  scheduler.run([&](Frame& root) {
    EXPECT_FALSE(root.is_sequential());
    CallFrame small(root, 63, 64);
    EXPECT_TRUE(small.is_sequential());
    CallFrame inside(small, 1000, 64);
    EXPECT_TRUE(inside.is_sequential());
    CallFrame large(root, 64, 64);
    EXPECT_FALSE(large.is_sequential());
    bool ran = false;
    small.spawn([&](Frame& f) {
      ran = true;
      EXPECT_TRUE(f.is_sequential());
    });
    EXPECT_TRUE(ran) << "a spawn in a sequential frame is a call";
  });
}

void recurse(Frame& parent, int depth, int& deepest) {
  call_on_fresh_stack_if_needed(parent, [&] {
    CallFrame frame(parent, 1, 64);
    volatile char used[200];
    used[0] = 1;
    deepest = depth;
    if (depth < 100000) recurse(frame, depth + 1, deepest);
    used[1] = used[0];
  });
}

TEST_P(OnWorkers, RecursionOf100000CallsFits) {
  Scheduler scheduler(GetParam());
  int deepest = 0;
  scheduler.run([&](Frame& root) { recurse(root, 0, deepest); });
  EXPECT_EQ(deepest, 100000);
}

void spawn_deep(Frame& frame, int depth, std::atomic<int>& count) {
  ++count;
  if (depth == 0) return;
  frame.spawn([depth, &count](Frame& f) { spawn_deep(f, depth - 1, count); });
  frame.sync();
}

TEST_P(OnWorkers, TenThousandSpawnedLevelsFit) {
  Scheduler scheduler(GetParam());
  std::atomic<int> count{0};
  scheduler.run([&](Frame& root) { spawn_deep(root, 10000, count); });
  EXPECT_EQ(count.load(), 10001);
}

TEST_P(OnWorkers, ExceptionsCrossFreshStacks) {
  Scheduler scheduler(GetParam());
  struct Deep {
    static void call(Frame& parent, int depth) {
      call_on_fresh_stack_if_needed(parent, [&] {
        CallFrame frame(parent);
        volatile char used[4096];
        used[0] = 1;
        if (depth == 0) throw std::runtime_error("at the bottom");
        call(frame, depth - 1);
        used[1] = used[0];
      });
    }
  };
  EXPECT_THROW(scheduler.run([&](Frame& root) { Deep::call(root, 300); }), std::runtime_error);
}

TEST_P(OnWorkers, AbortDropsTheRunAndTheSchedulerGoesOn) {
  Scheduler scheduler(GetParam());
  for (int round = 0; round < 10; ++round) {
    EXPECT_THROW(scheduler.run([&](Frame& root) {
      for (int i = 0; i < 100; ++i) {
        root.spawn([i](Frame& f) {
          if (i == 50) f.abort_run();
        });
      }
    }),
                 RunAborted);
    std::int64_t result = 0;
    scheduler.run([&](Frame& root) { result = fib(root, 10); });
    EXPECT_EQ(result, 55);
  }
}

TEST_P(OnWorkers, AbortFromOutsideStopsAnEndlessRun) {
  Scheduler scheduler(GetParam());
  std::atomic<bool> started{false};
  std::thread outside([&] {
    while (!started) std::this_thread::yield();
    scheduler.abort();
  });
  EXPECT_THROW(scheduler.run([&](Frame& root) {
    started = true;
    for (;;) fib(root, 5);
  }),
               RunAborted);
  outside.join();
  scheduler.abort();  // no run: nothing happens
}

TEST_P(OnWorkers, AbortWithoutAFrameDropsTheRun) {
  Scheduler scheduler(GetParam());
  abort_current_run("no run");  // on a thread that works for none: nothing happens
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> num_begun{0};
    RunState state;
    const auto body = [&](Frame& root) {
      for (int i = 0; i < 1000; ++i) {
        root.spawn([&](Frame& f) {
          CallFrame frame(f);
          if (num_begun.fetch_add(1) == 0) abort_current_run("given up");
        });
      }
    };
    EXPECT_THROW(scheduler.run(state, body), RunAborted);
    EXPECT_STREQ(state.abort_reason.load(), "given up");
    EXPECT_LE(num_begun.load(), 2 * GetParam()) << "tasks that had not started were dropped";
    std::int64_t result = 0;
    scheduler.run([&](Frame& root) { result = fib(root, 10); });
    EXPECT_EQ(result, 55);
  }
}

TEST_P(OnWorkers, WakeBeforeWaitReturnsAtOnce) {
  Scheduler scheduler(GetParam());
  scheduler.run([&](Frame& root) {
    Suspension suspension(root);
    suspension.waker().wake();
    suspension.wait();
  });
}

TEST_P(OnWorkers, SuspendedFibersLetTheirWorkersGoOn) {
  Scheduler scheduler(GetParam());
  std::atomic<int> num_waiting{0};
  std::vector<std::optional<Waker>> wakers(16);
  std::vector<int> payload(16, 0);
  std::thread outside([&] {
    // More fibers wait than there are workers.
    while (num_waiting.load(std::memory_order_acquire) != 16) std::this_thread::yield();
    for (std::size_t i = 0; i < 16; ++i) {
      payload[i] = static_cast<int>(i) + 1;
      wakers[i]->wake();
    }
  });
  std::atomic<int> sum{0};
  scheduler.run([&](Frame& root) {
    for (std::size_t i = 0; i < 16; ++i) {
      root.spawn([&, i](Frame& f) {
        Suspension suspension(f);
        wakers[i].emplace(suspension.waker());
        num_waiting.fetch_add(1, std::memory_order_acq_rel);
        suspension.wait();
        sum += payload[i];
        EXPECT_EQ(fib(f, 8), 21);
      });
    }
  });
  outside.join();
  EXPECT_EQ(sum.load(), 136);
}

TEST_P(OnWorkers, WakersRaceWithWaiting) {
  Scheduler scheduler(GetParam());
  std::mutex lock;
  std::vector<Waker> queue;
  std::atomic<bool> stop{false};
  std::thread outside([&] {
    while (!stop) {
      std::vector<Waker> taken;
      {
        const std::lock_guard<std::mutex> guard(lock);
        taken.swap(queue);
      }
      for (const Waker& waker : taken) waker.wake();
      std::this_thread::yield();
    }
  });
  int num_done = 0;
  scheduler.run([&](Frame& root) {
    for (int i = 0; i < 300; ++i) {
      root.spawn([&](Frame& f) {
        Suspension suspension(f);
        {
          const std::lock_guard<std::mutex> guard(lock);
          queue.push_back(suspension.waker());
        }
        suspension.wait();
        std::atomic_ref<int>(num_done).fetch_add(1);
      });
    }
  });
  stop = true;
  outside.join();
  EXPECT_EQ(num_done, 300);
}

TEST_P(OnWorkers, ARunAfterAPauseHasAllItsWorkers) {
  Scheduler scheduler(GetParam());
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // all workers sleep
    scheduler.rouse();
    std::int64_t sum = 0;
    scheduler.run([&](Frame& root) { sum = fib(root, 12); });
    EXPECT_EQ(sum, 144);
  }
}

TEST_P(OnWorkers, AssignedTasksRunOnceAndAreJoined) {
  Scheduler scheduler(GetParam());
  if (scheduler.num_workers() == 1) return;
  std::atomic<int> sum{0};
  scheduler.run([&](Frame& root) {
    for (int round = 0; round < 50; ++round) {
      CallFrame frame(root);
      for (int worker = 0; worker < frame.num_workers(); ++worker) {
        if (worker == frame.worker_index()) continue;
        Helpers(frame).spawn_on(worker, frame, [&](Frame& f) {
          f.spawn([&](Frame&) { sum += 1; });
          sum += 2;
        });
      }
      frame.sync();
    }
    CallFrame frame(root);
    Helpers(frame).spawn_on(1 - std::min(frame.worker_index(), 1), frame,
                            [](Frame&) { throw std::runtime_error("assigned"); });
    EXPECT_THROW(frame.sync(), std::runtime_error);
  });
  EXPECT_EQ(sum, 50 * 3 * (scheduler.num_workers() - 1));
}

TEST_P(OnWorkers, AssignedTasksPassOnOthersOfTheSameFrame) {
  Scheduler scheduler(GetParam());
  const int num_workers = scheduler.num_workers();
  if (num_workers == 1) return;
  std::atomic<int> num_runs{0};
  const auto pass_on = [&](auto& self, Frame& here, Frame& all, int hops) -> void {
    ++num_runs;
    if (hops > 0) {
      Helpers(here).spawn_on((here.worker_index() + 1) % num_workers, all,
                             [&, hops](Frame& f) { self(self, f, all, hops - 1); });
    }
  };
  scheduler.run([&](Frame& root) {
    for (int round = 0; round < 50; ++round) {
      CallFrame frame(root);
      pass_on(pass_on, frame, frame, 7);
      pass_on(pass_on, frame, frame, 2);
      round % 2 == 0 ? frame.sync() : frame.sync_soon();
      ASSERT_EQ(num_runs, (round + 1) * 11);
    }
  });
  std::atomic<int> num_left{3};
  EXPECT_THROW(scheduler.run([&](Frame& root) {
    const auto abort_at_last = [&](auto& self, Frame& here, Frame& all) -> void {
      if (--num_left == 0) here.abort_run();
      Helpers(here).spawn_on((here.worker_index() + 1) % num_workers, all, [&](Frame& f) { self(self, f, all); });
    };
    abort_at_last(abort_at_last, root, root);
    root.sync_soon();
  }),
               RunAborted);
}

TEST(Scheduler, TasksAssignedToABusyWorkerRunElsewhere) {
  Scheduler scheduler(2);
  std::atomic<int> busy{-1};
  std::atomic<bool> is_released{false};
  scheduler.run([&](Frame& root) {
    root.spawn([&](Frame& frame) {
      busy = frame.worker_index();
      while (!is_released) std::this_thread::yield();
    });
    while (busy < 0) std::this_thread::yield();
    ASSERT_NE(busy, root.worker_index());
    CallFrame frame(root);
    Helpers(frame).spawn_on(busy, frame, [&](Frame& f) {
      EXPECT_NE(f.worker_index(), busy);
      is_released = true;
    });
    frame.sync();
  });
}

TEST_P(OnWorkers, FramesKnowTheirWorker) {
  Scheduler scheduler(GetParam());
  std::vector<std::thread::id> threads(static_cast<std::size_t>(GetParam()));
  std::mutex lock;
  scheduler.run([&](Frame& root) {
    for (int i = 0; i < 200; ++i) {
      root.spawn([&](Frame& frame) {
        const std::lock_guard<std::mutex> guard(lock);
        std::thread::id& known = threads.at(static_cast<std::size_t>(frame.worker_index()));
        if (known == std::thread::id()) known = std::this_thread::get_id();
        EXPECT_EQ(known, std::this_thread::get_id());
      });
    }
    root.sync();
  });
}

TEST(Scheduler, ContextIsTheOneOfTheRun) {
  Scheduler scheduler(2);
  int anything = 0;
  RunState state;
  state.context = reinterpret_cast<RunContext*>(&anything);
  state.sequential_cutoff = 10;
  scheduler.run(state, [&](Frame& root) {
    EXPECT_EQ(&root.context(), state.context);
    EXPECT_EQ(root.num_workers(), 2);
    root.spawn([&](Frame& f) { EXPECT_EQ(&f.context(), state.context); });
    CallFrame small(root, 9);
    EXPECT_TRUE(small.is_sequential());
  });
}

TEST(Scheduler, RunsFromSeveralThreadsTakeTurns) {
  Scheduler scheduler(2);
  std::vector<std::thread> threads;
  std::atomic<int> num_right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        std::int64_t result = 0;
        scheduler.run([&](Frame& root) { result = fib(root, 10); });
        if (result == 55) ++num_right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_right.load(), 80);
}

double process_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// A busy wait uses a processor in every interval; other work of the machine delays
// the workers' way to sleep in some. So the least of several intervals counts.
TEST(Scheduler, UsesNoCpuWhileAFiberWaitsForADevice) {
  constexpr double kIntervalSeconds = 0.1;
  Scheduler scheduler(4);
  scheduler.run([&](Frame& root) {
    Suspension suspension(root);
    double least = kIntervalSeconds;
    std::thread device([&, waker = suspension.waker()] {
      for (int i = 0; i < 50 && least > 0.01 * kIntervalSeconds; ++i) {
        const double before = process_cpu_seconds();
        std::this_thread::sleep_for(std::chrono::duration<double>(kIntervalSeconds));
        least = std::min(least, process_cpu_seconds() - before);
      }
      waker.wake();
    });
    suspension.wait();
    device.join();
    EXPECT_LE(least, 0.01 * kIntervalSeconds) << "more than 1 %";
  });
}

struct Hooked {
  static thread_local TaskLocal* current;
  static std::uint64_t child_key() { return current->key * 31 + ++current->words[0]; }
  static TaskLocal* exchange(TaskLocal* local) { return std::exchange(current, local); }
};
thread_local TaskLocal* Hooked::current = nullptr;

std::uint64_t sum_keys(Frame& parent, int depth) {
  const std::uint64_t mine = Hooked::current->key;
  if (depth == 0) return mine;
  CallFrame frame(parent);
  std::uint64_t sums[3] = {};
  for (std::uint64_t& sum : sums) frame.spawn([&sum, depth](Frame& f) { sum = sum_keys(f, depth - 1); });
  frame.sync();
  EXPECT_EQ(Hooked::current->key, mine);
  return mine + sums[0] * 3 + sums[1] * 5 + sums[2] * 7;
}

TEST_P(OnWorkers, TaskLocalKeysDependOnTheTreeOfSpawnsOnly) {
  const TaskLocalHooks hooks{&Hooked::child_key, &Hooked::exchange};
  RunState state;
  state.hooks = &hooks;
  state.root_local_key = 42;
  std::uint64_t one = 0;
  std::uint64_t many = 0;
  Scheduler(1).run(state, [&](Frame& root) { one = sum_keys(root, 5); });
  Scheduler(GetParam()).run(state, [&](Frame& root) { many = sum_keys(root, 5); });
  EXPECT_EQ(one, many);
}

}  // namespace
}  // namespace pbrt
