// SPDX-License-Identifier: MIT
// The management thread and the residency table, on the fake device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "runtime/gpu/spawned_regions.h"
#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;

template <class F>
void on_workers(F&& body) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { body(frame); });
}

TEST(Manager, RunsAKernelAndBringsItsResultHome) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(out, 6));
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("write", "launch add_step", "read"));
}

TEST(Manager, MayCopyOutIsReadWhenItIsNeeded) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    fake.manager->drain(frame);
    EXPECT_TRUE(is_filled(out, 0)) << "nothing asked for it yet";
    need_on_host(frame, out.region(0, 0, 8, 1));
    EXPECT_TRUE(is_filled(out.region(0, 0, 8, 1), 6));
    EXPECT_EQ(out.cell(0, 1), 0) << "only what is needed is copied";
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 6));
  });
}

TEST(Manager, SeveralRegionsArriveWhetherTheyWereOnADeviceOrNot) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0), other = filled(8, 4, 2);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    need_on_host(frame, other, out);
    EXPECT_TRUE(is_filled(out, 6));
    EXPECT_TRUE(is_filled(other, 2));
  });
}

TEST(Manager, PartsAreBoxes) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    const Box<2> row{{0, 1}, {8, 2}};
    need_on_host(frame, out, row);
    EXPECT_EQ(out.cell(0, 0), 0) << "only what is needed is copied";
    EXPECT_TRUE(is_filled(part_of(out, row), 6));
    before_host_write(frame, out, row);
    out.cell(3, 1) = 9;
    wrote_on_host(frame, out, row);
    need_on_host(frame, out);
    EXPECT_EQ(out.cell(3, 1), 9);
    EXPECT_EQ(out.cell(3, 2), 6);
  });
}

TEST(Manager, WhatIsBackOnTheHostIsWholeAndUsedByNoKernel) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    back_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 6));
    back_on_host(frame, in);
    EXPECT_EQ(device_state(in) & (kDirty | kInFlight), 0u);
  });
}

TEST(Manager, SpawnedRegionsComeBackOnce) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    SpawnedRegions spawned(true);
    spawned.add(out.region(0, 0, 8, 2));
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    spawned.back_on_host(frame);
    EXPECT_TRUE(is_filled(out.region(0, 0, 8, 2), 6));
    EXPECT_EQ(out.cell(0, 2), 0) << "only what was added";
    spawned.back_on_host(frame);
    EXPECT_EQ(out.cell(0, 2), 0);
  });
}

TEST(Manager, ChainedKernelsAreEnqueuedBeforeTheFirstHasEnded) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), a = filled(8, 4, 0), b = filled(8, 4, 0), c = filled(8, 4, 0);
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, a, in, 1, CopyOut::Reused), "");
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::Reused), "");
    EXPECT_EQ(fake.add_step(frame, c, b, 1, CopyOut::May), "");
    EXPECT_EQ(fake.control->num_pending(), 4);
    EXPECT_THAT(fake.control->log(), ElementsAre());
    fake.control->release();
    need_on_host(frame, c);
    EXPECT_TRUE(is_filled(c, 4));
  });
  EXPECT_EQ(fake.manager->statistics().copies_avoided, 2);
  EXPECT_EQ(fake.manager->statistics().copies_to_device, 1);
}

TEST(Manager, SleepsWhileNothingIsReady) {
  FakeManager fake;
  std::int64_t requeues = 0;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    fake.control->hold();
    frame.spawn([&](Frame& child) { EXPECT_EQ(fake.add_step(child, out, in, 5, CopyOut::Must), ""); });
    frame.spawn([&](Frame&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      requeues = fake.manager->statistics().requeues;
      fake.control->release();
    });
    frame.sync();
    EXPECT_TRUE(is_filled(out, 6));
  });
  EXPECT_LE(requeues, 5) << "a task that is not ready is not tried again and again";
  EXPECT_GE(fake.manager->statistics().sleeps, 1);
}

TEST(Manager, APatientOneStaysAwakeForTheNextEvent) {
  FakeManager fake(fake_device_info(), 0, 1, std::chrono::hours(1));
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    fake.control->hold();
    frame.spawn([&](Frame& child) { EXPECT_EQ(fake.add_step(child, out, in, 5, CopyOut::Must), ""); });
    frame.spawn([&](Frame&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      fake.control->release();
    });
    frame.sync();
    EXPECT_TRUE(is_filled(out, 6));
  });
  EXPECT_EQ(fake.manager->statistics().sleeps, 0);
}

TEST(Manager, OnlyWhatTheHostWroteIsCopiedAgain) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::Must), "");
    const Matrix2 row = in.region(0, 2, 8, 3);
    before_host_write(frame, row);
    for (int x = 0; x < 8; ++x) row.cell(x, 0) = 10;
    wrote_on_host(row);
    fake.manager->reset_statistics();
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::Must), "");
    EXPECT_EQ(fake.manager->statistics().bytes_to_device, 8 * 4);
    EXPECT_TRUE(is_filled(out.region(0, 0, 8, 2), 6));
    EXPECT_TRUE(is_filled(out.region(0, 2, 8, 3), 15));
  });
}

TEST(Manager, HostAndDeviceColumnsComeTogether) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    before_host_write(frame, out.column(3));
    for (int y = 0; y < 4; ++y) out.cell(3, y) = 100;
    wrote_on_host(out.column(3));
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out.region(0, 0, 3, 4), 6));
    EXPECT_TRUE(is_filled(out.region(3, 0, 4, 4), 100));
    EXPECT_TRUE(is_filled(out.region(4, 0, 8, 4), 6));
  });
}

TEST(Manager, HostWritesOfSomeCellsKeepTheOthers) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    before_host_write(frame, out);
    out.cell(3, 3) = 100;
    wrote_on_host(out);
    EXPECT_EQ(out.cell(3, 3), 100);
    EXPECT_TRUE(is_filled(out.region(0, 0, 8, 3), 6));
  });
}

TEST(Manager, KernelsAndTheHostWritePartsOfOneMatrix) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 6, 1), out = filled(8, 6, 0);
    const Matrix2 top = out.region(0, 0, 8, 2), middle = out.region(0, 2, 8, 4), bottom = out.region(0, 4, 8, 6);
    frame.spawn([&](Frame& f) { EXPECT_EQ(fake.add_step(f, top, in.region(0, 0, 8, 2), 1, CopyOut::May), ""); });
    frame.spawn([&](Frame& f) { EXPECT_EQ(fake.add_step(f, middle, in.region(0, 2, 8, 4), 2, CopyOut::Must), ""); });
    before_host_write(frame, bottom);
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 8; ++x) bottom.cell(x, y) = 7;
    wrote_on_host(bottom);
    frame.sync();
    EXPECT_TRUE(is_filled(middle, 3));
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(top, 2));
    EXPECT_TRUE(is_filled(middle, 3));
    EXPECT_TRUE(is_filled(bottom, 7));
  });
  EXPECT_EQ(fake.manager->statistics().buffers_allocated, 2) << "one buffer per matrix";
}

TEST(Manager, HostWritesWaitForCopiesInFlight) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(64, 64, 1), out = filled(64, 64, 0);
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    frame.spawn([&](Frame&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      fake.control->release();
    });
    before_host_write(frame, in);
    EXPECT_FALSE(fake.control->log().empty()) << "the copy-in has ended";
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) in.cell(x, y) = 99;
    wrote_on_host(in);
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 6));
    frame.sync();
  });
}

TEST(Manager, MatricesMayGoWhileTheirKernelsRun) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    fake.control->hold();
    for (int i = 0; i < 3; ++i) {
      const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
      EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::May), "");
    }
    fake.control->release();
    fake.manager->drain(frame);
    fake.manager->reset_statistics();
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 5, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(out, 6));
  });
  EXPECT_EQ(fake.manager->statistics().buffers_allocated, 0) << "buffers are used again";
}

TEST(Manager, ADeviceThatSharesMemoryCopiesNothing) {
  DeviceInfo info = fake_device_info();
  info.shares_host_memory = true;
  FakeManager fake(info);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), middle = filled(8, 4, 0), out = filled(8, 4, 0);
    EXPECT_EQ(fake.add_step(frame, middle, in, 1, CopyOut::Reused), "");
    EXPECT_EQ(fake.add_step(frame, out, middle, 1, CopyOut::May), "");
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 3));
    before_host_write(frame, in);
    in.cell(0, 0) = 50;
    wrote_on_host(in);
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::Must), "");
    EXPECT_EQ(out.cell(0, 0), 51);
  });
  EXPECT_THAT(fake.control->log(), ElementsAre("launch add_step", "launch add_step", "launch add_step"));
}

TEST(Manager, SharedMemoryIsNotWrittenBeforeItsKernelHasEnded) {
  DeviceInfo info = fake_device_info();
  info.shares_host_memory = true;
  FakeManager fake(info);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    fake.control->hold();
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::May), "");
    frame.spawn([&](Frame&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      fake.control->release();
    });
    before_host_write(frame, in);
    EXPECT_THAT(fake.control->log(), ElementsAre("launch add_step"));
    frame.sync();
    need_on_host(frame, out);
  });
}

TEST(Manager, InPlaceKernelsSeeWhatWasThere) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 1);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(fake.increment(frame, m.region(1, 1, 5, 3), 10, CopyOut::May), "");
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(m.region(1, 1, 5, 3), 31));
    EXPECT_TRUE(is_filled(m.region(0, 0, 8, 1), 1));
  });
}

// --- memory pressure -------------------------------------------------------------------------

constexpr std::uint64_t kMatrixBytes = 16 * 16 * 4;

TEST(ManagerMemory, EvictsCleanBuffersFirst) {
  FakeManager fake(fake_device_info(), 3 * kMatrixBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(16, 16, 1), a = filled(16, 16, 0), b = filled(16, 16, 0), c = filled(16, 16, 0);
    EXPECT_EQ(fake.add_step(frame, a, in, 1, CopyOut::May), "");
    EXPECT_EQ(fake.add_step(frame, b, a, 1, CopyOut::May), "");
    fake.manager->drain(frame);
    fake.manager->reset_statistics();
    EXPECT_EQ(fake.add_step(frame, c, b, 1, CopyOut::May), "");  // the clean `in` goes
    EXPECT_EQ(fake.manager->statistics().evictions, 1);
    EXPECT_EQ(fake.manager->statistics().copies_to_host, 0);
    for (const auto& [matrix, value] : {std::pair(a, 2), std::pair(b, 3), std::pair(c, 4)}) {
      need_on_host(frame, matrix);
      EXPECT_TRUE(is_filled(matrix, value));
    }
  });
}

TEST(ManagerMemory, CopiesDirtyBuffersOutBeforeTheyGo) {
  FakeManager fake(fake_device_info(), 2 * kMatrixBytes);
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(16, 16, 1), n = filled(16, 16, 2), o = filled(16, 16, 3);
    EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(fake.increment(frame, n, 1, CopyOut::May), "");
    EXPECT_EQ(fake.increment(frame, o, 1, CopyOut::May), "");
    EXPECT_EQ(fake.increment(frame, m, 1, CopyOut::May), "");
    for (const auto& [matrix, value] : {std::pair(m, 3), std::pair(n, 3), std::pair(o, 4)}) {
      need_on_host(frame, matrix);
      EXPECT_TRUE(is_filled(matrix, value));
    }
  });
}

TEST(ManagerMemory, WhatCannotFitIsAReason) {
  FakeManager fake(fake_device_info(), kMatrixBytes + 100);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(16, 16, 1), out = filled(16, 16, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::May),
              "its matrices need 2048 bytes of device memory, of which 1124 may be used");
    EXPECT_EQ(fake.manager->statistics().evictions, 0);
    EXPECT_TRUE(is_filled(out, 0));
    EXPECT_EQ(fake.increment(frame, in, 1, CopyOut::Must), "") << "the device goes on";
    EXPECT_TRUE(is_filled(in, 2));
  });
}

TEST(ManagerMemory, ConcurrentLaunchesShareLittleMemory) {
  FakeManager fake(fake_device_info(), 2 * kMatrixBytes);
  fake.control->set_max_delay_us(50);
  on_workers([&](Frame& frame) {
    for (int i = 0; i < 40; ++i)
      frame.spawn([&fake, i](Frame& f) {
        const Matrix2 in = filled(16, 16, i), out = filled(16, 16, 0);
        EXPECT_EQ(fake.add_step(f, out, in, 1, i % 2 == 0 ? CopyOut::May : CopyOut::Must), "");
        need_on_host(f, out);
        EXPECT_TRUE(is_filled(out, i + 1));
      });
    frame.sync();
  });
}

// --- kernels ---------------------------------------------------------------------------------

TEST(ManagerKernels, ValuesBecomeBuildOptionsUpToALimit) {
  FakeManager fake;
  static constexpr SpecializedScalar kConstants[] = {{"PB_STEP", 0}};
  static constexpr KernelDesc kSpecialized = {.name = "increment",
                                              .source = "",
                                              .options = "-DX",
                                              .num_regions = 1,
                                              .num_scalars = 1,
                                              .specialized = kConstants,
                                              .num_specialized = 1,
                                              .specialize_group = true};
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
    const std::int64_t group[] = {8, 2};
    for (int i = 0; i < 2 * (kMaxVariants + 3); ++i) {
      Launch launch(kSpecialized, frame, fake.manager.get());
      launch.inout(m, CopyOut::May).scalar(i / 2).range(2, lo, extent).group(group, 2);
      ASSERT_TRUE(launch.run());
    }
  });
  const std::vector<std::string> options = fake.control->build_options();
  ASSERT_EQ(options.size(), static_cast<std::size_t>(kMaxVariants) + 1);
  EXPECT_EQ(options[1], "-DX -DPB_INDEX=int -DPB_UNIT_STRIDE=1 -DPB_GROUP0=8 -DPB_GROUP1=2 -DPB_GROUP2=1 -DPB_STEP=1");
  EXPECT_EQ(options.back(), "-DX -DPB_INDEX=long");
  EXPECT_EQ(fake.manager->statistics().generic_builds_used, 6);
}

TEST(ManagerKernels, ValuesOfLongLoopsAreNoBuildOptions) {
  FakeManager fake;
  static constexpr SpecializedScalar kConstants[] = {{"PB_W", 0}, {"PB_H", 1}};
  static constexpr KernelDesc kSpecialized = {.name = "add_step",
                                              .source = "",
                                              .num_regions = 1,
                                              .num_scalars = 2,
                                              .specialized = kConstants,
                                              .num_specialized = 2};
  fake.control->add_kernel("add_step", [](FakeCall&) {});
  const std::pair<int, int> values[] = {
      {32, 16}, {16, 33}, {100, 100}, {600, 1}, {-5, 600}, {0, 512}, {2000000000, 2000000000}};
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 0);
    const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
    for (const auto& [w, h] : values) {
      Launch launch(kSpecialized, frame, fake.manager.get());
      ASSERT_TRUE(launch.inout(m, CopyOut::May).scalar(w).scalar(h).range(2, lo, extent).run());
    }
  });
  const std::string always = " -DPB_INDEX=int -DPB_UNIT_STRIDE=1";
  EXPECT_EQ(fake.control->build_options(),
            (std::vector<std::string>{always + " -DPB_W=32 -DPB_H=16", always, always + " -DPB_W=0 -DPB_H=512"}))
      << "the others share one build";
}

TEST(ManagerKernels, GroupsAreClampedAndTilesFollow) {
  FakeManager fake;
  std::size_t tile_bytes = 0;
  KernelRange range;
  fake.control->add_kernel("tiled", [&](FakeCall& call) {
    (void)call.region<int>(2);
    for (int i = 0; i < 4; ++i) (void)call.scalar<int>();
    tile_bytes = call.local_bytes();
    EXPECT_FALSE(call.has_more());
    range = call.range();
  });
  static constexpr KernelDesc kTiled = {.name = "tiled", .source = "", .num_regions = 1, .num_tiles = 1};
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(100, 50, 0);
    const std::int32_t lo[] = {0, 0}, extent[] = {100, 50};
    const std::int64_t group[] = {64, 16};
    const TileDim tile[] = {{{1, 0, 0}, 3}, {{0, -2, 0}, 5}};
    Launch launch(kTiled, frame, fake.manager.get());
    launch.input(m).tile(4, 2, tile).range(2, lo, extent).group(group, 2);
    ASSERT_TRUE(launch.run());
    fake.manager->drain(frame);
  });
  EXPECT_EQ(range.group[0] * range.group[1], 256U);
  EXPECT_EQ(range.global[0] % range.group[0], 0U);
  EXPECT_GE(range.global[0], 100U);
  EXPECT_LT(range.global[0], 100U + range.group[0]);
  EXPECT_EQ(tile_bytes, 4 * (range.group[0] - 1 + 3) * (2 * (range.group[1] - 1) + 5));
  EXPECT_EQ(fake.manager->statistics().groups_clamped, 1);
}

TEST(ManagerKernels, HaveGroupsForEachBatch) {
  FakeManager fake;
  KernelRange range;
  std::vector<int> numbers;
  fake.control->add_kernel("batches", [&](FakeCall& call) {
    (void)call.region<int>(2);
    for (int i = 0; i < 10; ++i) numbers.push_back(call.scalar<int>());
    EXPECT_FALSE(call.has_more());
    range = call.range();
  });
  static constexpr KernelDesc kBatches = {.name = "batches", .source = "", .num_regions = 1};
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(100, 50, 0);
    const std::int32_t lo[] = {1, 2, 3, 4, 5}, extent[] = {10, 20, 5, 7, 3};
    const std::int64_t group[] = {8, 4, 2};
    Launch launch(kBatches, frame, fake.manager.get());
    launch.input(m).range(5, lo, extent).group(group, 5);
    ASSERT_TRUE(launch.run());
    fake.manager->drain(frame);
  });
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 5, 10, 20, 5, 7, 3}));
  EXPECT_EQ(range.num_dims, 3);
  EXPECT_EQ(range.global, (std::array<std::size_t, 3>{16, 20, 6 * 7 * 3})) << "batches begin with groups of their own";
}

TEST(ManagerKernels, LoopsBeyondTheThirdAreFolded) {
  FakeManager fake;
  KernelRange range;
  std::vector<int> numbers;
  fake.control->add_kernel("four", [&](FakeCall& call) {
    (void)call.region<int>(4);
    while (call.has_more()) numbers.push_back(call.scalar<int>());
    range = call.range();
  });
  static constexpr KernelDesc kFour = {.name = "four", .source = "", .num_regions = 1};
  on_workers([&](Frame& frame) {
    const auto m = MatrixRegion<int, 4>::allocate(2, 3, 4, 5);
    const std::int32_t lo[] = {0, 1, 2, 3}, extent[] = {2, 2, 3, 4};
    Launch launch(kFour, frame, fake.manager.get());
    launch.output(m, CopyOut::May).range(4, lo, extent);
    ASSERT_TRUE(launch.run());
    fake.manager->drain(frame);
  });
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 2, 2, 3, 4));
  EXPECT_EQ(range.num_dims, 3);
  EXPECT_THAT(range.global, ElementsAre(2U, 2U, 12U));
}

TEST(ManagerKernels, EmptyRangesRunNothing) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 0, 0), out = filled(8, 0, 0);
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::Must), "");
  });
  EXPECT_EQ(fake.manager->statistics().launches, 0);
}

// --- timing modes ----------------------------------------------------------------------------

TEST(Manager, PrefetchedInputsAreNotCopiedAgainUntilDropped) {
  FakeManager fake;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_TRUE(fake.manager->prefetch(frame, in));
    fake.manager->drain(frame);
    fake.manager->reset_statistics();
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::May), "");
    fake.manager->drain(frame);
    EXPECT_EQ(fake.manager->statistics().bytes_to_device, 0);
    fake.manager->drop_device_copies(frame, in.storage_ref().get());
    fake.manager->drop_device_copies(frame, out.storage_ref().get());
    EXPECT_TRUE(is_filled(out, 2)) << "what was newer on the device comes home first";
    EXPECT_EQ(fake.add_step(frame, out, in, 1, CopyOut::May), "");
    fake.manager->drain(frame);
    EXPECT_EQ(fake.manager->statistics().bytes_to_device, 8 * 4 * 4);
    EXPECT_EQ(fake.manager->statistics().buffers_allocated, 1) << "dropped buffers are used again";
  });
}

TEST(Manager, CopiesEverythingOutWhenItEnds) {
  std::optional<FakeManager> fake(std::in_place);
  const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
  on_workers([&](Frame& frame) {
    EXPECT_EQ(fake->add_step(frame, out, in, 1, CopyOut::May), "");
    fake.reset();
    need_on_host(frame, out);
    EXPECT_TRUE(is_filled(out, 2));
    FakeManager other;
    EXPECT_EQ(other.add_step(frame, out, in, 2, CopyOut::Must), "");
    EXPECT_TRUE(is_filled(out, 3));
  });
}

TEST(Manager, MatricesMoveBetweenDevices) {
  FakeManager one, two;
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 1);
    EXPECT_EQ(one.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(two.increment(frame, m, 1, CopyOut::May), "");
    EXPECT_EQ(one.increment(frame, m, 1, CopyOut::May), "");
    need_on_host(frame, m);
    EXPECT_TRUE(is_filled(m, 4));
  });
}

TEST(Manager, NoDeviceIsAReason) {
  on_workers([&](Frame& frame) {
    const Matrix2 m = filled(8, 4, 1);
    const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
    Launch launch(kIncrement, frame, static_cast<Manager*>(nullptr));
    launch.inout(m, CopyOut::Must).scalar(1).range(2, lo, extent);
    EXPECT_FALSE(launch.run());
    EXPECT_STREQ(launch.reason(), "no device");
    EXPECT_EQ(storage_state(m.storage_ref().get()), 0U);
  });
}

}  // namespace
}  // namespace pbrt::gpu
