// SPDX-License-Identifier: MIT
#include "lang/types.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

TEST(Types, ElementTypesAreSpelledInCxx) {
  EXPECT_EQ(spell(ElementType::UShort), "unsigned short");
  EXPECT_EQ(size_bytes(ElementType::UShort), 2);
  EXPECT_TRUE(is_floating(ElementType::Float));
  EXPECT_FALSE(is_floating(ElementType::Long));
}

TEST(Types, BodyTypesAreReadable) {
  BodyType region;
  region.kind = BodyType::Kind::Region;
  region.num_dims = 2;
  region.is_const = true;
  region.is_element = true;
  EXPECT_EQ(to_string(region), "const region<ElementT, 2>");
  BodyType array;
  array.kind = BodyType::Kind::Array;
  array.element = ElementType::Int;
  array.extent = 3;
  EXPECT_EQ(to_string(array), "int[3]");
}

}  // namespace
}  // namespace pb
