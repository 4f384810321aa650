// SPDX-License-Identifier: MIT
// The order of turns, and that no change is slept through.
#include "runtime/gpu/manager/queue/task_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "runtime/gpu/testing/fake_device.h"

namespace pbrt::gpu {
namespace {

template <class TaskType>
bool is_task(const Turn& turn) {
  const auto* task = std::get_if<Task>(&turn);
  return task != nullptr && std::holds_alternative<TaskType>(*task);
}

bool is_idle(const Turn& turn) {
  const auto* idle = std::get_if<NothingReady>(&turn);
  return idle != nullptr && !idle->is_over;
}

TEST(TaskQueue, TasksComeInTheOrderOfTheirPushes) {
  TaskQueue queue({});
  queue.push(DrainTask{});
  queue.push(DropTask{});
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.was_done();
  EXPECT_TRUE(is_task<DropTask>(queue.next()));
  queue.was_done();
  EXPECT_TRUE(is_idle(queue.next()));
}

TEST(TaskQueue, ATaskThatIsNotReadyWaitsForAChange) {
  TaskQueue queue({});
  queue.push(DrainTask{});
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.put_back(DrainTask{});
  EXPECT_TRUE(is_idle(queue.next()));
  EXPECT_TRUE(is_idle(queue.next()));
  queue.poke();
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
}

TEST(TaskQueue, ATaskThatIsDoneLetsOthersBeTriedAgain) {
  TaskQueue queue({});
  queue.push(DrainTask{});
  queue.push(DropTask{});
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.put_back(DrainTask{});
  EXPECT_TRUE(is_task<DropTask>(queue.next()));
  queue.was_done();
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
}

TEST(TaskQueue, EndsComeBeforeTasks) {
  TaskQueue queue({});
  queue.push(DrainTask{});
  queue.signal_end({nullptr, true, 7});
  const Turn turn = queue.next();
  const auto* ended = std::get_if<std::vector<EndedOperation>>(&turn);
  ASSERT_NE(ended, nullptr);
  ASSERT_EQ(ended->size(), 1U);
  EXPECT_EQ(ended->front().time_ns, 7);
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
}

TEST(TaskQueue, IsOverWhenItWasStoppedAndNoTaskIsLeft) {
  TaskQueue queue({});
  queue.push(DrainTask{});
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.put_back(DrainTask{});
  queue.stop();
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.put_back(DrainTask{});
  EXPECT_TRUE(is_idle(queue.next()));
  queue.poke();
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.was_done();
  EXPECT_TRUE(std::get<NothingReady>(queue.next()).is_over);
}

TEST(TaskQueue, LaunchesAreActiveUntilTheyEnd) {
  TaskQueue queue({});
  queue.push_launch({PrepareTask{}, ExecuteTask{}});
  EXPECT_EQ(queue.num_launches(), 1);
  EXPECT_TRUE(is_task<PrepareTask>(queue.next()));
  EXPECT_TRUE(is_task<ExecuteTask>(queue.next()));
  queue.launch_ended();
  EXPECT_EQ(queue.num_launches(), 0);
}

TEST(TaskQueue, WhatHappenedSinceTheLastTurnIsNotSleptThrough) {
  TaskQueue queue({});
  EXPECT_TRUE(is_idle(queue.next()));
  queue.poke();
  queue.sleep();
  EXPECT_TRUE(is_idle(queue.next()));
  std::thread other([&] { queue.push(DrainTask{}); });
  queue.sleep();
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  other.join();
}

TEST(TaskQueue, PatienceEndsWithAChangeOrInTime) {
  FakeDevice device(std::make_shared<FakeControl>(), fake_device_info());
  TaskQueue queue(std::chrono::milliseconds(1));
  EXPECT_TRUE(queue.is_patient());
  EXPECT_TRUE(is_idle(queue.next()));
  EXPECT_FALSE(queue.await_change(device));
  queue.poke();
  EXPECT_TRUE(queue.await_change(device));
}

}  // namespace
}  // namespace pbrt::gpu
