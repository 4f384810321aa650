// SPDX-License-Identifier: MIT
// Which functions the prefix blocks of a program declare.
#include "frontend/check_types/vocabulary/native_names.h"

#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// The functions that `code` declares, in the order of the alphabet, each followed by a blank.
std::string functions_of(const std::string& code) {
  const testing::ResolvedRule resolved(
      "%{\n" + code + "\n%}\ntransform T from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return a; } }");
  std::string out;
  for (const std::string& name : find_native_functions(resolved.context.program.native_blocks)) out += name + " ";
  return out;
}

TEST(NativeNames, FunctionsAreDeclaredAfterAType) {
  EXPECT_EQ(functions_of("static double twice(double x) { return 2 * x; }"), "twice ");
  EXPECT_EQ(functions_of("int *first(int *x); int &second(int &x); std::vector<int> third();"), "first second third ");
  EXPECT_EQ(functions_of("int size = 3; double table[2];"), "");
}

TEST(NativeNames, WhatStandsInBracesIsNotOfTheNamespace) {
  EXPECT_EQ(functions_of("int outer(int x) { int inner(3); return helper(x); }\nint next();"), "next outer ");
  EXPECT_EQ(functions_of("struct Point { double length() const; };\ndouble norm(Point p);"), "norm ");
}

TEST(NativeNames, NamespacesAndLinkageHoldFunctionsToo) {
  EXPECT_EQ(functions_of("extern \"C\" { double c_name(double); }"), "c_name ");
  EXPECT_EQ(functions_of("namespace { int hidden(); }\nnamespace mine { int other(); }"), "hidden other ");
}

TEST(NativeNames, MacrosCountIfTheyHaveParameters) {
  EXPECT_EQ(functions_of("#define SQUARE(x) ((x) * (x))\n#define SIZE (3)\n#define WIDTH 4"), "SQUARE ");
}

}  // namespace
}  // namespace pb::checking
