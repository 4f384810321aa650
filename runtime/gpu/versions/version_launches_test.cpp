// SPDX-License-Identifier: MIT
// Versions that launches make alone or several at a time: which are asked for, what follows a failure, and what a
// device with work-groups that overlap is given.
#include "runtime/gpu/versions/version_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/gpu/check/run_checked.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/share.h"
#include "runtime/gpu/slice_launch.h"
#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/matrix/versions.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Calls = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Runs versions 1 to end - 1. `works` says whether a launch works. Returns the launches; versions that were left to
/// steps are added with 0.
template <class Works>
Calls run(VersionLaunches&& launches, std::int64_t end, const Works& works) {
  Calls calls;
  for (std::int64_t version = 1; version < end; ++version) {
    const bool is_made = launches.make(version, [&](std::int64_t first, std::int64_t number) {
      calls.emplace_back(first, number);
      return works(first, number);
    });
    if (!is_made) calls.emplace_back(version, 0);
  }
  return calls;
}

bool always(std::int64_t, std::int64_t) { return true; }

TEST(VersionLaunches, DepthsAreOdd) {
  const std::int64_t depths[] = {1, 1, 1, 3, 3, 5, 5, 7, 7, 7};
  for (std::int64_t value = 0; value < 10; ++value) EXPECT_EQ(time_tile_depth(value), depths[value]);
  EXPECT_EQ(time_tile_depth(-5), 1);
}

TEST(VersionLaunches, MakeSeveralAndThenTheRest) {
  const std::int64_t depth = 3;
  EXPECT_THAT(run({true, depth, true, 9}, 9, always),
              ElementsAre(std::pair(1, 3), std::pair(4, 3), std::pair(7, 1), std::pair(8, 1)));
  EXPECT_THAT(run({true, depth, true, 4}, 4, always), ElementsAre(std::pair(1, 3)));
  EXPECT_THAT(run({true, depth, true, 3}, 3, always), ElementsAre(std::pair(1, 1), std::pair(2, 1)));
  EXPECT_THAT(run({true, depth, true, 1}, 1, always), IsEmpty());
  EXPECT_THAT(run({true, 1, true, 3}, 3, always), ElementsAre(std::pair(1, 1), std::pair(2, 1)));
}

TEST(VersionLaunches, LeaveTheRestToStepsWhereNoneMakesOne) {
  const std::int64_t depth = 3;
  EXPECT_THAT(run({true, depth, false, 6}, 6, always), ElementsAre(std::pair(1, 3), std::pair(4, 0), std::pair(5, 0)));
}

TEST(VersionLaunches, AreNotTriedWhereTheyMayNotRun) {
  const std::int64_t depth = 3;
  EXPECT_THAT(run({false, depth, true, 3}, 3, always), ElementsAre(std::pair(1, 0), std::pair(2, 0)));
}

TEST(VersionLaunches, AreNotTriedAgain) {
  const std::int64_t depth = 3;
  EXPECT_THAT(run({true, depth, true, 6}, 6, [](std::int64_t, std::int64_t number) { return number == 1; }),
              ElementsAre(std::pair(1, 3), std::pair(1, 1), std::pair(2, 1), std::pair(3, 1), std::pair(4, 1),
                          std::pair(5, 1)));
  const std::int64_t deeper = 7;
  EXPECT_THAT(
      run({true, deeper, true, 9}, 9, [](std::int64_t, std::int64_t number) { return number < 5; }),
      ElementsAre(std::pair(1, 7), std::pair(1, 5), std::pair(1, 3), std::pair(4, 3), std::pair(7, 1), std::pair(8, 1)))
      << "a smaller depth may work";
  EXPECT_THAT(run({true, depth, true, 6}, 6, [](std::int64_t first, std::int64_t) { return first == 1; }),
              ElementsAre(std::pair(1, 3), std::pair(4, 1), std::pair(4, 0), std::pair(5, 0)));
}

constexpr KernelDesc kTile = {.name = "tile",
                              .rule = {"T.T#2", "opencl"},
                              .source = "",
                              .num_regions = 2,
                              .num_scalars = 2,
                              .num_tiles = 1,
                              .specialize_group = true,
                              .default_items = 4};

/// A row of T in versions; each cell becomes one more than its left neighbour, the first one than itself.
class Versions {
 public:
  explicit Versions(const DeviceInfo& info = fake_device_info()) : fake(info) {
    fake.control->add_kernel("tile", [this](FakeCall& call) {
      const auto out = call.region<int>(2), in = call.region<int>(2);
      const int first = call.scalar<int>(), number = call.scalar<int>();
      const int lo = call.scalar<int>(), extent = call.scalar<int>();
      bytes = call.local_bytes();
      range = call.range();
      for (int x = lo; x < lo + extent; ++x)
        out.at(x, first + number - 1) = in.at(std::max(lo, x - number), first - 1) + number;
    });
  }

  /// Makes versions 1 to `last` in time tiles, or on the host where that does not work. Returns the last one.
  std::vector<int> run(Frame& frame, int width, int last, std::int64_t depth, bool is_checked = false) {
    const Matrix2 all = allocate_versions<Matrix2>(2, width, last + 1);
    const Matrix2 start = at_version(all, 0);
    for (int x = 0; x < width; ++x) start.cell(x, 0) = 10 * x;
    VersionLaunches launches(true, depth, false, last + 1);
    for (std::int64_t version = 1; version <= last; ++version) {
      const bool is_made = launches.make(version, [&](std::int64_t first, std::int64_t number) {
        const Matrix2 from = at_version(all, first), to = at_version(all, first + number - 1);
        Launch launch(kTile, frame, fake.manager.get());
        launch.output(to, Box<2>{{0, first + number - 1}, {width, first + number}}, CopyOut::May);
        input_part(launch, from, Box<2>{{-1, first - 1}, {width, first}});
        launch.scalar(static_cast<std::int32_t>(first)).scalar(static_cast<std::int32_t>(number));
        const TileDim tile[] = {{{1, 0, 0}, 3}};
        const std::int64_t margins[] = {number}, group[] = {16}, items[] = {2};
        set_margins(launch, 1, margins);
        launch.tile(sizeof(int), 1, tile).range(Box<1>{{0}, {width}}).group(group, 1, items);
        const bool has_run = is_checked ? run_checked(launch, launches.check(), {{}, true}) : launch.run();
        if (!has_run) reasons.emplace_back(launch.reason());
        return has_run;
      });
      if (is_made) continue;
      ++on_host;
      const Matrix2 now = at_version(all, version);
      need_on_host(frame, now, Box<2>{{0, version - 1}, {width, version}});
      before_host_overwrite(frame, now, Box<2>{{0, version}, {width, version + 1}});
      const auto k = static_cast<int>(version);
      for (int x = 0; x < width; ++x) now.cell(x, k) = now.cell(std::max(0, x - 1), k - 1) + 1;
      wrote_on_host(frame, now, Box<2>{{0, version}, {width, version + 1}});
      launches.compare(version, frame);
    }
    const Matrix2 end = at_version(all, last);
    need_on_host(frame, end, Box<2>{{0, last}, {width, last + 1}});
    std::vector<int> out;
    for (int x = 0; x < width; ++x) out.push_back(end.cell(x, last));
    return out;
  }
  static std::vector<int> expected(int width, int last) {
    std::vector<int> out;
    for (int x = 0; x < width; ++x) out.push_back(10 * std::max(0, x - last) + last);
    return out;
  }

  FakeManager fake;
  std::size_t bytes = 0;
  KernelRange range;
  std::vector<std::string> reasons;
  int on_host = 0;
};

template <class F>
void on_workers(F&& body) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { body(frame); });
}

TEST(TimeTileLaunch, TakesTurnsBetweenTwoVersions) {
  for (const bool shares_memory : {false, true})
    for (const std::int64_t depth : {3, 5, 7})
      for (const int last : {1, 2, 6, 7, 8, 20}) {
        DeviceInfo info = fake_device_info();
        info.shares_host_memory = shares_memory;
        Versions versions(info);
        on_workers([&](Frame& frame) {
          EXPECT_EQ(versions.run(frame, 40, last, depth), Versions::expected(40, last)) << depth << " to " << last;
        });
        EXPECT_EQ(versions.on_host, last % depth);
        EXPECT_EQ(versions.fake.manager->statistics().launches, last / depth);
      }
}

TEST(TimeTileLaunch, HasGroupsThatOverlap) {
  Versions versions;
  on_workers([&](Frame& frame) { EXPECT_EQ(versions.run(frame, 100, 5, 5), Versions::expected(100, 5)); });
  // A group has 32 instances, of which 22 are its own.
  EXPECT_EQ(versions.range.group[0], 16U);
  EXPECT_EQ(versions.range.global[0], 5 * 16U);
  EXPECT_EQ(versions.bytes, sizeof(int) * (32 + 2));
  EXPECT_THAT(versions.fake.control->build_options(),
              ElementsAre(::testing::HasSubstr(" -DPB_GROUP0=16 -DPB_GROUP1=1 -DPB_GROUP2=1 -DPB_ITEMS0=2")));
}

TEST(VersionLaunches, DropWhatIsKnownOfALaunchThatWorkedInPart) {
  VersionLaunches launches(true, 3, true, 4);
  const auto works_in_part = [&](std::int64_t, std::int64_t number) {
    (void)launches.check().results();  // of a block
    return number == 1;
  };
  EXPECT_FALSE(launches.make(1, works_in_part)) << "the CPU makes the version, too, and both are compared";
  EXPECT_TRUE(launches.check().has_results());
  VersionLaunches steps(true, 3, false, 4);
  EXPECT_FALSE(steps.make(1, [&](std::int64_t, std::int64_t) {
    (void)steps.check().results();
    return false;
  }));
  EXPECT_FALSE(steps.check().has_results()) << "the block is of another version than the steps make";
}

TEST(TimeTileLaunch, NeedsLocalMemory) {
  DeviceInfo info = fake_device_info();
  info.local_bytes = 64;
  Versions versions(info);
  on_workers([&](Frame& frame) { EXPECT_EQ(versions.run(frame, 40, 9, 3), Versions::expected(40, 9)); });
  EXPECT_THAT(versions.reasons, ElementsAre("local memory")) << "it is tried once";
  EXPECT_EQ(versions.on_host, 9);
}

TEST(TimeTileLaunch, LeavesWhatFollowsAFailureToTheHost) {
  Versions versions;
  versions.fake.control->inject(FakeOperation::Launch, 0, FakeFault::Fail);
  on_workers([&](Frame& frame) { EXPECT_EQ(versions.run(frame, 40, 9, 3), Versions::expected(40, 9)); });
  EXPECT_EQ(versions.reasons.size(), 1U);
  EXPECT_EQ(versions.on_host, 9);
}

TEST(TimeTileLaunch, LosesVersionsWithItsDevice) {
  Versions versions;
  versions.fake.control->inject(FakeOperation::Launch, 1, FakeFault::FailLater);
  on_workers([&](Frame& frame) { EXPECT_THROW(static_cast<void>(versions.run(frame, 40, 9, 3)), DeviceLost); });
}

/// Runs versions of numbers that are 1 on the host, and of which a device makes three at a time, each with an error.
/// Returns the statistics.
DeviceStatistics run_with_errors(double error) {
  using Numbers = MatrixRegion<double, 2>;
  auto control = std::make_shared<FakeControl>();
  control->add_kernel("tile", [error](FakeCall& call) {
    const auto out = call.region<double>(2);
    (void)call.region<double>(2);
    const int first = call.scalar<int>(), number = call.scalar<int>();
    for (int x = 0; x < out.sizes[0]; ++x) out.at(x, first + number - 1) = 1 + number * error;
  });
  ManagerOptions options;
  options.verifies = true;
  options.warn = [](void*, const char*) {};
  Manager manager(std::make_unique<FakeDevice>(control, fake_device_info()), options);
  constexpr int kWidth = 8;
  constexpr std::int64_t kDepth = 3;
  on_workers([&](Frame& frame) {
    const auto all = allocate_versions<Numbers>(2, kWidth, kDepth + 1);
    for (int x = 0; x < kWidth; ++x) at_version(all, 0).cell(x, 0) = 1;
    VersionLaunches launches(true, kDepth, false, kDepth + 1);
    for (std::int64_t version = 1; version <= kDepth; ++version) {
      const bool is_made = launches.make(version, [&](std::int64_t first, std::int64_t number) {
        Launch launch(kTile, frame, &manager);
        launch.output(at_version(all, first + number - 1), Box<2>{{0, first + number - 1}, {kWidth, first + number}},
                      CopyOut::May);
        input_part(launch, at_version(all, first), Box<2>{{0, first - 1}, {kWidth, first}});
        launch.scalar(static_cast<std::int32_t>(first)).scalar(static_cast<std::int32_t>(number));
        const TileDim tile[] = {{{1, 0, 0}, 1}};
        const std::int64_t margins[] = {0}, group[] = {8}, items[] = {1};
        set_margins(launch, 1, margins);
        launch.tile(sizeof(double), 1, tile).range(Box<1>{{0}, {kWidth}}).group(group, 1, items);
        return run_checked(launch, launches.check(), {{}, false});
      });
      if (is_made) continue;
      const Numbers now = at_version(all, version);
      const auto k = static_cast<int>(version);
      before_host_overwrite(frame, now, Box<2>{{0, version}, {kWidth, version + 1}});
      for (int x = 0; x < kWidth; ++x) now.cell(x, k) = 1;
      wrote_on_host(frame, now, Box<2>{{0, version}, {kWidth, version + 1}});
      launches.compare(version, frame);
    }
  });
  return manager.statistics();
}

TEST(TimeTileLaunch, MayErrByTheToleranceForEachVersion) {
  constexpr double kTolerance = 1e-9;  // of doubles
  EXPECT_EQ(run_with_errors(0.9 * kTolerance).launches_verified, 1);
  EXPECT_EQ(run_with_errors(0.9 * kTolerance).launches_differing, 0);
  EXPECT_EQ(run_with_errors(1.1 * kTolerance).launches_differing, 1);
}

constexpr KernelDesc kPart = {.name = "part", .source = "", .num_regions = 2, .num_scalars = 2};

/// The row of Versions on two devices, which make blocks of it.
class VersionsInBlocks : public ::testing::Test {
 protected:
  static constexpr int kWidth = 40;

  VersionsInBlocks() {
    for (FakeManager* each : {&one, &two})
      each->control->add_kernel("part", [](FakeCall& call) {
        const auto out = call.region<int>(2), in = call.region<int>(2);
        const int first = call.scalar<int>(), number = call.scalar<int>();
        const int lo = call.scalar<int>(), extent = call.scalar<int>();
        for (int x = lo; x < lo + extent; ++x)
          out.at(x, first + number - 1) = in.at(std::max(0, x - number), first - 1) + number;
      });
  }

  /// Lets the first blocks of the first launches run nowhere, while the second ones run on the second device.
  void refuse_first_blocks(std::int64_t num_launches) {
    for (std::int64_t i = 0; i < num_launches; ++i) {
      one.control->inject(FakeOperation::Launch, i, FakeFault::Refuse);
      two.control->inject(FakeOperation::Launch, 2 * i + 1, FakeFault::Refuse);
    }
  }

  /// Makes the versions; notes the launches that are asked for, and whether they worked.
  std::vector<int> make(Frame& frame, int last, std::int64_t depth) {
    const Matrix2 all = allocate_versions<Matrix2>(2, kWidth, last + 1);
    for (int x = 0; x < kWidth; ++x) at_version(all, 0).cell(x, 0) = 10 * x;
    VersionLaunches launches(true, depth, true, last + 1);
    for (std::int64_t version = 1; version <= last; ++version) {
      EXPECT_TRUE(launches.make(version, [&](std::int64_t first, std::int64_t number) {
        const auto on_device = [&](Frame& task, std::int64_t at, std::int64_t count, Piece& piece) {
          return run_part(task, all, {at, at + count}, {first, number}, piece);
        };
        calls.emplace_back(first, number);
        const bool has_run =
            run_in_blocks(frame, &devices, BlockExtent::repeatable(kWidth), on_device) == std::int64_t{kWidth};
        num_failed += has_run ? 0 : 1;
        return has_run;
      }));
    }
    need_on_host(frame, at_version(all, last), Box<2>{{0, last}, {kWidth, last + 1}});
    std::vector<int> out;
    for (int x = 0; x < kWidth; ++x) out.push_back(at_version(all, last).cell(x, last));
    return out;
  }

  FakeManager one, two;
  ManagerSet devices{std::vector<Manager*>{one.manager.get(), two.manager.get()}};
  Calls calls;
  int num_failed = 0;

 private:
  /// `cells` from one to another; `versions`: the first one, and how many.
  bool run_part(Frame& task, const Matrix2& all, std::pair<std::int64_t, std::int64_t> cells,
                std::pair<std::int64_t, std::int64_t> versions, const Piece& piece) {
    const auto [lo, hi] = cells;
    const auto [first, number] = versions;
    const std::int64_t last = first + number - 1;
    Launch launch(kPart, task, &devices);
    if (piece.device != nullptr) use_device(launch, *piece.device);
    launch.output(at_version(all, last), Box<2>{{lo, last}, {hi, last + 1}}, CopyOut::May);
    input_part(launch, at_version(all, first), Box<2>{{lo - number, first - 1}, {hi, first}});
    launch.scalar(static_cast<std::int32_t>(first)).scalar(static_cast<std::int32_t>(number));
    launch.range(Box<1>{{lo}, {hi}});
    return launch.run();
  }
};

TEST_F(VersionsInBlocks, HaveLessDepthWhereABlockRunsNowhere) {
  refuse_first_blocks(1);
  on_workers([&](Frame& frame) { EXPECT_EQ(make(frame, 9, 5), Versions::expected(kWidth, 9)); });
  EXPECT_THAT(calls, ElementsAre(std::pair(1, 5), std::pair(1, 3), std::pair(4, 3), std::pair(7, 3)));
  EXPECT_EQ(num_failed, 1);
}

TEST_F(VersionsInBlocks, AreMadeOneByOneWhereBlocksOfAllDepthsRunNowhere) {
  refuse_first_blocks(2);
  on_workers([&](Frame& frame) { EXPECT_EQ(make(frame, 6, 5), Versions::expected(kWidth, 6)); });
  EXPECT_EQ(num_failed, 2);
  EXPECT_EQ(calls.size(), 8U) << "with depths 5 and 3, then six versions";
}

TEST(TimeTileLaunch, IsComparedAtItsLastVersion) {
  Versions versions;
  ManagerOptions options;
  options.verifies = true;
  versions.fake.manager =
      std::make_unique<Manager>(std::make_unique<FakeDevice>(versions.fake.control, fake_device_info()), options);
  on_workers([&](Frame& frame) { EXPECT_EQ(versions.run(frame, 40, 10, 3, true), Versions::expected(40, 10)); });
  EXPECT_EQ(versions.on_host, 10) << "the host makes all versions as well";
  EXPECT_EQ(versions.fake.manager->statistics().launches_verified, 3);
  EXPECT_EQ(versions.fake.manager->statistics().launches_differing, 0);
}

}  // namespace
}  // namespace pbrt::gpu
