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
  queue.launches().begin();
  std::vector<Task> both;
  both.emplace_back(PrepareTask{});
  both.emplace_back(ExecuteTask{});
  queue.push(std::move(both));
  EXPECT_EQ(queue.launches().number(), 1);
  EXPECT_TRUE(is_task<PrepareTask>(queue.next()));
  EXPECT_TRUE(is_task<ExecuteTask>(queue.next()));
  queue.launches().end();
  EXPECT_EQ(queue.launches().number(), 0);
}

TEST(TaskQueue, WhatHappenedSinceTheLastTurnIsNotSleptThrough) {
  TaskQueue queue({});
  EXPECT_TRUE(is_idle(queue.next()));
  queue.begin_idle(false);
  queue.poke();
  queue.sleep();
  EXPECT_TRUE(is_idle(queue.next()));
  queue.begin_idle(false);
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
  queue.begin_idle(false);
  EXPECT_FALSE(queue.await_change(device));
  queue.poke();
  EXPECT_TRUE(queue.await_change(device));
}

TEST(TaskQueue, ALaunchOfAWorkerWakesTheThreadAndIsNoTask) {
  TaskQueue queue({});
  EXPECT_TRUE(is_idle(queue.next()));
  queue.begin_idle(false);
  std::thread worker([&] { queue.note_launch_here(); });
  queue.sleep();
  EXPECT_TRUE(queue.is_quiet());
  worker.join();
}

TEST(TaskQueue, IsQuietUntilSomethingMayBeReady) {
  TaskQueue queue({});
  EXPECT_TRUE(queue.is_quiet());
  queue.push(DrainTask{});
  EXPECT_FALSE(queue.is_quiet());
  ASSERT_NE(queue.first(), nullptr);
  EXPECT_TRUE(std::holds_alternative<DrainTask>(*queue.first()));
  EXPECT_TRUE(is_task<DrainTask>(queue.next()));
  queue.put_back(DrainTask{});
  EXPECT_TRUE(queue.is_quiet()) << "it was tried, and nothing has happened since";
  queue.signal_end({nullptr, true, 0});
  EXPECT_FALSE(queue.is_quiet());
  EXPECT_EQ(queue.first(), nullptr) << "ends come first";
  EXPECT_EQ(queue.take_good_ends().size(), 1U);
  EXPECT_NE(queue.first(), nullptr);
}

TEST(TaskQueue, GoodEndsAreThoseBeforeAFailure) {
  TaskQueue queue({});
  queue.signal_end({nullptr, true, 1});
  queue.signal_end({nullptr, false, 2});
  queue.signal_end({nullptr, true, 3});
  ASSERT_EQ(queue.take_good_ends().size(), 1U);
  EXPECT_TRUE(queue.take_good_ends().empty());
  const std::vector<EndedOperation> left = queue.take_ended();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left.front().time_ns, 2);
}

}  // namespace
}  // namespace pbrt::gpu
