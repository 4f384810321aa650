// SPDX-License-Identifier: MIT
// What a launch costs the runtime itself: on a device whose calls cost nothing and whose operations have ended when it
// is asked for them. Not a test: it prints times and judges nothing.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

class NoBuffer final : public Buffer {
 public:
  explicit NoBuffer(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }

 private:
  std::size_t size_bytes_;
};

class NoKernel final : public Kernel {
 public:
  [[nodiscard]] KernelLimits limits() const override { return {1024, 0}; }
};

/// A device that does nothing, and tells of ends when it is asked for them, as NVIDIA's do.
class IdleDevice final : public Device {
 public:
  IdleDevice() : info_(fake_device_info()) {}
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void*) override {
    return std::make_unique<NoBuffer>(size_bytes);
  }
  [[nodiscard]] std::unique_ptr<Kernel> build(const char*, const char*, const std::string&) override {
    return std::make_unique<NoKernel>();
  }
  void write(Buffer&, const void*, std::span<const CopyShape>, CopyOrder, Completion& done) override { add(done); }
  void read(const Buffer&, void*, std::span<const CopyShape>, CopyOrder, Completion& done) override { add(done); }
  void clear(Buffer&, std::size_t, std::size_t, Completion& done) override { add(done); }
  void launch(Kernel&, std::span<const KernelArg>, const KernelRange&, Completion& done) override { add(done); }
  void flush() override {}
  void poll() override {
    std::vector<Completion*> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(under_way_);
    }
    for (Completion* each : ended) each->done(true);
  }
  void watch() override { poll(); }
  void finish() noexcept override { poll(); }

 private:
  void add(Completion& done) {
    const std::lock_guard lock(mutex_);
    under_way_.push_back(&done);
  }
  const DeviceInfo info_;
  std::mutex mutex_;
  std::vector<Completion*> under_way_;
};

/// `patience` in microseconds: GPUs have 1000, devices that compute on the host's cores have none.
std::unique_ptr<Manager> manager_of(std::int64_t patience) {
  ManagerOptions options;
  options.patience = std::chrono::microseconds(patience);
  return std::make_unique<Manager>(std::make_unique<IdleDevice>(), options);
}

void increment(Frame& frame, Manager& manager, const Matrix2& matrix) {
  const std::int32_t lo[] = {0, 0}, extent[] = {matrix.width(), matrix.height()};
  Launch launch(kIncrement, frame, &manager);
  launch.inout(matrix, CopyOut::May).scalar(1).range(2, lo, extent);
  benchmark::DoNotOptimize(launch.run());
}

/// Launches of one program, each after the one before.
void launch_chain(benchmark::State& state) {
  const auto manager = manager_of(state.range(1));
  Scheduler scheduler(static_cast<int>(state.range(0)));
  scheduler.run([&](Frame& root) {
    const Matrix2 matrix = filled(32, 32, 0);
    for (int i = 0; i < 100; ++i) increment(root, *manager, matrix);
    for (auto _ : state) increment(root, *manager, matrix);
    manager->drain(root);
  });
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(launch_chain)->Args({1, 0})->Args({1, 1000})->Args({2, 1000})->UseRealTime();

/// Launches of tasks that do not wait for each other.
void independent_launches(benchmark::State& state) {
  constexpr int kTasks = 16;
  const auto manager = manager_of(state.range(1));
  Scheduler scheduler(static_cast<int>(state.range(0)));
  scheduler.run([&](Frame& root) {
    std::vector<Matrix2> matrices;
    for (int i = 0; i < kTasks; ++i) matrices.push_back(filled(32, 32, 0));
    for (auto _ : state) {
      for (const Matrix2& each : matrices) root.spawn([&](Frame& frame) { increment(frame, *manager, each); });
      root.sync();
    }
    manager->drain(root);
  });
  state.SetItemsProcessed(state.iterations() * kTasks);
}
BENCHMARK(independent_launches)->Args({1, 1000})->Args({2, 1000})->UseRealTime();

}  // namespace
}  // namespace pbrt::gpu

BENCHMARK_MAIN();
