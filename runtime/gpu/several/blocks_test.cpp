// SPDX-License-Identifier: MIT
// Steps that two fake devices run in blocks, and the choice of a device for a launch.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/share.h"
#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

/// out(x, y) = in(x, y - 1) + in(x, y + 1).
constexpr KernelDesc kNeighbours = {.name = "neighbours", .source = "", .num_regions = 2, .num_scalars = 0};

constexpr int kWidth = 8, kHeight = 18;
constexpr std::int64_t kRowBytes = kWidth * sizeof(int);

class Blocks : public ::testing::Test {
 protected:
  Blocks() {
    for (FakeManager* each : {&one, &two})
      each->control->add_kernel("neighbours", [this, each](FakeCall& call) {
        const auto in = call.region<int>(2), out = call.region<int>(2);
        const int lo0 = call.scalar<int>(), lo1 = call.scalar<int>(), extent0 = call.scalar<int>(),
                  extent1 = call.scalar<int>();
        for (int y = lo1; y < lo1 + extent1; ++y)
          for (int x = lo0; x < lo0 + extent0; ++x) out.at(x, y) = in.at(x, y - 1) + in.at(x, y + 1);
        ran(*each, {lo1, extent1});
      });
  }

  /// Runs the kernel on all rows but the first and the last; returns how many the devices did.
  std::int64_t step(Frame& frame, const Matrix2& out, const Matrix2& in) {
    return run_in_blocks(frame, &devices, extent,
                         [&](Frame& task, std::int64_t first, std::int64_t count, Piece& piece) {
                           Launch launch(kNeighbours, task, &devices);
                           if (piece.device != nullptr) use_device(launch, *piece.device);
                           const auto lo = static_cast<int>(first) + 1, hi = lo + static_cast<int>(count);
                           launch.input(in, in.region(0, lo - 1, kWidth, hi + 1))
                               .output(out, out.region(0, lo, kWidth, hi), CopyOut::May)
                               .range(Box<2>{{0, lo}, {kWidth, hi}});
                           const bool has_run = launch.run();
                           if (!has_run && piece.may_be_smaller) piece.is_too_large = lacks_memory(launch);
                           if (!has_run && !piece.has_others && !piece.is_too_large) ++num_fallbacks;
                           if (has_run && piece.is_first) ++num_counted;
                           return has_run;
                         });
  }
  static Matrix2 rows() {
    Matrix2 m = filled(kWidth, kHeight, 0);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) m.cell(x, y) = 100 * y + x;
    return m;
  }
  /// What steps make of two matrices whose first and last rows stay.
  static std::vector<int> expected(int num_steps) {
    std::vector<int> now(kHeight), next(kHeight);
    for (int y = 0; y < kHeight; ++y) now[static_cast<std::size_t>(y)] = next[static_cast<std::size_t>(y)] = 100 * y;
    for (int i = 0; i < num_steps; ++i, std::swap(now, next))
      for (std::size_t y = 1; y + 1 < kHeight; ++y) next[y] = now[y - 1] + now[y + 1];
    return now;
  }
  static void expect_column(const Matrix2& m, const std::vector<int>& want) {
    for (int y = 0; y < kHeight; ++y) EXPECT_EQ(m.cell(0, y), want[static_cast<std::size_t>(y)]) << "row " << y;
  }

  /// Runs one step, which the devices do as a whole.
  void expect_a_step(Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_EQ(step(frame, out, in), kHeight - 2);
    need_on_host(frame, out);
    expect_column(out, expected(1));
  }

  using Rows = std::pair<int, int>;  // first, count

  void ran(const FakeManager& device, const Rows& rows) {
    {
      const std::lock_guard lock(mutex);
      (&device == &one ? rows_of_one : rows_of_two).push_back(rows);
    }
    if (&device == &one && rows == held_until_two_runs_edges.first) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      const auto num_of_two = [&] {
        const std::lock_guard lock(mutex);
        return rows_of_two.size();
      };
      while (num_of_two() < held_until_two_runs_edges.second && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      has_waited_in_vain = num_of_two() < held_until_two_runs_edges.second;
      held_until_two_runs_edges.first = {};
    }
  }

  BlockExtent extent{kHeight - 2};
  std::mutex mutex;
  std::vector<Rows> rows_of_one, rows_of_two;  // that kernels have made, under mutex
  /// A kernel of the first device with these rows waits, once, until so many kernels have run on the second one.
  std::pair<Rows, std::size_t> held_until_two_runs_edges;
  bool has_waited_in_vain = false;
  FakeManager one, two;
  ManagerSet devices{std::vector<Manager*>{one.manager.get(), two.manager.get()}};
  int num_fallbacks = 0;
  int num_counted = 0;
};

TEST_F(Blocks, StayOnTheirDeviceAndOnlyHalosMove) {
  constexpr int kSteps = 5;
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    Matrix2 now = rows(), next = rows();
    for (int i = 0; i < kSteps; ++i, std::swap(now, next)) EXPECT_EQ(step(frame, next, now), kHeight - 2);
    for (const FakeManager* each : {&one, &two}) {
      const DeviceStatistics counted = each->manager->statistics();
      EXPECT_EQ(counted.launches, kSteps);
      // Eight rows with one on either side; in the second step the border of the other matrix, and each time what the
      // other device has made beside the block.
      EXPECT_EQ(counted.bytes_to_device, (10 + 2 + (kSteps - 2)) * kRowBytes);
      EXPECT_EQ(counted.bytes_to_host, (kSteps - 1) * kRowBytes) << "what the other device reads";
    }
    need_on_host(frame, now);
    expect_column(now, expected(kSteps));
    EXPECT_EQ(one.manager->statistics().bytes_to_host, (kSteps - 1 + 8) * kRowBytes);
    EXPECT_EQ(num_counted, kSteps) << "a step counts once";
  });
}

TEST_F(Blocks, HaveThePartsThatWeightsSay) {
  const struct {
    std::vector<std::int64_t> weights;
    std::vector<Rows> of_one, of_two;
  } cases[] = {{{3, 1}, {{1, 12}}, {{13, 4}}}, {{1, 3}, {{1, 4}}, {{5, 12}}},
               {{5, 8}, {{1, 6}}, {{7, 10}}},  {{0, 8}, {}, {{1, 16}}},
               {{8, 0}, {{1, 16}}, {}},        {{0, 0}, {{1, 8}}, {{9, 8}}},
               {{2}, {{1, 8}}, {{9, 8}}},      {{1, 8, 0, 8}, {{1, 1}}, {{2, 15}}},
               {{}, {{1, 8}}, {{9, 8}}}};
  const ManagerSet alike = devices;
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    for (const auto& [weights, of_one, of_two] : cases) {
      devices = alike.with_weights(weights);
      rows_of_one.clear();
      rows_of_two.clear();
      expect_a_step(frame);
      EXPECT_EQ(rows_of_one, of_one) << ::testing::PrintToString(weights);
      EXPECT_EQ(rows_of_two, of_two) << ::testing::PrintToString(weights);
      EXPECT_EQ(are_several(&devices), !of_one.empty() && !of_two.empty()) << ::testing::PrintToString(weights);
    }
  });
}

TEST_F(Blocks, OfWeightsHaveEdgesWhereOthersAre) {
  extent = {kHeight - 2, std::int64_t{1} << 28, 2};
  devices = devices.with_weights({3, 1});
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { expect_a_step(frame); });
  EXPECT_EQ(rows_of_one, (std::vector<Rows>{{11, 2}, {1, 10}}));
  EXPECT_EQ(rows_of_two, (std::vector<Rows>{{13, 4}})) << "too few instances";
  rows_of_one.clear();
  devices = devices.with_weights({1, 0});
  scheduler.run([&](Frame& frame) { expect_a_step(frame); });
  EXPECT_EQ(rows_of_one, (std::vector<Rows>{{1, 16}})) << "nobody is beside it";
}

TEST_F(Blocks, WeightsAreThoseOfTheDevicesThatAreLeft) {
  devices = devices.with_weights({1, 3});
  EXPECT_EQ(devices.alive().weights(), (std::vector<std::int64_t>{1, 3}));
  const ManagerSet none;
  EXPECT_TRUE(none.with_weights({1, 3}).is_empty());
  EXPECT_FALSE(are_several(nullptr));
  EXPECT_FALSE(are_several(&none));
}

TEST_F(Blocks, OfManyInstancesRunTheirEdgesFirst) {
  extent = {kHeight - 2, std::int64_t{1} << 28, 2};
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { expect_a_step(frame); });
  // Rows 1 to 8 and 9 to 16.
  EXPECT_EQ(rows_of_one, (std::vector<Rows>{{7, 2}, {1, 6}}));
  EXPECT_EQ(rows_of_two, (std::vector<Rows>{{9, 2}, {11, 6}}));
  EXPECT_EQ(num_counted, 1);
}

TEST_F(Blocks, ThatAreShortOrReadNoNeighboursHaveNoEdges) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    for (const BlockExtent& each : {BlockExtent(kHeight - 2, 1 << 28, 0), BlockExtent(kHeight - 2, 1000, 1),
                                    BlockExtent(kHeight - 2, 1 << 28, 4)}) {
      extent = each;
      const Matrix2 in = rows(), out = rows();
      EXPECT_EQ(step(frame, out, in), kHeight - 2);
      need_on_host(frame, out);
    }
  });
  EXPECT_EQ(rows_of_one, (std::vector<Rows>{{1, 8}, {1, 8}, {1, 8}}));
}

// The second device makes the edge of its second step, for which it needs that of the first device's first step, while
// the first device still makes the inside of that.
TEST_F(Blocks, EdgesReachTheOtherDeviceWhileTheInsideRuns) {
  extent = {kHeight - 2, std::int64_t{1} << 28, 1};
  held_until_two_runs_edges = {{1, 7}, 3};
  // A row is a short copy, and the matrix is worth copies beside the queue.
  for (FakeManager* each : {&one, &two}) each->control->set_min_bytes_beside(kRowBytes + 1);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    Matrix2 now = rows(), next = rows();
    for (int i = 0; i < 4; ++i, std::swap(now, next)) EXPECT_EQ(step(frame, next, now), kHeight - 2);
    need_on_host(frame, now);
    expect_column(now, expected(4));
  });
  EXPECT_FALSE(has_waited_in_vain);
}

TEST_F(Blocks, WhoseInsideDoesNotRunGoOnElsewhere) {
  extent = {kHeight - 2, std::int64_t{1} << 28, 1};
  one.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { expect_a_step(frame); });
  EXPECT_EQ(rows_of_one, (std::vector<Rows>{{8, 1}}));
  EXPECT_EQ(rows_of_two, (std::vector<Rows>{{9, 1}, {10, 7}, {1, 7}}));
  EXPECT_EQ(num_counted, 1);
}

TEST_F(Blocks, WhoseInsideRunsNowhereMayNotRunAgain) {
  extent = {kHeight - 2, std::int64_t{1} << 28, 1};
  for (FakeManager* each : {&one, &two}) each->control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  two.control->inject(FakeOperation::Launch, 2, FakeFault::Refuse);
  one.control->inject(FakeOperation::Launch, 2, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_THROW((void)step(frame, out, in), DeviceLost);
  });
}

TEST_F(Blocks, RunAtTheSameTime) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    one.control->hold();
    two.control->hold();
    EXPECT_EQ(step(frame, out, in), kHeight - 2);
    EXPECT_GT(one.control->num_pending(), 0);
    EXPECT_GT(two.control->num_pending(), 0);
    one.control->release();
    two.control->release();
    need_on_host(frame, out);
    expect_column(out, expected(1));
  });
}

TEST_F(Blocks, ThatOneDeviceRejectsRunOnTheOther) {
  one.control->inject(FakeOperation::Build, 0, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    expect_a_step(frame);
    EXPECT_EQ(num_fallbacks, 0);
    EXPECT_EQ(num_counted, 1);
    EXPECT_EQ(two.manager->statistics().launches, 2);
  });
}

TEST_F(Blocks, ThatNoDeviceRunsAreLeftToTheCpu) {
  one.control->inject(FakeOperation::Build, 0, FakeFault::Refuse);
  two.control->inject(FakeOperation::Build, 0, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_EQ(step(frame, out, in), 0);
    EXPECT_EQ(num_fallbacks, 2);
  });
}

TEST_F(Blocks, BehindOneThatDidNotRunMayNotRunAgain) {
  one.control->inject(FakeOperation::Build, 0, FakeFault::Refuse);
  two.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_THROW((void)step(frame, out, in), DeviceLost);
  });
}

TEST_F(Blocks, BehindOneThatDidNotRunMayRunAgainWhereTheyReadNothingOfWhatTheyWrite) {
  extent = BlockExtent::repeatable(kHeight - 2);
  one.control->inject(FakeOperation::Launch, 0, FakeFault::Refuse);
  two.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_EQ(step(frame, out, in), 0) << "the first block ran nowhere";
    EXPECT_EQ(step(frame, out, in), kHeight - 2);
    need_on_host(frame, out);
    EXPECT_EQ(rows_of_two, (std::vector<Rows>{{9, 8}, {9, 8}})) << "the second block runs in both";
    expect_column(out, expected(1));
  });
}

TEST_F(Blocks, WhoseEdgesRanMayRunAgainWhereTheyReadNothingOfWhatTheyWrite) {
  extent = BlockExtent::repeatable(kHeight - 2, std::int64_t{1} << 28, 2);
  two.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
  one.control->inject(FakeOperation::Launch, 2, FakeFault::Refuse);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_LT(step(frame, out, in), kHeight - 2) << "the inside of the second block ran nowhere";
    EXPECT_EQ(step(frame, out, in), kHeight - 2);
    need_on_host(frame, out);
    EXPECT_EQ(rows_of_two.front(), (Rows{9, 2})) << "the edge runs first";
    expect_column(out, expected(1));
  });
}

TEST_F(Blocks, OfADeviceThatHasFailedGoToTheOther) {
  one.control->inject(FakeOperation::Launch, 0, FakeFault::Fail);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    Matrix2 now = rows(), next = rows();
    for (int i = 0; i < 3; ++i, std::swap(now, next)) EXPECT_EQ(step(frame, next, now), kHeight - 2);
    need_on_host(frame, now);
    expect_column(now, expected(3));
    EXPECT_EQ(two.manager->statistics().launches, 2 + 1 + 1) << "the rest of the first step, then whole ones";
  });
}

/// Which device ran launches since the last call.
class Ran {
 public:
  Ran(const FakeManager& one, const FakeManager& two) : one_(one), two_(two) {}
  std::string next() {
    const std::int64_t a = one_.manager->statistics().launches, b = two_.manager->statistics().launches;
    std::string text =
        std::string(static_cast<std::size_t>(a - a_), '1') + std::string(static_cast<std::size_t>(b - b_), '2');
    a_ = a;
    b_ = b;
    return text;
  }

 private:
  const FakeManager &one_, &two_;
  std::int64_t a_ = 0, b_ = 0;
};

std::string add_step(Frame& frame, const ManagerSet& devices, const Matrix2& out, const Matrix2& in) {
  Launch launch(kAddStep, frame, &devices);
  launch.input(in).output(out, CopyOut::May).scalar(1).range(Box<2>{{0, 0}, {out.width(), out.height()}});
  return launch.run() ? "" : launch.reason();
}

TEST_F(Blocks, IndependentLaunchesSpread) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), a = rows(), b = rows(), c = rows(), d = rows();
    one.control->hold();
    two.control->hold();
    Ran ran(one, two);
    EXPECT_EQ(add_step(frame, devices, a, in), "");
    EXPECT_EQ(ran.next(), "1");
    EXPECT_EQ(add_step(frame, devices, b, in), "");
    EXPECT_EQ(ran.next(), "2") << "the first is busy";
    EXPECT_EQ(add_step(frame, devices, c, in), "");
    EXPECT_EQ(add_step(frame, devices, d, in), "");
    EXPECT_EQ(ran.next(), "12");
    one.control->release();
    two.control->release();
  });
}

TEST_F(Blocks, LaunchesOfTasksSpread) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const std::vector<Matrix2> ins = {rows(), rows(), rows(), rows()}, outs = {rows(), rows(), rows(), rows()};
    one.control->hold();
    two.control->hold();
    CallFrame all(frame);
    for (std::size_t i = 0; i < ins.size(); ++i)
      all.spawn([&, i](Frame& task) { EXPECT_EQ(add_step(task, devices, outs[i], ins[i]), ""); });
    all.sync();
    EXPECT_EQ(one.manager->statistics().launches, 2);
    EXPECT_EQ(two.manager->statistics().launches, 2);
    one.control->release();
    two.control->release();
  });
}

TEST_F(Blocks, AChainStaysWhereItsDataAre) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), a = rows(), b = rows();
    one.control->hold();  // what is in flight there is what the next one waits for
    EXPECT_EQ(add_step(frame, devices, a, in), "");
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(add_step(frame, devices, b, a), "");
      EXPECT_EQ(add_step(frame, devices, a, b), "");
    }
    EXPECT_EQ(two.manager->statistics().launches, 0);
    one.control->release();
    need_on_host(frame, a);
    EXPECT_EQ(a.cell(0, 3), 300 + 7);
    EXPECT_EQ(one.manager->statistics().bytes_to_device, kHeight * kRowBytes);
  });
}

TEST_F(Blocks, ALaunchGoesWhereItLacksLeast) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_TRUE(two.manager->prefetch(frame, in));
    two.manager->drain(frame);
    EXPECT_EQ(add_step(frame, devices, out, in), "");
    EXPECT_EQ(two.manager->statistics().launches, 1);
    EXPECT_EQ(one.manager->statistics().bytes_to_device, 0);
  });
}

TEST_F(Blocks, NoLaunchGoesToADeviceThatHasFailed) {
  one.control->inject(FakeOperation::Launch, 0, FakeFault::Fail);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = rows(), out = rows();
    EXPECT_NE(add_step(frame, devices, out, in), "");
    EXPECT_EQ(devices.alive().managers().size(), 1U);
    EXPECT_EQ(add_step(frame, devices, out, in), "");
    EXPECT_EQ(two.manager->statistics().launches, 1);
  });
}

}  // namespace
}  // namespace pbrt::gpu
