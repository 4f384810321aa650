// SPDX-License-Identifier: MIT
// How long a run is waited for.
#include "autotuner/measure/measurement.h"

#include "autotuner/testing/tuner_fixture.h"

namespace pbtune {
namespace {

using MeasurementTest = TunerTest;

TEST_F(MeasurementTest, ARunThatBuildsSeveralKernelsIsWaitedForLonger) {
  fake("delay_ms=1500\n");
  MeasureOptions options;
  options.command = {prog()};
  options.patience_s = options.last_patience_s = 2;
  options.grace_s = 0.1;
  Measurement measurement(index, options, [] {});
  PrepareSpec inputs;
  inputs.n = 64;
  ASSERT_EQ(measurement.prepare(inputs).status, PrepareStatus::Ready);
  Configuration one = pbrt::default_configuration(index), two = one;
  one.sites[testing::kSite2D].levels = {{0, 1}};
  two.sites[testing::kSiteRows].levels = two.sites[testing::kSiteColumns].levels = {{0, 1}};
  const RunSpec spec{1, 20, "a run"};
  EXPECT_EQ(measurement.run(one, spec).kind, OutcomeKind::TimedOut);
  EXPECT_EQ(measurement.run(two, spec).kind, OutcomeKind::Ok);
}

}  // namespace
}  // namespace pbtune
