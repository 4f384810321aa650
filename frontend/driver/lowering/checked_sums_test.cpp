// SPDX-License-Identifier: MIT
// Which outputs are held to sums in wider numbers. The tests lie beside the front end, which makes the programs.
#include "choicegraph/plan/checked_sums.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// The outputs of the program's main transform that are held to sums, each with its rule.
std::string sums_of(const std::string& program) {
  const auto planned = planned_text(program);
  if (!planned) return "has errors";
  const Transform& transform = planned->program.transforms[planned->program.main];
  std::string out;
  for (const CheckedSum& sum : find_checked_sums(transform, planned->only(), ElementType::Double)) {
    out += (out.empty() ? "" : " ") + transform.rules[sum.rule].name;
    for (const std::uint32_t token : sum.types) out += " " + transform.rules[sum.rule].body.tokens[token].text;
  }
  return out;
}

/// Those of a transform with one rule, which has this body.
std::string sums_of_body(const std::string& body) {
  return sums_of("main transform T from A[n,m], B[n], X to S[m]\n{\n  S.cell(y) from (A.row(y) a, B b) {\n" + body +
                 "\n  }\n}\n");
}

class SumBodies : public ::testing::TestWithParam<const char*> {};
class OtherBodies : public ::testing::TestWithParam<const char*> {};

TEST_P(SumBodies, AreHeldToWiderSums) { EXPECT_EQ(sums_of_body(GetParam()).substr(0, 10), "S#1 double") << GetParam(); }

TEST_P(OtherBodies, AreNot) { EXPECT_EQ(sums_of_body(GetParam()), "") << GetParam(); }

INSTANTIATE_TEST_SUITE_P(
    CheckedSums, SumBodies,
    ::testing::Values(
        "double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s;",
        "double s = 0; for (int i = 0; i < n; ++i) s = s + a.cell(i) * b.cell(i) / 2; return s;",
        "double s = 0; for (int i = 1; i < n; ++i) s -= (a.cell(i) - a.cell(i - 1)) * i; return s;",
        "double s = 0; for (int i = 0; i < n; ++i) if (a.cell(i) > X) s += fabs(a.cell(i)); return s;",
        "double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i) > 0 ? a.cell(i) * b.cell(i) : 0; return s;",
        "double s = 0; for (int i = 0; i < n; ++i) { int k = n - 1 - i; s += a.cell(k); } return s / n;",
        "double s = 0, t = 1; for (int i = 0; i < n; ++i) { s += a.cell(i); t += b.cell(i); } return s * 2 - t;",
        "double s = 0; for (int i = 0; i < n; ++i) { const ElementT x = a.cell(i) * X; s += x * x; } return s;",
        "double s = 0; for (double x : a) s += x; return s;",
        "double s = 0; int k = 0; for (int i = 0; i < n; ++i) { s += a.cell(i); k += 2; } return s * k + b.cell(0);"));

INSTANTIATE_TEST_SUITE_P(
    CheckedSums, OtherBodies,
    ::testing::Values(
        "double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return sqrt(s);",
        "double s = 1; for (int i = 0; i < n; ++i) s *= a.cell(i); return s;",
        "double s = 0; for (int i = 0; i < n; ++i) s += exp(a.cell(i)); return s;",
        "double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i) * b.cell(i) - b.cell(0) * b.cell(0); return s;",
        "double s = 0; for (int i = 0; i < n; ++i) if (a.cell(i) * b.cell(i) > 1) s += a.cell(i); return s;",
        "double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); if (s > 1) return 1; return s;",
        "double s = 0, t = 0; for (int i = 0; i < n; ++i) s += a.cell(i);\n"
        "for (int i = 0; i < n; ++i) t += a.cell(i) - s / n; return t;",
        "float s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s;",
        "int s = 0; for (int i = 0; i < n; ++i) s += i; return s;",
        "double x = b.cell(0); double s = 0; for (int i = 0; i < n; ++i) { s += x; x = 2; } return s;"));

TEST(CheckedSums, SayWhichWordsWiderTypesReplace) {
  EXPECT_EQ(sums_of_body("double s = 0; ElementT t = 0; for (int i = 0; i < n; ++i) { s += a.cell(i); t += b.cell(i); }"
                         " return s + t;"),
            "S#1 double ElementT");
}

constexpr const char* kSum = "{ double s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); return s; }\n";

TEST(CheckedSums, NeedEveryRuleOfTheirCells) {
  const std::string head = "main transform T from A[n] to S\n{\n  S from (A a) ";
  const std::string other = "  S from (A a) { return n > 0 ? a.cell(0) : 0; }\n}\n";
  EXPECT_EQ(sums_of(head + kSum + "  S from (A a) " + kSum + "}\n"), "S#1 double");
  EXPECT_EQ(sums_of(head + kSum + other), "");
}

/// Those of a rule that assigns to its cell.
std::string sums_of_assignments(const std::string& body) {
  return sums_of("main transform T from A[n] to S\n{\n  to (S s) from (A a) {\n" + body + "\n  }\n}\n");
}

TEST(CheckedSums, MayBeTheCellItself) {
  EXPECT_EQ(sums_of_assignments("s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); s /= n;"), "S#1");
  EXPECT_EQ(sums_of_assignments("double t = 0; for (int i = 0; i < n; ++i) t += a.cell(i); s = t / n;"), "S#1 double");
  EXPECT_EQ(sums_of_assignments("for (int i = 0; i < n; ++i) s += a.cell(i);"), "") << "it keeps its former value";
  EXPECT_EQ(sums_of_assignments("s = 0; for (int i = 0; i < n; ++i) s = s * 2 + a.cell(i);"), "");
  EXPECT_EQ(sums_of_assignments("s = 0; for (int i = 0; i < n; ++i) s += a.cell(i); s = sqrt(s);"), "");
}

TEST(CheckedSums, NeedInputsOfTheTransformAndOneKindOfCells) {
  const std::string sum = kSum;
  EXPECT_EQ(sums_of("main transform T from A[n] through B[n] to S\n{\n  B.cell(i) from (A.cell(i) a) { return a; }\n"
                    "  S from (B a) " +
                    sum + "}\n"),
            "");
  EXPECT_EQ(sums_of("main transform T from A[n] to S[n]\n{\n  S.cell(0) from (A a) { return 0; }\n"
                    "  priority(2) S.cell(i) from (A a) " +
                    sum + "}\n"),
            "");
}

}  // namespace
}  // namespace pb::testing
