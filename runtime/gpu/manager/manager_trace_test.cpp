// SPDX-License-Identifier: MIT
// Tests of the records of a traced manager: on which lane each event lies, and from when to when it lasts.
#include "runtime/gpu/manager/manager_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

constexpr RuleDesc kRule = {"T.Out#1", "opencl"};
constexpr Operation::Label kKernel = {TraceKind::Kernel, &kRule, 10};
constexpr Operation::Label kCopyIn = {TraceKind::CopyIn, nullptr, 64};
constexpr Operation::Label kCopyOut = {TraceKind::CopyOut, &kRule, 32, "the CPU reads it"};

class ManagerTraceTest : public ::testing::Test {
 protected:
  /// The events of a lane; none if there is no such lane.
  [[nodiscard]] std::vector<TraceEvent> events_of(const std::string& name) const {
    std::vector<TraceEvent> found;
    for (const TraceLane* lane : events.lanes())
      if (lane->name() == name) lane->events().for_each([&](const TraceEvent& event) { found.push_back(event); });
    return found;
  }
  [[nodiscard]] ManagerOptions options() {
    ManagerOptions out;
    out.trace = &events;
    out.trace_name = "device";
    return out;
  }
  [[nodiscard]] Operation begin(const Operation::Label& label, CopyOrder order = CopyOrder::InQueue) {
    return Operation(manager.queue, trace.clock(), label, order);
  }

  ManualManager manager;
  Trace events{true};
  ManagerTrace trace{options(), manager.statistics};
};

TEST_F(ManagerTraceTest, AKernelBeginsWhenTheOneBeforeHasEnded) {
  const Operation first = begin(kKernel), second = begin(kKernel);
  const std::int64_t first_end = second.enqueued_ns + 1000, second_end = second.enqueued_ns + 3000;
  trace.record_end(first, first_end);
  trace.record_end(second, second_end);
  const std::vector<TraceEvent> found = events_of("device");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].start_ns, first.enqueued_ns);
  EXPECT_EQ(found[0].end_ns, first_end);
  EXPECT_EQ(found[1].start_ns, first_end);
  EXPECT_EQ(found[1].end_ns, second_end);
  EXPECT_STREQ(found[1].name, "T.Out#1");
  EXPECT_STREQ(found[1].version, "opencl");
  const DeviceStatistics counted = manager.counted();
  ASSERT_EQ(counted.kernels.size(), 1U);
  EXPECT_EQ(counted.kernels.front().launches, 2);
  EXPECT_EQ(counted.kernels.front().cells, 20);
  EXPECT_EQ(counted.kernels.front().time_ns, second_end - first.enqueued_ns);
}

TEST_F(ManagerTraceTest, TheDevicesOwnClockKnowsBetterHowLongAKernelTook) {
  Operation kernel = begin(kKernel);
  kernel.took({.queued_ns = 100, .start_ns = 150, .end_ns = 450});
  trace.record_end(kernel, kernel.enqueued_ns + 9000);
  const std::vector<TraceEvent> found = events_of("device");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start_ns, kernel.enqueued_ns + 50);
  EXPECT_EQ(found[0].end_ns, kernel.enqueued_ns + 350);
  EXPECT_EQ(manager.counted().kernels.at(0).time_ns, 300);
}

TEST_F(ManagerTraceTest, OperationsSayHowLongTheyStoodInTheQueue) {
  const Operation first = begin(kKernel), second = begin(kKernel);
  trace.record_end(first, second.enqueued_ns + 1000);
  trace.record_end(second, second.enqueued_ns + 3000);
  const std::vector<TraceEvent> found = events_of("device");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].waited_ns, 0);
  EXPECT_EQ(found[1].waited_ns, 1000);
}

TEST_F(ManagerTraceTest, BetweenOperationsTheDeviceIsIdle) {
  const Operation first = begin(kKernel);
  trace.record_end(first, first.enqueued_ns);  // ended at once
  while (trace.clock().time_ns() == first.enqueued_ns) {
  }
  Operation second = begin(kKernel);
  second.took({.queued_ns = 100, .start_ns = 150, .end_ns = 450});
  trace.record_end(second, second.enqueued_ns + 9000);
  const std::vector<TraceEvent> found = events_of("device");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].kind, TraceKind::Idle);
  EXPECT_EQ(found[1].start_ns, first.enqueued_ns);
  EXPECT_EQ(found[1].end_ns, second.enqueued_ns);
  EXPECT_STREQ(found[1].why, "nothing was enqueued");
  EXPECT_EQ(found[2].kind, TraceKind::Idle);
  EXPECT_EQ(found[2].end_ns, second.enqueued_ns + 50);
  EXPECT_STREQ(found[2].why, "the driver had not begun what was enqueued");
  EXPECT_EQ(found[3].start_ns, found[2].end_ns);
}

TEST_F(ManagerTraceTest, CopiesBesideTheQueueHaveLanesOfTheirOwn) {
  const Operation in_queue = begin(kCopyIn), in = begin(kCopyIn, CopyOrder::Beside);
  const Operation out = begin(kCopyOut, CopyOrder::Beside);
  for (const Operation* each : {&in_queue, &in, &out}) trace.record_end(*each, out.enqueued_ns + 1000);
  ASSERT_EQ(events_of("device").size(), 1U);
  ASSERT_EQ(events_of("device, copies in").size(), 1U);
  ASSERT_EQ(events_of("device, copies out").size(), 1U);
  EXPECT_EQ(events_of("device, copies in")[0].start_ns, in.enqueued_ns) << "it does not wait for the queue";
  EXPECT_STREQ(events_of("device, copies out")[0].name, "copy out");
  EXPECT_EQ(events_of("device, copies out")[0].amount, 32);
  EXPECT_STREQ(events_of("device, copies out")[0].why, "the CPU reads it");
  EXPECT_STREQ(events_of("device, copies out")[0].version, "T.Out#1") << "the kernel that wrote it";
  EXPECT_TRUE(manager.counted().kernels.empty());
}

TEST_F(ManagerTraceTest, TasksLieOnTheLaneOfTheManagement) {
  const std::int64_t start = trace.clock().time_ns();
  const Matrix2 m = filled(4, 4, 0);
  const JobPtr launch = manager.add_step(m, m, 1, CopyOut::May);
  trace.record_task(ExecuteTask{launch}, start);
  trace.record_task(PrepareTask{manager.user_of({m})}, start);
  trace.record_task(DrainTask{}, start);
  const std::vector<TraceEvent> found = events_of("device, management");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_STREQ(found[0].name, "execute");
  EXPECT_STREQ(found[0].version, "add_step") << "the kernel's name, as it belongs to no rule";
  EXPECT_EQ(found[0].start_ns, start);
  EXPECT_GE(found[0].end_ns, start);
  EXPECT_STREQ(found[1].name, "prepare");
  EXPECT_EQ(found[1].version, nullptr) << "a job that only copies has no kernel";
  EXPECT_STREQ(found[2].name, "drain");
}

/// A manager that counts times, and has no lanes.
class ManagerTimesTest : public ::testing::Test {
 protected:
  [[nodiscard]] static ManagerOptions options() {
    ManagerOptions out;
    out.is_timed = true;
    return out;
  }
  [[nodiscard]] Operation begin(const Operation::Label& label, CopyOrder order = CopyOrder::InQueue) {
    return Operation(manager.queue, trace.clock(), label, order);
  }
  ManualManager manager;
  ManagerTrace trace{options(), manager.statistics};
};

TEST_F(ManagerTimesTest, EachKindOfOperationHasItsTime) {
  const Operation in = begin(kCopyIn), kernel = begin(kKernel), out = begin(kCopyOut);
  const std::int64_t first_end = out.enqueued_ns + 500;
  trace.record_end(in, first_end);
  trace.record_end(kernel, first_end + 2000);
  trace.record_end(out, first_end + 2300);
  const Operation beside = begin(kCopyIn, CopyOrder::Beside);
  trace.record_end(beside, beside.enqueued_ns + 70);
  const DeviceStatistics counted = manager.counted();
  EXPECT_EQ(counted.copy_in_ns, first_end - in.enqueued_ns + 70);
  EXPECT_EQ(counted.kernels.at(0).time_ns, 2000);
  EXPECT_EQ(counted.copy_out_ns, 300);
  EXPECT_EQ(counted.start_ns, 0) << "the device was never idle";
}

TEST_F(ManagerTimesTest, WhatTheDeviceHadNotBegunIsTheCostOfALaunch) {
  const Operation first = begin(kKernel);
  trace.record_end(first, first.enqueued_ns);  // ended at once
  Operation second = begin(kKernel);
  second.took({.queued_ns = 100, .start_ns = 150, .end_ns = 450});
  trace.record_end(second, second.enqueued_ns + 9000);
  EXPECT_EQ(manager.counted().start_ns, 50) << "until then nothing was enqueued";
}

TEST_F(ManagerTimesTest, TasksHaveNoLane) {
  EXPECT_TRUE(trace.is_on());
  trace.record_task(DrainTask{}, trace.clock().time_ns());
}

TEST(ManagerTrace, WithoutATraceThereIsNoTime) {
  ManualManager manager;
  EXPECT_FALSE(manager.trace.is_on());
  EXPECT_EQ(manager.trace.clock().time_ns(), 0);
}

}  // namespace
}  // namespace pbrt::gpu
