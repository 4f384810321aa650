// SPDX-License-Identifier: MIT
// Random programs on several fake devices at once: matrices whose parts are on different devices, devices with memory
// of their own and devices that work on the host's, little memory, faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/share.h"
#include "runtime/gpu/testing/random_programs.h"

namespace pbrt::gpu {
namespace {

constexpr std::uint64_t kMatrixBytes = kWidth * kHeight * sizeof(int);

struct Kinds {
  bool share_host_memory = false;  ///< every second one
  std::uint64_t memory_limit_bytes = 0;
  std::uint64_t min_bytes_beside = UINT64_MAX;
};

class SeveralFakes {
 public:
  SeveralFakes(int num, unsigned seed, const Kinds& kinds) {
    for (int i = 0; i < num; ++i) {
      DeviceInfo info = fake_device_info();
      info.shares_host_memory = kinds.share_host_memory && i % 2 == 0;
      made_.push_back(std::make_unique<FakeManager>(info, info.shares_host_memory ? 0 : kinds.memory_limit_bytes,
                                                    seed + static_cast<unsigned>(i)));
      made_.back()->control->set_max_delay_us(seed % 2 == 0 ? 30 : 3);
      made_.back()->control->set_min_bytes_beside(kinds.min_bytes_beside);
      all.push_back(made_.back().get());
    }
  }

  FakeManagers all;

 private:
  std::vector<std::unique_ptr<FakeManager>> made_;
};

TEST(SeveralStress, RandomProgramsAgreeWithTheOracle) {
  for (unsigned seed = 101; seed <= 106; ++seed) {
    const SeveralFakes fakes(seed % 3 == 0 ? 3 : 2, seed, {});
    run_programs(fakes.all, seed);
  }
}

TEST(SeveralStress, RandomProgramsAgreeWithCopiesBesideKernels) {
  for (unsigned seed = 111; seed <= 114; ++seed) {
    const SeveralFakes fakes(2, seed, {.min_bytes_beside = seed % 2 == 0 ? 1 : kWidth * sizeof(int)});
    run_programs(fakes.all, seed);
  }
}

TEST(SeveralStress, RandomProgramsAgreeWhereSomeShareTheHostsMemory) {
  for (unsigned seed = 121; seed <= 126; ++seed) {
    const SeveralFakes fakes(seed % 2 == 0 ? 2 : 3, seed, {.share_host_memory = true, .min_bytes_beside = 64});
    run_programs(fakes.all, seed);
  }
}

TEST(SeveralStress, RandomProgramsAgreeWithLittleMemory) {
  for (unsigned seed = 131; seed <= 134; ++seed) {
    const SeveralFakes fakes(2, seed, {.memory_limit_bytes = 3 * kMatrixBytes, .min_bytes_beside = 256});
    run_programs(fakes.all, seed);
    EXPECT_GT(fakes.all[0]->manager->statistics().evictions, 0);
    EXPECT_GT(fakes.all[1]->manager->statistics().evictions, 0);
  }
}

TEST(SeveralStress, RandomFaultsLoseDataLoudlyOrNotAtAll) {
  for (unsigned seed = 141; seed <= 160; ++seed) {
    std::mt19937 rng(seed);
    const SeveralFakes fakes(2, seed, {.share_host_memory = rng() % 3 == 0, .min_bytes_beside = rng() % 2 * 64 + 1});
    for (int i = 0; i < 3; ++i)
      fakes.all[rng() % 2]->control->inject(static_cast<FakeOperation>(rng() % 5),
                                            static_cast<std::int64_t>(rng() % 60),
                                            i == 0 ? static_cast<FakeFault>(rng() % 3) : FakeFault::Refuse);
    run_programs(fakes.all, seed, true);
  }
}

/// out(x, y) = in(x, y) + step where the whole matrix is written, in blocks; or one launch on a device that is chosen.
void add_in_blocks(Frame& frame, const ManagerSet& devices, const Matrix2& out, const Matrix2& in, int step,
                   bool is_cut) {
  const auto launch_rows = [&](Frame& task, std::int64_t first, std::int64_t count, Piece& piece) {
    Launch launch(kAddStep, task, &devices);
    if (piece.device != nullptr) use_device(launch, *piece.device);
    const auto lo = static_cast<int>(first), hi = static_cast<int>(first + count);
    // A block also reads the rows beside it.
    launch.input(in, in.region(0, std::max(lo - 1, 0), kWidth, std::min(hi + 1, kHeight)))
        .output(out, out.region(0, lo, kWidth, hi), CopyOut::May)
        .scalar(step)
        .range(Box<2>{{0, lo}, {kWidth, hi}});
    return launch.run();
  };
  Piece whole;
  if (is_cut)
    EXPECT_EQ(run_in_blocks(frame, &devices, kHeight, launch_rows), kHeight);
  else
    EXPECT_TRUE(launch_rows(frame, 0, kHeight, whole));
}

/// Steps in blocks, whole ones and the host, on matrices of its own.
void run_blocks(Frame& frame, const ManagerSet& devices, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<Matrix2> matrices = {filled(kWidth, kHeight, 0), filled(kWidth, kHeight, 0), filled(kWidth, kHeight, 0)};
  std::vector<int> expected(matrices.size(), 0);
  for (int i = 0; i < 60; ++i) {
    const std::size_t src = rng() % matrices.size(), dst = (src + 1 + rng() % (matrices.size() - 1)) % matrices.size();
    const int step = static_cast<int>(rng() % 100);
    if (rng() % 5 == 0)
      run_on_host(frame, matrices[dst], matrices[src], step, rng() % 2 == 0);
    else
      add_in_blocks(frame, devices, matrices[dst], matrices[src], step, rng() % 3 != 0);
    expected[dst] = expected[src] + step;
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    need_on_host(frame, matrices[i]);
    EXPECT_TRUE(is_filled(matrices[i], expected[i])) << "seed " << seed << ", matrix " << i;
  }
}

TEST(SeveralStress, BlocksAndChosenDevicesAgreeWithTheOracle) {
  for (unsigned seed = 161; seed <= 166; ++seed) {
    const SeveralFakes fakes(seed % 2 == 0 ? 2 : 3, seed,
                             {.share_host_memory = seed % 3 == 0,
                              .memory_limit_bytes = seed % 3 == 1 ? 3 * kMatrixBytes : 0,
                              .min_bytes_beside = seed > 163 ? 1 : UINT64_MAX});
    std::vector<Manager*> managers;
    for (const FakeManager* each : fakes.all) managers.push_back(each->manager.get());
    const ManagerSet devices(std::move(managers));
    Scheduler scheduler(3);
    scheduler.run([&](Frame& frame) {
      for (unsigned i = 0; i < 4; ++i)
        frame.spawn([&devices, seed, i](Frame& task) { run_blocks(task, devices, seed * 100 + i); });
      frame.sync();
    });
    for (const FakeManager* each : fakes.all) EXPECT_GT(each->manager->statistics().launches, 0);
  }
}

}  // namespace
}  // namespace pbrt::gpu
