// SPDX-License-Identifier: MIT
// Buffers: who gets one, what is evicted for it, and what comes back from the pool.
#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"
#include "runtime/gpu/manager/windows/memory_need.h"

namespace pbrt::gpu {
namespace {

using Acquired = DeviceMemory::Acquired;

/// A storage of 4 x 4 numbers.
constexpr std::uint64_t kMatrixBytes = 64;

bool has_buffer(ManualManager& manager, const Matrix2& matrix) {
  return manager.region_of(matrix, true, false).home->buffer != nullptr;
}

/// Gives the matrix a buffer and lets go of it.
void use(ManualManager& manager, const Matrix2& matrix) {
  const JobPtr job = manager.user_of({matrix});
  ASSERT_EQ(manager.memory.acquire(*job), Acquired::Yes);
  manager.memory.release(*job);
}

void make_dirty(ManualManager& manager, const Matrix2& matrix) {
  const LaunchRegion region = manager.region_of(matrix, false, true);
  const std::lock_guard lock(region.record->mutex);
  region.record->wrote_on_device(*region.home, region.record->box_of(region.view));
}

TEST(DeviceMemory, TheLeastRecentlyUsedCleanBufferGoesFirst) {
  ManualManager manager(2 * kMatrixBytes);
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0), c = filled(4, 4, 0);
  use(manager, a);
  use(manager, b);
  use(manager, a);
  use(manager, c);
  EXPECT_TRUE(has_buffer(manager, a));
  EXPECT_FALSE(has_buffer(manager, b));
  EXPECT_TRUE(has_buffer(manager, c));
  EXPECT_EQ(manager.counted().evictions, 1);
  EXPECT_EQ(manager.counted().bytes_evicted, 64);
  EXPECT_EQ(manager.counted().copies_before_eviction, 0);
}

TEST(DeviceMemory, WhatALaunchUsesIsNotEvicted) {
  ManualManager manager(kMatrixBytes);
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0);
  const JobPtr first = manager.user_of({a}), second = manager.user_of({b});
  ASSERT_EQ(manager.memory.acquire(*first), Acquired::Yes);
  EXPECT_EQ(manager.memory.acquire(*second), Acquired::Later);
  manager.memory.release(*first);
  EXPECT_EQ(manager.memory.acquire(*second), Acquired::Yes);
  EXPECT_FALSE(has_buffer(manager, a));
  manager.memory.release(*second);
}

TEST(DeviceMemory, AJobThatDoesNotGetAllPinsNothing) {
  ManualManager manager(kMatrixBytes);
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0);
  const JobPtr both = manager.user_of({a, b});
  EXPECT_EQ(manager.memory.acquire(*both), Acquired::No);
  EXPECT_TRUE(both->pinned.empty());
  use(manager, b);
  EXPECT_FALSE(has_buffer(manager, a)) << "it was not pinned";
}

TEST(DeviceMemory, AJobThatMeetsAFailurePinsNothing) {
  ManualManager manager;
  const Matrix2 a = filled(4, 4, 0);
  const JobPtr job = manager.user_of({a});
  manager.control->inject(FakeOperation::Allocate, 0, FakeFault::Fail);
  EXPECT_THROW(static_cast<void>(manager.memory.acquire(*job)), DeviceFailure);
  EXPECT_FALSE(job->plan.regions[0].home->is_busy());
}

TEST(DeviceMemory, WhatIsLargerThanTheLimitGetsNoBuffer) {
  ManualManager manager(kMatrixBytes - 1);
  const Matrix2 a = filled(4, 4, 0);
  EXPECT_EQ(manager.memory.acquire(*manager.user_of({a})), Acquired::No);
}

TEST(DeviceMemory, ADirtyBufferIsCopiedOutBeforeItGoes) {
  ManualManager manager(kMatrixBytes);
  const Matrix2 a = filled(4, 4, 3), b = filled(4, 4, 0);
  use(manager, a);
  make_dirty(manager, a);
  const JobPtr job = manager.user_of({b});
  EXPECT_EQ(manager.memory.acquire(*job), Acquired::Later);
  EXPECT_TRUE(has_buffer(manager, a));
  EXPECT_EQ(manager.counted().copies_to_host, 1);
  EXPECT_EQ(manager.counted().copies_before_eviction, 1);
  EXPECT_EQ(manager.counted().evictions, 0) << "it is under way";
  manager.settle();
  EXPECT_EQ(manager.memory.acquire(*job), Acquired::Yes);
  EXPECT_FALSE(has_buffer(manager, a));
  manager.memory.release(*job);
}

TEST(DeviceMemory, WhatDoesNotFitTogetherEvictsNothing) {
  ManualManager manager(2 * kMatrixBytes);
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0), c = filled(4, 4, 0);
  use(manager, a);
  EXPECT_EQ(manager.memory.acquire(*manager.user_of({a, b, c})), Acquired::No);
  EXPECT_TRUE(has_buffer(manager, a));
  EXPECT_EQ(reason_against(*manager.user_of({a, b, c}), manager.device),
            "its matrices need 192 bytes of device memory, of which 128 may be used");
}

TEST(DeviceMemory, RecordsOfStagesCountToo) {
  ManualManager manager(2 * kMatrixBytes);
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0);
  const JobPtr job = manager.user_of({a});
  job->choice = std::make_shared<KernelChoice>();
  job->choice->scratch_bytes = kMatrixBytes;
  use(manager, b);
  ASSERT_EQ(manager.memory.acquire(*job), Acquired::Yes);
  EXPECT_FALSE(has_buffer(manager, b)) << "it was evicted";
  EXPECT_EQ(manager.memory.acquire(*manager.user_of({b})), Acquired::Later);
  manager.memory.release(*job);
  EXPECT_EQ(job->scratch, nullptr);
  use(manager, b);
  EXPECT_TRUE(has_buffer(manager, a)) << "memory for records goes first";
  job->choice->scratch_bytes = kMatrixBytes + 1;
  EXPECT_EQ(manager.memory.acquire(*job), Acquired::No);
}

TEST(DeviceMemory, FewerRecordsMayFitWhereBuffersDo) {
  DeviceInfo shared = fake_device_info();
  shared.shares_host_memory = true;
  const Matrix2 a = filled(4, 4, 0);
  for (const DeviceInfo& info : {fake_device_info(), shared}) {
    ManualManager manager(kMatrixBytes, info);
    const JobPtr job = manager.user_of({a});
    EXPECT_EQ(may_fit_in_pieces(*job, manager.device), !info.shares_host_memory) << "only windows are smaller";
    job->choice = std::make_shared<KernelChoice>();
    job->choice->scratch_bytes = 1;
    EXPECT_FALSE(fits_memory(*job, manager.device));
    EXPECT_TRUE(may_fit_in_pieces(*job, manager.device));
  }
}

TEST(DeviceMemory, ADroppedBufferServesTheNextMatrixOfItsSize) {
  ManualManager manager;
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0);
  use(manager, a);
  EXPECT_TRUE(manager.memory.drop(*manager.region_of(a, true, false).home));
  EXPECT_FALSE(has_buffer(manager, a));
  use(manager, b);
  EXPECT_EQ(manager.counted().buffers_allocated, 1);
}

TEST(DeviceMemory, WhatIsNewerOnTheDeviceIsNotDropped) {
  ManualManager manager;
  const Matrix2 a = filled(4, 4, 0);
  use(manager, a);
  make_dirty(manager, a);
  EXPECT_FALSE(manager.memory.drop(*manager.region_of(a, true, false).home));
  manager.memory.lose_all();
  EXPECT_TRUE(manager.memory.drop(*manager.region_of(a, true, false).home));
}

TEST(DeviceMemory, ABufferOfAMatrixThatIsGoneIsFreedIfAnotherSizeNeedsItsRoom) {
  ManualManager manager(kMatrixBytes);
  { use(manager, filled(4, 4, 0)); }
  const Matrix2 smaller = filled(2, 4, 0);
  use(manager, smaller);
  EXPECT_EQ(manager.counted().buffers_allocated, 2);
}

}  // namespace
}  // namespace pbrt::gpu
