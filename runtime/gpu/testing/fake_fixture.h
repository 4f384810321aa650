// SPDX-License-Identifier: MIT
// Kernels for tests with the fake device, their descriptions, and functions that launch them. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/launch.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/testing/asked_device.h"
#include "runtime/gpu/testing/fake_device.h"
#include "runtime/matrix/region_handle.h"
#include "runtime/sched/scheduler.h"

namespace pbrt::gpu {

using Matrix2 = MatrixRegion<int, 2>;

/// out = in + step, cell by cell.
inline constexpr KernelDesc kAddStep = {.name = "add_step", .source = "", .num_regions = 2, .num_scalars = 1};
/// m += step in place.
inline constexpr KernelDesc kIncrement = {.name = "increment", .source = "", .num_regions = 1, .num_scalars = 1};

inline void add_kernels(FakeControl& control) {
  control.add_kernel("add_step", [](FakeCall& call) {
    const auto in = call.region<int>(2), out = call.region<int>(2);
    const int step = call.scalar<int>();
    const int lo0 = call.scalar<int>(), lo1 = call.scalar<int>(), extent0 = call.scalar<int>(),
              extent1 = call.scalar<int>();
    for (int y = lo1; y < lo1 + extent1; ++y)
      for (int x = lo0; x < lo0 + extent0; ++x) out.at(x, y) = in.at(x, y) + step;
  });
  control.add_kernel("increment", [](FakeCall& call) {
    const auto m = call.region<int>(2);
    const int step = call.scalar<int>();
    const int lo0 = call.scalar<int>(), lo1 = call.scalar<int>(), extent0 = call.scalar<int>(),
              extent1 = call.scalar<int>();
    for (int y = lo1; y < lo1 + extent1; ++y)
      for (int x = lo0; x < lo0 + extent0; ++x) m.at(x, y) += step;
  });
}

inline Matrix2 filled(int w, int h, int value) {
  Matrix2 m = Matrix2::allocate(w, h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) m.cell(x, y) = value;
  return m;
}

inline ::testing::AssertionResult is_filled(const Matrix2& m, int value) {
  for (int y = 0; y < m.height(); ++y)
    for (int x = 0; x < m.width(); ++x)
      if (m.cell(x, y) != value)
        return ::testing::AssertionFailure()
               << "cell " << x << ", " << y << " is " << m.cell(x, y) << ", not " << value;
  return ::testing::AssertionSuccess();
}

class FakeManager {
 public:
  /// `is_asked`: the device begins operations only when it is flushed and reports ends only when it is asked.
  explicit FakeManager(const DeviceInfo& info = fake_device_info(), std::uint64_t memory_limit_bytes = 0,
                       std::uint64_t seed = 1, std::chrono::nanoseconds patience = {}, bool is_asked = false)
      : control(std::make_shared<FakeControl>(seed)) {
    add_kernels(*control);
    ManagerOptions options;
    options.memory_limit_bytes = memory_limit_bytes;
    options.patience = patience;
    options.warn = [](void* context, const char* line) {
      static_cast<FakeManager*>(context)->warnings.push_back(line);
    };
    options.warn_context = this;
    std::unique_ptr<Device> device = std::make_unique<FakeDevice>(control, info);
    if (is_asked) device = std::make_unique<AskedDevice>(std::move(device));
    manager = std::make_unique<Manager>(std::move(device), options);
  }

  /// Runs out = in + step over the whole of `out`; the reason if it did not run, else empty.
  std::string add_step(Frame& frame, const Matrix2& out, const Matrix2& in, int step, CopyOut copy_out) {
    const std::int32_t lo[] = {0, 0}, extent[] = {out.width(), out.height()};
    Launch launch(kAddStep, frame, manager.get());
    launch.input(in).output(out, copy_out).scalar(step).range(2, lo, extent);
    return launch.run() ? "" : launch.reason();
  }
  std::string increment(Frame& frame, const Matrix2& m, int step, CopyOut copy_out) {
    const std::int32_t lo[] = {0, 0}, extent[] = {m.width(), m.height()};
    Launch launch(kIncrement, frame, manager.get());
    launch.inout(m, copy_out).scalar(step).range(2, lo, extent);
    return launch.run() ? "" : launch.reason();
  }

  std::shared_ptr<FakeControl> control;
  std::vector<std::string>
      warnings;  // written by the management thread; read when the manager is gone, or after a failed launch
  std::unique_ptr<Manager> manager;
};

}  // namespace pbrt::gpu
