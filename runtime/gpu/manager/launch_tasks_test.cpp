// SPDX-License-Identifier: MIT
// Tests of the tasks of a kernel execution.
#include "runtime/gpu/manager/launch_tasks.h"

#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

using Stage = LaunchJob::Stage;

class LaunchTasksTest : public ::testing::Test {
 protected:
  explicit LaunchTasksTest(std::uint64_t memory_limit_bytes = 0) : manager(memory_limit_bytes) {}
  /// A launch whose tasks the test runs.
  JobPtr launch(CopyOut copy_out, const KernelDesc& kernel = kAddStep) {
    JobPtr job = manager.add_step(out, in, 5, copy_out);
    job->plan.kernel = &kernel;
    job->num_copy_ins = 1;
    manager.queue.launches().begin();
    return job;
  }
  template <class TaskType>
  Progress run(TaskType task) {
    return tasks.run(task);
  }
  /// Runs a launch to its end.
  void run_all(const JobPtr& job) {
    ASSERT_EQ(run(PrepareTask{job}), Progress::Done);
    ASSERT_EQ(run(CopyInTask{job, 0}), Progress::Done);
    ASSERT_EQ(run(ExecuteTask{job}), Progress::Done);
    manager.settle();
    ASSERT_EQ(run(CompletionTask{job}), Progress::Done);
  }

  /// A kernel whose groups may run a range of the rounds each.
  JobPtr launch_product() {
    static constexpr KernelDesc kRounds = {.name = "fold",
                                           .source = "",
                                           .num_regions = 2,
                                           .num_scalars = 1,
                                           .block_loops = {0, 1},
                                           .block_bytes = 8,
                                           .has_block_parts = true};
    JobPtr job = launch(CopyOut::Must, kRounds);
    job->plan.extent = {1, 1};
    job->plan.group = {1, 1, 1};
    job->plan.block_items = {2, 2};
    job->plan.block_rounds = 16;
    job->plan.block_parts = 4;
    return job;
  }

  ManualManager manager;
  LaunchTasks tasks{manager.parts()};
  const Matrix2 in = filled(4, 4, 1), out = filled(4, 4, 0);
};

TEST_F(LaunchTasksTest, TheResultIsThereWhenTheJobHasEnded) {
  const JobPtr job = launch(CopyOut::Must);
  run_all(job);
  EXPECT_EQ(job->stage, Stage::Ended);
  EXPECT_TRUE(is_filled(out, 6));
  EXPECT_TRUE(job->pinned.empty());
  EXPECT_EQ(manager.queue.launches().number(), 0);
  EXPECT_EQ(manager.counted().launches, 1);
}

TEST_F(LaunchTasksTest, EachTaskWaitsForTheOneBefore) {
  const JobPtr job = launch(CopyOut::Must);
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::NotReady);
  EXPECT_EQ(run(ExecuteTask{job}), Progress::NotReady);
  EXPECT_EQ(run(PrepareTask{job}), Progress::Done);
  EXPECT_EQ(run(ExecuteTask{job}), Progress::NotReady) << "the input is missing";
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::Done);
  EXPECT_EQ(run(CompletionTask{job}), Progress::NotReady);
  EXPECT_EQ(run(ExecuteTask{job}), Progress::Done);
  EXPECT_EQ(run(CompletionTask{job}), Progress::NotReady) << "no end was applied";
  manager.settle();
  EXPECT_EQ(run(CompletionTask{job}), Progress::Done);
}

/// A fold whose groups leave their numbers in memory; the second launch adds them up.
constexpr KernelDesc kFold = {.name = "fold",
                              .source = "",
                              .num_regions = 2,
                              .num_scalars = 1,
                              .lanes = Lanes::Neighbours,
                              .num_stages = 2,
                              .record_bytes = 8};

void add_fold_kernel(FakeControl& control) {
  control.add_kernel("fold", [](FakeCall& call) {
    const auto in = call.region<int>(2), out = call.region<int>(2);
    for (int i = 0; i < 5; ++i) static_cast<void>(call.scalar<int>());
    auto* const records = call.memory<std::int64_t>();
    const std::size_t num_groups = call.range().global[0] / call.range().group[0];
    if (num_groups > 1)
      for (std::size_t g = 0; g < num_groups; ++g) records[g] = in.at(0, 0);
    else
      for (int g = 0; g < 4; ++g) out.at(0, 0) += static_cast<int>(records[g]);
  });
}

int first_cell(const Matrix2& matrix) { return matrix.cell(0, 0); }

class FoldsInGroups : public LaunchTasksTest {
 protected:
  JobPtr launch_fold() {
    JobPtr job = launch(CopyOut::Must, kFold);
    job->plan.extent = {1, 1};
    job->plan.lanes = 4096;
    job->plan.group = {1024, 1, 1};
    return job;
  }
};

TEST_F(FoldsInGroups, HaveALaunchPerStage) {
  add_fold_kernel(*manager.control);
  const JobPtr job = launch_fold();
  run_all(job);
  EXPECT_EQ(job->choice->stages.size(), 2U);
  EXPECT_EQ(job->scratch, nullptr) << "an ended job keeps no memory";
  EXPECT_EQ(first_cell(out), 4) << "each of four groups adds the one of the input";
  EXPECT_EQ(manager.control->log(), (std::vector<std::string>{"write", "launch fold", "launch fold", "read"}));
  EXPECT_EQ(manager.counted().launches, 1);
}

TEST_F(FoldsInGroups, ThatCountPlacesHaveAsManyLanesInAllStages) {
  static constexpr KernelDesc kFilter = {.name = "fold",
                                         .source = "",
                                         .num_regions = 2,
                                         .num_scalars = 1,
                                         .lanes = Lanes::Neighbours,
                                         .has_places = true,
                                         .num_stages = 2,
                                         .last_is_divided = true,
                                         .record_bytes = 8};
  add_fold_kernel(*manager.control);
  manager.control->limit_build("-DPB_STAGE=2", 64);
  const JobPtr job = launch_fold();
  job->plan.kernel = &kFilter;
  ASSERT_EQ(run(PrepareTask{job}), Progress::Done);
  ASSERT_EQ(job->choice->stages.size(), 2U);
  for (const LaunchStage& stage : job->choice->stages) EXPECT_EQ(stage.range.group[0], 64U);
  EXPECT_EQ(job->choice->stages[0].range.global, job->choice->stages[1].range.global);
  EXPECT_TRUE(manager.device.fail("the launch is not run"));
}

TEST_F(FoldsInGroups, ThatADeviceRefusesEndTheJob) {
  add_fold_kernel(*manager.control);
  manager.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  const JobPtr job = launch_fold();
  EXPECT_EQ(run(PrepareTask{job}), Progress::Done);
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::Done);
  EXPECT_EQ(run(ExecuteTask{job}), Progress::Done);
  EXPECT_EQ(job->stage, Stage::Ended);
  EXPECT_FALSE(job->is_enqueued) << "the first stage writes no region";
  manager.settle();
  EXPECT_TRUE(manager.device.is_alive());
}

TEST_F(FoldsInGroups, ThatADeviceRefusesMayHaveChangedAnInputThatIsTheOutput) {
  add_fold_kernel(*manager.control);
  manager.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  const JobPtr job = launch_fold();
  job->plan.regions[1] = manager.region_of(in.transposed(), false, true, CopyOut::Must);
  EXPECT_EQ(run(PrepareTask{job}), Progress::Done);
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::Done);
  EXPECT_EQ(run(ExecuteTask{job}), Progress::Done);
  EXPECT_EQ(job->stage, Stage::Ended);
  EXPECT_TRUE(job->is_enqueued);
  manager.settle();
}

class RoundsInRanges : public LaunchTasksTest {};

TEST_F(RoundsInRanges, HaveGroupsOfTheirOwnAndASecondLaunch) {
  add_fold_kernel(*manager.control);
  const JobPtr job = launch_product();
  run_all(job);
  ASSERT_EQ(job->choice->stages.size(), 2U);
  EXPECT_EQ(job->choice->stages[0].range.global[0], 4U) << "one group for each range";
  EXPECT_EQ(first_cell(out), 4);
  EXPECT_EQ(manager.counted().launches_in_blocks, 1);
  EXPECT_EQ(manager.counted().launches_in_parts, 1);
}

TEST_F(RoundsInRanges, AreAllRunByOneGroupWhereTheDriverRejectsOneLaunch) {
  add_fold_kernel(*manager.control);
  manager.control->inject(FakeOperation::Build, 1, FakeFault::Refuse);
  const JobPtr job = launch_product();
  ASSERT_EQ(run(PrepareTask{job}), Progress::Done);
  EXPECT_EQ(job->choice->stages.size(), 1U);
  EXPECT_TRUE(job->choice->is_in_blocks);
  EXPECT_FALSE(job->choice->is_in_parts);
  EXPECT_EQ(manager.warnings.size(), 1U);
  EXPECT_TRUE(manager.device.fail("the launch is not run"));
}

constexpr std::uint64_t kMatrixBytes = 64;

/// There is room for the matrices, and not for what the groups of ranges keep.
class RoundsWithoutRoom : public LaunchTasksTest {
 protected:
  RoundsWithoutRoom() : LaunchTasksTest(2 * kMatrixBytes) {}
};

TEST_F(RoundsWithoutRoom, AreAllRunByOneGroup) {
  add_fold_kernel(*manager.control);
  const JobPtr job = launch_product();
  ASSERT_EQ(run(PrepareTask{job}), Progress::Done);
  ASSERT_EQ(job->stage, Stage::Prepared);
  EXPECT_EQ(job->choice->stages.size(), 1U);
  EXPECT_TRUE(job->choice->is_in_blocks);
  EXPECT_FALSE(job->choice->is_in_parts);
  EXPECT_TRUE(manager.warnings.empty());
  EXPECT_TRUE(manager.device.fail("the launch is not run"));
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::Done);
}

/// There is room for the rows that the launch touches, and what the groups of ranges keep.
class RoundsInWindows : public LaunchTasksTest {
 protected:
  RoundsInWindows() : LaunchTasksTest(2 * kMatrixBytes - 1) {}
};

TEST_F(RoundsInWindows, StayInRangesIfThatIsWhatFits) {
  add_fold_kernel(*manager.control);
  const JobPtr job = launch_product();
  for (LaunchRegion& region : job->plan.regions) region.touched.sizes[1] = 1;
  ASSERT_EQ(run(PrepareTask{job}), Progress::Done);
  ASSERT_EQ(job->stage, Stage::Prepared);
  EXPECT_FALSE(job->windows.empty());
  EXPECT_TRUE(job->choice->is_in_parts);
  EXPECT_TRUE(manager.device.fail("the launch is not run"));
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::Done);
}

TEST_F(LaunchTasksTest, ARejectedKernelEndsTheJobAndIsReportedOnce) {
  static constexpr KernelDesc kUnknown = {.name = "unknown", .source = "", .num_regions = 2, .num_scalars = 1};
  for (int time = 0; time < 2; ++time) {
    const JobPtr job = launch(CopyOut::Must, kUnknown);
    EXPECT_EQ(run(PrepareTask{job}), Progress::Done);
    EXPECT_EQ(job->stage, Stage::Ended);
  }
  ASSERT_EQ(manager.statistics.rejected().size(), 1U);
  EXPECT_EQ(manager.statistics.rejected().front().name, "unknown");
  EXPECT_EQ(manager.warnings.size(), 1U);
  EXPECT_EQ(manager.counted().launches_failed, 2);
}

TEST_F(LaunchTasksTest, ARefusedCopyEndsTheJobAndLetsItsBuffersGo) {
  manager.control->inject(FakeOperation::Write, 0, FakeFault::Refuse);
  const JobPtr job = launch(CopyOut::Must);
  EXPECT_EQ(run(PrepareTask{job}), Progress::Done);
  EXPECT_EQ(run(CopyInTask{job, 0}), Progress::Done);
  EXPECT_EQ(job->stage, Stage::Ended);
  EXPECT_TRUE(job->pinned.empty());
  EXPECT_TRUE(manager.device.is_alive());
}

TEST_F(LaunchTasksTest, OnAFailedDeviceEachTaskEndsTheJob) {
  EXPECT_TRUE(manager.device.fail("a test said so"));
  const JobPtr first = launch(CopyOut::Must);
  EXPECT_EQ(run(PrepareTask{first}), Progress::Done);
  EXPECT_EQ(first->stage, Stage::Ended);
  EXPECT_EQ(run(ExecuteTask{first}), Progress::Done) << "what is left of an ended job is nothing";
  EXPECT_EQ(manager.queue.launches().number(), 0);
}

TEST_F(LaunchTasksTest, WhatMayStayOnTheDeviceIsNotReadBack) {
  const JobPtr job = launch(CopyOut::May);
  run_all(job);
  EXPECT_TRUE(is_filled(out, 0));
  EXPECT_FALSE(job->plan.regions[1].home->dirty.is_empty());
}

}  // namespace
}  // namespace pbrt::gpu
