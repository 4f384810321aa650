// SPDX-License-Identifier: MIT
// Kernels on a real OpenCL implementation: PoCL must be there. With POLYBRICKS_TEST_DEVICE (part of a
// platform's or device's name) another device is tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cl/device_list.h"
#include "runtime/cl/kernel_cache.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/manager.h"
#include "runtime/matrix/region_handle.h"
#include "runtime/sched/scheduler.h"

namespace pbrt::cl {
namespace {

namespace fs = std::filesystem;
using Matrix1 = MatrixRegion<double, 1>;
using Matrix2 = MatrixRegion<double, 2>;

/// A folder that goes with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "pb_cl_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

constexpr const char* kAddSource = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void add(__global const double* a_data, const long a_offset, const long a_stride0, const int a_size0,
                  __global const double* b_data, const long b_offset, const long b_stride0, const int b_size0,
                  __global double* out_data, const long out_offset, const long out_stride0, const int out_size0,
                  const double factor, const int pb_lo0, const int pb_extent0) {
  if (get_global_id(0) >= pb_extent0) return;
  const PB_INDEX x = pb_lo0 + (PB_INDEX)get_global_id(0);
  out_data[out_offset + x * out_stride0] = factor * a_data[a_offset + x * a_stride0] + b_data[b_offset + x * b_stride0];
}
)";
constexpr gpu::KernelDesc kAdd = {
    .name = "add", .source = kAddSource, .needs_fp64 = true, .num_regions = 3, .num_scalars = 1};

constexpr const char* kBlurSource = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void blur(__global const double* in_data, const long in_offset, const long in_stride0, const long in_stride1,
                   const int in_size0, const int in_size1,
                   __global double* out_data, const long out_offset, const long out_stride0, const long out_stride1,
                   const int out_size0, const int out_size1,
                   const int K, const int pb_lo0, const int pb_lo1, const int pb_extent0, const int pb_extent1
#ifdef LOCAL
                   , __local double* in_tile
#endif
                   ) {
#ifdef PB_K
  const int width = PB_K;
#else
  const int width = K;
#endif
  const int gx = get_global_id(0), gy = get_global_id(1);
  double sum = 0;
#ifdef LOCAL
  const int tw = get_local_size(0) + width - 1, th = get_local_size(1) + width - 1;
  const int x0 = get_group_id(0) * get_local_size(0), y0 = get_group_id(1) * get_local_size(1);
  for (int j = get_local_id(1); j < th; j += get_local_size(1))
    for (int i = get_local_id(0); i < tw; i += get_local_size(0)) {
      const int x = pb_lo0 + x0 + i, y = pb_lo1 + y0 + j;
      in_tile[j * tw + i] = x < in_size0 && y < in_size1 ? in_data[in_offset + x * in_stride0 + y * in_stride1] : 0;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (gx >= pb_extent0 || gy >= pb_extent1) return;
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i) sum += in_tile[(get_local_id(1) + j) * tw + get_local_id(0) + i];
#else
  if (gx >= pb_extent0 || gy >= pb_extent1) return;
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < width; ++i)
      sum += in_data[in_offset + (pb_lo0 + gx + i) * in_stride0 + (pb_lo1 + gy + j) * in_stride1];
#endif
  out_data[out_offset + (pb_lo0 + gx) * out_stride0 + (pb_lo1 + gy) * out_stride1] = sum;
}
)";
constexpr gpu::SpecializedScalar kBlurConstants[] = {{"PB_K", 0}};
constexpr gpu::KernelDesc kBlur = {.name = "blur",
                                   .source = kBlurSource,
                                   .needs_fp64 = true,
                                   .num_regions = 2,
                                   .num_scalars = 1,
                                   .specialized = kBlurConstants,
                                   .num_specialized = 1};
constexpr gpu::KernelDesc kBlurLocal = {.name = "blur",
                                        .source = kBlurSource,
                                        .options = "-DLOCAL",
                                        .needs_fp64 = true,
                                        .num_regions = 2,
                                        .num_scalars = 1,
                                        .num_tiles = 1,
                                        .specialized = kBlurConstants,
                                        .num_specialized = 1,
                                        .specialize_group = true};
constexpr gpu::KernelDesc kBroken = {
    .name = "broken", .source = "__kernel void broken(__global int* a) { a[0] = nonsense; }\n", .num_regions = 1};

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* wanted = std::getenv("POLYBRICKS_TEST_DEVICE");
    const std::string part = wanted != nullptr ? wanted : "Portable Computing Language";
    const auto fits = [&](const gpu::DeviceInfo& info) {
      return (info.platform + " " + info.name).find(part) != std::string::npos;
    };
    const auto& all = list_.devices();
    const auto found = std::find_if(all.begin(), all.end(), fits);
    ASSERT_NE(found, all.end()) << "PoCL is needed: apt-get install pocl-opencl-icd";
    index_ = static_cast<std::size_t>(found - all.begin());
  }

  [[nodiscard]] std::unique_ptr<gpu::Manager> manager(Options options = {}) {
    options.cache_folder = folder_.path();
    gpu::ManagerOptions manager_options;
    manager_options.warn = [](void* context, const char* line) {
      static_cast<std::vector<std::string>*>(context)->push_back(line);
    };
    manager_options.warn_context = &warnings_;
    return std::make_unique<gpu::Manager>(list_.open(index_, options), manager_options);
  }

  DeviceList list_;
  std::size_t index_ = 0;
  TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

Matrix2 picture(int w, int h) {
  Matrix2 m = Matrix2::allocate(w, h);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) m.cell(x, y) = (x * 7 + y * 13) % 31;
  return m;
}

double blurred(const Matrix2& in, int x, int y, int k) {
  double sum = 0;
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < k; ++i) sum += in.cell(x + i, y + j);
  return sum;
}

void expect_blurred(const Matrix2& out, const Matrix2& in, int k) {
  for (int y = 0; y < out.height(); ++y)
    for (int x = 0; x < out.width(); ++x) ASSERT_EQ(out.cell(x, y), blurred(in, x, y, k)) << x << ", " << y;
}

bool blur(Frame& frame, gpu::Manager& manager, const gpu::KernelDesc& kernel, const Matrix2& out, const Matrix2& in,
          int k, gpu::CopyOut copy_out, std::int64_t group0 = 16, std::int64_t group1 = 4,
          std::string* reason = nullptr) {
  const std::int32_t lo[] = {0, 0}, extent[] = {out.width(), out.height()};
  const std::int64_t group[] = {group0, group1};
  const gpu::TileDim tile[] = {{{1, 0, 0}, k}, {{0, 1, 0}, k}};
  gpu::Launch launch(kernel, frame, &manager);
  launch.input(in).output(out, copy_out).scalar(k).range(2, lo, extent).group(group, 2);
  if (kernel.num_tiles == 1) launch.tile(sizeof(double), 2, tile);
  const bool ok = launch.run();
  if (reason != nullptr) *reason = launch.reason();
  return ok;
}

TEST_F(OnDevice, AddsVectors) {
  const auto gpu = manager();
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const int n = 1000;
    Matrix1 a = Matrix1::allocate(n), b = Matrix1::allocate(n), out = Matrix1::allocate(n);
    for (int i = 0; i < n; ++i) a.cell(i) = i, b.cell(i) = 0.5;
    const std::int32_t lo[] = {0}, extent[] = {n};
    const std::int64_t group[] = {64};
    gpu::Launch launch(kAdd, frame, gpu.get());
    launch.input(a).input(b).output(out, gpu::CopyOut::Must).scalar(2.0).range(1, lo, extent).group(group, 1);
    ASSERT_TRUE(launch.run()) << launch.reason();
    for (int i = 0; i < n; ++i) ASSERT_EQ(out.cell(i), 2.0 * i + 0.5);
  });
  EXPECT_EQ(gpu->statistics().launches, 1);
}

TEST_F(OnDevice, BlursWithAndWithoutLocalMemory) {
  const auto gpu = manager();
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    for (const int k : {1, 3, 7}) {
      const Matrix2 in = picture(61, 47);
      for (const gpu::KernelDesc* kernel : {&kBlur, &kBlurLocal}) {
        Matrix2 out = Matrix2::allocate(61 - k + 1, 47 - k + 1);
        ASSERT_TRUE(blur(frame, *gpu, *kernel, out, in, k, gpu::CopyOut::May));
        need_on_host(frame, out);
        expect_blurred(out, in, k);
      }
    }
  });
}

TEST_F(OnDevice, CountsTheTimeOfKernelsWhenProfiled) {
  for (const bool is_profiled : {false, true}) {
    Options options;
    options.is_profiled = is_profiled;
    const auto gpu = manager(options);
    Scheduler scheduler(1);
    scheduler.run([&](Frame& frame) {
      const Matrix2 in = picture(200, 200);
      Matrix2 out = Matrix2::allocate(194, 194);
      ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 7, gpu::CopyOut::May));
      need_on_host(frame, out);
    });
    EXPECT_EQ(gpu->statistics().kernel_ns > 0, is_profiled);
  }
}

class OnDeviceWithMemory : public OnDevice, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] Options options() const {
    Options chosen;
    chosen.may_use_host_memory = std::string(GetParam()) == "host_memory";
    if (std::string(GetParam()) == "threads") {
      chosen.copies = CopyOptions{3, 1, 5000, 4096, std::size_t{1} << 30};
      chosen.may_use_host_memory = false;
    }
    if (std::string(GetParam()) == "small_copies") {
      chosen.copies = CopyOptions{.max_small_bytes = 1 << 15};
      chosen.may_use_host_memory = false;
      chosen.ends = EndReports::Thread;
    }
    if (std::string(GetParam()) == "waiting_thread") chosen.ends = EndReports::Thread;
    return chosen;
  }
};

INSTANTIATE_TEST_SUITE_P(All, OnDeviceWithMemory,
                         ::testing::Values("host_memory", "copies", "threads", "small_copies", "waiting_thread"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(OnDeviceWithMemory, ChainsKernelsWithoutTheHost) {
  const auto gpu = manager(options());
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = picture(50, 40);
    Matrix2 middle = Matrix2::allocate(48, 38), out = Matrix2::allocate(46, 36);
    ASSERT_TRUE(blur(frame, *gpu, kBlur, middle, in, 3, gpu::CopyOut::Reused));
    ASSERT_TRUE(blur(frame, *gpu, kBlur, out, middle, 3, gpu::CopyOut::Must));
    need_on_host(frame, middle);
    expect_blurred(middle, in, 3);
    expect_blurred(out, middle, 3);
  });
  const auto moved = gpu->statistics();
  EXPECT_EQ(moved.bytes_to_device, gpu->info().shares_host_memory ? 0 : 50 * 40 * 8);
  EXPECT_EQ(moved.bytes_to_host, gpu->info().shares_host_memory ? 0 : (48 * 38 + 46 * 36) * 8);
}

TEST_P(OnDeviceWithMemory, WorksOnViewsOfOneMatrix) {
  const auto gpu = manager(options());
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 whole = picture(64, 64);
    Matrix2 result = picture(64, 64);
    const Matrix2 in = whole.region(5, 6, 45, 46);
    const Matrix2 out = result.region(10, 20, 48, 58);
    ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 3, gpu::CopyOut::May));
    need_on_host(frame, result);
    expect_blurred(out, in, 3);
    EXPECT_EQ(result.cell(9, 20), whole.cell(9, 20));
    EXPECT_EQ(result.cell(48, 57), whole.cell(48, 57));
  });
}

TEST_P(OnDeviceWithMemory, SeesWhatTheHostWroteBetweenLaunches) {
  const auto gpu = manager(options());
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    Matrix2 in = picture(40, 40);
    Matrix2 out = Matrix2::allocate(38, 38);
    for (int round = 0; round < 3; ++round) {
      before_host_write(frame, in);
      in.cell(20, 20) = 1000 + round;
      wrote_on_host(in.region(20, 20, 21, 21));
      ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 3, gpu::CopyOut::May));
      need_on_host(frame, out);
      expect_blurred(out, in, 3);
    }
  });
}

// Small launches share events, a large one among them has its own.
TEST_P(OnDeviceWithMemory, EndsManyLaunches) {
  const auto gpu = manager(options());
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = picture(50, 40), large = picture(700, 600);
    Matrix2 out = Matrix2::allocate(48, 38), far = Matrix2::allocate(48, 38), wide = Matrix2::allocate(698, 598);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(blur(frame, *gpu, kBlur, i % 2 == 0 ? out : far, in, 3, gpu::CopyOut::May));
      if (i == 37) {
        ASSERT_TRUE(blur(frame, *gpu, kBlur, wide, large, 3, gpu::CopyOut::May));
      }
    }
    gpu->drain(frame);
    EXPECT_EQ(gpu->statistics().launches, 101);
    for (const Matrix2* each : {&out, &far, &wide}) need_on_host(frame, *each);
    expect_blurred(out, in, 3);
    expect_blurred(far, in, 3);
    expect_blurred(wide, large, 3);
  });
}

TEST_P(OnDeviceWithMemory, CopiesBoxesOfThreeDimensions) {
  const auto gpu = manager(options());
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    MatrixRegion<double, 3> volume = MatrixRegion<double, 3>::allocate(20, 15, 10);
    for (int z = 0; z < 10; ++z)
      for (int y = 0; y < 15; ++y)
        for (int x = 0; x < 20; ++x) volume.cell(x, y, z) = x + 100 * y + 10000 * z;
    // The input is one plane, as a transposed view of a part of it.
    const Matrix2 in = volume.region(2, 3, 4, 12, 13, 9).slice(1, 5).transposed();
    Matrix2 out = Matrix2::allocate(in.width() - 1, in.height() - 1);
    ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 2, gpu::CopyOut::May));
    need_on_host(frame, out.row(1));
    need_on_host(frame, out);
    expect_blurred(out, in, 2);
  });
}

// Long copies of the same matrices go by threads first, then from and to locked pages.
TEST_F(OnDevice, CopiesFasterWhatIsCopiedAgain) {
  Options chosen;
  chosen.may_use_host_memory = false;
  chosen.copies = CopyOptions{2, 1000, 1000, 1 << 16, std::size_t{1} << 30};
  const auto gpu = manager(chosen);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    Matrix2 in = picture(600, 600);
    Matrix2 out = Matrix2::allocate(598, 598);
    std::int64_t by_threads = 0;
    for (int round = 0; round < 5; ++round) {
      before_host_write(frame, in);
      in.cell(300, 300) = 1000 + round;
      wrote_on_host(in);
      ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 3, gpu::CopyOut::May));
      need_on_host(frame, out);
      expect_blurred(out, in, 3);
      const bool is_locked = round >= 2;
      EXPECT_EQ(gpu->statistics().bytes_locked > 2 * 598 * 598 * 8, is_locked) << round;
      EXPECT_EQ(gpu->statistics().bytes_by_threads == by_threads, is_locked) << round;
      by_threads = gpu->statistics().bytes_by_threads;
    }
  });
}

// More small copies than there is page-locked memory for: the others go straight.
TEST_F(OnDevice, CopiesManySmallMatrices) {
  Options chosen;
  chosen.may_use_host_memory = false;
  chosen.copies = CopyOptions{.max_small_bytes = 4096};
  chosen.ends = EndReports::Thread;
  const auto gpu = manager(chosen);
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    std::vector<Matrix2> in, out;
    for (int i = 0; i < 150; ++i) {
      in.push_back(picture(20, 10 + i % 20));  // the larger ones are no small copies
      in.back().cell(1, 1) = i;
      out.push_back(Matrix2::allocate(18, 8 + i % 20));
    }
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_TRUE(blur(frame, *gpu, kBlur, out[i], in[i], 3, gpu::CopyOut::Eager));
    for (std::size_t i = 0; i < in.size(); ++i) {
      need_on_host(frame, out[i]);
      expect_blurred(out[i], in[i], 3);
    }
  });
}

/// Notes that and in which order operations end.
class NotedEnd final : public gpu::Completion {
 public:
  explicit NotedEnd(std::vector<const NotedEnd*>& ended) : ended_(ended) {}
  void done(bool) noexcept override { ended_.push_back(this); }

 private:
  std::vector<const NotedEnd*>& ended_;
};

std::unique_ptr<gpu::Device> device_with_small_copies() {
  Options chosen;
  chosen.may_use_host_memory = false;
  chosen.copies = CopyOptions{.max_small_bytes = 4096};
  chosen.ends = EndReports::Thread;
  return DeviceList().open(0, chosen);
}

// What is read through memory of the device's own is at its place once the device has finished, and never later.
TEST_F(OnDevice, HasReadAllWhenItHasFinished) {
  const auto device = device_with_small_copies();
  const auto buffer = device->allocate(64, nullptr);
  std::vector<int> host(16, 7);
  const std::vector<gpu::CopyShape> shapes{{.offset = 0, .row_bytes = 64}};
  std::vector<const NotedEnd*> ended;
  NotedEnd write(ended), read(ended);
  device->write(*buffer, host.data(), shapes, gpu::CopyOrder::InQueue, write);
  std::fill(host.begin(), host.end(), 0);
  device->read(*buffer, host.data(), shapes, gpu::CopyOrder::InQueue, read);
  device->flush();
  device->finish();
  EXPECT_EQ(host, std::vector<int>(16, 7));
  EXPECT_EQ(ended.size(), 2U);
  std::fill(host.begin(), host.end(), 1);
  device->poll();
  EXPECT_EQ(host, std::vector<int>(16, 1));
}

// One thread at a time tells of ends, also if several poll: `ended` is guarded by nothing else.
TEST_F(OnDevice, TellsOfEndsInTheOrderOfTheQueue) {
  const auto device = device_with_small_copies();
  const auto buffer = device->allocate(64, nullptr);
  const std::vector<int> host(16, 7);
  const std::vector<gpu::CopyShape> shapes{{.offset = 0, .row_bytes = 64}};
  std::vector<const NotedEnd*> ended, wanted;
  std::deque<NotedEnd> writes;
  std::atomic<bool> is_over{false};
  std::vector<std::thread> pollers;
  for (int i = 0; i < 2; ++i)
    pollers.emplace_back([&] {
      while (!is_over) device->poll();
    });
  for (int i = 0; i < 2000; ++i) {
    writes.emplace_back(ended);
    wanted.push_back(&writes.back());
    device->write(*buffer, host.data(), shapes, gpu::CopyOrder::InQueue, writes.back());
  }
  device->finish();
  is_over = true;
  for (std::thread& each : pollers) each.join();
  EXPECT_EQ(ended, wanted);
}

TEST_F(OnDevice, ClampsWorkGroupsAndCountsIt) {
  const auto gpu = manager();
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = picture(40, 40);
    Matrix2 out = Matrix2::allocate(38, 38);
    ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 3, gpu::CopyOut::Must, 1 << 20, 1 << 20));
    expect_blurred(out, in, 3);
  });
  EXPECT_EQ(gpu->statistics().groups_clamped, 1);
}

TEST_F(OnDevice, TooMuchLocalMemoryIsAReason) {
  const auto gpu = manager();
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    const Matrix2 in = picture(4000, 4000);
    Matrix2 out = Matrix2::allocate(1, 1);
    std::string reason;
    EXPECT_FALSE(blur(frame, *gpu, kBlurLocal, out, in, 4000, gpu::CopyOut::Must, 1, 1, &reason));
    EXPECT_EQ(reason, "local memory");
  });
}

TEST_F(OnDevice, RejectedKernelIsAReasonAndKeepsTheLog) {
  const auto gpu = manager();
  Scheduler scheduler(2);
  scheduler.run([&](Frame& frame) {
    MatrixRegion<int, 1> a = MatrixRegion<int, 1>::allocate(10);
    const std::int32_t lo[] = {0}, extent[] = {10};
    for (int i = 0; i < 2; ++i) {
      gpu::Launch launch(kBroken, frame, gpu.get());
      launch.inout(a, gpu::CopyOut::Must).range(1, lo, extent);
      EXPECT_FALSE(launch.run());
      EXPECT_STREQ(launch.reason(), "the driver rejected the kernel");
    }
  });
  ASSERT_EQ(gpu->rejected_kernels().size(), 1U);
  EXPECT_NE(gpu->rejected_kernels()[0].log.find("nonsense"), std::string::npos);
  EXPECT_EQ(warnings_.size(), 1U);
  int logs = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) logs += entry.path().extension() == ".log" ? 1 : 0;
  EXPECT_EQ(logs, 1);
}

TEST_F(OnDevice, KernelsComeFromDiskTheSecondTimeAndDamagedFilesAreRebuilt) {
  const auto run_once = [&] {
    const auto gpu = manager();
    Scheduler scheduler(2);
    scheduler.run([&](Frame& frame) {
      const Matrix2 in = picture(40, 40);
      Matrix2 out = Matrix2::allocate(38, 38);
      ASSERT_TRUE(blur(frame, *gpu, kBlur, out, in, 3, gpu::CopyOut::Must));
      expect_blurred(out, in, 3);
    });
    return gpu->statistics();
  };
  EXPECT_EQ(run_once().kernels_built, 1);
  EXPECT_EQ(run_once().kernels_from_disk, 1);
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  EXPECT_EQ(run_once().kernels_built, 1);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(fs::file_size(entry.path())) - 100);
    file.put('\xff').put('\x00').put('\x7f');
  }
  EXPECT_EQ(run_once().kernels_built, 1);
  EXPECT_EQ(run_once().kernels_from_disk, 1);
}

TEST(KernelCache, LoadsWhatWasStoredAndNothingElse) {
  const TemporaryFolder folder;
  const KernelCache cache(folder.path() + "/deep/er");
  EXPECT_FALSE(cache.load("key").has_value());
  cache.store("key", std::string("bl\0b", 4));
  EXPECT_EQ(cache.load("key"), std::string("bl\0b", 4));
  EXPECT_FALSE(cache.load("other").has_value());
  // A file of another key lies under this key's name.
  fs::copy_file(cache.folder() + "/" + hash_name("key") + ".bin", cache.folder() + "/" + hash_name("other") + ".bin");
  EXPECT_FALSE(cache.load("other").has_value());
}

TEST(KernelCache, ForgetsWhatWasNotUsedForLongest) {
  const TemporaryFolder folder;
  const KernelCache cache(folder.path(), 8000);
  const std::string blob(900, 'x');
  const auto set_age = [&](const std::string& name, int hours) {
    fs::last_write_time(folder.path() + "/" + name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (int i = 0; i < 7; ++i) {
    cache.store("key" + std::to_string(i), blob);
    set_age(hash_name("key" + std::to_string(i)) + ".bin", 10 - i);
  }
  std::ofstream(folder.path() + "/left.1.2.tmp") << "half";
  std::ofstream(folder.path() + "/new.1.2.tmp") << "half";
  set_age("left.1.2.tmp", 2);
  EXPECT_TRUE(cache.load("key0").has_value());  // the oldest one is used, so it stays
  cache.store("one", blob);
  cache.store("more", blob);
  EXPECT_TRUE(cache.load("key0").has_value());
  EXPECT_FALSE(cache.load("key1").has_value());
  EXPECT_TRUE(cache.load("key6").has_value());
  EXPECT_TRUE(cache.load("more").has_value());
  EXPECT_FALSE(fs::exists(folder.path() + "/left.1.2.tmp"));
  EXPECT_TRUE(fs::exists(folder.path() + "/new.1.2.tmp"));
  std::uintmax_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder.path())) bytes += file.file_size();
  EXPECT_LE(bytes, 8000U);
}

TEST(KernelCache, FolderThatCannotBeWrittenIsNoError) {
  const KernelCache cache("/proc/no/such/folder");
  cache.store("key", "blob");
  EXPECT_FALSE(cache.load("key").has_value());
  EXPECT_EQ(cache.store_log("key", "log"), "");
}

TEST(Devices, NoLoaderMeansNoDevices) {
  ::setenv("POLYBRICKS_OPENCL", "none", 1);
  EXPECT_TRUE(DeviceList().devices().empty());
  ::setenv("POLYBRICKS_OPENCL", "/no/such/library.so", 1);
  EXPECT_TRUE(DeviceList().devices().empty());
  ::unsetenv("POLYBRICKS_OPENCL");
}

}  // namespace
}  // namespace pbrt::cl
