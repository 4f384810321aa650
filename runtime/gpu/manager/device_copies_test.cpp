// SPDX-License-Identifier: MIT
// Which parts are copied, in what order, and when they count as copied.
#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"
#include "runtime/gpu/residency/untouched_pages.h"

namespace pbrt::gpu {
namespace {

constexpr Operation::Label kKernel = {TraceKind::Kernel, nullptr, 1};

class Copies : public ::testing::Test {
 protected:
  /// A job that has a buffer for the matrix.
  JobPtr user_of(const Matrix2& matrix) {
    JobPtr job = manager.user_of({matrix});
    EXPECT_EQ(manager.memory.acquire(*job), DeviceMemory::Acquired::Yes);
    jobs.push_back(job);
    return job;
  }
  Progress copy_in(const JobPtr& job) { return manager.copies.copy_in(*job, job->plan.regions[0]); }
  void write_on_device(const Matrix2& matrix) {
    const LaunchRegion region = manager.region_of(matrix, false, true);
    const std::lock_guard lock(region.record->mutex);
    region.record->wrote_on_device(*region.home, region.record->box_of(region.view));
  }
  void TearDown() override {
    manager.control->release();
    manager.settle();
    for (const JobPtr& job : jobs) manager.memory.release(*job);
  }

  ManualManager manager;
  std::vector<JobPtr> jobs;
  const Matrix2 m = filled(4, 4, 1);
};

TEST_F(Copies, InOnlyOfWhatIsMissing) {
  const JobPtr job = user_of(m);
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(job->operations.size(), 1U);
  EXPECT_EQ(manager.counted().copies_to_device, 1);
  EXPECT_EQ(manager.counted().bytes_to_device, 64);
  EXPECT_EQ(manager.counted().copies_avoided, 1);
}

TEST_F(Copies, InThatIsRefusedLeavesNothing) {
  const JobPtr job = user_of(m);
  manager.control->inject(FakeOperation::Write, 0, FakeFault::Refuse);
  EXPECT_THROW(static_cast<void>(copy_in(job)), DeviceRefusal);
  EXPECT_TRUE(manager.operations.is_empty());
  EXPECT_TRUE(job->operations.empty());
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(job->operations.size(), 1U) << "it is still missing";
}

TEST_F(Copies, InThatIsRefusedWhileTheLayoutIsRefinedLeavesNothing) {
  const JobPtr job = user_of(m);
  StorageRecord& record = *job->plan.regions[0].record;
  manager.control->when_called(FakeOperation::Write, 0, [&] {
    OwnedView every_second;
    every_second.element_bytes = sizeof(int);
    every_second.num_dims = 1;
    every_second.sizes[0] = every_second.strides[0] = 2;
    const std::lock_guard lock(record.mutex);
    EXPECT_TRUE(record.adopt(every_second));
  });
  manager.control->inject(FakeOperation::Write, 0, FakeFault::Refuse);
  EXPECT_THROW(static_cast<void>(copy_in(job)), DeviceRefusal);
  EXPECT_TRUE(job->plan.regions[0].home->valid.is_empty());
  EXPECT_TRUE(manager.operations.is_empty());
}

TEST_F(Copies, InOfWhatTheHostNeverUsedIsNone) {
  const Matrix2 fresh = Matrix2::allocate(1234, 567);
  if (!is_untouched(*fresh.storage_ref().get(), 0, fresh.storage_ref().get()->bytes()))
    GTEST_SKIP() << "the system does not tell";
  const JobPtr job = user_of(fresh);
  manager.control->inject(FakeOperation::Clear, 0, FakeFault::Refuse);
  EXPECT_THROW(static_cast<void>(copy_in(job)), DeviceRefusal);
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(manager.counted().bytes_to_device, 0);
  EXPECT_EQ(manager.counted().copies_avoided, 1);
  manager.settle();
  EXPECT_EQ(manager.control->log(), std::vector<std::string>{"clear"});
  fresh.cell(5, 5) = 1;
  const JobPtr other = user_of(fresh);
  EXPECT_EQ(copy_in(other), Progress::Done) << "it is there";
  EXPECT_EQ(manager.counted().bytes_to_device, 0);
}

TEST_F(Copies, InOfWhatNobodyWroteIsNone) {
  const Matrix2 made = filled(512, 8, 3);
  detail::note_new_slow(*made.storage_ref().get());
  const JobPtr job = user_of(made);
  EXPECT_TRUE(manager.copies.is_brief(*job, job->plan.regions[0]));
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(manager.counted().bytes_to_device, 0);
  EXPECT_TRUE(manager.control->log().empty());
  wrote_on_host(made.region(0, 2, 512, 5));
  const JobPtr other = user_of(made);
  EXPECT_FALSE(manager.copies.is_brief(*other, other->plan.regions[0]));
  EXPECT_EQ(copy_in(other), Progress::Done);
  EXPECT_EQ(manager.counted().bytes_to_device, 3 * 512 * 4) << "the rows that the host wrote";
  wrote_on_host(made.region(0, 1, 512, 3));
  EXPECT_TRUE(manager.copies.is_brief(*other, other->plan.regions[0])) << "two rows go with the call";
}

TEST_F(Copies, WhatTheHostWroteBeforeTheFirstLaunchIsNotUnwritten) {
  const Matrix2 made = filled(512, 8, 3);
  detail::note_new_slow(*made.storage_ref().get());
  wrote_on_host(made.region(0, 2, 512, 5));
  EXPECT_EQ(copy_in(user_of(made)), Progress::Done);
  EXPECT_EQ(manager.counted().bytes_to_device, 8 * 512 * 4) << "which parts it wrote is not kept without a record";
}

TEST_F(Copies, InOfWhatTheHostUsedIsWhole) {
  const Matrix2 fresh = Matrix2::allocate(1235, 567);
  fresh.cell(1234, 566) = 1;
  EXPECT_EQ(copy_in(user_of(fresh)), Progress::Done);
  EXPECT_EQ(manager.counted().bytes_to_device, 1235 * 567 * 4);
}

TEST_F(Copies, InGoesBesideAKernelThatDoesNotUseIt) {
  manager.control->set_min_bytes_beside(64);
  const JobPtr job = user_of(m);
  const auto kernel = manager.operations.begin(kKernel);
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(job->operations.front()->order, CopyOrder::Beside);
  EXPECT_TRUE(manager.copies.are_in_way_of(*job));
  manager.operations.end(*kernel, true);
  manager.settle();
  EXPECT_FALSE(manager.copies.are_in_way_of(*job));
}

TEST_F(Copies, InThatIsShortStaysInTheQueue) {
  manager.control->set_min_bytes_beside(65);
  const JobPtr job = user_of(m);
  const auto kernel = manager.operations.begin(kKernel);
  EXPECT_EQ(copy_in(job), Progress::Done);
  EXPECT_EQ(job->operations.front()->order, CopyOrder::InQueue);
  manager.operations.end(*kernel, true);
}

TEST_F(Copies, OutCountsWhenItHasEnded) {
  const JobPtr job = user_of(m);
  write_on_device(m);
  Residence& home = *job->plan.regions[0].home;
  manager.control->hold();
  const auto operation = manager.copies.copy_out_all(home, job->plan.regions[0].storage, "a test");
  ASSERT_NE(operation, nullptr);
  EXPECT_FALSE(home.dirty.is_empty());
  EXPECT_EQ(manager.copies.copy_out_all(home, job->plan.regions[0].storage, "a test"), nullptr) << "it is under way";
  manager.control->release();
  manager.settle();
  EXPECT_TRUE(home.dirty.is_empty());
}

TEST_F(Copies, OutThatIsRefusedIsAFailure) {
  const JobPtr job = user_of(m);
  write_on_device(m);
  manager.control->inject(FakeOperation::Read, 0, FakeFault::Refuse);
  EXPECT_THROW(static_cast<void>(
                   manager.copies.copy_out_all(*job->plan.regions[0].home, job->plan.regions[0].storage, "a test")),
               DeviceFailure);
  manager.operations.abandon();
}

TEST_F(Copies, ForWindowsReadNothingThatWasLost) {
  const JobPtr job = user_of(m);
  LaunchRegion& region = job->plan.regions[0];
  LaunchWindow& window = job->windows.emplace_back();
  window.record = region.record;
  window.num_bytes = 64;
  EXPECT_TRUE(manager.copies.bring_for_windows(*job));
  {
    const std::lock_guard lock(region.record->mutex);
    region.record->lost.add(region.record->box_of(region.touched));
  }
  EXPECT_THROW(static_cast<void>(manager.copies.bring_for_windows(*job)), DeviceLost);
  EXPECT_THROW(static_cast<void>(copy_in(job)), DeviceLost) << "it was lost since";
  EXPECT_TRUE(manager.operations.is_empty());
  region.is_read = false;
  EXPECT_TRUE(manager.copies.bring_for_windows(*job)) << "what is written only need not be there";
}

TEST_F(Copies, OnDemandLeaveOutWhatIsBeingWrittenIfTheyGoBeside) {
  manager.control->set_min_bytes_beside(1);
  const JobPtr job = user_of(m);
  const LaunchRegion& region = job->plan.regions[0];
  write_on_device(m);
  const auto kernel = manager.operations.begin(kKernel);
  auto part = std::make_unique<OperationPart>();
  part->home = region.home;
  part->storage = region.storage;
  {
    const std::lock_guard lock(region.record->mutex);
    part->device_use = BoxSet(region.record->box_of(region.view));
    part->writes_device = true;
    region.record->begin(*part);
  }
  kernel->parts.push_back(std::move(part));
  const auto whole = [](StorageRecord& record) { return record.whole(); };
  EXPECT_FALSE(manager.copies.bring(*region.home, region.storage, "a test", whole));
  EXPECT_EQ(manager.counted().copies_to_host, 0);
  manager.operations.end(*kernel, true);
  EXPECT_TRUE(manager.copies.bring(*region.home, region.storage, "a test", whole));
  EXPECT_EQ(manager.counted().copies_to_host, 1);
}

}  // namespace
}  // namespace pbrt::gpu
