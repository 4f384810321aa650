// SPDX-License-Identifier: MIT
// Which loops of bodies are folds, and what keeps the others from being one. The tests lie beside the front end, which
// makes the programs.
#include <gtest/gtest.h>

#include <string>

#include "choicegraph/plan/computation.h"
#include "choicegraph/plan/plan_text.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

const char* word_of(Regrouping regrouping) {
  return regrouping == Regrouping::Exact ? "exact" : regrouping == Regrouping::Rounds ? "rounds" : "source";
}

std::string text_of(const Computation& computation) {
  std::string out;
  for (const Fold& fold : computation.folds) {
    out += (out.empty() ? "" : ", ") + fold.var + "(";
    for (const Accumulator& each : fold.accumulators) {
      out += (out.ends_with('(') ? "" : " ") + each.name + spelling(each.op) + word_of(each.regrouping);
      for (const FoldPlace& place : each.places) out += "@" + place.name;
    }
    out += ")";
  }
  for (const WhyNotFold& other : computation.others) out += (out.empty() ? "" : ", ") + ("no: " + other.reason);
  return out;
}

/// What the loops of such a body compute. It has `double s, t; int k, m; bool b;` and reads `a`, `v` (of int) and `f`.
std::string folds_of(const std::string& body) {
  const auto planned = planned_text(
      "main transform T from A[n,m], int V[n], float F[n] to S, int P, R[n]\n{\n"
      "  to (S s, P k, R r) from (A a, V v, F f) {\n    double t = 0; int j = 0; bool b = true; float g = 0; short h = "
      "0;\n"
      "    s = 0; k = 0;\n" +
      body + "\n  }\n}\n");
  return planned ? text_of(planned->only().computations.at(0)) : "has errors";
}

struct Case {
  const char* body;
  const char* folds;
};

class FindFolds : public ::testing::TestWithParam<Case> {};

TEST_P(FindFolds, SaysWhatTheLoopsOfABodyCompute) {
  EXPECT_EQ(folds_of(GetParam().body), GetParam().folds) << GetParam().body;
}

constexpr Case kSums[] = {
    {"for (int i = 0; i < n; i++) s += a.cell(i, 0);", "i(s+rounds)"},
    {"for (int i = 0; i < n; ++i) s = s + a.cell(i, 0);", "i(s+rounds)"},
    {"for (int i = 0; i < n; i += 1) s = a.cell(i, 0) * 2 + s;", "i(s+rounds)"},
    {"for (int i = 0; n > i; i = i + 2) t = t + a.cell(i, 0) - f.cell(i);", "i(t+rounds)"},
    {"for (int i = n - 1; i >= 0; i--) t -= a.cell(i, 0);", "i(t+rounds)"},
    {"for (int i = 1; i <= n - 1; i++) t *= a.cell(i, 0);", "i(t*rounds)"},
    {"for (int i = 0; i < n; i++) k += v.cell(i);", "i(k+exact)"},
    {"for (int i = 0; i < n; i++) h += v.cell(i);", "i(h+exact)"},
    {"for (int i = 0; i < n; i++) if (v.cell(i) > 3) k++;", "i(k+exact)"},
    {"for (int i = 0; i < n; i++) { if (v.cell(i) == 3) continue; j ^= v.cell(i); }", "i(j^exact)"},
    {"for (int i = 0; i < n; i++) { if (v.cell(i) > 3) s += 1; else s -= f.cell(i); }", "i(s+rounds)"},
    {"for (int i = 0; i < n; i++) s = v.cell(i) > 0 ? s + f.cell(i) : s;", "i(s+rounds)"},
    {"for (int i = 0; i < n; i++) { double x = f.cell(i); x = x * x; s += x; t += x * x; }", "i(s+rounds t+rounds)"},
    {"for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) s += a.cell(x, y);", "y(s+rounds), x(s+rounds)"},
    {"for (int y = 0; y < m; y++) { double q = 0; for (int x = 0; x < n; x++) q += a.cell(x, y); s += sqrt(q); }",
     "y(s+rounds), x(q+rounds)"},
    {"for (int i = 0; i < n; i++) { int c = 0; while (c < 3) { c++; if (c == v.cell(i)) break; s += c; } }",
     "i(s+rounds), no: only `for` loops that count are folds"},
    {"for (int i = 0; i < n; i++) b = b && v.cell(i) > 0;", "i(b&&exact)"},
    {"for (int i = 0; i < n; i++) b &= v.cell(i) > 0;", "i(b&&exact)"},
    {"for (int i = 0; i < n; i++) if (v.cell(i) < 0) b = false;", "i(b&&exact)"},
    {"for (int i = 0; i < n; i++) b = v.cell(i) == 7 || b;", "i(b||exact)"},
    {"for (int i = 0; i < n; i++) b ^= v.cell(i) > 1;", "i(b^exact)"},
    {"for (int y = 0; y < n; y++) for (int x = 0; x < m; x++) r.cell(y) += a.cell(y, x);",
     "x(r+rounds), no: it stores cells of `r`"},
    {"std::vector<std::array<int, 2>> q(2); for (int i = 0; i < n; i++) k += (int)q[0][i & 1];", "i(k+exact)"},
    {"const std::vector<int> q(2); for (int i = 0; i < n; i++) k += (int)q[i & 1];", "i(k+exact)"},
    {"std::vector<int> q[2][2]; for (int i = 0; i < n; i++) k += (int)q[0][1][i];", "i(k+exact)"},
    {"int q[2][2]; for (int i = 0; i < n; i++) k += (int)q[0][i & 1];", "i(k+exact)"},
};
INSTANTIATE_TEST_SUITE_P(Sums, FindFolds, ::testing::ValuesIn(kSums));

constexpr Case kExtrema[] = {
    {"for (int i = 0; i < n; i++) s = max(s, a.cell(i, 0));", "i(smaxexact)"},
    {"for (int i = 0; i < n; i++) s = max(a.cell(i, 0), s);", "i(smaxsource)"},
    {"for (int i = 0; i < n; i++) k = max(v.cell(i), k);", "i(kmaxexact)"},
    {"for (int i = 0; i < n; i++) s = std::min(s, a.cell(i, 0));", "i(sminexact)"},
    {"for (int i = 0; i < n; i++) s = fmax(s, a.cell(i, 0));", "i(smaxsource)"},
    {"for (int i = 0; i < n; i++) if (a.cell(i, 0) > s) s = a.cell(i, 0);", "i(smaxexact)"},
    {"for (int i = 0; i < n; i++) if (s > a.cell(i, 0)) s = a.cell(i, 0);", "i(sminexact)"},
    {"for (int i = 0; i < n; i++) if (a.cell(i, 0) >= s) s = a.cell(i, 0);", "i(smaxsource)"},
    {"for (int i = 0; i < n; i++) s = a.cell(i, 0) < s ? a.cell(i, 0) : s;", "i(sminexact)"},
    {"for (int i = 0; i < n; i++) s = s < a.cell(i, 0) ? s : a.cell(i, 0);", "i(sminsource)"},
    {"for (int i = 0; i < n; i++) { double x = a.cell(i, 0); if (x < s) { s = x; k = i; j = 2 * i; } }",
     "i(sminexact@k@j)"},
    {"for (int i = 0; i < n; i++) if (v.cell(i) > 0 && a.cell(i, 0) < s) { k = i; s = a.cell(i, 0); }",
     "i(sminexact@k)"},
    {"for (int i = 0; i < n; i++) if (v.cell(i) >= k) { k = v.cell(i); j = i; }", "i(kmaxsource@j)"},
};
INSTANTIATE_TEST_SUITE_P(Extrema, FindFolds, ::testing::ValuesIn(kExtrema));

constexpr const char* kMakes = "no: its `[]` may do more than read an element";

constexpr Case kOthers[] = {
    {"for (int i = 0; i < n; i++) { s += 1; if (s > 4) break; }", "no: `break` ends it early"},
    {"for (int i = 0; i < n; i++) { if (v.cell(i) > 4) return; s += 1; }", "no: `return` ends it early"},
    {"for (int i = 0; i < n; i++) { s += 1; t += s; }", "no: `s` is used outside of its update"},
    {"for (int i = 0; i < n; i++) { s += 1; s *= 2; }", "no: `s` is updated in two ways"},
    {"for (int i = 0; i < n; i++) s = s * f.cell(i) + 1;",
     "no: `s` gets a value that is no sum, product, smallest or largest of what it had and another value"},
    {"for (int i = 0; i < n; i++) s = 1 - s;",
     "no: `s` gets a value that is no sum, product, smallest or largest of what it had and another value"},
    {"for (int i = 0; i < n; i++) k += a.cell(i, 0);",
     "no: `k` gets a value that is no sum, product, smallest or largest of what it had and another value"},
    {"for (int i = 0; i < k; i++) k += 1;", "no: `k` is used outside of its update"},
    {"for (int i = 0; i < n; i++) { s += 1; i++; }", "no: its body changes `i`"},
    {"for (int i = 0; i != n; i++) s += 1;", "no: its condition does not compare `i` with a limit"},
    {"for (int i = 0; i < n; i *= 2) s += 1;", "no: `i` does not change by a constant"},
    {"int i; for (i = 0; i < n; i++) s += 1;",
     "no: its head does not declare one variable, as in `for (int i = 0; i < n; i++)`"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i, 0);", "no: it stores cells of `r`"},
    {"for (int i = 0; i < n; i++) { s += 1; r.cell(i) += s; }", "no: `s` is used outside of its update"},
    {"for (int i = 0; i < n; i++) s += rand();", "no: it calls `rand`, which may do more than compute a value"},
    {"for (int i = 0; i < n; i++) b = b && 6 / v.cell(i) > 1;",
     "no: `b` gets a value that is no sum, product, smallest or largest of what it had and another value"},
    {"for (int i = 0; i < n; i++) b -= v.cell(i) > 1;",
     "no: `b` gets a value that is no sum, product, smallest or largest of what it had and another value"},
    {"double& e = t; for (int i = 0; i < n; i++) { t += 1; s += e; }", "no: `e` may stand for another variable"},
    {"for (int i = 0; i < n; i++) if (v.cell(i) > k) { k = v.cell(i); j = i; } s = j;", "i(kmaxexact@j)"},
    {"for (int i = 0; i < n; i++) if (v.cell(i) > k) { j = k; k = v.cell(i); }",
     "no: `j` gets a value that is no sum, product, smallest or largest of what it had and another value"},
    {"for (int i = 0; i < n; i++) { if (v.cell(i) > k) { k = v.cell(i); j = i; } s += j; }",
     "no: `j` is used outside of the update of `k`"},
    {"std::vector<std::map<int, int>> q(2); for (int i = 0; i < n; i++) k += (int)q[0][v.cell(i)];", kMakes},
    {"std::map<int, int> q[2]; for (int i = 0; i < n; i++) k += (int)q[0][v.cell(i)];", kMakes},
    {"std::map<int, int> q; auto* p = &q; for (int i = 0; i < n; i++) k += (int)p[0][v.cell(i)];", kMakes},
    {"std::map<int, int> q, p; for (int i = 0; i < n; i++) k += (int)(n > 2 ? q : p)[v.cell(i)];", kMakes},
};
INSTANTIATE_TEST_SUITE_P(Others, FindFolds, ::testing::ValuesIn(kOthers));

TEST(FoldText, IsReadBack) {
  const auto planned = planned_text(
      "main transform T from A[n,m] to S, int P\n{\n"
      "  to (S s, P p) from (A a) {\n"
      "    for (int y = 0; y < m; y++)\n"
      "      for (int x = n - 1; x >= 0; x--) if (a.cell(x, y) < s) { s = a.cell(x, y); p = x; }\n"
      "  }\n}\n");
  ASSERT_TRUE(planned);
  const std::string text = to_string(planned->plan, planned->program);
  EXPECT_NE(text.find("fold S+P#1: x loop"), std::string::npos) << text;
  EXPECT_NE(text.find("step -1 in 0"), std::string::npos) << text;
  const ParsedPlan again = parse_plan(text, planned->program);
  ASSERT_TRUE(again.plan.has_value()) << again.error << text;
  EXPECT_EQ(to_string(*again.plan, planned->program), text);
}

}  // namespace
}  // namespace pb::testing
