// SPDX-License-Identifier: MIT
// Promotions and common types of C++, and the types of functions and constants that bodies know.
#include "frontend/check_types/vocabulary/arithmetic.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

BodyType unsigned_(Kind kind) {
  BodyType type = plain_type(kind);
  type.is_unsigned = true;
  return type;
}
BodyType element(Kind kind) {
  BodyType type = plain_type(kind);
  type.is_element = true;
  return type;
}
BodyType region(int num_dims) {
  BodyType type = plain_type(Kind::Region);
  type.num_dims = num_dims;
  return type;
}

const BodyType kBool = plain_type(Kind::Bool), kInt = plain_type(Kind::Int), kLong = plain_type(Kind::Long);
const BodyType kFloat = plain_type(Kind::Float), kDouble = plain_type(Kind::Double);
const BodyType kShort = number_type(ElementType::Short), kUChar = number_type(ElementType::UChar);

TEST(Arithmetic, NarrowTypesBecomeInt) {
  for (const BodyType& type : {kBool, plain_type(Kind::Char), kShort, kUChar, kInt})
    EXPECT_EQ(spell_number(promoted(type)), "int");
  EXPECT_EQ(spell_number(promoted(unsigned_(Kind::Int))), "unsigned");
  EXPECT_EQ(spell_number(promoted(kFloat)), "float");
  EXPECT_EQ(promoted(region(1)).kind, Kind::Unknown);
  BodyType constant = kLong;
  constant.is_const = true;
  EXPECT_FALSE(promoted(constant).is_const);
}

TEST(Arithmetic, CommonTypes) {
  struct Row {
    BodyType a, b;
    const char* common;
  };
  const Row rows[] = {
      {kBool, kBool, "int"},
      {kUChar, kShort, "int"},
      {kInt, unsigned_(Kind::Int), "unsigned"},
      {kLong, unsigned_(Kind::Int), "long"},
      {unsigned_(Kind::Long), kLong, "unsigned long"},
      {kLong, kFloat, "float"},
      {kFloat, kDouble, "double"},
      {element(Kind::Float), kInt, "ElementT"},
      {element(Kind::Float), kFloat, "ElementT"},
      {element(Kind::Float), kDouble, "double"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(spell_number(common_type(row.a, row.b)), row.common);
    EXPECT_EQ(spell_number(common_type(row.b, row.a)), row.common) << "the other way round";
  }
  EXPECT_EQ(common_type(kInt, region(1)).kind, Kind::Unknown);
}

TEST(Arithmetic, ConstMakesNoOtherType) {
  BodyType constant = kInt;
  constant.is_const = true;
  EXPECT_TRUE(is_same_type(constant, kInt));
  EXPECT_FALSE(is_same_type(kInt, unsigned_(Kind::Int)));
  EXPECT_FALSE(is_same_type(region(1), region(2)));
}

TEST(Arithmetic, AnElementIsWhatTheProgramSays) {
  Program program;
  program.element = ElementType::Float;
  const BodyType of_program = element_type(program, ElementType::Double, true, false);
  EXPECT_EQ(of_program.kind, Kind::Float);
  EXPECT_TRUE(of_program.is_element);
  const BodyType of_matrix = element_type(program, ElementType::UShort, false, true);
  EXPECT_EQ(to_string(of_matrix), "const unsigned short");
  EXPECT_EQ(normalised(program, element(Kind::Double)).kind, Kind::Float);
  EXPECT_EQ(normalised(program, kDouble), kDouble);
}

/// The type of a call; `-` for what is no built-in function, `?` for a type that is not known.
std::string type_of(const std::string& callee, const std::vector<BodyType>& args) {
  const auto type = type_of_builtin_call(callee, args);
  return !type ? "-" : type->kind == Kind::Unknown ? "?" : to_string(*type);
}

TEST(BuiltinCalls, OfMathFunctions) {
  EXPECT_EQ(type_of("sqrt", {kFloat}), "float");
  EXPECT_EQ(type_of("std::sqrt", {kInt}), "double");
  EXPECT_EQ(type_of("pow", {kFloat, kInt}), "double");
  EXPECT_EQ(type_of("sqrt", {element(Kind::Double)}), "ElementT");
  EXPECT_EQ(type_of("sqrt", {element(Kind::Float)}), "ElementT");
  EXPECT_EQ(type_of("pow", {element(Kind::Float), kDouble}), "ElementT") << "computed in double";
  EXPECT_EQ(type_of("sqrt", {region(1)}), "?");
  EXPECT_EQ(type_of("lround", {kFloat}), "long");
  EXPECT_EQ(type_of("isnan", {kFloat}), "bool");
}

TEST(BuiltinCalls, ThatKeepTheirType) {
  EXPECT_EQ(type_of("abs", {kShort}), "int");
  EXPECT_EQ(type_of("std::min", {kShort, kShort}), "short");
  EXPECT_EQ(type_of("std::min", {kInt, kDouble}), "?") << "C++ refuses two types";
  EXPECT_EQ(type_of("min", {kInt, kDouble}), "double");
  EXPECT_EQ(type_of("min", {kInt}), "?");
  EXPECT_EQ(type_of("max", {kInt, region(1)}), "?");
}

TEST(BuiltinCalls, OfTheRuntime) {
  EXPECT_EQ(type_of("PetabricksRuntime::randInt", {kInt, kInt}), "int");
  EXPECT_EQ(type_of("PetabricksRuntime::rand01", {}), "double");
  EXPECT_EQ(type_of("HecuraRuntime::randInt", {kInt, kInt}), "int");
  EXPECT_EQ(type_of("IS_MISSING", {region(1)}), "bool");
  EXPECT_EQ(type_of("std::swap", {kInt, kInt}), "void");
  EXPECT_EQ(type_of("std::numeric_limits<long>::max", {}), "long");
  EXPECT_EQ(type_of("std::bit_cast<unsigned long>", {kDouble}), "unsigned long");
  EXPECT_EQ(type_of("std::bit_cast<float>", {kInt}), "float");
  EXPECT_EQ(type_of("std::bit_cast<ElementT>", {kInt}), "ElementT");
  EXPECT_EQ(type_of("std::bit_cast<long>", {kInt}), "?") << "C++ refuses another size";
  EXPECT_EQ(type_of("std::bit_cast<long>", {}), "?");
  EXPECT_EQ(type_of("std::popcount", {unsigned_(Kind::Long)}), "int");
  EXPECT_EQ(type_of("std::popcount", {kInt}), "?") << "C++ refuses signed numbers";
  EXPECT_EQ(type_of("std::popcount", {kDouble}), "?");
  EXPECT_EQ(type_of("my_function", {kInt}), "-");
}

TEST(BuiltinCalls, OfNewMatrices) {
  struct Row {
    const char* callee;
    std::vector<BodyType> args;
    int num_dims;  ///< -1: it makes no matrix
    bool is_element;
    ElementType element;
  };
  const Row rows[] = {
      {"allocate<long>", {kInt, kInt}, 2, false, ElementType::Long},
      {"allocate<ElementT>", {kInt}, 1, true, ElementType::Double},
      {"allocate<uchar>", {region(3)}, 3, false, ElementType::UChar},
      {"allocate<long>", {kInt, region(1)}, -1, false, ElementType::Long},
      {"allocate<Point>", {kInt}, -1, false, ElementType::Long},
      {"MatrixRegion2D::allocate", {kInt, kInt}, 2, true, ElementType::Double},
      {"pbrt::MatrixRegion<float,2>::allocate", {kInt, kInt}, 2, false, ElementType::Float},
      {"petabricks::MatrixRegion1D::allocate", {kInt}, 1, true, ElementType::Double},
      {"MatrixRegion<float>::allocate", {kInt}, -1, false, ElementType::Float},
      {"MatrixRegionXD::allocate", {kInt}, -1, false, ElementType::Float},
  };
  for (const Row& row : rows) {
    const auto type = type_of_builtin_call(row.callee, row.args);
    ASSERT_EQ(type.has_value(), row.num_dims >= 0) << row.callee;
    if (!type) continue;
    EXPECT_EQ(type->kind, Kind::Region) << row.callee;
    EXPECT_EQ(type->num_dims, row.num_dims) << row.callee;
    EXPECT_EQ(type->is_element, row.is_element) << row.callee;
    EXPECT_EQ(type->element, row.element) << row.callee;
  }
}

TEST(BuiltinConstants, AreConst) {
  EXPECT_EQ(to_string(type_of_builtin_constant("M_PI").value()), "const double");
  EXPECT_EQ(to_string(type_of_builtin_constant("UINT_MAX").value()), "const unsigned");
  EXPECT_FALSE(type_of_builtin_constant("MY_CONSTANT"));
}

}  // namespace
}  // namespace pb::checking
