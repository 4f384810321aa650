// SPDX-License-Identifier: MIT
// Which rules that read their own output are scans, and what keeps the others from being one. The tests lie beside the
// front end, which makes the programs.
#include <gtest/gtest.h>

#include <string>

#include "choicegraph/plan/scan.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// What is known of the last rule.
std::string text_of(const Computation& computation) {
  if (computation.why_not_scan) return "no: " + computation.why_not_scan->reason;
  if (!computation.scan) return "nothing";
  const Scan& scan = *computation.scan;
  std::string out = scan.var + std::to_string(scan.dim) + (scan.is_backward ? " down" : "");
  for (const ScannedValue& value : scan.values)
    out += std::string(", ") + to_words(value.op) + (value.rounds ? " rounds" : "");
  return out;
}

/// The search's answer for a rule over `A[n, m]`, `V[n, m]` (of int), `F[n, m]` (of float) and the outputs `O`, `P`,
/// `K` (of int) and `G` (of float), all of that size, which other rules fill where the rule does not.
std::string scan_of(const std::string& rule) {
  const std::string header =
      "main transform T from A[n, m], int V[n, m], float F[n, m] to O[n, m], P[n, m], int K[n, m], float G[n, m]\n{\n";
  const std::string fill =
      "  secondary to (O.cell(x, y) o, P.cell(x, y) p, K.cell(x, y) k, G.cell(x, y) g) from () { o = 0; p = 0; k = 0; "
      "g = 0; }\n  ";
  const auto planned = planned_text(header + fill + rule + "\n}\n");
  return planned ? text_of(planned->only().computations.back()) : "has errors";
}

struct Case {
  const char* rule;
  const char* scan;
};

class FindScan : public ::testing::TestWithParam<Case> {};

TEST_P(FindScan, SaysWhatARuleContinues) { EXPECT_EQ(scan_of(GetParam().rule), GetParam().scan) << GetParam().rule; }

constexpr Case kScans[] = {
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return a + b; }", "x0, sums rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x, y+1) b) { return b - a; }", "y1 down, sums rounds"},
    {"to (O.cell(x, y) o) from (A.cell(x, y) a, O.cell(x+1, y) b) { o = b + a * a + 1; }", "x0 down, sums rounds"},
    {"to (O.cell(x, y) o) from (A.cell(x, y) a, O.cell(x-1, y) b) { ElementT t = a + b; o = t; }", "x0, sums rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return a > 0 ? b + a : b; }", "x0, sums rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return b * (1 + a); }", "x0, products rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return b / a; }", "x0, products rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return max(b, a); }", "x0, largest values"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return a < b ? a : b; }", "x0, smallest values"},
    {"K.cell(x, y) from (V.cell(x, y) v, K.cell(x-1, y) b) { return max(v, b); }", "x0, largest values"},
    {"K.cell(x, y) from (V.cell(x, y) v, K.cell(x-1, y) b) { return v | b; }", "x0, bitwise or"},
    {"K.cell(x, y) from (V.cell(x, y) v, K.cell(x-1, y) b) { return v * b + 3; }", "x0, linear recurrence"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) y1) { return y1 + 0.25 * (a - y1); }",
     "x0, linear recurrence rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return a < 0 ? a : a + b; }",
     "x0, linear recurrence rounds"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return a - b; }", "x0, linear recurrence rounds"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { o = a + b; p = max(q, a); }",
     "x0, sums rounds, largest values"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { ElementT s = a * 2; o = s + b; ElementT other = s; other += o; p = max(q, s); }",
     "x0, sums rounds, largest values"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b) { o = a + b; p = sqrt(o); }",
     "x0, sums rounds"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { const ElementT s = a * a, t = s + b; o = t; p = q + s; }",
     "x0, sums rounds, sums rounds"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { int k = 1; a > 6 ? (k = 2) : k++; bool is_low = a < 3 && k-- > 0; k = k + 1, k++; o = a + b; p = q + k; }",
     "x0, sums rounds, sums rounds"},
};
INSTANTIATE_TEST_SUITE_P(Scans, FindScan, ::testing::ValuesIn(kScans));

constexpr const char* kOther =
    "no: this is no sum, product, smallest, largest or linear recurrence of the cell one step back, or its type or a "
    "NaN "
    "says that its order counts";
constexpr const char* kDirection =
    "no: what it reads of its own output is not the cell one step back along one of its variables";

constexpr const char* kLate = "no: its value depends on what another output becomes in the same step";

constexpr Case kOthers[] = {
    {"O.cell(x, y) from (A.cell(x, y) a) { return a; }", "nothing"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-2, y) b) { return a + b; }", kDirection},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y-1) b) { return a + b; }", kDirection},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b, O.cell(x, y-1) c) { return a + b + c; }",
     "no: it reads more of its own output than one cell that exists or has a default"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b = OPTIONAL) { return IS_MISSING(b) ? a : a + b; }",
     "no: it reads more of its own output than one cell that exists or has a default"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b = 0, O.cell(x-2, y) c = 0) { return a + b + c; }",
     "no: it reads more of its own output than one cell that exists or has a default"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.row(y-1) b) { return a + b.cell(0); }",
     "no: it reads more of its own output than one cell that exists or has a default"},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return max(a, b); }", kOther},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return b * b + a; }", kOther},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return a / b; }", kOther},
    {"O.cell(x, y) from (A.cell(x, y) a, O.cell(x-1, y) b) { return sqrt(b) + a; }", kOther},
    {"K.cell(x, y) from (V.cell(x, y) v, K.cell(x-1, y) b) { return b / 2; }", kOther},
    {"G.cell(x, y) from (A.cell(x, y) a, G.cell(x-1, y) b) { return a + b; }",
     "no: each step converts the value to the type of the cell"},
    {"to (O.cell(x, y) o) from (A.cell(x, y) a, O.cell(x-1, y) b) { if (a > 0) o = b + a; else o = b; }",
     "no: its output does not get its value by one assignment at the top of the body"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b) { o = a + b; p = b; }",
     "no: it uses the cell one step back elsewhere, too"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { o = a + b; p = q + o; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { ElementT s = b + a; o = s; p = q < s ? s : q; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { o = a + b; int step = 1; if (o > 3) step = 2; p = q + step; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { o = a + b; int step = 0; while (step < 9) { if (step > o) break; step++; } p = q * step; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p, K.cell(x, y) t) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { o = a + b; t = o + 1; p = q + t; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x, y-1) q)"
     " { o = a + b; p = q + a; }",
     "no: it reads its outputs along several directions"},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { const ElementT t = a + b; o = t; p = q + t; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { o = a + b; p = max(q, 2 * o); }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { const ElementT t = a + b; int k = 1; if (t > 0) k = 2; o = t; p = q + k; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { int k = 1; o = a + b; (o > 6) ? (k = 2) : (k = 3); p = q + k; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { int k = 1; o = a + b; bool is_high = o > 6 && k++ > 0; p = q + k; }",
     kLate},
    {"to (O.cell(x, y) o, P.cell(x, y) p) from (A.cell(x, y) a, O.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { int k = 1; o = a + b; for (int j = 0; j < 2; o > 6 || --k, j++) ; p = q + k; }",
     kLate},
    {"to (K.cell(x, y) k, P.cell(x, y) p) from (V.cell(x, y) v, K.cell(x-1, y) b, P.cell(x-1, y) q)"
     " { int h[2] = {0, 0}; k = b + v; h[k & 1]++; p = q + h[1]; }",
     kLate},
};
INSTANTIATE_TEST_SUITE_P(Others, FindScan, ::testing::ValuesIn(kOthers));

}  // namespace
}  // namespace pb::testing
