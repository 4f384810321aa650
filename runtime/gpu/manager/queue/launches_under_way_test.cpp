// SPDX-License-Identifier: MIT
// Which launches are found to have ended.
#include "runtime/gpu/manager/queue/launches_under_way.h"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/gpu/manager/operation.h"

namespace pbrt::gpu {
namespace {

class LaunchesUnderWayTest : public ::testing::Test {
 protected:
  JobPtr job_with(CopyOrder order) {
    auto job = std::make_shared<LaunchJob>();
    job->operations.push_back(std::make_shared<Operation>(queue, clock, Operation::Label(), order));
    launches.keep(job);
    return job;
  }
  static void end(const JobPtr& job) { job->operations.front()->is_applied = true; }

  TaskQueue queue{{}};
  TraceClock clock{false};
  LaunchesUnderWay launches;
};

TEST_F(LaunchesUnderWayTest, EndInTheirOrder) {
  const JobPtr first = job_with(CopyOrder::InQueue), second = job_with(CopyOrder::InQueue);
  EXPECT_FALSE(launches.has_ended());
  end(first);
  EXPECT_EQ(launches.take_ended(), first);
  EXPECT_EQ(launches.take_ended(), nullptr);
  end(second);
  EXPECT_TRUE(launches.has_ended());
  EXPECT_EQ(launches.take_ended(), second);
}

TEST_F(LaunchesUnderWayTest, DoNotWaitForCopiesBesideOfOthers) {
  const JobPtr copying = job_with(CopyOrder::Beside), running = job_with(CopyOrder::InQueue);
  end(running);
  EXPECT_EQ(launches.take_ended(), running);
  EXPECT_EQ(launches.take_ended(), nullptr);
  end(copying);
  EXPECT_EQ(launches.take_ended(), copying);
}

TEST_F(LaunchesUnderWayTest, AreAwaitedIfResultsAreReadAtTheirEnd) {
  const auto job = std::make_shared<LaunchJob>();
  launches.keep(job);
  EXPECT_FALSE(launches.is_end_awaited());
  EXPECT_EQ(launches.take_ended(), job);
  job->has_late_reads = true;
  launches.keep(job);
  EXPECT_TRUE(launches.is_end_awaited());
  EXPECT_EQ(launches.take_ended(), job);
  EXPECT_FALSE(launches.is_end_awaited());
}

}  // namespace
}  // namespace pbrt::gpu
