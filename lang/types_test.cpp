// SPDX-License-Identifier: MIT
#include "lang/types.h"

#include <gtest/gtest.h>

#include "lang/body/constant_value.h"

namespace pb {
namespace {

TEST(Types, ElementTypesAreSpelledInCxx) {
  EXPECT_EQ(spell(ElementType::UShort), "unsigned short");
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

TEST(Types, NumbersAreSpelledAsInCxx) {
  for (const ElementType element : {ElementType::Double, ElementType::Float, ElementType::Int, ElementType::Long,
                                    ElementType::Short, ElementType::UChar, ElementType::UShort}) {
    EXPECT_EQ(spell_number(number_type(element)), spell(element));
    EXPECT_EQ(element_of(number_type(element)), element);
  }
  BodyType type;
  type.kind = BodyType::Kind::Long;
  type.is_unsigned = true;
  EXPECT_EQ(to_string(type), "unsigned long");
}

TEST(ConstantValue, LiteralsOfAllBasesAreRead) {
  EXPECT_EQ(literal_magnitude("1'000"), 1000U);
  EXPECT_EQ(literal_magnitude("0x1Ful"), 31U);
  EXPECT_EQ(literal_magnitude("017"), 15U);
  EXPECT_EQ(literal_magnitude("0"), 0U);
  EXPECT_EQ(literal_magnitude("0b101u"), 5U);
  EXPECT_EQ(literal_magnitude("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(literal_magnitude("18446744073709551616"), std::nullopt);
  EXPECT_EQ(literal_magnitude("12u3"), std::nullopt);
  EXPECT_EQ(literal_magnitude("0x"), std::nullopt);
  EXPECT_EQ(literal_magnitude("08"), std::nullopt);
}

}  // namespace
}  // namespace pb
