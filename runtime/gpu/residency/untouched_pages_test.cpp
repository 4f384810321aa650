// SPDX-License-Identifier: MIT
#include "runtime/gpu/residency/untouched_pages.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

namespace pbrt::gpu {
namespace {

constexpr std::size_t kBytes = std::size_t{16} << 20;

class UntouchedPages : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream("/proc/self/pagemap").good()) GTEST_SKIP() << "the system does not tell";
  }
  /// Storage that no test before has used: it is larger than theirs.
  static StorageRef fresh() {
    static std::size_t bytes = kBytes;
    return StorageRef::adopt(Storage::create(bytes += 4096));
  }
  static char* data(const StorageRef& storage) { return static_cast<char*>(storage.get()->data()); }
};

TEST_F(UntouchedPages, AreThoseThatNobodyWrote) {
  const StorageRef storage = fresh();
  EXPECT_TRUE(is_untouched(*storage.get(), 0, kBytes));
  data(storage)[kBytes / 2] = 1;
  EXPECT_FALSE(is_untouched(*storage.get(), 0, kBytes));
  EXPECT_TRUE(is_untouched(*storage.get(), 0, kBytes / 2 - 4096));
  EXPECT_FALSE(is_untouched(*storage.get(), 0, kBytes / 2 + 1));
  EXPECT_FALSE(is_untouched(*storage.get(), kBytes / 2 + 1, 1)) << "it shares a page with what was written";
  EXPECT_TRUE(is_untouched(*storage.get(), kBytes / 2 + 4096, kBytes / 4));
  data(storage)[kBytes - 1] = 1;
  EXPECT_FALSE(is_untouched(*storage.get(), kBytes / 2 + 4096, kBytes / 2 - 4096)) << "the last page";
}

TEST_F(UntouchedPages, ReadAsZero) {
  const StorageRef storage = fresh();
  ASSERT_TRUE(is_untouched(*storage.get(), 0, kBytes));
  for (std::size_t i = 0; i < kBytes; i += 1000) ASSERT_EQ(data(storage)[i], 0);
}

TEST_F(UntouchedPages, AreNotKnownOfForeignMemory) {
  const std::vector<char> memory(kBytes);
  const StorageRef storage = StorageRef::adopt(Storage::refer_to(const_cast<char*>(memory.data()), kBytes));
  EXPECT_FALSE(is_untouched(*storage.get(), 0, kBytes));
}

TEST_F(UntouchedPages, AreNoneOfSmallStorages) {
  const StorageRef storage = StorageRef::adopt(Storage::create(100));
  EXPECT_FALSE(is_untouched(*storage.get(), 0, 100));
  EXPECT_FALSE(is_untouched(*fresh().get(), 0, 0));
}

}  // namespace
}  // namespace pbrt::gpu
