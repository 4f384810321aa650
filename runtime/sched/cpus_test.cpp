// SPDX-License-Identifier: MIT
#include "runtime/sched/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace pbrt {
namespace {

class Cpus : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) /
            (std::string("cpus_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& name, const std::string& text) {
    const auto path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  int within_quota(int num_in_mask) {
    return cpus_within_quota(num_in_mask, (root_ / "cgroup").c_str(), (root_ / "fs").c_str());
  }
  std::filesystem::path root_;
};

TEST_F(Cpus, AreThoseOfTheMaskWithoutAQuota) {
  EXPECT_EQ(within_quota(4), 4);
  write("cgroup", "0::/\n");
  write("fs/cpu.max", "max 100000\n");
  EXPECT_EQ(within_quota(4), 4);
}

TEST_F(Cpus, AreLimitedByTheSmallestQuotaOnTheWayUp) {
  write("cgroup", "0::/a/b\n");
  write("fs/a/cpu.max", "200000 100000\n");
  write("fs/a/b/cpu.max", "300000 100000\n");
  EXPECT_EQ(within_quota(8), 2);
  EXPECT_EQ(within_quota(1), 1);
}

TEST_F(Cpus, AreRoundedToTheNearestButAtLeastOne) {
  write("cgroup", "0::/\n");
  write("fs/cpu.max", "150000 100000\n");
  EXPECT_EQ(within_quota(8), 2);
  write("fs/cpu.max", "120000 100000\n");
  EXPECT_EQ(within_quota(8), 1);
  write("fs/cpu.max", "10000 100000\n");
  EXPECT_EQ(within_quota(8), 1);
}

TEST_F(Cpus, ReadTheFirstVersionOfControlGroups) {
  write("cgroup", "5:memory:/m\n3:cpu,cpuacct:/c\n");
  write("fs/cpu/c/cpu.cfs_quota_us", "300000\n");
  write("fs/cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(within_quota(8), 3);
  write("fs/cpu/c/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(within_quota(8), 8);
}

TEST_F(Cpus, FollowTheAffinityOfTheProcess) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(available_cpus(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(available_cpus(), 1);
}

}  // namespace
}  // namespace pbrt
