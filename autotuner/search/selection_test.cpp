// SPDX-License-Identifier: MIT
#include "autotuner/search/selection.h"

#include <gtest/gtest.h>

#include "autotuner/testing/scripted_world.h"

namespace pbtune {
namespace {

class SelectionTest : public ::testing::Test {
 protected:
  SelectionTest() {
    EXPECT_EQ(trials.begin_size({1024}).status, PrepareStatus::Ready);
    schedule.begin_size(0, 0);
  }
  /// Whether a child that takes `child_ns` is kept beside a parent that takes 1 ms now, whatever it took before.
  bool keeps(double child_ns, double parent_before_ns = 1e6) {
    world.run = [=](const Configuration& configuration) {
      return testing::ScriptedWorld::ended(testing::ScriptedWorld::choice_of(configuration) == 1 ? child_ns : 1e6);
    };
    Candidate parent = testing::ScriptedWorld::timed(world.choosing(0), parent_before_ns);
    Candidate child;
    child.configuration = world.choosing(1);
    return selection.keeps(child, parent);
  }

  testing::ScriptedWorld world;
  Schedule schedule{world.options, false};
  Trials trials{world.space, world.evaluator(), world.events, world.population};
  Selection selection{world.options, schedule, world.population, trials};
};

TEST_F(SelectionTest, KeepsAChildThatIsFasterAlone) {
  EXPECT_TRUE(keeps(0.5e6));
  EXPECT_FALSE(keeps(1e6));
  EXPECT_FALSE(keeps(2e6));
}

TEST_F(SelectionTest, DoesNotTrustTheParentsOldTimes) { EXPECT_FALSE(keeps(1.2e6, 1.5e6)); }

TEST_F(SelectionTest, AFormerFastMomentOfTheParentDoesNotHideAFasterChild) { EXPECT_TRUE(keeps(0.8e6, 0.4e6)); }

TEST_F(SelectionTest, KeepsTheOneThatIsAccurateEnough) {
  world.run = [](const Configuration&) { return testing::ScriptedWorld::ended(3e6); };
  Candidate parent = testing::ScriptedWorld::timed(world.choosing(0), 1e6);
  parent.meets_accuracy = false;
  Candidate child;
  child.configuration = world.choosing(1);
  EXPECT_TRUE(selection.keeps(child, parent));
}

}  // namespace
}  // namespace pbtune
