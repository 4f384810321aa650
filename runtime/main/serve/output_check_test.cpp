// SPDX-License-Identifier: MIT
// When the outputs of a run are right.
#include "runtime/main/serve/output_check.h"

#include <gtest/gtest.h>

#include "runtime/main/testing/copy_program.h"

namespace pbrt {
namespace {

using protocol::Reply;
using protocol::Status;

/// The check of a problem with eight outputs, and a reference that equals them.
struct World {
  explicit World(double target = 0) : program(target) {
    problem =
        program.engine().generate(program.transform(), {.n = 8, .named = {}}, 1, program.engine().default_config());
    reference.push_back(problem.outputs[0].clone());
  }
  [[nodiscard]] Reply reply() {
    Reply out;
    check.check(problem, -1, out);
    return out;
  }
  void spoil(double by) const { problem.outputs[0].as<double, 1>().cell(3) += by; }

  test::CopyProgram program;
  Problem problem;
  std::vector<AnyMatrix> reference;
  OutputCheck check{program.engine(), program.transform()};
};

TEST(OutputCheck, TheLargestErrorOfAllRunsIsKept) {
  World world;
  world.check.set_reference(world.reference);
  Reply reply;
  for (const double by : {0.5, -0.25}) {
    world.spoil(by);
    world.check.check(world.problem, 10, reply);
  }
  EXPECT_EQ(reply.status, Status::Ok) << "the tolerance is large";
  EXPECT_DOUBLE_EQ(reply.max_error_abs, 0.5);
}

TEST(OutputCheck, OutputsMayAgreeWithFoldsInEitherOrder) {
  World world;
  std::vector<AnyMatrix> others{world.reference[0].clone()};
  others[0].as<double, 1>().cell(3) += 2e9;
  world.check.set_reference(world.reference, others);
  EXPECT_EQ(world.reply().status, Status::Ok);
  world.spoil(1e9);
  EXPECT_EQ(world.reply().status, Status::Wrong) << "it lies between the two";
  world.spoil(1e9);
  EXPECT_EQ(world.reply().status, Status::Ok);
  EXPECT_EQ(world.reply().max_error_abs, 0);
  world.check.set_reference(world.reference);
  EXPECT_EQ(world.reply().status, Status::Wrong) << "a new reference stands for itself";
}

TEST(OutputCheck, SumsInWiderNumbersStandInForTheReference) {
  World world;
  const std::vector<AnyMatrix> far{world.reference[0].clone()};
  for (int i = 0; i < 8; ++i) far[0].as<double, 1>().cell(i) += 1e9;
  CheckedCells sums{{{0, 3, world.reference[0].number_at(3), 1e-3, {}}}, {true}};
  world.check.set_reference(far, {}, sums);
  EXPECT_EQ(world.reply().status, Status::Ok);
  Reply reply;
  world.check.check(world.problem, 1e-9, reply);
  EXPECT_EQ(reply.status, Status::Wrong) << "a tolerance that is asked for counts";
  sums.is_whole = {false};
  world.check.set_reference(far, {}, sums);
  EXPECT_EQ(world.reply().status, Status::Wrong) << "other cells are held to the reference";
  world.check.set_reference(world.reference, {}, sums);
  EXPECT_EQ(world.reply().status, Status::Ok);
  world.spoil(2e-3);
  EXPECT_EQ(world.reply().status, Status::Wrong);
}

TEST(OutputCheck, WithoutOutputsToCompareWithAllAreTaken) {
  World world;
  world.check.set_reference({});
  EXPECT_TRUE(world.check.has_reference());
  world.spoil(0.5);
  EXPECT_EQ(world.reply().status, Status::Ok);
  world.check.forget_reference();
  EXPECT_FALSE(world.check.has_reference());
}

TEST(OutputCheck, ATargetIsReachedOrMissed) {
  World low(0.5), high(2);
  EXPECT_TRUE(low.check.is_by_accuracy());
  EXPECT_EQ(low.reply().status, Status::Ok) << "without a metric every result has accuracy 1";
  const Reply missed = high.reply();
  EXPECT_EQ(missed.status, Status::AccuracyMissed);
  EXPECT_TRUE(missed.has_accuracy);
  EXPECT_DOUBLE_EQ(missed.accuracy, 1);
}

}  // namespace
}  // namespace pbrt
