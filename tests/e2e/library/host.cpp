// SPDX-License-Identifier: MIT
// A host of libedges.so in C++20: ends with 1 at the first thing that is wrong. library_test.py compiles and runs it.
#include <edges.h>

#include <cstdio>
#include <cstdlib>
#include <polybricks.hpp>
#include <span>
#include <string>
#include <vector>

namespace {

void expect(bool is_so, const char* what) {
  if (is_so) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

/// The members of std::mdspan that a call needs, for rows of `h` numbers.
struct Rows {
  using element_type = float;
  float* data;
  std::size_t w, h;
  [[nodiscard]] float* data_handle() const { return data; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return d == 0 ? w : h; }
  [[nodiscard]] std::size_t stride(std::size_t d) const { return d == 0 ? h : 1; }
  static constexpr std::size_t rank() { return 2; }
};

void test_calls(const polybricks::Context& context) {
  const std::vector<double> a = {1, 2, 3};
  std::vector<double> b(3);
  context.call(edges_Scale, a, b);
  expect(b == std::vector<double>{2, 4, 6}, "vectors");
  context.call(edges_Scale, std::span(a).first(2), std::span(b).last(2));
  expect(b == std::vector<double>{2, 2, 4}, "spans");
  double sum = 0;
  context.call(edges_Sum, a, sum);
  expect(sum == 6, "numbers");
}

void test_planes(const polybricks::Context& context) {
  std::vector<float> in(20), out(12), rows(12), turned(12);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * i % 7);
  const polybricks::View<const float, 2> plane(in.data(), {5, 4});
  context.call(edges_Blur, 3, plane, polybricks::View<float, 2>(out.data(), {3, 4}));
  context.call(edges_Blur, 3, plane, Rows{rows.data(), 3, 4});
  context.call(edges_Blur, 3, plane, polybricks::View<float, 2>(turned.data(), {4, 3}).transposed());
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 3; ++x) {
      expect(out[3 * y + x] == 3 * (in[5 * y + x] + in[5 * y + x + 1] + in[5 * y + x + 2]), "views");
      expect(rows[4 * x + y] == out[3 * y + x], "mdspans");
    }
  }
  expect(turned == rows, "transposed views");
}

void test_resident_matrices(const polybricks::Context& context) {
  const polybricks::Matrix<double, 1> a(context, {4}), b(context, {4});
  for (int i = 0; i < 4; ++i) a.data()[i] = i;
  a.changed();
  context.call(edges_Scale, a, b);
  context.call(edges_Scale, b, a);
  expect(a.fetch()[3] == 12, "resident matrices");
  expect(context.statistics().kernels == 0, "a context without a device has run kernels");
}

void test_extents(const polybricks::Context& context) {
  const std::vector<float> plane(20);
  const polybricks::View<const float, 2> in(plane.data(), {5, 4});
  expect(context.output_extents("Blur", {1}, in) == std::vector<std::vector<std::int64_t>>{{3, 4}}, "extents of Blur");
  expect(context.output_extents("Sum", {}, std::vector<double>(3)) == std::vector<std::vector<std::int64_t>>{{}},
         "a number has no extents");
  for (const std::string name : {"Blur", "Blurr"}) {
    try {
      static_cast<void>(context.output_extents(name, {}, in));
      expect(false, "a number that is missing and an unknown transform are exceptions");
    } catch (const polybricks::Error& error) {
      expect(error.code() == PB_ERROR_ARGUMENT, error.what());
    }
  }
}

void test_errors(const polybricks::Context& context) {
  bool is_refused = false;
  try {
    float one = 1;
    const polybricks::View<const float, 2> plane(&one, {5, 4}, {0, 0});
  } catch (const polybricks::Error& error) {
    is_refused = error.code() == PB_ERROR_ARGUMENT;
  }
  expect(is_refused, "strides that are all 0 are refused");
  std::vector<double> a(3), b(4);
  try {
    context.call(edges_Scale, a, b);
    expect(false, "other extents are an exception");
  } catch (const polybricks::Error& error) {
    expect(error.code() == PB_ERROR_ARGUMENT && std::string(error.what()).find("`B[n]`") != std::string::npos,
           error.what());
  }
  try {
    const polybricks::Context another(edges_library(), {.devices = {"0", "0"}});
    expect(false, "a device that is named twice is an exception");
  } catch (const polybricks::Error& error) {
    expect(std::string(error.what()).find("device 0 is named twice") != std::string::npos, error.what());
  }
}

}  // namespace

int main() {
  const polybricks::Context context(edges_library(), {.threads = 2});
  test_calls(context);
  test_planes(context);
  test_resident_matrices(context);
  test_extents(context);
  test_errors(context);
}
