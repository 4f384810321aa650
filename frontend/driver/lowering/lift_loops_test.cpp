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

/// The outputs and inputs of the first rule of a transform.
std::string parts_of_first(const std::string& header, const std::string& rules) {
  const auto planned = planned_text("main transform T " + header + "\n{\n" + rules + "\n}\n");
  if (!planned) return "has errors";
  const Transform& transform = planned->transform();
  const Rule& first = transform.rules[RuleId(0)];
  std::string out;
  for (const auto* accesses : {&first.outputs, &first.inputs})
    for (const RegionAccess& access : *accesses) out += (out.empty() ? "" : " ") + part_text(transform, access);
  return out;
}

/// The outputs and inputs of the rule `to (RULE) { body }` of a transform with some matrices.
std::string parts_of(const std::string& rule, const std::string& body) {
  return parts_of_first("from A[n,m], B[m,n], V[n], W[n+1], Z[n,m,l] to C[n,m]",
                        "  to " + rule + " {\n" + body + "\n  }");
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

TEST(LiftLoops, TakesLoopsOverRowsAndColumns) {
  const std::string loop = "for (int i = 0; i < n; i++) ";
  EXPECT_EQ(parts_of("(C.row(y) c) from (A.row(y) a, B b, V v)", loop + "c.cell(i) = a.cell(i) + b.cell(y, i);"),
            "C(i,y) A(i,y) B(i) V");
  EXPECT_EQ(parts_of("(C.row(y) c) from (A a, B.column(y) b)", loop + "c.cell(i) = a.cell(i, y) + b.cell(i);"),
            "C(i,y) A(i) B(y,i)");
  EXPECT_EQ(parts_of("(C.column(x) c) from (A.column(x) a)",
                     "for (int i = c.count() - 1; i >= 0; i--) c.cell(i) = a.cell(i) + a.cell(0);"),
            "C(x,i) A(x)");
  EXPECT_EQ(parts_of("(C.row(y) c) from (A.row(y) a) where y >= 0", loop + "c.cell(i) = a.cell(i);"), "C(i,y) A(i,y)");
  EXPECT_EQ(parts_of("(C.region(0, y, n, y+1) c) from (A.region(0, y, n, y+1) a)",
                     loop + "c.cell(i, 0) = a.cell(i, 0) + a.cell(n-1, 0);"),
            "C(i,y) A");
}

TEST(LiftLoops, KeepsLoopsOverSomeParts) {
  const std::string loop = "for (int i = 0; i < n; i++) ";
  EXPECT_EQ(parts_of("(C.row(y) c) from (A.row(y) a)", "for (int i = 1; i < n; i++) c.cell(i) = a.cell(i);"),
            "C(y) A(y)");
  EXPECT_EQ(parts_of("(C.row(y) c) from (A.row(y) a)", "for (int i = 0; i < y; i++) c.cell(i) = a.cell(i);"),
            "C(y) A(y)");
  EXPECT_EQ(parts_of("(C.row(i) c) from (A.row(i) a)", loop + "c.cell(i) = a.cell(i);"), "C(i) A(i)");  // another `i`
  EXPECT_EQ(parts_of("(C.row(y) c) from (A.row(y) a) where y * y < 9", loop + "c.cell(i) = a.cell(i);"), "C(y) A(y)");
  EXPECT_EQ(parts_of_first("from A[n,4*m] to C[n,4*m]",
                           "  to (C.region(0, 4*y, n, 4*y+4) c) from (A a) {\n"
                           "    for (int j = 0; j < 4; j++)\n"
                           "      for (int i = 0; i < n; i++) c.cell(i, j) = a.cell(i, j); }"),
            "C A");
  EXPECT_EQ(parts_of_first("from A[n,m] to C[n+1,m]",
                           "  to (C.region(1, y, n+1, y+1) c) from (A.row(y) a) {\n"
                           "    for (int i = 0; i < n; i++) c.cell(i, 0) = a.cell(i); }\n"
                           "  to (C.cell(0, y) c) from () { c = 0; }"),
            "C A(y)");
  EXPECT_EQ(parts_of("(C.row(y) c) from (A.row(y) a, W.region(1, n+1) w)", loop + "c.cell(i) = w.cell(i);"),
            "C(i,y) A(y) W");
  EXPECT_EQ(parts_of("(C.region(0, y, n, y+2) c) from (A a)", loop + "c.cell(i, 0) = c.cell(i, 1) = a.cell(i, 0);"),
            "C A");
}

TEST(LiftLoops, TakesLoopsOverSlicesAndRowsFromThoseBefore) {
  const std::string versions = "from A[n,m] through G<0..3>[n,m] to C[n,m]";
  const std::string others =
      "  G<0>.cell(x, y) from (A.cell(x, y) a) { return a; }\n"
      "  C.cell(x, y) from (G<3>.cell(x, y) g) { return g; }";
  const auto slices = [&](const std::string& body) {
    return parts_of_first(versions, "  to (G<k> now) from (G<k-1> before) { " + body + " }\n" + others);
  };
  const std::string rows = "for (int y = 0; y < m; y++) ";
  const std::string cells = rows + "for (int x = 0; x < n; x++) ";
  EXPECT_EQ(slices(cells + "now.cell(x, y) = before.cell(x, y);"), "G(x,y,k) G(x,y,k-1)");
  EXPECT_EQ(slices(cells + "now.cell(x, y) = before.cell(n-1-x, y);"), "G(x,y,k) G(y,k-1)");
  EXPECT_EQ(slices(cells + "now.cell(x, y) = before.cell(n-1-x, m-1-y);"), "G(x,y,k) G(k-1)");
  EXPECT_EQ(slices(rows + "{ now.cell(0, y) = 0; for (int x = 1; x < n; x++) now.cell(x, y) = before.cell(x, y); }"),
            "G(y,k) G(y,k-1)");
  EXPECT_EQ(
      parts_of_first("from A[n,m] to C[n,m]",
                     "  to (C.row(y) c) from (C.row(y-1) up, A.row(y) a) {\n"
                     "    for (int i = 0; i < n; i++) c.cell(i) = up.cell(i) + up.cell(0) + a.cell(i); }\n"
                     "  to (C.row(0) c) from (A.row(0) a) { for (int i = 0; i < n; i++) c.cell(i) = a.cell(i); }"),
      "C(i,y) C(y-1) A(i,y)");
}

}  // namespace
}  // namespace pb::testing
