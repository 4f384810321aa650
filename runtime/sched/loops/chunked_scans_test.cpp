// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/chunked_scans.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// Sums of the lines of a matrix with two dimensions. A chunk that has a negative number is of no use as a fold.
template <bool kExact, bool kDown>
struct Sums {
  using Values = double;
  using Part = double;
  static constexpr bool kIsExact = kExact, kIsDown = kDown;

  const std::vector<double>& in;
  std::vector<double>& out;
  std::int64_t width;
  std::int64_t throws_at = -1;

  [[nodiscard]] std::size_t at(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * width + x); }
  template <class F>
  void each(const Box<2>& box, const F& f) const {
    for (std::int64_t k = 0; k < box.extent(0); ++k) f(at(kDown ? box.hi[0] - 1 - k : box.lo[0] + k, box.lo[1]));
  }
  [[nodiscard]] double before(const Box<2>& box) const {
    const std::int64_t x = kDown ? box.hi[0] : box.lo[0] - 1;
    return x < 0 || x == width ? 0 : out[at(x, box.lo[1])];
  }
  [[nodiscard]] double fold(const Box<2>& box) const {
    double sum = 0;
    each(box, [&](std::size_t i) { sum = in[i] < 0 ? NAN : sum + in[i]; });
    return sum;
  }
  [[nodiscard]] static bool is_usable(double, double part) { return !std::isnan(part); }
  [[nodiscard]] static bool combine(double& before, double part) {
    if (!is_usable(before, part)) return false;
    before += part;
    return true;
  }
  bool scan(const Box<2>& box, double start) const {
    if (box.lo[0] <= throws_at && throws_at < box.hi[0]) throw std::runtime_error("a chunk");
    run_in_order(box, start);
    return true;
  }
  double run_in_order(const Box<2>& box, double start) const {
    each(box, [&](std::size_t i) { out[i] = start += in[i]; });
    return start;
  }
};

std::vector<double> numbers(std::int64_t count) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(std::fabs(std::sin(static_cast<double>(i))) * (i % 97 == 5 ? -1 : 1));
  return out;
}

template <bool kExact, bool kDown>
std::vector<double> sums(Frame& frame, std::int64_t width, std::int64_t height, std::int64_t chunk) {
  const std::vector<double> in = numbers(width * height);
  std::vector<double> out(in.size());
  run_scan<2>(frame, Box<2>{{0, 0}, {width, height}}, chunk, Sums<kExact, kDown>{in, out, width});
  return out;
}

template <bool kDown>
void expect_same_bits(std::int64_t width, std::int64_t height, std::int64_t chunk) {
  std::vector<double> wanted, in_order;
  Scheduler(1).run([&](Frame& root) {
    CallFrame sequential(root, 0, 1);
    wanted = sums<false, kDown>(sequential, width, height, chunk);
    in_order = sums<true, kDown>(sequential, width, height, chunk);
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(wanted[i], in_order[i], 1e-9);
  for (const int num_workers : {1, 2, 5}) {
    Scheduler scheduler(num_workers);
    for (int run = 0; run < 20; ++run)
      scheduler.run([&](Frame& root) { ASSERT_EQ((sums<false, kDown>(root, width, height, chunk)), wanted); });
  }
}

TEST(ChunkedScans, HaveTheSameBitsInEveryRun) {
  for (const std::int64_t chunk : {1, 3, 64, 5000}) {
    expect_same_bits<false>(1009, 1, chunk);
    expect_same_bits<true>(1009, 1, chunk);
    expect_same_bits<false>(301, 3, chunk);
    expect_same_bits<true>(7, 40, chunk);
  }
}

TEST(ChunkedScans, AnEmptyBoxRunsNothing) {
  Scheduler(2).run([](Frame& root) { EXPECT_TRUE((sums<false, false>(root, 0, 1, 4).empty())); });
}

TEST(ChunkedScans, MakeLongerChunksWhereThereWouldBeTooMany) {
  const detail::ScanGrid<1> grid(Box<1>{{0}, {kMaxScanChunks * 10 + 1}}, 3, false);
  EXPECT_EQ(grid.length, 64);
  EXPECT_LE(grid.per_line, kMaxScanChunks);
}

TEST(ChunkedScans, ChunksBeginAtMultiplesOfTheirLength) {
  const auto chunks = [](std::int64_t lo, std::int64_t hi, bool is_backward) {
    const detail::ScanGrid<1> grid(Box<1>{{lo}, {hi}}, 8, is_backward);
    std::vector<std::pair<std::int64_t, std::int64_t>> out;
    for (std::int64_t k = 0; k < grid.per_line; ++k) out.emplace_back(grid.chunk(0, k).lo[0], grid.chunk(0, k).hi[0]);
    return out;
  };
  using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(chunks(5, 23, false), (Ranges{{5, 8}, {8, 16}, {16, 23}}));
  EXPECT_EQ(chunks(5, 23, true), (Ranges{{16, 23}, {8, 16}, {5, 8}}));
  EXPECT_EQ(chunks(8, 24, false), (Ranges{{8, 16}, {16, 24}}));
  EXPECT_EQ(chunks(-3, 10, false), (Ranges{{-3, 0}, {0, 8}, {8, 10}}));
  EXPECT_EQ(chunks(6, 7, true), (Ranges{{6, 7}}));
}

TEST(ChunkedScans, Rethrow) {
  Scheduler scheduler(2);
  const std::vector<double> in = numbers(1000);
  std::vector<double> out(in.size());
  const auto run = [&](Frame& root) {
    run_scan<2>(root, Box<2>{{0, 0}, {1000, 1}}, 10, Sums<false, false>{in, out, 1000, 500});
  };
  EXPECT_THROW(scheduler.run(run), std::runtime_error);
}

}  // namespace
}  // namespace pbrt
