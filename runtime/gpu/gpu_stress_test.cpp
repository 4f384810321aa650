// SPDX-License-Identifier: MIT
// Random programs on the fake device and several workers against a sequential oracle.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>

#include "runtime/gpu/testing/random_programs.h"

namespace pbrt::gpu {
namespace {

TEST(GpuStress, RandomProgramsAgreeWithTheOracle) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    FakeManager fake(fake_device_info(), 0, seed);
    fake.control->set_max_delay_us(seed % 2 == 0 ? 30 : 0);
    run_programs({&fake}, seed);
  }
}

TEST(GpuStress, RandomProgramsAgreeWithCopiesBesideKernels) {
  for (unsigned seed = 71; seed <= 74; ++seed) {
    FakeManager fake(fake_device_info(), seed > 72 ? 3 * kWidth * kHeight * sizeof(int) : 0, seed);
    fake.control->set_min_bytes_beside(seed % 2 == 0 ? 1 : kWidth * sizeof(int));
    fake.control->set_max_delay_us(seed % 2 == 0 ? 30 : 5);
    run_programs({&fake}, seed);
    EXPECT_GT(fake.manager->statistics().copies_beside, 100);
  }
}

TEST(GpuStress, RandomProgramsAgreeOnSharedMemory) {
  DeviceInfo info = fake_device_info();
  info.shares_host_memory = true;
  for (unsigned seed = 11; seed <= 14; ++seed) {
    FakeManager fake(info, 0, seed);
    fake.control->set_max_delay_us(seed % 2 == 0 ? 30 : 0);
    run_programs({&fake}, seed);
  }
}

TEST(GpuStress, RandomProgramsAgreeWithLittleMemory) {
  for (unsigned seed = 21; seed <= 24; ++seed) {
    FakeManager fake(fake_device_info(), 3 * kWidth * kHeight * sizeof(int), seed);
    fake.control->set_max_delay_us(seed % 2 == 0 ? 30 : 0);
    run_programs({&fake}, seed);
    EXPECT_GT(fake.manager->statistics().evictions, 0);
  }
}

TEST(GpuStress, RandomProgramsAgreeWhereTheDeviceMustBeAsked) {
  std::int64_t by_workers = 0;
  for (unsigned seed = 81; seed <= 88; ++seed) {
    const std::chrono::microseconds patience(seed % 3 == 0 ? 0 : seed % 3 == 1 ? 50 : 1000);
    FakeManager fake(fake_device_info(), 0, seed, patience, true);
    fake.control->set_max_delay_us(seed % 2 == 0 ? 30 : 0);
    run_programs({&fake}, seed);
    by_workers += fake.manager->statistics().launches_by_workers;
  }
  EXPECT_GT(by_workers, 0);
}

TEST(GpuStress, RandomFaultsLoseDataLoudlyOrNotAtAll) {
  for (unsigned seed = 31; seed <= 60; ++seed) {
    std::mt19937 rng(seed);
    DeviceInfo info = fake_device_info();
    info.shares_host_memory = rng() % 3 == 0;
    FakeManager fake(info, 0, seed);
    fake.control->set_max_delay_us(10);
    if (seed % 2 == 0) fake.control->set_min_bytes_beside(1);
    for (int i = 0; i < 3; ++i)
      fake.control->inject(static_cast<FakeOperation>(rng() % 5), static_cast<std::int64_t>(rng() % 60),
                           i == 0 ? static_cast<FakeFault>(rng() % 3) : FakeFault::Refuse);
    run_programs({&fake}, seed, true);
  }
}

}  // namespace
}  // namespace pbrt::gpu
