// SPDX-License-Identifier: MIT
#include "runtime/matrix/memory/mappings.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/matrix/storage.h"

namespace pbrt {
namespace {

class EndedMappings final : public MappingUser {
 public:
  EndedMappings() { Mappings::add_user(*this); }
  ~EndedMappings() override { Mappings::remove_user(*this); }
  void end(const Mapping& mapping) noexcept override { ended.push_back(mapping.begin); }

  std::vector<const std::byte*> ended;
};

std::byte* begin_of(const StorageRef& storage) { return static_cast<std::byte*>(storage.get()->data()); }

TEST(Mappings, HasLargeBlocksOfTheRuntimeAlone) {
  std::vector<std::byte> foreign(Storage::kLargePageBytes * 2);
  const StorageRef large = StorageRef::adopt(Storage::create(Storage::kLargePageBytes + 5));
  const StorageRef small = StorageRef::adopt(Storage::create(Storage::kLargePageBytes / 2));
  const StorageRef other = StorageRef::adopt(Storage::refer_to(foreign.data(), foreign.size()));
  EXPECT_FALSE(Mappings::find(small.get()->data()));
  EXPECT_FALSE(Mappings::find(other.get()->data()));
  EXPECT_FALSE(Mappings::find(begin_of(large) - 1));
  for (const std::size_t at : {std::size_t{0}, Storage::kLargePageBytes + 4}) {
    const auto found = Mappings::find(begin_of(large) + at);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->begin, begin_of(large));
    EXPECT_GE(found->bytes, large.get()->bytes());
  }
  EXPECT_FALSE(Mappings::find(begin_of(large) + Mappings::find(begin_of(large))->bytes));
}

TEST(Mappings, TellsOfTheEndWhenTheMemoryGoesToTheSystem) {
  EndedMappings user;
  // More than is kept for reuse where little is in use.
  constexpr std::size_t kBytes = std::size_t{3} << 30;
  const std::byte* begin = nullptr;
  {
    const StorageRef huge = StorageRef::adopt(Storage::create(kBytes));
    begin = begin_of(huge);
    EXPECT_TRUE(user.ended.empty());
  }
  EXPECT_EQ(user.ended, std::vector<const std::byte*>{begin});
  EXPECT_FALSE(Mappings::find(begin));
}

TEST(Mappings, TellsNobodyWhoWasRemoved) {
  std::vector<std::byte> memory(100);
  EndedMappings staying;
  {
    EndedMappings leaving;
    Mappings::add({memory.data(), memory.size()});
    EXPECT_TRUE(Mappings::find(memory.data() + 99));
  }
  Mappings::remove(memory.data());
  EXPECT_EQ(staying.ended, std::vector<const std::byte*>{memory.data()});
  EXPECT_FALSE(Mappings::find(memory.data()));
  Mappings::remove(memory.data());
  EXPECT_EQ(staying.ended.size(), 1U);
}

}  // namespace
}  // namespace pbrt
