// SPDX-License-Identifier: MIT
// Which cells are held to sums in wider numbers, and to what.
#include "runtime/main/serve/checked_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace pbrt {
namespace {

/// Cell i is the sum of `A.cell(i)` and zeros, as many as the size variable says.
SumOfTerms sum_of_cell(const AnyMatrix* inputs, const std::int64_t* sizes, const std::int64_t* cell) {
  const double value = inputs[0].number_at(cell[0]);
  return {value, std::fabs(value), sizes[0]};
}
constexpr CheckedSumDesc kSums[] = {{0, sum_of_cell}};

/// A problem with `count` cells of `num_terms` terms, whose outputs equal the sums.
struct World {
  World(IndexT count, std::int64_t num_terms) {
    transform.checked_sums = kSums;
    transform.num_checked_sums = 1;
    problem.transform = &transform;
    problem.sizes = {num_terms};
    for (auto* list : {&problem.inputs, &problem.outputs}) {
      list->push_back(AnyMatrix::allocate(ElementKind::Float, 1, &count));
      for (IndexT i = 0; i < count; ++i) cell(list->front(), i) = static_cast<float>(i + 1);
    }
  }
  static float& cell(const AnyMatrix& matrix, IndexT i) { return matrix.as<float, 1>().cell(i); }

  /// Whether the outputs are as the cells say, after one has got another value.
  [[nodiscard]] bool is_right(const CheckedCells& cells, IndexT at, float value) const {
    cell(problem.outputs[0], at) = value;
    Difference difference;
    for (const CheckedCell& each : cells.cells) add_difference(each, problem.outputs[0], "B", difference);
    EXPECT_EQ(difference.where.empty(), difference.is_within);
    return difference.is_within;
  }

  TransformDesc transform{};
  Problem problem;
};

TEST(CheckedCells, TheErrorGrowsWithTheTermsUpToTheDefaultTolerance) {
  constexpr double kEpsilon = 1.1920929e-7;
  EXPECT_NEAR(allowed_error({0, 100, 10}, ElementKind::Float), 4 * 10 * kEpsilon * 100, 1e-9);
  EXPECT_NEAR(allowed_error({0, 100, 1 << 28}, ElementKind::Float), 1e-4 * 100, 1e-9);
  EXPECT_NEAR(allowed_error({0, 100, 1 << 28}, ElementKind::Double), 1e-9 * 100, 1e-9 * 25);
}

TEST(CheckedCells, AnErrorWithinTheToleranceMayBeTooLarge) {
  const World world(4, 10);
  const CheckedCells cells = checked_cells(world.problem);
  EXPECT_TRUE(cells.are_all());
  EXPECT_TRUE(world.is_right(cells, 3, 4));
  EXPECT_TRUE(world.is_right(cells, 3, 4.00001F));
  EXPECT_FALSE(world.is_right(cells, 3, 4.0002F));
  EXPECT_FALSE(world.is_right(cells, 3, std::nanf("")));
}

TEST(CheckedCells, AReferenceThatErrsIsNoReasonToRefuseOthers) {
  const World world(4, 10);
  world.cell(world.problem.outputs[0], 2) = 2;
  const CheckedCells cells = checked_cells(world.problem);
  EXPECT_TRUE(cells.has_bad_reference());
  EXPECT_TRUE(world.is_right(cells, 2, 2)) << "as the reference";
  EXPECT_TRUE(world.is_right(cells, 2, 3)) << "as the sum in wider numbers";
  EXPECT_FALSE(world.is_right(cells, 2, 2.5F)) << "between them";
}

TEST(CheckedCells, OfLargeOutputsSomeCellsAreTaken) {
  const World world(1000, 1 << 20);
  const CheckedCells cells = checked_cells(world.problem);
  EXPECT_FALSE(cells.are_all());
  std::set<std::int64_t> tenths;
  for (const CheckedCell& cell : cells.cells) tenths.insert(cell.index / 100);
  EXPECT_EQ(cells.cells.size(), 16U);
  EXPECT_EQ(tenths.size(), 10U) << "they lie apart";
}

TEST(CheckedCells, SumsThatMayOverflowAreLeftOut) {
  const World world(4, 10);
  world.cell(world.problem.inputs[0], 1) = INFINITY;
  const CheckedCells cells = checked_cells(world.problem);
  EXPECT_EQ(cells.cells.size(), 3U);
  EXPECT_FALSE(cells.are_all());
}

}  // namespace
}  // namespace pbrt
