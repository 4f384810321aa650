// SPDX-License-Identifier: MIT
// What is in flight, and what the records learn of its end.
#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"

namespace pbrt::gpu {
namespace {

constexpr Operation::Label kKernel = {TraceKind::Kernel, nullptr, 1};
constexpr Operation::Label kCopyOut = {TraceKind::CopyOut, nullptr, 1};

/// A copy-out of all that is dirty in the matrix, which is noted in its record.
std::shared_ptr<Operation> begin_copy_out(ManualManager& manager, const Matrix2& matrix) {
  const LaunchRegion region = manager.region_of(matrix, false, true);
  auto part = std::make_unique<OperationPart>();
  part->home = region.home;
  part->storage = region.storage;
  const std::lock_guard lock(region.record->mutex);
  region.record->wrote_on_device(*region.home, region.record->box_of(region.view));
  part->host_use = part->host_result = region.home->dirty;
  region.record->begin(*part);
  std::shared_ptr<Operation> operation = manager.operations.begin(kCopyOut);
  operation->parts.push_back(std::move(part));
  return operation;
}

bool is_dirty(ManualManager& manager, const Matrix2& matrix) {
  const Residence& home = *manager.region_of(matrix, true, false).home;
  const std::lock_guard lock(home.record().mutex);
  return !home.dirty.is_empty();
}

TEST(OperationsInFlight, CountsKernelsAndCopiesBeside) {
  ManualManager manager;
  OperationsInFlight& operations = manager.operations;
  const auto kernel = operations.begin(kKernel);
  const auto copy = operations.begin(kCopyOut, CopyOrder::Beside);
  EXPECT_TRUE(operations.has_kernels());
  EXPECT_TRUE(operations.has_copies_beside());
  operations.end(*kernel, true);
  EXPECT_FALSE(operations.has_kernels());
  operations.end(*copy, true);
  EXPECT_FALSE(operations.has_copies_beside());
  EXPECT_TRUE(operations.is_empty());
}

TEST(OperationsInFlight, AreUnsentOnceWhatWasSentHasEnded) {
  ManualManager manager;
  OperationsInFlight& operations = manager.operations;
  EXPECT_FALSE(operations.is_unsent());
  const auto first = operations.begin(kKernel);
  EXPECT_TRUE(operations.is_unsent());
  EXPECT_TRUE(operations.flush(*manager.device));
  EXPECT_FALSE(operations.is_unsent());
  const auto second = operations.begin(kKernel);
  EXPECT_FALSE(operations.is_unsent()) << "the end of the first one lets it be sent";
  operations.end(*first, true);
  EXPECT_TRUE(operations.is_unsent());
  EXPECT_TRUE(operations.flush(*manager.device));
  operations.end(*second, true);
  EXPECT_FALSE(operations.is_unsent());
}

TEST(OperationsInFlight, AreUnsentWhileOnlyACopyBesideTheQueueIsUnderWay) {
  ManualManager manager;
  OperationsInFlight& operations = manager.operations;
  const auto kernel = operations.begin(kKernel), copy = operations.begin(kCopyOut, CopyOrder::Beside);
  EXPECT_TRUE(operations.flush(*manager.device));
  const auto next = operations.begin(kKernel);
  EXPECT_FALSE(operations.is_unsent()) << "the end of the first kernel lets it be sent";
  operations.end(*kernel, true);
  EXPECT_TRUE(operations.is_unsent()) << "the copy may take long";
  EXPECT_TRUE(operations.flush(*manager.device));
  operations.end(*next, true);
  EXPECT_FALSE(operations.is_unsent());
  operations.end(*copy, true);
}

TEST(OperationsInFlight, AnEndThatTheDeviceReportsWaitsInTheQueue) {
  ManualManager manager;
  const auto operation = manager.operations.begin(kKernel);
  operation->done(true);
  EXPECT_FALSE(operation->is_applied);
  const auto ended = manager.queue.take_ended();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().operation, operation.get());
  manager.operations.end(*operation, ended.front().ok);
  EXPECT_TRUE(operation->is_applied && operation->is_ok);
}

TEST(OperationsInFlight, ACopyThatEndedWellIsNoMoreDirty) {
  ManualManager manager;
  const Matrix2 m = filled(4, 4, 0);
  const auto operation = begin_copy_out(manager, m);
  EXPECT_TRUE(is_dirty(manager, m));
  manager.operations.end(*operation, true);
  EXPECT_FALSE(is_dirty(manager, m));
}

TEST(OperationsInFlight, AfterAFailureNothingCountsWhateverWasReported) {
  ManualManager manager;
  const Matrix2 a = filled(4, 4, 0), b = filled(4, 4, 0);
  const auto reported = begin_copy_out(manager, a), under_way = begin_copy_out(manager, b);
  reported->done(true);
  manager.operations.abandon();
  EXPECT_TRUE(manager.operations.is_empty());
  EXPECT_TRUE(is_dirty(manager, a) && is_dirty(manager, b));
  EXPECT_FALSE(reported->is_ok || under_way->is_ok);
  under_way->done(true);
  EXPECT_TRUE(manager.queue.take_ended().front().operation->is_applied) << "so nobody applies it again";
}

TEST(OperationsInFlight, FlushesOncePerWhatWasBegun) {
  ManualManager manager;
  EXPECT_FALSE(manager.operations.flush(*manager.device));
  const auto operation = manager.operations.begin(kKernel);
  EXPECT_TRUE(manager.operations.flush(*manager.device));
  EXPECT_FALSE(manager.operations.flush(*manager.device));
  manager.operations.end(*operation, true);
}

}  // namespace
}  // namespace pbrt::gpu
