// SPDX-License-Identifier: MIT
// Devices that hang: they fail after the limit and nobody waits for them; what ends late touches nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/gpu/testing/fake_fixture.h"
#include "runtime/gpu/wrappers/limited_device.h"

namespace pbrt::gpu {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::hours kLong{1};
constexpr std::chrono::milliseconds kShort{100}, kVeryShort{1};

/// A manager of a fake device with a limit.
struct LimitedManager {
  explicit LimitedManager(std::chrono::nanoseconds limit) {
    add_kernels(*control);
    ManagerOptions options;
    options.warn = [](void* context, const char* line) {
      static_cast<LimitedManager*>(context)->warnings.emplace_back(line);
    };
    options.warn_context = this;
    auto device = std::make_unique<FakeDevice>(control, fake_device_info());
    manager = std::make_unique<Manager>(std::make_unique<LimitedDevice>(std::move(device), limit), options);
  }
  std::string add_step(Frame& frame, const Matrix2& out, const Matrix2& in, CopyOut copy_out) {
    const std::int32_t lo[] = {0, 0}, extent[] = {out.width(), out.height()};
    Launch launch(kAddStep, frame, manager.get());
    launch.input(in).output(out, copy_out).scalar(1).range(2, lo, extent);
    return launch.run() ? "" : launch.reason();
  }
  /// Lets the fake device end what hung, after the manager.
  void end_late() {
    manager.reset();
    control->end_hangs();
    while (control->num_pending() != 0) std::this_thread::yield();
  }

  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  std::vector<std::string> warnings;  // read when the manager is gone, or after a failed launch
  std::unique_ptr<Manager> manager;
};

template <class F>
void on_workers(F&& body) {
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) { body(frame); });
}

TEST(LimitedDevice, ComputesWhatTheOtherOneDoes) {
  for (const std::uint64_t min_bytes_beside : {std::uint64_t{1}, UINT64_MAX}) {
    LimitedManager limited(kLong);
    limited.control->set_min_bytes_beside(min_bytes_beside);
    limited.control->set_max_delay_us(50);
    on_workers([&](Frame& frame) {
      Matrix2 in = filled(16, 4, 0);
      for (int round = 1; round <= 20; ++round) {
        const Matrix2 out = filled(16, 4, -1);
        EXPECT_EQ(limited.add_step(frame, out, in, round % 2 == 0 ? CopyOut::Must : CopyOut::May), "");
        if (round % 3 == 0) {
          need_on_host(frame, out);
          EXPECT_TRUE(is_filled(out, round));
        }
        in = out;
      }
      need_on_host(frame, in);
      EXPECT_TRUE(is_filled(in, 20));
    });
    limited.manager.reset();
    EXPECT_THAT(limited.warnings, ElementsAre());
  }
}

TEST(LimitedDevice, AKernelThatHangsFailsTheDeviceOnce) {
  LimitedManager limited(kShort);
  limited.control->inject(FakeOperation::Launch, 1, FakeFault::Hang);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), a = filled(8, 4, 0), b = filled(8, 4, 0);
    EXPECT_EQ(limited.add_step(frame, a, in, CopyOut::Must), "");
    need_on_host(frame, a);
    EXPECT_THAT(limited.add_step(frame, b, a, CopyOut::Must),
                AllOf(HasSubstr("kernel `add_step` has not ended within 0.1 s"), HasSubstr("--device-limit")));
    EXPECT_FALSE(limited.manager->is_alive());
    EXPECT_THAT(limited.add_step(frame, b, a, CopyOut::Must), HasSubstr("has not ended within"));
    need_on_host(frame, b);  // the CPU is going to write it
    EXPECT_TRUE(is_filled(a, 2));
  });
  limited.manager.reset();
  EXPECT_EQ(limited.warnings.size(), 1U);
  EXPECT_TRUE(is_any_device_left());
  limited.end_late();
}

TEST(LimitedDevice, ResultsOfADeviceThatHangsAreLost) {
  LimitedManager limited(kShort);
  limited.control->inject(FakeOperation::Launch, 1, FakeFault::Hang);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), a = filled(8, 4, 0), b = filled(8, 4, 0);
    EXPECT_EQ(limited.add_step(frame, a, in, CopyOut::May), "");
    EXPECT_EQ(limited.add_step(frame, b, in, CopyOut::May), "");
    EXPECT_THROW(need_on_host(frame, b), DeviceLost);
    EXPECT_THROW(need_on_host(frame, a), DeviceLost);
    need_on_host(frame, in);
    EXPECT_TRUE(is_filled(in, 1));
  });
  limited.end_late();
  EXPECT_EQ(limited.warnings.size(), 1U);
}

TEST(LimitedDevice, AReadThatEndsLateDoesNotWriteTheHost) {
  LimitedManager limited(kShort);
  limited.control->inject(FakeOperation::Read, 0, FakeFault::Hang);
  Matrix2 out = filled(8, 4, 0);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1);
    EXPECT_THAT(limited.add_step(frame, out, in, CopyOut::Must), HasSubstr("a copy from the device has not ended"));
    before_host_write(frame, out);
    for (int x = 0; x < 8; ++x) out.cell(x, 0) = 7;
    wrote_on_host(frame, out);
  });
  limited.end_late();
  for (int x = 0; x < 8; ++x) EXPECT_EQ(out.cell(x, 0), 7);
}

TEST(LimitedDevice, ACallThatDoesNotReturnFailsTheDevice) {
  for (const FakeOperation operation :
       {FakeOperation::Allocate, FakeOperation::Write, FakeOperation::Launch, FakeOperation::Read}) {
    SCOPED_TRACE(static_cast<int>(operation));
    LimitedManager limited(kShort);
    limited.control->inject(operation, 0, FakeFault::HangInCall);
    on_workers([&](Frame& frame) {
      const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
      EXPECT_THAT(limited.add_step(frame, out, in, CopyOut::Must), HasSubstr("has not ended within"));
      need_on_host(frame, out);
    });
    limited.end_late();
    EXPECT_EQ(limited.warnings.size(), 1U);
  }
}

TEST(LimitedDevice, AKernelThatIsBuiltHasNoLimit) {
  LimitedManager limited(kShort);
  limited.control->inject(FakeOperation::Build, 0, FakeFault::HangInCall);
  std::thread compiler([&] {
    std::this_thread::sleep_for(4 * kShort);
    limited.control->end_hangs();
  });
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    const std::string reason = limited.add_step(frame, out, in, CopyOut::Must);
    // A machine that is as slow may also be late with the kernel.
    if (reason.empty()) {
      EXPECT_TRUE(is_filled(out, 2));
    } else {
      EXPECT_THAT(reason, HasSubstr("kernel `add_step` has not ended within"));
    }
  });
  compiler.join();
}

TEST(LimitedDevice, RefusalsFailTheLaunchOnly) {
  for (const FakeOperation operation : {FakeOperation::Allocate, FakeOperation::Write, FakeOperation::Launch}) {
    SCOPED_TRACE(static_cast<int>(operation));
    LimitedManager limited(kLong);
    limited.control->inject(operation, 0, FakeFault::Refuse);
    on_workers([&](Frame& frame) {
      const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
      EXPECT_NE(limited.add_step(frame, out, in, CopyOut::Must), "");
      EXPECT_TRUE(limited.manager->is_alive());
      EXPECT_EQ(limited.add_step(frame, out, in, CopyOut::Must), "");
      EXPECT_TRUE(is_filled(out, 2));
    });
  }
}

struct Ends final : Completion {
  void done(bool) noexcept override { ++num; }
  std::atomic<int> num{0};
};

/// Writes once, and the call is refused about when the device is given up. Returns whether it was told so.
bool is_refused_late(Ends& ends, std::chrono::microseconds after) {
  const auto control = std::make_shared<FakeControl>();
  control->inject(FakeOperation::Write, 0, FakeFault::Refuse);
  control->when_called(FakeOperation::Write, 0, [end = std::chrono::steady_clock::now() + after] {
    while (std::chrono::steady_clock::now() < end) continue;
  });
  LimitedDevice device(std::make_unique<FakeDevice>(control, fake_device_info()), kVeryShort);
  try {
    const std::unique_ptr<Buffer> buffer = device.allocate(4, nullptr);
    const CopyShape shape{.offset = 0, .row_bytes = 4};
    const int number = 1;
    device.write(*buffer, &number, {&shape, 1}, CopyOrder::InQueue, ends);
  } catch (const DeviceRefusal&) {
    return true;
  } catch (const DeviceFailure&) {
    return false;
  }
  ADD_FAILURE() << "the copy was taken";
  return false;
}

// Who is told of a refusal lets go of the operation at once.
TEST(LimitedDevice, AnOperationThatIsRefusedIsToldOfNoEnd) {
  for (int round = 0; round < 40; ++round) {
    Ends ends;
    const bool is_refused = is_refused_late(ends, kVeryShort + std::chrono::microseconds(10 * round - 100));
    EXPECT_LE(ends.num, is_refused ? 0 : 1) << round;
  }
}

TEST(LimitedDevice, AFailureIsNoHang) {
  LimitedManager limited(kLong);
  limited.control->inject(FakeOperation::Launch, 0, FakeFault::FailLater);
  on_workers([&](Frame& frame) {
    const Matrix2 in = filled(8, 4, 1), out = filled(8, 4, 0);
    EXPECT_THAT(limited.add_step(frame, out, in, CopyOut::Must), HasSubstr("an operation did not succeed"));
  });
}

}  // namespace
}  // namespace pbrt::gpu
