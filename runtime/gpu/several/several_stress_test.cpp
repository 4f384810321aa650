// SPDX-License-Identifier: MIT
// Random programs on several fake devices at once: matrices whose parts are on different devices, devices with memory
// of their own and devices that work on the host's, little memory, faults.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

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

}  // namespace
}  // namespace pbrt::gpu
