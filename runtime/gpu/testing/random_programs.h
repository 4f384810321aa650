// SPDX-License-Identifier: MIT
// Random programs on fake devices and several workers against a sequential oracle. The seed is part of every message.
// Tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {

inline constexpr int kWidth = 12, kHeight = 10;

/// One step of a random program: matrix[dst] box = matrix[src] box + step, or an increment in place.
struct Step {
  int dst = 0, src = 0;
  int dst_x = 0, dst_y = 0, src_x = 0, src_y = 0, w = 1, h = 1;
  int step = 0;
  bool on_device = false;
  CopyOut copy_out = CopyOut::May;
  bool overwrites = false;  // the host, where the source is another matrix, says so
};

inline Step random_step(std::mt19937& rng, int num_matrices) {
  const auto below = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  Step step;
  step.dst = below(num_matrices);
  step.src = below(num_matrices);
  step.w = 1 + below(kWidth);
  step.h = 1 + below(kHeight);
  if (below(3) == 0) step.w = kWidth, step.h = kHeight;
  step.dst_x = below(kWidth - step.w + 1);
  step.dst_y = below(kHeight - step.h + 1);
  step.src_x = below(kWidth - step.w + 1);
  step.src_y = below(kHeight - step.h + 1);
  step.step = below(100);
  step.on_device = below(3) != 0;
  step.copy_out = static_cast<CopyOut>(below(4));
  step.overwrites = below(2) == 0;
  return step;
}

inline Matrix2 box(const Matrix2& m, int x, int y, const Step& step) { return m.region(x, y, x + step.w, y + step.h); }

inline void run_on_host(Frame& frame, const Matrix2& out, const Matrix2& in, int step, bool overwrites) {
  need_on_host(frame, in);
  if (overwrites)
    before_host_overwrite(frame, out);
  else
    before_host_write(frame, out);
  for (int y = 0; y < out.height(); ++y)
    for (int x = 0; x < out.width(); ++x) out.cell(x, y) = in.cell(x, y) + step;
  wrote_on_host(out);
}

inline void run_step(FakeManager& fake, Frame& frame, std::vector<Matrix2>& matrices, const Step& step) {
  const Matrix2 out = box(matrices[static_cast<std::size_t>(step.dst)], step.dst_x, step.dst_y, step);
  if (step.src == step.dst) {  // in place, so that order within the kernel does not matter
    if (step.on_device && fake.increment(frame, out, step.step, step.copy_out).empty()) return;
    return run_on_host(frame, out, out, step.step, false);
  }
  const Matrix2 in = box(matrices[static_cast<std::size_t>(step.src)], step.src_x, step.src_y, step);
  if (step.on_device && fake.add_step(frame, out, in, step.step, step.copy_out).empty()) return;
  run_on_host(frame, out, in, step.step, step.overwrites);
}

using Plain = std::vector<std::vector<int>>;

inline void run_step(Plain& matrices, const Step& step) {
  std::vector<int>& out = matrices[static_cast<std::size_t>(step.dst)];
  const std::vector<int> in = matrices[static_cast<std::size_t>(step.src)];
  const int sx = step.src == step.dst ? step.dst_x : step.src_x, sy = step.src == step.dst ? step.dst_y : step.src_y;
  for (int y = 0; y < step.h; ++y)
    for (int x = 0; x < step.w; ++x)
      out[static_cast<std::size_t>((step.dst_y + y) * kWidth + step.dst_x + x)] =
          in[static_cast<std::size_t>((sy + y) * kWidth + sx + x)] + step.step;
}

using FakeManagers = std::vector<FakeManager*>;

/// A chain of steps on matrices of its own, each on one of the devices or on the host.
inline void run_program(const FakeManagers& fakes, Frame& frame, unsigned seed, int num_steps, bool may_lose) {
  std::mt19937 rng(seed), of_devices(seed);
  const int num_matrices = 2 + static_cast<int>(rng() % 3);
  std::vector<Matrix2> matrices;
  Plain expected(static_cast<std::size_t>(num_matrices), std::vector<int>(kWidth * kHeight, 0));
  for (int i = 0; i < num_matrices; ++i) matrices.push_back(filled(kWidth, kHeight, 0));
  try {
    for (int i = 0; i < num_steps; ++i) {
      const Step step = random_step(rng, num_matrices);
      FakeManager& fake = *fakes[of_devices() % fakes.size()];
      run_step(fake, frame, matrices, step);
      run_step(expected, step);
      if (rng() % 16 == 0)
        fake.manager->drop_device_copies(frame, matrices[rng() % matrices.size()].storage_ref().get());
      if (rng() % 16 == 0) {  // destroys a matrix while kernels may still use it
        const std::size_t which = rng() % matrices.size();
        matrices[which] = filled(kWidth, kHeight, 1);
        std::fill(expected[which].begin(), expected[which].end(), 1);
      }
    }
    for (std::size_t m = 0; m < matrices.size(); ++m) {
      need_on_host(frame, matrices[m]);
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
          ASSERT_EQ(matrices[m].cell(x, y), expected[m][static_cast<std::size_t>(y * kWidth + x)])
              << "seed " << seed << ", matrix " << m << ", cell " << x << ", " << y;
    }
  } catch (const DeviceLost&) {
    ASSERT_TRUE(may_lose) << "seed " << seed;
  }
}

inline void run_programs(const FakeManagers& fakes, unsigned seed, bool may_lose = false) {
  Scheduler scheduler(3);
  scheduler.run([&](Frame& frame) {
    for (unsigned i = 0; i < 8; ++i)
      frame.spawn([&fakes, seed, i, may_lose](Frame& f) { run_program(fakes, f, seed * 100 + i, 40, may_lose); });
    frame.sync();
  });
}

}  // namespace pbrt::gpu
