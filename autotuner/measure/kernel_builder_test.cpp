// SPDX-License-Identifier: MIT
// Kernels are built for what will be measured, by a child that changes no measurement.
#include "autotuner/measure/kernel_builder.h"

#include "autotuner/measure/measurement.h"
#include "autotuner/testing/tuner_fixture.h"

namespace pbtune {
namespace {

class KernelBuilderTest : public TunerTest {
 protected:
  KernelBuilderTest() {
    on_device.sites[testing::kSite2D].levels = {{0, 1}};
    also_on_device = on_device;
    also_on_device.tunables[pbrt::kTunableSequentialCutoff] = {1};
  }
  [[nodiscard]] std::string text(const Configuration& configuration) const {
    return pbrt::to_json(index, configuration, -1);
  }
  [[nodiscard]] KernelBuilder builder_with_inputs() const {
    KernelBuilder out({prog()}, ChildProcess::Priority::Usual);
    pbrt::protocol::Request inputs;
    inputs.op = pbrt::protocol::Op::Inputs;
    inputs.n = 64;
    out.begin(inputs);
    return out;
  }
  [[nodiscard]] std::vector<std::string> builds() const {
    std::vector<std::string> out;
    std::ifstream file(prog() + ".builds");
    for (std::string line; std::getline(file, line);) out.push_back(line);
    return out;
  }
  [[nodiscard]] std::string line_of(const Configuration& configuration) const {
    return "run 64 " + fingerprint(index, configuration);
  }

  Configuration on_cpu = pbrt::default_configuration(index), on_device = on_cpu, also_on_device;
};

TEST_F(KernelBuilderTest, BuildsInTheOrderInWhichTheyAreExpected) {
  KernelBuilder builder = builder_with_inputs();
  const std::vector<std::string> expected{text(on_device), text(also_on_device)};
  builder.expect(expected);
  wait_for([&] { return builder.tick(), builder.num_built() == 2; });
  builder.expect(expected);  // they are built
  EXPECT_EQ(builder.num_waiting(), 0U);
  EXPECT_EQ(builds(), (std::vector{line_of(on_device), line_of(also_on_device)}));
}

TEST_F(KernelBuilderTest, DoesNotBuildWhatIsMeasuredAlready) {
  KernelBuilder builder = builder_with_inputs();
  builder.note_measured(text(on_device));
  builder.expect(std::vector{text(on_device), text(also_on_device)});
  wait_for([&] { return builder.tick(), builder.num_built() == 1; });
  EXPECT_EQ(builds(), std::vector{line_of(also_on_device)});
}

TEST_F(KernelBuilderTest, GivesUpAfterAFewCrashes) {
  fake("builds=crash\n");
  KernelBuilder builder = builder_with_inputs();
  for (int i = 0; i < 5; ++i) {
    Configuration other = on_device;
    other.tunables[pbrt::kTunableSequentialCutoff] = {static_cast<double>(i)};
    builder.expect(std::vector{text(other)});
    wait_for([&] { return builder.tick(), std::ssize(builds()) > i || i >= 3; });
  }
  wait_for([&] { return builder.tick(), builder.num_waiting() == 0; });
  EXPECT_EQ(builds().size(), 3U);
  EXPECT_EQ(builder.num_waiting(), 0U);
}

TEST_F(KernelBuilderTest, AMeasurementBuildsOnlyWhatUsesTheDevice) {
  fake("delay_ms=300\n");
  MeasureOptions options;
  options.command = {prog()};
  options.build_priority = ChildProcess::Priority::Usual;
  Measurement measurement(index, options, [] {});
  PrepareSpec inputs;
  inputs.n = 64;
  ASSERT_EQ(measurement.prepare(inputs).status, PrepareStatus::Ready);
  measurement.expect(std::vector{on_cpu, on_device});
  for (int i = 0; i < 20 && builds().empty(); ++i)
    ASSERT_EQ(measurement.run(on_cpu, {1, 0, "a run"}).kind, OutcomeKind::Ok);
  EXPECT_EQ(builds(), std::vector{line_of(on_device)});
}

}  // namespace
}  // namespace pbtune
