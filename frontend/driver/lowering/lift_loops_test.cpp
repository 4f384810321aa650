// SPDX-License-Identifier: MIT
// Which loops of rules with one instance become rule variables, and which parts of matrices their instances have then.
// The tests lie beside the front end, which makes the programs.
#include "choicegraph/passes/computation/lift_loops.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

std::string part_text(const Transform& transform, const RegionAccess& access) {
  std::string coordinates;
  for (std::size_t d = 0; d < access.lo.size(); ++d)
    if (access.is_fixed_dim(d)) coordinates += (coordinates.empty() ? "" : ",") + to_string(access.lo[d]);
  return transform.matrices[access.matrix].name + (coordinates.empty() ? "" : "(" + coordinates + ")");
}

/// The outputs and inputs of the rule `to (RULE) { body }` of a transform with some matrices.
std::string parts_of(const std::string& rule, const std::string& body) {
  const auto planned = planned_text("main transform T from A[n,m], B[m,n], V[n], W[n+1], Z[n,m,l] to C[n,m]\n{\n  to " +
                                    rule + " {\n" + body + "\n  }\n}\n");
  if (!planned) return "has errors";
  const Transform& transform = planned->transform();
  const Rule& only = transform.rules[RuleId(0)];
  std::string out;
  for (const auto* accesses : {&only.outputs, &only.inputs})
    for (const RegionAccess& access : *accesses) out += (out.empty() ? "" : " ") + part_text(transform, access);
  return out;
}

constexpr const char* kAll = "(C c) from (A a, B b, V v, W w, Z z)";

TEST(LiftLoops, MakesCells) {
  EXPECT_EQ(
      parts_of(kAll,
               "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) c.cell(x, y) = a.cell(x, y) + v.cell(x);"),
      "C(x,y) A(x,y) B V(x) W Z");
  EXPECT_EQ(
      parts_of(
          kAll,
          "for (int x = n - 1; x >= 0; --x) { for (int y = 0; c.height() > y; ++y) c.cell(x, y) += b.cell(y, x); }"),
      "C(x,y) A B(y,x) V W Z");
  EXPECT_EQ(parts_of(kAll, "for (int y = 0; y <= m - 1; y++) for (int x = 0; x < a.width(); x += 1) c.cell(x, y) = 0;"),
            "C(x,y) A B V W Z");
}

TEST(LiftLoops, MakesRowsAndColumns) {
  EXPECT_EQ(parts_of(kAll,
                     "for (int y = 0; y < m; y++) { ElementT s = 0;\n"
                     "for (int x = 0; x < c.width(); x++) { s += a.cell(x, y) * v.cell(x); c.cell(x, y) = s; } }"),
            "C(y) A(y) B V W Z");
  EXPECT_EQ(parts_of(kAll,
                     "for (int x = 0; x < n; x++) { c.cell(x, 0) = w.cell(x);\n"
                     "for (int y = 1; y < c.height(); y++) c.cell(x, y) = c.cell(x, y - 1) + b.cell(y, x); }"),
            "C(x) A B(x) V W(x) Z");
}

TEST(LiftLoops, KeepsInputsThatOtherPlacesAreReadOf) {
  const std::string loops = "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) c.cell(x, y) = ";
  EXPECT_EQ(parts_of(kAll, loops + "w.cell(x) + w.cell(x + 1) + z.cell(x, y, 0);"), "C(x,y) A B V W Z");
  EXPECT_EQ(parts_of(kAll, loops + "a.cell(x, y) + a.cell(0, y) + v.cell(x) / v.count();"), "C(x,y) A(y) B V W Z");
  EXPECT_EQ(parts_of(kAll, loops + "x < m && y < n ? a.cell(y, x) : 0;"), "C(x,y) A B V W Z");  // some lie outside
}

TEST(LiftLoops, KeepsLoops) {
  const std::string all = "C A B V W Z";
  const std::string loops = "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) ";
  EXPECT_EQ(parts_of(kAll, "for (int y = 1; y < m; y++) for (int x = 0; x < n; x++) c.cell(x, y) = 0;"), all);
  EXPECT_EQ(parts_of(kAll, "for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) c.cell(x, y) = 0;"), all);
  EXPECT_EQ(parts_of(kAll, "for (long y = 0; y < m; y++) for (int x = 0; x < n; x++) c.cell(x, y) = 0;"), all);
  EXPECT_EQ(parts_of(kAll, "for (int y = 0; y < m; y += 2) for (int x = 0; x < n; x++) c.cell(x, y) = 0;"), all);
  EXPECT_EQ(parts_of(kAll, loops + "if (x > 0 && y > 0) c.cell(x, y) = c.cell(x - 1, y - 1); else c.cell(x, y) = 0;"),
            all);
  EXPECT_EQ(parts_of(kAll, loops + "{ c.cell(x, y) = 0; if (a.cell(x, y) > 0) return; }"), all);
  EXPECT_EQ(parts_of(kAll, "int last = 0;\n" + loops + "c.cell(x, y) = last++;"), all);
  EXPECT_EQ(parts_of(kAll, "for (int i = 0; i < n; i++) c.cell(i, i) = 0;"), all);
  EXPECT_EQ(parts_of("(C c) from (A a, B b, V v, W w, Z z) using (T[n])", loops + "c.cell(x, y) = 0;"), all);
}

// The variables of rules are constants, which no reference may change.
TEST(LiftLoops, KeepsLoopsWhoseVariablesHaveReferences) {
  const auto parts = [](const std::string& first, const std::string& value) {
    return parts_of(kAll, "for (int x = 0; x < n; x++) { " + first +
                              " for (int y = 0; y < m; y++) c.cell(x, y) = " + value + "; }");
  };
  const std::string all = "C A B V W Z";
  EXPECT_EQ(parts("int& j = x;", "v.cell(j)"), all);
  EXPECT_EQ(parts("int& j{x};", "v.cell(j)"), all);
  EXPECT_EQ(parts("auto& j = x;", "v.cell(j)"), all);
  EXPECT_EQ(parts("auto&& j = x;", "v.cell(j)"), all);
  EXPECT_EQ(parts("int other = 0; int& j = v.cell(x) > 0 ? x : other;", "v.cell(j)"), all);
  EXPECT_EQ(parts("int* j = &x;", "v.cell(*j)"), all);
  EXPECT_EQ(parts("auto f = [&] { return x++; };", "f()"), all);
  EXPECT_EQ(parts("auto [j, k] = std::pair<int&, int>(x, 1);", "v.cell(j)"), all);
  EXPECT_EQ(parts("decltype(x) j = x;", "v.cell(j++)"), all);
  EXPECT_EQ(parts("for (int& j = x; j < 5; j++) break;", "0"), all);
  EXPECT_EQ(parts("const int& j = x;", "v.cell(j)"), "C(x) A B V W Z");
  EXPECT_EQ(parts("int const& j = x;", "v.cell(j)"), "C(x) A B V W Z");
  EXPECT_EQ(parts("const auto& j = x;", "v.cell(j)"), "C(x) A B V W Z");
}

TEST(LiftLoops, TakesReferencesToCells) {
  EXPECT_EQ(parts_of(kAll,
                     "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) {\n"
                     "double& to = c.cell(x, y); double& other = to; to = 2 * a.cell(x, y); other += 1; }"),
            "C(x,y) A(x,y) B V W Z");
}

TEST(LiftLoops, TakesTheOuterLoopsThatFit) {
  EXPECT_EQ(parts_of(kAll, "for (int y = 0; y < m; y++) for (int x = 1; x < n; x++) c.cell(x, y) = a.cell(x - 1, y);"),
            "C(y) A(y) B V W Z");
  EXPECT_EQ(
      parts_of(
          kAll,
          "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) { if (v.cell(x) < 0) break; c.cell(x, y) = 1; }"),
      "C(y) A B V W Z");
}

}  // namespace
}  // namespace pb::testing
