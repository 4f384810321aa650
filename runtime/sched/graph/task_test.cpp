// SPDX-License-Identifier: MIT
// Graph tasks and step graphs: the five states, dependencies, continuations.
#include "runtime/sched/graph/task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "runtime/sched/scheduler.h"
#include "runtime/sched/step_graph.h"

namespace pbrt {
namespace {

class TasksOnWorkers : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, TasksOnWorkers, testing::Values(1, 2, 4));

TEST_P(TasksOnWorkers, PassThroughTheirStates) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    TaskGroup group(root);
    bool ran = false;
    const TaskRef first = group.create(root, [&](Frame&) { ran = true; });
    TaskState state_inside = TaskState::New;
    TaskRef second;
    second = group.create(root, [&](Frame&) { state_inside = second.state(); });
    group.depend(root, second, first);
    EXPECT_EQ(second.state(), TaskState::New);
    group.start(root, second);
    EXPECT_EQ(second.state(), TaskState::NonRunnable);
    EXPECT_EQ(first.state(), TaskState::New);
    group.start(root, first);
    group.wait();
    EXPECT_TRUE(ran);
    EXPECT_EQ(state_inside, TaskState::Runnable);
    EXPECT_EQ(first.state(), TaskState::Complete);
    EXPECT_EQ(second.state(), TaskState::Complete);
  });
}

TEST_P(TasksOnWorkers, DependingOnACompleteTaskIsANoOp) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    TaskGroup group(root);
    const TaskRef first = group.create(root, [](Frame&) {});
    group.start(root, first);
    group.wait();
    bool ran = false;
    const TaskRef second = group.create(root, [&](Frame&) { ran = true; });
    group.depend(root, second, first);
    group.start(root, second);
    group.wait();
    EXPECT_TRUE(ran);
  });
}

TEST_P(TasksOnWorkers, AContinuationInheritsTheDependents) {
  Scheduler scheduler(GetParam());
  for (int round = 0; round < 20; ++round) {
    scheduler.run([](Frame& root) {
      TaskGroup group(root);
      std::atomic<int> num_done{0};
      const TaskRef first = group.create(root, [&](Frame& f) {
        ++num_done;
        return group.create(f, [&](Frame& g) {
          ++num_done;
          return group.create(g, [&](Frame&) { ++num_done; });
        });
      });
      int seen = 0;
      const TaskRef last = group.create(root, [&](Frame&) { seen = num_done; });
      group.depend(root, last, first);
      group.start(root, first);
      group.start(root, last);
      group.wait();
      EXPECT_EQ(seen, 3);
      EXPECT_EQ(first.state(), TaskState::Continued);
      // Depending on it now means depending on its last continuation, which is complete.
      bool ran = false;
      const TaskRef late = group.create(root, [&](Frame&) { ran = true; });
      group.depend(root, late, first);
      group.start(root, late);
      group.wait();
      EXPECT_TRUE(ran);
    });
  }
}

TEST_P(TasksOnWorkers, LongChainsOfContinuationsDoNotRecurse) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    struct Chain {
      TaskGroup& group;
      int left;
      TaskRef operator()(Frame& f) { return left == 0 ? TaskRef() : group.create(f, Chain{group, left - 1}); }
    };
    TaskGroup group(root);
    const TaskRef head = group.create(root, Chain{group, 100000});
    group.start(root, head);
    group.wait();
    EXPECT_EQ(head.state(), TaskState::Continued);
  });
}

TEST_P(TasksOnWorkers, ATaskThatIsNeverStartedDiesWithItsHandle) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    auto held = std::make_shared<int>(1);
    {
      TaskGroup group(root);
      const TaskRef task = group.create(root, [held](Frame&) {});
      EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
  });
}

TEST_P(TasksOnWorkers, AFailedTaskDropsWhatHasNotStarted) {
  Scheduler scheduler(GetParam());
  bool ran = false;
  EXPECT_THROW(scheduler.run([&](Frame& root) {
    TaskGroup group(root);
    const TaskRef first = group.create(root, [](Frame&) { throw std::runtime_error("step"); });
    const TaskRef second = group.create(root, [&](Frame&) { ran = true; });
    group.depend(root, second, first);
    group.start(root, first);
    group.start(root, second);
    group.wait();
  }),
               std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST_P(TasksOnWorkers, MoreTasksThanADequeHolds) {
  Scheduler scheduler(GetParam());
  std::atomic<int> count{0};
  scheduler.run([&](Frame& root) {
    TaskGroup group(root);
    for (int i = 0; i < 30000; ++i) group.start(root, group.create(root, [&](Frame&) { ++count; }));
    group.wait();
  });
  EXPECT_EQ(count.load(), 30000);
}

TEST_P(TasksOnWorkers, StepsKeepTheirDependences) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    StepGraph graph(root);
    std::mutex lock;
    std::vector<int> order;
    const auto step = [&](int i) {
      return [&, i](Frame&) {
        const std::lock_guard<std::mutex> guard(lock);
        order.push_back(i);
      };
    };
    const auto zero = step(0);
    const auto one = step(1);
    const auto two = step(2);
    const int c = graph.add(zero);
    const int a = graph.add(one);
    const int b = graph.add(two);
    graph.depend(b, a);
    graph.depend(b, a);
    graph.depend(c, b);
    graph.run();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 0}));
  });
}

TEST_P(TasksOnWorkers, StepsOfASequentialFrameRunInOrder) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    CallFrame small(root, 1, 64);
    StepGraph graph(small);
    int value = 0;
    const auto add_three = [&](Frame& f) {
      EXPECT_TRUE(f.is_sequential());
      value += 3;
    };
    const auto set_four = [&](Frame&) { value = 4; };
    const int add = graph.add(add_three);
    const int set = graph.add(set_four);
    graph.depend(add, set);
    graph.run();
    EXPECT_EQ(value, 7);
  });
}

TEST_P(TasksOnWorkers, StepsAddedInOrderRunAtOnceInASequentialFrame) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) {
    for (const bool is_small : {true, false}) {
      CallFrame frame(root, is_small ? 1 : 100, 64);
      StepGraph graph(frame);
      int value = 0;
      const auto set_four = [&](Frame&) { value = 4; };
      const auto add_three = [&](Frame&) { value += 3; };
      const int set = graph.add_in_order(set_four);
      EXPECT_EQ(set, is_small ? -1 : 0);
      EXPECT_EQ(value, is_small ? 4 : 0);
      const int add = graph.add_in_order(add_three);
      graph.depend(add, set);
      graph.depend(add, add);
      graph.run();
      EXPECT_EQ(value, 7);
    }
  });
}

TEST_P(TasksOnWorkers, RunRethrowsTheExceptionOfAStep) {
  Scheduler scheduler(GetParam());
  EXPECT_THROW(scheduler.run([](Frame& root) {
    StepGraph graph(root);
    const auto fail = [](Frame& f) { f.spawn([](Frame&) { throw std::runtime_error("step"); }); };
    graph.add(fail);
    graph.run();
  }),
               std::runtime_error);
}

TEST_P(TasksOnWorkers, AnEmptyGraphRuns) {
  Scheduler scheduler(GetParam());
  scheduler.run([](Frame& root) { StepGraph(root).run(); });
}

}  // namespace
}  // namespace pbrt
