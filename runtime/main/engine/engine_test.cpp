// SPDX-License-Identifier: MIT
// Runs through the engine, with a device that fails on command.
#include "runtime/main/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "runtime/config/formats/info_json.h"
#include "runtime/config/machine.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/testing/fake_device.h"
#include "runtime/main/engine/verify.h"
#include "runtime/main/machine/devices.h"
#include "runtime/main/program/run_context.h"
#include "runtime/sched/frame.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

using ::testing::ElementsAre;

TEST(Memory, IsKnownAndWhatDoesNotFitIsSaid) {
  EXPECT_GT(memory_bytes(), 1e8);
  TransformDesc transform{};
  transform.name = "Blur";
  check_memory(transform, 2e9, 2e9);
  try {
    check_memory(transform, 34.4e9, 23.4e9);
    FAIL() << "it does not fit";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "the inputs and outputs of Blur take 34.4 GB; there are 23.4 GB of memory");
  }
}

// ---- A program: Add, from A[n] to B[n], adds A to what B holds ----

constexpr gpu::KernelDesc kAddKernel{.name = "add", .source = "add", .num_regions = 2};

void run_add(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  RunContext& ctx = frame.context();
  const auto b = outputs[0].as<double, 1>();
  const auto a = inputs[0].as<double, 1>();
  const std::int32_t lo = 0;
  const std::int32_t extent = b.size(0);
  CallFrame call(frame, extent);
  int choice = ctx.select(0, extent);
  if (call.is_sequential()) choice = ctx.below_cutoff(call, 0, choice, 0, extent);
  if (choice == 1) {
    gpu::Launch launch(kAddKernel, frame, ctx.gpu());
    launch.inout(b, gpu::CopyOut::May).input(a).range(1, &lo, &extent);
    if (launch.run()) return ctx.count(frame, 0, 1);
    ctx.fallback(0, 1, launch.reason());
  }
  need_on_host(frame, b);
  before_host_write(frame, b);
  for (int i = 0; i < extent; ++i) b.cell(i) += a.cell(i);
  wrote_on_host(frame, b);
  ctx.count(frame, 0, 0);
}

// ---- Halves, from A[n] to B[n], copies A, one half after the other ----

constexpr gpu::KernelDesc kCopyKernel{.name = "copy", .source = "copy", .num_regions = 2};

void run_half(Frame& frame, const MatrixRegion<double, 1>& b, const MatrixRegion<double, 1>& a) {
  RunContext& ctx = frame.context();
  const std::int32_t lo = 0, extent = b.size(0);
  if (ctx.select(0, extent) == 1) {
    gpu::Launch launch(kCopyKernel, frame, ctx.gpu());
    launch.output(b, gpu::CopyOut::May).input(a).range(1, &lo, &extent);
    if (launch.run()) return ctx.count(frame, 0, 1);
    ctx.fallback(0, 1, launch.reason());
  }
  before_host_overwrite(frame, b);
  for (int i = 0; i < extent; ++i) b.cell(i) = a.cell(i);
  wrote_on_host(frame, b);
  ctx.count(frame, 0, 0);
}

void run_halves(Frame& frame, const AnyMatrix* outputs, const AnyMatrix* inputs) {
  const auto b = outputs[0].as<double, 1>();
  const auto a = inputs[0].as<double, 1>();
  const int half = b.size(0) / 2;
  run_half(frame, b.region(0, half), a.region(0, half));
  need_on_host(frame, b);  // more than what is there, as steps without loops do
  run_half(frame, b.region(half, b.size(0)), a.region(half, b.size(0)));
}

void copy_region(gpu::FakeCall& call) {
  const auto b = call.region<double>(1);
  const auto a = call.region<double>(1);
  for (int i = 0; i < b.sizes[0]; ++i) b.at(i) = a.at(i);
}

const char* const kFormulas[] = {"n"};
const char* const kSizes[] = {"n"};
const MatrixDesc kInputs[] = {{"A", ElementKind::Double, 1, kFormulas, true}};
const MatrixDesc kOutputs[] = {{"B", ElementKind::Double, 1, kFormulas, true}};
const TransformDesc kTransforms[] = {
    {"Add", kInputs, 1, kOutputs, 1, kSizes, 1, nullptr, 0,
     [](const RunContext&, const IndexT* const* sizes, std::int64_t* values, bool* is_known) {
       values[0] = sizes[0][0];
       is_known[0] = true;
     },
     [](const RunContext&, const std::int64_t* values, std::int64_t* out) { out[0] = out[1] = values[0]; }, run_add,
     -1}};

const MatrixDesc kMadeOutputs[] = {{"B", ElementKind::Double, 1, kFormulas, false}};
const TransformDesc kHalves = {"Halves", kInputs, 1,       kMadeOutputs, 1,          kSizes, 1,
                               nullptr,  0,       nullptr, nullptr,      run_halves, -1};

std::string info_json() {
  TrainingInfo info;
  info.program = "add";
  info.main = "Add";
  info.global = standard_globals();
  TransformInfo transform;
  transform.name = transform.template_name = "Add";
  transform.sites.push_back({"B#1", {{"B#1", {Version::Cpu, Version::OpenCl}, 1, ""}}});
  info.transforms.push_back(transform);
  return to_json(info);
}

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : program_{"add", json_.c_str(), kTransforms, 1, 0}, engine_(program_) {
    Configuration on_device = default_configuration(engine_.index());
    on_device.sites[0].levels[0].alternative = 1;
    config_ = ActiveConfig(engine_.index(), on_device);
    control_->add_kernel("add", [](gpu::FakeCall& call) {
      const auto b = call.region<double>(1);
      const auto a = call.region<double>(1);
      for (int i = 0; i < b.sizes[0]; ++i) b.at(i) += a.at(i);
    });
    problem_ = engine_.generate(kTransforms[0], {.n = 100, .named = {}}, 3, engine_.default_config());
    snapshot_ = Engine::take_snapshot(problem_);
  }
  gpu::Manager& start_device() {
    manager_ = std::make_unique<gpu::Manager>(std::make_unique<gpu::FakeDevice>(control_, gpu::fake_device_info()));
    return *manager_;
  }
  [[nodiscard]] RunWishes wishes() const {
    RunWishes wishes;
    wishes.config = &config_;
    wishes.devices = gpu::ManagerSet(manager_.get());
    return wishes;
  }
  void expect_sum() const {
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(problem_.outputs[0].number_at(i), snapshot_.outputs[0].number_at(i) + problem_.inputs[0].number_at(i))
          << i;
  }

  std::string json_ = info_json();
  ProgramDesc program_;
  Engine engine_;
  ActiveConfig config_;
  std::shared_ptr<gpu::FakeControl> control_ = std::make_shared<gpu::FakeControl>();
  std::unique_ptr<gpu::Manager> manager_;
  Problem problem_;
  Snapshot snapshot_;
};

TEST_F(EngineTest, BringsOutputsToTheHost) {
  start_device();
  const RunReport report = engine_.run(problem_, wishes());
  expect_sum();
  ASSERT_EQ(report.ran.size(), 1U);
  EXPECT_EQ(report.ran[0].on, Version::OpenCl);
  EXPECT_EQ(report.launches, 1);
  EXPECT_EQ(report.bytes_moved, 3 * 800);
}

TEST_F(EngineTest, RestoresContentsBetweenTrials) {
  start_device();
  RunWishes each = wishes();
  for (const PutBack put_back : {PutBack::AllOutputs, PutBack::OutputsRead, PutBack::OutputsRead}) {
    each.put_back = put_back;
    engine_.restore(problem_, snapshot_, each);
    EXPECT_EQ(engine_.run(problem_, each).bytes_moved, 3 * 800);
    expect_sum();
  }
}

TEST_F(EngineTest, PutsBackOutputsThatNoRuleReadsOnlyIfAllAreWanted) {
  problem_.transform = &kHalves;
  control_->add_kernel("copy", copy_region);
  start_device();
  RunWishes trial = wishes();
  trial.put_back = PutBack::OutputsRead;
  engine_.run(problem_, trial);
  for (const double kept : {1.5, 2.5}) {
    const AnyMatrix& output = problem_.outputs[0];
    static_cast<double*>(output.data())[7] = kept;
    engine_.restore(problem_, snapshot_, trial);
    EXPECT_EQ(output.number_at(7), kept);
    EXPECT_EQ(engine_.run(problem_, trial).bytes_moved, 2 * 800) << "nothing is on the device before";
    EXPECT_EQ(output.number_at(7), problem_.inputs[0].number_at(7));
  }
  trial.put_back = PutBack::AllOutputs;
  engine_.restore(problem_, snapshot_, trial);
  EXPECT_EQ(problem_.outputs[0].number_at(7), snapshot_.outputs[0].number_at(7));
}

TEST_F(EngineTest, ARunWithoutADeviceTellsLaterOnesWhatItWrote) {
  start_device();
  RunWishes on_cpu = wishes();
  on_cpu.devices = {};
  // Each adds to what the last one left: the second on the host, so that the copy on the device is old.
  engine_.run(problem_, wishes());
  engine_.run(problem_, on_cpu);
  EXPECT_EQ(engine_.run(problem_, wishes()).ran[0].on, Version::OpenCl);
  const auto number = [](const AnyMatrix& matrix) { return matrix.number_at(7); };
  const double expected = number(snapshot_.outputs[0]) + 3 * number(problem_.inputs[0]);
  EXPECT_NEAR(number(problem_.outputs[0]), expected, 1e-12 * std::fabs(expected));
}

TEST_F(EngineTest, ResidentRunsFindTheirInputsOnTheDevice) {
  start_device();
  RunWishes resident = wishes();
  resident.is_resident = true;
  engine_.restore(problem_, snapshot_, resident);
  const RunReport report = engine_.run(problem_, resident);
  EXPECT_EQ(report.launches, 1);
  expect_sum();
}

TEST_F(EngineTest, RepeatsTheRunOnTheCpuWhenTheDeviceIsLost) {
  start_device();
  control_->inject(gpu::FakeOperation::Read, 0, gpu::FakeFault::FailLater);
  ::testing::internal::CaptureStderr();
  const RunReport report = engine_.run_or_recover(problem_, wishes(), &snapshot_);
  const std::string warning = ::testing::internal::GetCapturedStderr();
  expect_sum();
  EXPECT_EQ(report.ran[0].on, Version::Cpu);
  EXPECT_EQ(warning,
            "warning: device `fake` failed and is not used any more, the CPU does its work: an operation did "
            "not succeed\n");
}

TEST_F(EngineTest, RepeatsARunThatAsksForMoreOfItsOutputsThanItHasMade) {
  problem_.transform = &kHalves;
  RunWishes trial = wishes();
  trial.put_back = PutBack::OutputsRead;
  for (const int read : {0, 1}) {  // the half that is lost
    for (const Snapshot* snapshot : {static_cast<const Snapshot*>(nullptr), &std::as_const(snapshot_)}) {
      problem_.outputs[0] = snapshot_.outputs[0].clone();
      control_ = std::make_shared<gpu::FakeControl>();
      control_->add_kernel("copy", copy_region);
      trial.devices = gpu::ManagerSet(&start_device());
      control_->inject(gpu::FakeOperation::Read, read, gpu::FakeFault::FailLater);
      ::testing::internal::CaptureStderr();
      const RunReport report = engine_.run_or_recover(problem_, trial, snapshot);
      (void)::testing::internal::GetCapturedStderr();
      EXPECT_EQ(report.ran[0].on, Version::Cpu);
      for (int i = 0; i < 100; ++i) ASSERT_EQ(problem_.outputs[0].number_at(i), problem_.inputs[0].number_at(i)) << i;
    }
  }
}

TEST_F(EngineTest, RestoresOutputsThatAreRead) {
  const Snapshot outputs = Engine::take_outputs(problem_);
  engine_.run(problem_, wishes());
  engine_.restore(problem_, outputs, wishes());
  EXPECT_EQ(problem_.outputs[0].number_at(7), snapshot_.outputs[0].number_at(7));
}

TEST_F(EngineTest, RestoresOutputsThatNobodyHadUsedAsZeros) {
  const IndexT size = 345678;
  problem_.outputs[0] = AnyMatrix::allocate(ElementKind::Double, 1, &size);
  if (!is_unused(problem_.outputs[0])) GTEST_SKIP() << "the system does not tell";
  const Snapshot outputs = Engine::take_outputs(problem_);
  EXPECT_TRUE(outputs.outputs[0].is_empty()) << "no copy is needed";
  EXPECT_TRUE(is_unused(problem_.outputs[0])) << "taking it does not use it";
  static_cast<double*>(problem_.outputs[0].data())[345677] = 5;
  EXPECT_FALSE(is_unused(problem_.outputs[0]));
  engine_.restore(problem_, outputs, wishes());
  EXPECT_EQ(problem_.outputs[0].number_at(345677), 0);
}

/// A device beside that of the test.
class SecondDevice {
 public:
  SecondDevice() : manager(std::make_unique<gpu::FakeDevice>(control, gpu::fake_device_info())) {
    control->add_kernel("add", [](gpu::FakeCall& call) {
      const auto b = call.region<double>(1);
      const auto a = call.region<double>(1);
      for (int i = 0; i < b.sizes[0]; ++i) b.at(i) += a.at(i);
    });
  }
  std::shared_ptr<gpu::FakeControl> control = std::make_shared<gpu::FakeControl>();
  gpu::Manager manager;
};

TEST_F(EngineTest, RepeatsTheRunOnTheOtherDeviceWhenOneIsLost) {
  start_device();
  SecondDevice second;
  control_->inject(gpu::FakeOperation::Read, 0, gpu::FakeFault::FailLater);
  RunWishes both = wishes();
  both.devices = gpu::ManagerSet({manager_.get(), &second.manager});
  ::testing::internal::CaptureStderr();
  const RunReport report = engine_.run_or_recover(problem_, both, &snapshot_);
  const std::string warning = ::testing::internal::GetCapturedStderr();
  expect_sum();
  EXPECT_EQ(report.ran[0].on, Version::OpenCl);
  EXPECT_EQ(second.manager.statistics().launches, 1);
  EXPECT_NE(warning.find("the run is repeated on the other devices"), std::string::npos) << warning;
}

TEST_F(EngineTest, RepeatsTheRunOnTheCpuWhenAllDevicesAreLost) {
  start_device();
  SecondDevice second;
  control_->inject(gpu::FakeOperation::Read, 0, gpu::FakeFault::FailLater);
  second.control->inject(gpu::FakeOperation::Read, 0, gpu::FakeFault::FailLater);
  RunWishes both = wishes();
  both.devices = gpu::ManagerSet({manager_.get(), &second.manager});
  ::testing::internal::CaptureStderr();
  const RunReport report = engine_.run_or_recover(problem_, both, &snapshot_);
  (void)::testing::internal::GetCapturedStderr();
  expect_sum();
  EXPECT_EQ(report.ran[0].on, Version::Cpu);
}

TEST_F(EngineTest, ReportsEachDeviceAndTheSum) {
  start_device();
  SecondDevice second;
  RunWishes both = wishes();
  both.devices = gpu::ManagerSet({manager_.get(), &second.manager});
  const RunReport report = engine_.run(problem_, both);
  expect_sum();
  ASSERT_EQ(report.devices.size(), 2U);
  EXPECT_EQ(report.devices[0].launches + report.devices[1].launches, report.launches);
  EXPECT_EQ(report.devices[0].bytes_to_device, 2 * 800);
  EXPECT_EQ(report.devices[1].bytes_to_device, 0);
  EXPECT_EQ(report.bytes_moved, 3 * 800);
}

TEST_F(EngineTest, ResidentInputsAreOnAllDevices) {
  start_device();
  SecondDevice second;
  RunWishes resident = wishes();
  resident.devices = gpu::ManagerSet({manager_.get(), &second.manager});
  resident.is_resident = true;
  engine_.restore(problem_, snapshot_, resident);
  const RunReport report = engine_.run(problem_, resident);
  expect_sum();
  EXPECT_EQ(report.devices[1].bytes_to_device, 1600) << "the input, and the output, which the program reads, too";
}

TEST_F(EngineTest, CountsAFallbackForAKernelThatDoesNotBuild) {
  start_device();
  control_->inject(gpu::FakeOperation::Build, 0, gpu::FakeFault::Refuse);
  ::testing::internal::CaptureStderr();
  const RunReport report = engine_.run(problem_, wishes());
  (void)::testing::internal::GetCapturedStderr();
  expect_sum();
  ASSERT_EQ(report.fallbacks.size(), 1U);
  EXPECT_EQ(report.fallbacks[0].on, Version::OpenCl);
  EXPECT_NE(report.fallbacks[0].reason, "");
}

TEST_F(EngineTest, MakesAFallbackAnErrorWhenStrict) {
  RunWishes strict = wishes();
  strict.is_strict = true;
  EXPECT_THROW((void)engine_.run(problem_, strict), UserError);
}

/// The configuration that chooses the device, with this cut-off.
ActiveConfig with_cutoff(const InfoIndex& index, double cutoff) {
  Configuration configuration = default_configuration(index);
  configuration.sites[0].levels[0].alternative = 1;
  configuration.tunables[kTunableSequentialCutoff] = {cutoff};
  return {index, configuration};
}

TEST_F(EngineTest, ADeviceChoiceBelowTheCutoffRunsOnTheCpuAndIsCounted) {
  start_device();
  const ActiveConfig above = with_cutoff(engine_.index(), 101);
  RunWishes below = wishes();
  below.config = &above;
  const RunReport report = engine_.run(problem_, below);
  expect_sum();
  ASSERT_EQ(report.ran.size(), 1U);
  EXPECT_EQ(report.ran[0].on, Version::Cpu);
  EXPECT_TRUE(report.fallbacks.empty());
  ASSERT_EQ(report.below_cutoff.size(), 1U);
  EXPECT_EQ(report.below_cutoff[0].site, "Add.B#1");
  EXPECT_EQ(report.below_cutoff[0].on, Version::OpenCl);
  EXPECT_EQ(report.below_cutoff[0].count, 1);
  const RunReport at_cutoff = engine_.run(problem_, wishes());
  EXPECT_EQ(at_cutoff.ran[0].on, Version::OpenCl);
  EXPECT_TRUE(at_cutoff.below_cutoff.empty());
}

TEST_F(EngineTest, ADeviceChoiceBelowTheCutoffIsAnErrorWhenStrict) {
  start_device();
  const ActiveConfig above = with_cutoff(engine_.index(), 101);
  RunWishes strict = wishes();
  strict.config = &above;
  strict.is_strict = true;
  try {
    (void)engine_.run(problem_, strict);
    ADD_FAILURE() << "it ran";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "Add.B#1: B#1 did not run on opencl: below the cutoff: size 100 is below the sequential_cutoff, "
                 "101 (--strict)");
  }
}

TEST_F(EngineTest, GeneratesTheSameProblemFromTheSameSeed) {
  const Problem again = engine_.generate(kTransforms[0], {.n = 100, .named = {}}, 3, engine_.default_config());
  const Problem other = engine_.generate(kTransforms[0], {.n = 100, .named = {}}, 4, engine_.default_config());
  EXPECT_EQ(again.inputs[0].number_at(5), problem_.inputs[0].number_at(5));
  EXPECT_EQ(again.outputs[0].number_at(5), problem_.outputs[0].number_at(5));
  EXPECT_NE(other.inputs[0].number_at(5), problem_.inputs[0].number_at(5));
}

// ---- Choice of devices ----

class FakeProvider : public DeviceProvider {
 public:
  std::vector<gpu::DeviceInfo> list() override {
    gpu::DeviceInfo cpu = gpu::fake_device_info();
    cpu.name = "PoCL 7000";
    cpu.type = gpu::DeviceType::Cpu;
    gpu::DeviceInfo gpu = gpu::fake_device_info();
    gpu.name = "Fast GPU";
    gpu.type = gpu::DeviceType::Gpu;
    return {cpu, gpu};
  }
  std::unique_ptr<gpu::Device> open(int, bool) override { throw DeviceError("it is busy"); }
};

TEST(RunContext, AddsUpWhatWorkersCount) {
  constexpr int kTasks = 500;
  const int alternatives[] = {2, 1, 9};
  RunContext context({nullptr, nullptr, 0, false, nullptr, 4}, 3, alternatives);
  Scheduler scheduler(4);
  scheduler.run([&](Frame& root) {
    for (int i = 0; i < kTasks; ++i) {
      root.spawn([&context](Frame& frame) {
        context.count(frame, 0, 1);
        context.count(frame, 2, 0);
        context.count(frame, 2, 8);
        context.count(frame, 2, 8);
      });
    }
    root.sync();
  });
  EXPECT_EQ(context.times_run(0, 0), 0);
  EXPECT_EQ(context.times_run(0, 1), kTasks);
  EXPECT_EQ(context.times_run(1, 0), 0);
  EXPECT_EQ(context.times_run(2, 0), kTasks);
  EXPECT_EQ(context.times_run(2, 8), 2 * kTasks);
}

TEST(Devices, AreChosenByIndexNameOrKind) {
  Devices devices(std::make_unique<FakeProvider>());
  EXPECT_THAT(devices.choose(std::nullopt), ElementsAre(1));
  EXPECT_THAT(devices.choose(std::nullopt, devices.list()[0].name), ElementsAre(0));
  EXPECT_THAT(devices.choose(std::nullopt, "gone since"), ElementsAre(1));
  EXPECT_THAT(devices.choose("0"), ElementsAre(0));
  EXPECT_THAT(devices.choose("fast"), ElementsAre(1));
  EXPECT_THAT(devices.choose("none"), ElementsAre());
}

TEST(Devices, ThatDoNotExistAreAnErrorThatListsThem) {
  Devices devices(std::make_unique<FakeProvider>());
  try {
    (void)devices.choose("7");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "device `7`: there is no such device; there are: 0 = PoCL 7000, 1 = Fast GPU");
  }
}

TEST(Devices, MayBeSeveral) {
  Devices devices(std::make_unique<FakeProvider>());
  EXPECT_THAT(devices.choose("1,0"), ElementsAre(1, 0));
  EXPECT_THAT(devices.choose("all"), ElementsAre(0, 1));
  EXPECT_THAT(devices.choose("fast,pocl"), ElementsAre(1, 0));
  EXPECT_THAT(devices.choose("0"), ElementsAre(0));
  EXPECT_THAT(devices.choose("0,p"), ElementsAre(0, 1)) << "the first of that name that is not named yet";
}

TEST(Devices, BadListsSayWhatIsWrongWithThem) {
  Devices devices(std::make_unique<FakeProvider>());
  const std::string known = "; there are: 0 = PoCL 7000, 1 = Fast GPU";
  const std::pair<const char*, const char*> cases[] = {
      {"0,0", "device 0 is named twice"},
      {"0,7", "there is no device `7`"},
      {"99999999999999999999,0", "there is no device `99999999999999999999`"},
      {"none,0", "`none` stands alone"},
      {"0,all", "`all` stands alone"},
      {"0,", "between commas stands an index or a part of a name"},
      {",", "between commas stands an index or a part of a name"},
      {"fast,GPU", "`GPU` names no device that is not named before it"},
  };
  for (const auto& [wish, why] : cases) {
    try {
      (void)devices.choose(wish);
      ADD_FAILURE() << wish;
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(), std::string("device `") + wish + "`: " + why + known);
    }
  }
}

TEST(Devices, ThatDoNotOpenAreOneWarning) {
  Devices devices(std::make_unique<FakeProvider>());
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(devices.open({1}).is_empty());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: Fast GPU cannot be used: it is busy\n");
}

// ---- Verification ----

AnyMatrix vector_of(ElementKind kind, std::initializer_list<double> values) {
  const auto size = static_cast<IndexT>(values.size());
  AnyMatrix m = AnyMatrix::allocate(kind, 1, &size);
  std::int64_t i = 0;
  for (const double value : values) {
    if (kind == ElementKind::Double) static_cast<double*>(m.data())[i++] = value;
    if (kind == ElementKind::Float) static_cast<float*>(m.data())[i++] = static_cast<float>(value);
    if (kind == ElementKind::Int) static_cast<int*>(m.data())[i++] = static_cast<int>(value);
  }
  return m;
}

Difference compare(const AnyMatrix& output, const AnyMatrix& reference, const ToleranceInfo& tolerance = {},
                   double rel = -1) {
  return compare_outputs({output}, {reference}, {"OUT"}, tolerance, rel);
}

TEST(Verify, MeasuresErrorsAgainstTheLargestMagnitude) {
  const AnyMatrix reference = vector_of(ElementKind::Double, {1e-6, -100, 3});
  EXPECT_TRUE(compare(vector_of(ElementKind::Double, {1.05e-6, -100, 3}), reference).is_within);
  const Difference wrong = compare(vector_of(ElementKind::Double, {1e-6, -100, 3.001}), reference);
  EXPECT_FALSE(wrong.is_within);
  EXPECT_NEAR(wrong.abs, 1e-3, 1e-9);
  EXPECT_NEAR(wrong.rel, 1e-5, 1e-9);
  EXPECT_EQ(wrong.where.substr(0, 11), "OUT.cell(2)");
}

TEST(Verify, HasATolerancePerElementType) {
  EXPECT_TRUE(compare(vector_of(ElementKind::Float, {1.00005}), vector_of(ElementKind::Float, {1})).is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Float, {1.0005}), vector_of(ElementKind::Float, {1})).is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Int, {1000000}), vector_of(ElementKind::Int, {1000001})).is_within);
  EXPECT_TRUE(compare(vector_of(ElementKind::Double, {1.1}), vector_of(ElementKind::Double, {1}), {}, 0.2).is_within);
  EXPECT_TRUE(compare(vector_of(ElementKind::Double, {1.5, 1}), vector_of(ElementKind::Double, {1, 1}), {true, 0, 0.5})
                  .is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Double, {1.6, 1}), vector_of(ElementKind::Double, {1, 1}), {true, 0, 0.5})
                   .is_within);
}

TEST(Verify, NaNAgreesOnlyWithNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(
      compare(vector_of(ElementKind::Double, {nan, inf}), vector_of(ElementKind::Double, {nan, inf})).is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Double, {nan}), vector_of(ElementKind::Double, {1})).is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Double, {1, 5}), vector_of(ElementKind::Double, {nan, 5})).is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Double, {inf}), vector_of(ElementKind::Double, {-inf})).is_within);
  EXPECT_FALSE(compare(vector_of(ElementKind::Double, {1e-300}), vector_of(ElementKind::Double, {0})).is_within);
}

}  // namespace
}  // namespace pbrt
