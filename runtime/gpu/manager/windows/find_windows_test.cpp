// SPDX-License-Identifier: MIT
// Launches that have parts of matrices on the device, and steps that are launched in pieces.
#include "runtime/gpu/manager/windows/find_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/gpu/manager/manual_manager.h"
#include "runtime/gpu/share.h"
#include "runtime/matrix/versions.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kWidth = 64;
constexpr std::size_t kRowBytes = 4 * kWidth;

OwnedView rows_of(const Matrix2& matrix, int lo, int hi) {
  const Matrix2 rows = matrix.region(0, lo, matrix.width(), hi);
  const RegionRef part(rows);
  return own(*part.storage, part.view);
}

TEST(Windows, HaveTheBytesFromTheFirstCellToTheLast) {
  ManualManager manager;
  const Matrix2 in = filled(kWidth, 16, 0), out = filled(kWidth, 16, 0);
  LaunchPlan plan = manager.add_step(out, in, 1, CopyOut::May)->plan;
  EXPECT_TRUE(windows_of(plan, {}).empty()) << "all of both is touched";
  plan.regions[1].touched = rows_of(out, 3, 5);
  const std::vector<LaunchWindow> windows = windows_of(plan, {});
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].record, plan.regions[1].record);
  EXPECT_EQ(windows[0].first_byte, 3 * kRowBytes);
  EXPECT_EQ(windows[0].num_bytes, 2 * kRowBytes);
  EXPECT_THAT(windows[0].moved({{3 * kRowBytes + 8, 16}}), ElementsAre(CopyShape{8, 16}));
}

TEST(Windows, HaveOneForAllRegionsOfAStorage) {
  ManualManager manager;
  const Matrix2 both = filled(kWidth, 16, 0);
  LaunchPlan plan = manager.add_step(both.region(0, 2, kWidth, 4), both.region(0, 6, kWidth, 7), 1, CopyOut::May)->plan;
  const std::vector<LaunchWindow> windows = windows_of(plan, {});
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].first_byte, 2 * kRowBytes);
  EXPECT_EQ(windows[0].num_bytes, 5 * kRowBytes);
}

TEST(Windows, AreThoseBesideMatricesOfVersions) {
  ManualManager manager;
  const Matrix2 in = filled(kWidth, 16, 0), out = filled(kWidth, 16, 0);
  LaunchPlan plan = manager.add_step(out, in, 1, CopyOut::May)->plan;
  plan.regions[0].touched = rows_of(in, 1, 4);
  plan.regions[1].touched = rows_of(out, 3, 5);
  plan.regions[0].has_versions = true;
  const std::vector<LaunchWindow> windows = windows_of(plan, {});
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].record, plan.regions[1].record);
  LaunchPlan within = manager.add_step(in.region(0, 2, kWidth, 4), in.region(0, 6, kWidth, 7), 1, CopyOut::May)->plan;
  within.regions[1].has_versions = true;
  EXPECT_TRUE(windows_of(within, {}).empty()) << "of a version and the one before it";
}

TEST(Windows, HaveAHaloInsideTheStorage) {
  ManualManager manager;
  const Matrix2 in = filled(kWidth, 16, 0), out = filled(kWidth, 16, 0);
  LaunchPlan plan = manager.add_step(out, in, 1, CopyOut::May)->plan;
  plan.regions[0].touched = rows_of(in, 1, 4);
  plan.regions[1].touched = rows_of(out, 14, 16);
  Halo halo = {};
  halo[1] = 2;
  const std::vector<LaunchWindow> windows = windows_of(plan, halo);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].first_byte, 0U);
  EXPECT_EQ(windows[0].num_bytes, 6 * kRowBytes);
  EXPECT_EQ(windows[1].first_byte, 14 * kRowBytes) << "what is written has none";
  EXPECT_EQ(windows[1].num_bytes, 2 * kRowBytes);
}

TEST(Windows, BeginWhereTheStorageIsAligned) {
  ManualManager manager;
  const Matrix2 in = filled(7, 100, 0), out = filled(7, 100, 0);
  LaunchPlan plan = manager.add_step(out, in, 1, CopyOut::May)->plan;
  plan.regions[0].touched = rows_of(in, 50, 60);
  const std::vector<LaunchWindow> windows = windows_of(plan, {});
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].first_byte, 1280U) << "1400 is the first byte of the row";
  EXPECT_EQ(windows[0].num_bytes, 1680U - 1280U);
}

TEST(Windows, HoldTheWholeLastRowOfColumns) {
  ManualManager manager;
  const Matrix2 in = filled(kWidth, 16, 0), out = filled(kWidth, 16, 0);
  LaunchPlan plan = manager.add_step(out, in, 1, CopyOut::May)->plan;
  const Matrix2 columns = in.region(0, 4, kWidth / 2, 8);
  plan.regions[0].touched = own(*RegionRef(columns).storage, RegionRef(columns).view);
  const std::vector<LaunchWindow> windows = windows_of(plan, {});
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].num_bytes, 4 * kRowBytes);
}

/// out = in + 1 on rows [first, first + count).
bool run_rows(Frame& frame, FakeManager& fake, const Matrix2& out, const Matrix2& in, std::int64_t first,
              std::int64_t count, std::string* reason = nullptr, bool* is_too_large = nullptr) {
  const auto lo = static_cast<int>(first), hi = static_cast<int>(first + count);
  Launch launch(kAddStep, frame, fake.manager.get());
  launch.input(in, in.region(0, lo, kWidth, hi)).output(out, out.region(0, lo, kWidth, hi), CopyOut::May).scalar(1);
  launch.range(Box<2>{{0, first}, {kWidth, first + count}});
  const bool has_run = launch.run();
  if (reason != nullptr) *reason = launch.reason();
  if (is_too_large != nullptr) *is_too_large = lacks_memory(launch);
  return has_run;
}

template <class F>
void on_workers(F&& body) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { body(frame); });
}

TEST(Windows, ALaunchOfAPartNeedsRoomForThatPart) {
  FakeManager fake(fake_device_info(), 8 * kRowBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
    EXPECT_TRUE(run_rows(frame, fake, out, in, 5, 4));
    EXPECT_TRUE(is_filled(out.region(0, 5, kWidth, 9), 2));
    EXPECT_TRUE(is_filled(out.region(0, 0, kWidth, 5), 0));
    EXPECT_TRUE(is_filled(out.region(0, 9, kWidth, 16), 0));
    std::string reason;
    bool is_too_large = false;
    EXPECT_FALSE(run_rows(frame, fake, out, in, 0, 5, &reason, &is_too_large));
    EXPECT_EQ(reason, "its matrices need 8192 bytes of device memory, of which 2048 may be used");
    EXPECT_TRUE(is_too_large);
  });
  const DeviceStatistics counted = fake.manager->statistics();
  EXPECT_EQ(counted.launches_in_windows, 1);
  EXPECT_EQ(counted.bytes_to_device, static_cast<std::int64_t>(4 * kRowBytes));
  EXPECT_EQ(counted.bytes_to_host, static_cast<std::int64_t>(4 * kRowBytes));
}

TEST(Windows, WhatIsNewerOnTheDeviceComesHomeBefore) {
  FakeManager fake(fake_device_info(), 20 * kRowBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
    EXPECT_EQ(fake.increment(frame, in, 1, CopyOut::May), "");
    EXPECT_TRUE(run_rows(frame, fake, out, in, 3, 2));
    EXPECT_TRUE(is_filled(out.region(0, 3, kWidth, 5), 3));
    // What the launch wrote is newer than what the device had of it.
    EXPECT_EQ(fake.increment(frame, out, 1, CopyOut::Must), "");
    EXPECT_TRUE(run_rows(frame, fake, out, in, 3, 2));
    EXPECT_EQ(fake.increment(frame, out, 1, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(out.region(0, 3, kWidth, 5), 4));
    EXPECT_TRUE(is_filled(out.region(0, 5, kWidth, 16), 2));
    need_on_host(frame, in);
    EXPECT_TRUE(is_filled(in, 2));
  });
}

TEST(Windows, AKernelThatFailsLeavesTheWorkToTheHost) {
  for (const FakeOperation operation : {FakeOperation::Write, FakeOperation::Launch, FakeOperation::Read}) {
    FakeManager fake(fake_device_info(), 8 * kRowBytes);
    fake.control->inject(operation, 0, FakeFault::FailLater);
    on_workers([&](Frame& frame) {
      const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
      std::string reason;
      EXPECT_FALSE(run_rows(frame, fake, out, in, 5, 4, &reason));
      EXPECT_THAT(reason, HasSubstr("the device failed"));
      before_host_overwrite(frame, out);
      wrote_on_host(out);
      need_on_host(frame, in, out);
      EXPECT_TRUE(is_filled(in, 1));
    });
    fake.manager.reset();
    EXPECT_EQ(fake.warnings.size(), 1U);
  }
}

TEST(Windows, WhatAFailedKernelWasToChangeInPlaceIsLost) {
  for (const FakeOperation operation : {FakeOperation::Launch, FakeOperation::Read}) {
    FakeManager fake(fake_device_info(), 8 * kRowBytes);
    fake.control->inject(operation, 1, FakeFault::FailLater);
    on_workers([&](Frame& frame) {
      const Matrix2 m = filled(kWidth, 16, 1);
      EXPECT_TRUE(run_rows(frame, fake, m, m, 0, 4));
      EXPECT_FALSE(run_rows(frame, fake, m, m, 4, 4));
      EXPECT_THROW(need_on_host(frame, m.region(0, 7, kWidth, 8)), DeviceLost);
      need_on_host(frame, m.region(0, 0, kWidth, 4), m.region(0, 8, kWidth, 16));
      EXPECT_TRUE(is_filled(m.region(0, 0, kWidth, 4), 2));
      EXPECT_TRUE(is_filled(m.region(0, 8, kWidth, 16), 1));
    });
  }
}

TEST(Windows, HoldNothingThatAnotherDeviceLost) {
  FakeManager small(fake_device_info(), 8 * kRowBytes), other;
  other.control->inject(FakeOperation::Read, 0, FakeFault::FailLater);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
    EXPECT_EQ(other.increment(frame, in, 1, CopyOut::May), "");
    EXPECT_THROW((void)run_rows(frame, small, out, in, 5, 4), DeviceLost);
    EXPECT_FALSE(other.manager->is_alive());
    EXPECT_TRUE(small.manager->is_alive());
    EXPECT_TRUE(is_filled(out, 0));
    // Others of its launches have windows.
    EXPECT_TRUE(run_rows(frame, small, filled(kWidth, 16, 0), out, 5, 4));
  });
}

TEST(Windows, ConcurrentLaunchesShareLittleMemory) {
  FakeManager fake(fake_device_info(), 9 * kRowBytes);
  fake.control->set_max_delay_us(50);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
    for (int i = 0; i < 8; ++i)
      frame.spawn([&, i](Frame& task) { EXPECT_TRUE(run_rows(task, fake, out, in, 2 * i, 2)); });
    frame.sync();
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 2));
  });
  EXPECT_EQ(fake.manager->statistics().launches_in_windows, 8);
}

TEST(Windows, SmallerLaunchesDoNotHelpADeviceThatSharesTheHostsMemory) {
  DeviceInfo info = fake_device_info();
  info.shares_host_memory = true;
  FakeManager fake(info, 8 * kRowBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
    std::string reason;
    bool is_too_large = true;
    EXPECT_FALSE(run_rows(frame, fake, out, in, 0, 4, &reason, &is_too_large));
    EXPECT_EQ(reason, "its matrices need 8192 bytes of device memory, of which 2048 may be used");
    EXPECT_FALSE(is_too_large);
  });
}

/// Expects that a launch for one row of a version does not fit for this reason, and that smaller ones would not help.
void expect_no_room_for_a_version(FakeManager& fake, const char* reason) {
  on_workers([&](Frame& frame) {
    const Matrix2 all = allocate_versions<Matrix2>(2, kWidth, 8), out = filled(kWidth, 1, 0);
    const Matrix2 now = at_version(all, 4);
    Launch launch(kAddStep, frame, fake.manager.get());
    launch.input(now, now.region(0, 4, kWidth, 5)).output(out, CopyOut::May).scalar(1);
    launch.range(Box<2>{{0, 0}, {kWidth, 1}});
    EXPECT_FALSE(launch.run());
    EXPECT_STREQ(launch.reason(), reason);
    EXPECT_FALSE(lacks_memory(launch));
  });
}

TEST(Windows, SmallerLaunchesDoNotHelpVersions) {
  FakeManager fake(fake_device_info(), 2 * kRowBytes);
  expect_no_room_for_a_version(fake, "its matrices need 768 bytes of device memory, of which 512 may be used");
}

TEST(Windows, SmallerLaunchesDoNotHelpWhatTheDeviceGivesInNoPiece) {
  DeviceInfo info = fake_device_info();
  info.max_alloc_bytes = 400;
  FakeManager fake(info);
  expect_no_room_for_a_version(fake, "a matrix needs 512 bytes in one piece, and the device gives 400 at most");
}

TEST(Windows, NoKernelIsBuiltForALaunchThatFitsInNoShape) {
  FakeManager fake(fake_device_info(), 8 * kRowBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(kWidth, 16, 1), out = filled(kWidth, 16, 0);
    EXPECT_FALSE(run_rows(frame, fake, out, in, 0, 5));
    EXPECT_TRUE(fake.control->build_options().empty());
    EXPECT_TRUE(run_rows(frame, fake, out, in, 0, 4));
    EXPECT_EQ(fake.control->build_options().size(), 1U);
  });
}

template <class OnDevice>
std::int64_t run_all(std::int64_t extent, const OnDevice& on_device) {
  Piece piece;
  return detail::run_pieces(extent, piece,
                            [&](std::int64_t first, std::int64_t count) { return on_device(first, count, piece); });
}

TEST(Pieces, AreHalvedUntilTheyFit) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ran;
  const auto fits = [&](std::int64_t most) {
    return [&ran, most](std::int64_t first, std::int64_t count, Piece& piece) {
      if (count <= most) return ran.emplace_back(first, count), true;
      piece.is_too_large = piece.may_be_smaller;
      return false;
    };
  };
  EXPECT_EQ(run_all(10, fits(4)), 10);
  EXPECT_THAT(ran, ElementsAre(std::pair(0, 3), std::pair(3, 3), std::pair(6, 3), std::pair(9, 1)));
  ran.clear();
  EXPECT_EQ(run_all(10, fits(0)), 0) << "not even one fits";
  EXPECT_EQ(run_all(10, fits(10)), 10);
  EXPECT_EQ(run_all(0, fits(10)), 0);
  EXPECT_THAT(ran, ElementsAre(std::pair(0, 10), std::pair(0, 0)));
}

TEST(Pieces, AreTheFirstOneOnceAndLeaveWhatDoesNotRun) {
  std::vector<bool> are_first;
  const auto fail_at_six = [&](std::int64_t first, std::int64_t count, Piece& piece) {
    if (count > 2) return piece.is_too_large = true, false;
    are_first.push_back(piece.is_first);
    EXPECT_TRUE(piece.is_cut);
    return first < 6;
  };
  EXPECT_EQ(run_all(8, fail_at_six), 6);
  EXPECT_THAT(are_first, ElementsAre(true, false, false, false));
}

}  // namespace
}  // namespace pbrt::gpu
