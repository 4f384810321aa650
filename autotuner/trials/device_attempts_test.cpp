// SPDX-License-Identifier: MIT
// Tests of which runs on a device are kept, and which of them lost.
#include "autotuner/trials/device_attempts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "autotuner/testing/scripted_world.h"

namespace pbtune {
namespace {

using testing::kSite2D;
using testing::kSiteColumns;
using testing::kSiteRows;

struct DeviceAttemptsTest : ::testing::Test {
  /// A configuration with alternative 1, which runs on a device, at these sites.
  [[nodiscard]] Configuration on_device(const std::vector<int>& sites) const {
    Configuration out = world.space.default_configuration();
    for (const int site : sites) out.sites[static_cast<std::size_t>(site)] = Selector{{{0, 1}}};
    return out;
  }
  void note(const std::vector<int>& sites, double time_ns, OutcomeKind kind = OutcomeKind::Ok, std::int64_t n = 64) {
    Outcome outcome = testing::ScriptedWorld::ended(time_ns);
    outcome.kind = kind;
    for (const int site : {kSite2D, kSiteRows, kSiteColumns})
      outcome.ran.push_back({site, std::find(sites.begin(), sites.end(), site) != sites.end() ? 1 : 0});
    attempts.note(n, on_device(sites), outcome);
  }
  testing::ScriptedWorld world;
  DeviceAttempts attempts{world.index};
  const std::vector<RanChoice> on_cpu{{kSite2D, 0}, {kSiteRows, 0}, {kSiteColumns, 0}};
};

TEST_F(DeviceAttemptsTest, TheFastestRunOfEachSiteCountsAndSitesOfOneRunStandTogether) {
  note({kSiteRows, kSiteColumns}, 5e6);
  note({kSiteRows, kSiteColumns, kSite2D}, 9e6);
  note({kSite2D}, 7e6);
  note({kSiteRows}, 6e6);
  const std::vector<DeviceAttempt> lost = attempts.lost(64, on_cpu);
  ASSERT_EQ(lost.size(), 2U);
  EXPECT_EQ(lost[0].sites, (std::vector<int>{kSiteRows, kSiteColumns}));
  EXPECT_EQ(lost[0].time_ns, 5e6);
  EXPECT_EQ(lost[0].configuration, on_device({kSiteRows, kSiteColumns}));
  EXPECT_EQ(lost[1].sites, (std::vector<int>{kSite2D}));
  EXPECT_EQ(lost[1].time_ns, 7e6);
}

TEST_F(DeviceAttemptsTest, ASiteThatTheResultHasOnADeviceDidNotLose) {
  note({kSiteRows, kSiteColumns}, 5e6);
  const std::vector<DeviceAttempt> lost = attempts.lost(64, {{kSite2D, 0}, {kSiteRows, 1}, {kSiteColumns, 0}});
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].sites, (std::vector<int>{kSiteColumns}));
  EXPECT_TRUE(attempts.lost(64, {{kSiteRows, 1}, {kSiteRows, 0}}).empty()) << "it shares its work";
}

TEST_F(DeviceAttemptsTest, RunsThatSayNothingDoNotCount) {
  note({kSiteRows}, 1e6, OutcomeKind::Wrong);
  note({kSiteRows}, 1e6, OutcomeKind::FellBack);
  note({kSiteRows}, 1e6, OutcomeKind::Ok, 32);
  EXPECT_TRUE(attempts.lost(64, on_cpu).empty());
  note({kSiteRows}, 8e6, OutcomeKind::TimedOut);
  ASSERT_EQ(attempts.lost(64, on_cpu).size(), 1U) << "a run that took too long has a time";
  EXPECT_TRUE(attempts.lost(64, {{kSite2D, 0}}).empty()) << "rows took no part in the result";
}

}  // namespace
}  // namespace pbtune
