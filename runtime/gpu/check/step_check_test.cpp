// SPDX-License-Identifier: MIT
// Steps whose results a device and the CPU both compute: what is compared, and what a difference does.
#include "runtime/gpu/check/step_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/gpu/check/checked_part.h"
#include "runtime/gpu/check/run_checked.h"
#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr KernelDesc kStep = {
    .name = "add_step", .rule = {"T.Out#1", "opencl"}, .source = "", .num_regions = 2, .num_scalars = 1};

/// A manager that compares results with the CPU's.
struct CheckingManager {
  explicit CheckingManager(const DeviceInfo& info = fake_device_info()) {
    add_kernels(*control);
    ManagerOptions options;
    options.verifies = true;
    options.warn = [](void* context, const char* line) {
      static_cast<CheckingManager*>(context)->warnings.emplace_back(line);
    };
    options.warn_context = this;
    manager = std::make_unique<Manager>(std::make_unique<FakeDevice>(control, info), options);
  }
  /// Makes `add_step` write a wrong number into a cell.
  void spoil(int x, int y) {
    control->add_kernel("add_step", [x, y](FakeCall& call) {
      const auto in = call.region<int>(2), out = call.region<int>(2);
      const int step = call.scalar<int>();
      for (int j = 0; j < out.sizes[1]; ++j)
        for (int i = 0; i < out.sizes[0]; ++i) out.at(i, j) = in.at(i, j) + step + (i == x && j == y ? 100 : 0);
    });
  }
  /// Launches out = in + 1 for a step; the reason if it did not run, else empty.
  std::string launch(Frame& frame, const Matrix2& out, const Matrix2& in, StepCheck& check, bool is_strict = false) {
    const std::int32_t lo[] = {0, 0}, extent[] = {out.width(), out.height()};
    Launch launch(kStep, frame, manager.get());
    launch.input(in).output(out, CopyOut::May).scalar(1).range(2, lo, extent);
    return run_checked(launch, check, {{}, is_strict}) ? "" : launch.reason();
  }
  /// Runs a step out = in + 1 as generated code does. Returns the launch's reason.
  std::string run(Frame& frame, const Matrix2& out, const Matrix2& in, bool is_strict = false) {
    StepCheck check;
    std::string reason = launch(frame, out, in, check, is_strict);
    if (reason.empty() && !check.has_results()) return reason;
    on_cpu(frame, out, in);
    check.compare(frame);
    return reason;
  }
  static void on_cpu(Frame& frame, const Matrix2& out, const Matrix2& in) {
    need_on_host(frame, in);
    before_host_overwrite(frame, out);
    for (int y = 0; y < out.height(); ++y)
      for (int x = 0; x < out.width(); ++x) out.cell(x, y) = in.cell(x, y) + 1;
    wrote_on_host(frame, out);
  }
  [[nodiscard]] std::vector<std::int64_t> counts() const {
    const DeviceStatistics s = manager->statistics();
    return {s.launches_verified, s.launches_differing, s.launches_not_verified};
  }

  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  std::vector<std::string> warnings;
  std::unique_ptr<Manager> manager;
};

template <class F>
void on_workers(F&& body) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { body(frame); });
}

TEST(StepCheck, RightResultsAreCounted) {
  for (const bool shares_memory : {false, true}) {
    DeviceInfo info = fake_device_info();
    info.shares_host_memory = shares_memory;
    CheckingManager checking(info);
    on_workers([&](Frame& frame) {
      const Matrix2 in = filled(8, 4, 1), a = filled(8, 4, 0), b = filled(8, 4, 0);
      EXPECT_EQ(checking.run(frame, a, in), "");
      EXPECT_EQ(checking.run(frame, b, a), "");
      need_on_host(frame, b);
      EXPECT_TRUE(is_filled(b, 3));
    });
    EXPECT_THAT(checking.counts(), ElementsAre(2, 0, 0));
    EXPECT_EQ(checking.manager->statistics().launches, 2);
    EXPECT_THAT(checking.warnings, IsEmpty());
  }
}

TEST(StepCheck, AWrongKernelRunsNoMoreAndTheCpusResultStays) {
  CheckingManager checking;
  checking.spoil(3, 2);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_EQ(checking.run(frame, out, in), "");
    EXPECT_TRUE(is_filled(out, 2));
    EXPECT_EQ(checking.run(frame, out, in), "an earlier result was not the CPU's");
    EXPECT_TRUE(is_filled(out, 2));
    StepCheck check;
    const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
    Launch other(kIncrement, frame, checking.manager.get());
    other.inout(out, CopyOut::May).scalar(1).range(2, lo, extent);
    EXPECT_TRUE(run_checked(other, check, {})) << "other kernels are not concerned";
  });
  EXPECT_THAT(checking.warnings,
              ElementsAre("device `fake` computed something else than the CPU: T.Out#1 on opencl: cell (3, 2) is 102, "
                          "on the CPU 2; the CPU does its work from now on"));
}

TEST(StepCheck, AWrongKernelIsAnErrorOfAStrictRun) {
  CheckingManager checking;
  checking.spoil(0, 0);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    try {
      static_cast<void>(checking.run(frame, out, in, true));
      ADD_FAILURE() << "no error";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("cell (0, 0) is 102, on the CPU 2 (--strict)"));
    }
  });
  EXPECT_THAT(checking.warnings, IsEmpty());
  EXPECT_THAT(checking.counts(), ElementsAre(1, 1, 0));
}

TEST(StepCheck, TheCpuFindsWhatTheKernelFound) {
  for (const bool shares_memory : {false, true}) {
    DeviceInfo info = fake_device_info();
    info.shares_host_memory = shares_memory;
    CheckingManager checking(info);
    on_workers([&](Frame& frame) {
      const Matrix2 m = filled(8, 4, 5);
      const std::int32_t lo[] = {0, 0}, extent[] = {8, 4};
      for (int round = 1; round <= 3; ++round) {
        StepCheck check;
        Launch launch(kIncrement, frame, checking.manager.get());
        launch.inout(m, CopyOut::May).scalar(1).range(2, lo, extent);
        ASSERT_TRUE(run_checked(launch, check, {}));
        ASSERT_TRUE(check.has_results());
        need_on_host(frame, m);
        before_host_write(frame, m);
        EXPECT_TRUE(is_filled(m, 4 + round));
        for (int y = 0; y < 4; ++y)
          for (int x = 0; x < 8; ++x) m.cell(x, y) += 1;
        wrote_on_host(frame, m);
        check.compare(frame);
      }
      EXPECT_TRUE(is_filled(m, 8));
    });
    EXPECT_THAT(checking.counts(), ElementsAre(3, 0, 0));
  }
}

TEST(StepCheck, TheCpuFindsWhatTheKernelFoundInAnInputThatIsTheOutput) {
  for (const bool shares_memory : {false, true}) {
    DeviceInfo info = fake_device_info();
    info.shares_host_memory = shares_memory;
    CheckingManager checking(info);
    on_workers([&](Frame& frame) {
      const Matrix2 m = filled(8, 4, 5);
      EXPECT_EQ(checking.run(frame, m, m), "");
      EXPECT_EQ(checking.run(frame, m.region(2, 1, 6, 3), m.region(2, 1, 6, 3)), "");
      EXPECT_EQ(checking.run(frame, m.transposed(), m.transposed()), "");
      need_on_host(frame, m);
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 8; ++x)
          EXPECT_EQ(m.cell(x, y), x >= 2 && x < 6 && y >= 1 && y < 3 ? 8 : 7) << x << ", " << y;
    });
    EXPECT_THAT(checking.counts(), ElementsAre(3, 0, 0));
    EXPECT_THAT(checking.warnings, IsEmpty());
  }
}

TEST(StepCheck, OnlyWhatAKernelWritesIsCompared) {
  CheckingManager checking;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    StepCheck check;
    // Two pieces of a step, and the part of a step that runs beside on the CPU.
    for (int y = 0; y < 2; ++y) {
      const std::int32_t lo[] = {0, y}, extent[] = {8, 1};
      Launch launch(kStep, frame, checking.manager.get());
      launch.input(in).output(out, out.region(0, y, 8, y + 1), CopyOut::May).scalar(1).range(2, lo, extent);
      ASSERT_TRUE(run_checked(launch, check, {}));
    }
    CheckingManager::on_cpu(frame, out, in);
    for (int x = 0; x < 8; ++x) out.cell(x, 3) = 77;
    check.compare(frame);
    EXPECT_THAT(checking.counts(), ElementsAre(2, 0, 0));
    // The second row of a piece is the third one of the matrix.
    const std::int32_t lo[] = {0, 1}, extent[] = {8, 2};
    Launch launch(kStep, frame, checking.manager.get());
    launch.input(in).output(out, out.region(0, 1, 8, 3), CopyOut::May).scalar(1).range(2, lo, extent);
    ASSERT_TRUE(run_checked(launch, check, {}));
    out.cell(5, 2) = 9;
    wrote_on_host(frame, out.region(5, 2, 6, 3));
    check.compare(frame);
  });
  ASSERT_EQ(checking.warnings.size(), 1U);
  EXPECT_THAT(checking.warnings[0], HasSubstr("cell (5, 2) is 2, on the CPU 9"));
}

TEST(StepCheck, ANumberIsComparedInItsOwnPlace) {
  CheckingManager checking;
  on_workers([&](Frame& frame) {
    using Number = MatrixRegion<int, 0>;
    const Number number = Number::allocate(), own = Number::allocate();
    number.cell() = own.cell() = 4;
    static constexpr KernelDesc kNumber = {.name = "number", .source = "", .num_regions = 1};
    checking.control->add_kernel("number", [](FakeCall& call) { *call.region<int>(0).data += 1; });
    for (const int on_cpu : {5, 6}) {
      StepCheck check;
      const std::int32_t lo[] = {0}, extent[] = {1};
      Launch launch(kNumber, frame, checking.manager.get());
      launch.inout(own, CopyOut::May);
      stand_for(launch, number);
      launch.range(1, lo, extent);
      ASSERT_TRUE(run_checked(launch, check, {}));
      number.cell() = on_cpu;
      check.compare(frame);
      own.cell() = 6;  // the second launch adds 1
      wrote_on_host(frame, own);
    }
  });
  EXPECT_THAT(checking.counts(), ElementsAre(2, 1, 0));
  ASSERT_EQ(checking.warnings.size(), 1U);
  EXPECT_THAT(checking.warnings[0], HasSubstr("the number is 7, on the CPU 6"));
}

TEST(StepCheck, ResultsThatNobodyComparesAreCounted) {
  CheckingManager checking;
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    {
      StepCheck check;
      EXPECT_EQ(checking.launch(frame, out, in, check), "");
    }
    StepCheck check;
    checking.control->inject(FakeOperation::Launch, 1, FakeFault::Refuse);
    EXPECT_NE(checking.launch(frame, out, in, check), "");
    EXPECT_FALSE(check.has_results());
  });
  EXPECT_THAT(checking.counts(), ElementsAre(0, 0, 1));
}

/// How a kernel's row of numbers differs from the CPU's.
template <class T>
std::string difference_of(const std::vector<T>& on_device, std::vector<T> on_cpu, const ToleranceInfo& tolerance = {},
                          std::int64_t num_steps = 1) {
  CheckedPart part;
  part.written.kind = kElementKindOf<T>;
  part.written.num_dims = 1;
  part.written.base = on_cpu.data();
  part.written.sizes[0] = static_cast<IndexT>(on_cpu.size());
  part.written.strides[0] = 1;
  std::vector<std::byte> cells(on_device.size() * sizeof(T));
  std::memcpy(cells.data(), on_device.data(), cells.size());
  return first_difference(part, cells, part.written.raw(), tolerance, num_steps);
}

TEST(StepCheck, WholeNumbersAreTheSame) {
  EXPECT_EQ(difference_of<int>({1, 2, 3}, {1, 2, 3}), "");
  EXPECT_EQ(difference_of<int>({1, 2, 3}, {1, 1, 1}), "cell (1) is 2, on the CPU 1");
  constexpr long kBig = 1L << 60;
  EXPECT_NE(difference_of<long>({kBig + 1}, {kBig}), "");
  EXPECT_NE(difference_of<int>({1000001}, {1000000}, {true, 0.1, 0.5}), "");
}

TEST(StepCheck, RealNumbersAreWithinTheTolerance) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(difference_of<double>({1, 1e-10, kNan, kInfinity}, {1, 0, kNan, kInfinity}), "");
  EXPECT_EQ(difference_of<double>({1, 1e-8}, {1, 0}), "cell (1) is 1e-08, on the CPU 0");
  EXPECT_EQ(difference_of<float>({1, 1e-5F}, {1, 0}), "");
  EXPECT_NE(difference_of<double>({kNan}, {1}), "");
  EXPECT_NE(difference_of<double>({1}, {kNan}), "");
  EXPECT_NE(difference_of<double>({kInfinity}, {-kInfinity}), "");
  EXPECT_EQ(difference_of<double>({1, 0.01}, {1, 0}, {true, 0.1, -1}), "");
  EXPECT_EQ(difference_of<double>({1.05, 0.2}, {1, 0.3}, {true, 0.06, 0.1}), "");
  EXPECT_EQ(difference_of<double>({1.05, 0.2}, {1, 0.3}, {true, 0.01, 0.1 + 1e-9}), "");
  EXPECT_NE(difference_of<double>({1.05, 0.2}, {1, 0.3}, {true, 0.06, 0.01}), "");
}

TEST(StepCheck, SeveralStepsMayErrAsOften) {
  EXPECT_NE(difference_of<double>({1 + 2.9e-9}, {1}), "");
  EXPECT_NE(difference_of<double>({1 + 2.9e-9}, {1}, {}, 2), "");
  EXPECT_EQ(difference_of<double>({1 + 2.9e-9}, {1}, {}, 3), "");
  EXPECT_EQ(difference_of<double>({1.05, 0.2}, {1, 0.3}, {true, 0.02, 0.035}, 3), "");
  EXPECT_NE(difference_of<double>({1.05, 0.2}, {1, 0.3}, {true, 0.02, 0.033}, 3), "");
  EXPECT_NE(difference_of<int>({2}, {1}, {}, 3), "") << "whole numbers do not err";
  EXPECT_NE(difference_of<double>({1 + 1e-15}, {1}, {true, 0, 0}, 3), "") << "nor do those that are to be exact";
}

}  // namespace
}  // namespace pbrt::gpu
