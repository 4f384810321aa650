// SPDX-License-Identifier: MIT
#include "runtime/matrix/read_ahead.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace pbrt {
namespace {

/// A view that records the elements that it is asked for.
struct Notes {
  std::vector<std::int64_t>& asked;
  [[nodiscard]] const void* line_of(std::int64_t at) const {
    asked.push_back(at);
    return nullptr;
  }
  [[nodiscard]] std::int64_t stride(int) const { return 1; }
};

/// A handle, which lacks the members of a view.
struct Handle {};

TEST(ReadAhead, ViewsAreAskedHandlesAreNot) {
  std::vector<std::int64_t> asked;
  read_ahead(Notes{asked}, 7, 32);
  read_ahead(Handle{}, 8, 32);
  EXPECT_EQ(asked, std::vector<std::int64_t>{7});
}

// In a build with sanitizers, this test fails if an address outside of the matrix is computed with undefined behaviour.
TEST(ReadAhead, ElementsMayLieOutsideInAnyStride) {
  std::vector<double> elements{1, 2, 3, 4};
  const IndexT size = 2;
  for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{2}, std::int64_t{-1}, std::int64_t{1} << 30}) {
    const View<const double, 1> view(elements.data() + 1, &size, &stride);
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, std::int64_t{std::numeric_limits<IndexT>::max()}})
      for (const std::int64_t lines : {1, 32, 1024}) read_ahead(view, at, lines);
  }
  EXPECT_EQ(elements, (std::vector<double>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace pbrt
