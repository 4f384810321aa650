// SPDX-License-Identifier: MIT
// Tests of the grid of a storage: views and their boxes, before and after it becomes finer.
#include "runtime/gpu/storage_record.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {
namespace {

/// Some cells of a matrix of 8 x 8.
OwnedView part(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
  OwnedView view;
  view.element_bytes = sizeof(int);
  view.num_dims = 2;
  view.offset = x + 8 * y;
  view.sizes = {width, height};
  view.strides = {1, 8};
  return view;
}

class StorageRecordTest : public ::testing::Test {
 protected:
  const Matrix2 matrix = filled(8, 8, 0);
  StorageRecord& record = StorageRecord::of(*RegionRef(matrix).storage, sizeof(int));
  const std::lock_guard<std::mutex> lock{record.mutex};
};

TEST_F(StorageRecordTest, BoxesOfManyViewsAreTheirCells) {
  // More views than are known at a time, in turns.
  for (int round = 0; round < 3; ++round)
    for (std::int64_t y = 0; y < 7; ++y) {
      const GridBox box = record.box_of(part(1, y, 3, 2));
      ASSERT_EQ(box.num_dims, 2);
      EXPECT_EQ(box.lo[0], 1);
      EXPECT_EQ(box.hi[0], 4);
      EXPECT_EQ(box.lo[1], y);
      EXPECT_EQ(box.hi[1], y + 2);
    }
}

TEST_F(StorageRecordTest, AFinerGridChangesTheBoxesOfKnownViews) {
  OwnedView row = part(0, 2, 8, 1);
  row.num_dims = 1;
  EXPECT_EQ(record.box_of(row).num_dims, 1);
  EXPECT_EQ(record.box_of(row).lo[0], 16);
  ASSERT_TRUE(record.adopt(part(0, 0, 2, 2)));
  const GridBox box = record.box_of(row);
  ASSERT_EQ(box.num_dims, 2);
  EXPECT_EQ(box.lo[0], 0);
  EXPECT_EQ(box.hi[0], 8);
  EXPECT_EQ(box.lo[1], 2);
  EXPECT_EQ(box.hi[1], 3);
}

TEST_F(StorageRecordTest, AViewOfAnotherShapeIsTheWholeStorageEachTime) {
  ASSERT_TRUE(record.adopt(part(0, 0, 2, 2)));
  OwnedView crooked = part(0, 0, 2, 2);
  crooked.strides = {1, 5};
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(record.adopt(crooked));
    EXPECT_EQ(record.box_of(crooked), record.whole());
  }
  record.lost.add(record.box_of(part(6, 6, 2, 2)));
  record.wrote_on_host(crooked);
  EXPECT_FALSE(record.lost.is_empty()) << "a part of the storage was written, nobody knows which";
  record.wrote_on_host(part(6, 6, 2, 2));
  EXPECT_TRUE(record.lost.is_empty());
}

}  // namespace
}  // namespace pbrt::gpu
