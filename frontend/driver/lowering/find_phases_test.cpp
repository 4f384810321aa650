// SPDX-License-Identifier: MIT
// How work-items run an instance together: which loops they divide, where they wait for one another, and what keeps
// them from it. Which outputs a body fills before it reads them. The tests lie beside the front end, which makes the
// programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "choicegraph/plan/computation.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

std::string text_of(const Computation& computation) {
  std::string out;
  for (const Phase& phase : computation.phases) {
    out += (out.empty() ? "" : ", ") + std::string(phase.waits ? "wait, " : "");
    if (phase.kind == PhaseKind::First) out += "first";
    if (phase.kind == PhaseKind::Alike) out += "alike";
    if (phase.kind != PhaseKind::Divided) continue;
    const Fold& loop = computation.loop_of(phase.stmt);
    out += loop.var;
    if (phase.stores) out += " stores";
    for (const Accumulator& each : loop.accumulators) out += " " + each.name + spelling(each.op);
  }
  for (const WhyNotFold& each : computation.undivided) out += (out.empty() ? "" : "; ") + ("no: " + each.reason);
  return out;
}

/// The computation of a body that makes the rows `r` and `q` of `n` and the number `e` from the row `a` and the vector
/// `v`. It has `double s = 0, t = 0;`.
Computation computation_of_rows(const std::string& body) {
  const auto planned = planned_text(
      "main transform T from A[n, m], V[n] to R[n, m], Q[n, m], E[m]\n{\n"
      "  to (R.row(y) r, Q.row(y) q, E.cell(y) e) from (A.row(y) a, V v) {\n    double s = 0, t = 0; e = 0;\n" +
      body + "\n  }\n}\n");
  EXPECT_TRUE(planned) << body;
  return planned ? planned->only().computations.at(0) : Computation();
}

struct Case {
  const char* body;
  const char* phases;
};

class FindPhases : public ::testing::TestWithParam<Case> {};

TEST_P(FindPhases, SaysHowWorkItemsRunABody) {
  EXPECT_EQ(text_of(computation_of_rows(GetParam().body)), GetParam().phases) << GetParam().body;
}

constexpr Case kDivided[] = {
    {"for (int i = 0; i < n; i++) s = max(s, a.cell(i));\n"
     "for (int i = 0; i < n; i++) { r.cell(i) = exp(a.cell(i) - s); t += r.cell(i); }\n"
     "for (int i = 0; i < n; i++) r.cell(i) /= t;",
     "i smax, i stores t+, wait, i stores"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);", "wait, i stores"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\n"
     "for (int i = n - 1; i >= 0; i--) q.cell(i) = 2 * a.cell(i);",
     "wait, i stores, i stores"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\n"
     "for (int i = 0; i < n; i++) q.cell(i) = r.cell(n - 1 - i);\n"
     "for (int i = 0; i < n; i++) r.cell(i) = 0;",
     "i stores, wait, i stores, wait, i stores"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\nfor (int i = 0; i < n; i++) s += r.cell(i);",
     "i stores, wait, i s+"},
    {"for (int i = 0; i < n; i++) s += a.cell(i);\nr.cell(0) = s; r.cell(1) = r.cell(0); q.cell(0) = s;",
     "i s+, first, first, first"},
    {"r.cell(0) = 1;\nfor (int i = 1; i < n; i++) r.cell(i) = a.cell(i);\nt = r.cell(1);",
     "first, wait, i stores, wait, alike"},
    {"t = r.cell(1);\nfor (int i = 1; i < n; i++) r.cell(i) = a.cell(i) - t;", "wait, i stores"},
    {"for (int i = 0; i < n; i++) { double x = a.cell(i); for (int k = 0; k < 3; k++) x *= x; r.cell(i) = x; }",
     "wait, i stores"},
    {"for (int i = 0; i < 3; i++) r.cell(i) = i;\nfor (int i = 0; i < n; i++) s += a.cell(i);", "i stores, i s+"},
};
INSTANTIATE_TEST_SUITE_P(Divided, FindPhases, ::testing::ValuesIn(kDivided));

constexpr Case kUndivided[] = {
    {"for (int i = 0; i < 3; i++) r.cell(i) = i;", ""},
    {"for (int i = 1; i < n; i++) r.cell(i) = a.cell(i) + r.cell(i - 1);",
     "no: it stores cells, but it is no single assignment, nor a loop that only stores cells of its own in each round "
     "and adds up; so no loop of the body is "
     "divided"},
    {"for (int i = 0; i < n; i++) s += a.cell(i);\nif (s > 0) r.cell(0) = s;",
     "no: it stores cells, but it is no single assignment, nor a loop that only stores cells of its own in each round "
     "and adds up; so no loop of the body is "
     "divided"},
    {"for (int i = 0; i < n; i++) { r.cell(i) = 0; s = max(a.cell(i), s); }",
     "no: only the order of the source gives `s` its value; so no loop of the body is divided"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\nif (v.cell(0) > 0) return;\n"
     "for (int i = 0; i < n; i++) r.cell(i) = 0;",
     "no: the body may return here; so no loop of the body is divided"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\nfor (int i = 0; i < n; i++) s = max(a.cell(i), s);",
     "wait, i stores; no: only the order of the source gives `s` its value"},
};
INSTANTIATE_TEST_SUITE_P(Undivided, FindPhases, ::testing::ValuesIn(kUndivided));

/// What work-items keep: regions, the loops that read or write them, and the phases.
std::string kept_text(const Computation& computation) {
  const KeptCells& kept = computation.kept;
  if (!kept.any()) return "";
  const auto number = [&](StmtId loop) {
    return std::to_string(std::find(kept.loops.begin(), kept.loops.end(), loop) - kept.loops.begin());
  };
  std::string out;
  for (const KeptRegion& region : kept.regions)
    out += (region.is_output ? "output " : "input ") + std::to_string(region.index) +
           (region.is_output ? " written in " + number(region.last) : " read in " + number(region.first)) + ", ";
  Computation with_kept = computation;
  with_kept.phases = kept.phases;
  with_kept.undivided.clear();
  return out + "up to " + kept.length + ", " + std::to_string(kept.bytes) + " bytes: " + text_of(with_kept);
}

class FindKeptCells : public ::testing::TestWithParam<Case> {};

TEST_P(FindKeptCells, SaysWhatWorkItemsKeep) {
  EXPECT_EQ(kept_text(computation_of_rows(GetParam().body)), GetParam().phases) << GetParam().body;
}

constexpr Case kKept[] = {
    {"for (int i = 0; i < n; i++) s = max(s, a.cell(i));\n"
     "for (int i = 0; i < n; i++) { r.cell(i) = exp(a.cell(i) - s); t += r.cell(i); }\n"
     "for (int i = 0; i < n; i++) r.cell(i) /= t;",
     "output 0 written in 2, input 0 read in 0, up to n, 8 bytes: i smax, i t+, i stores"},
    {"for (int i = 0; i < n; i++) s += a.cell(i);\n"
     "for (int i = 0; i <= n - 1; i++) t += (a.cell(i) - s) * (a.cell(i) - s);\n"
     "for (int i = 0; i < r.count(); i++) r.cell(i) = (a.cell(i) - s) / t * v.cell(i);",
     "input 0 read in 0, up to n, 8 bytes: i s+, i t+, i stores"},
    {"s = a.cell(0);\nfor (int i = n - 1; i >= 0; i--) s += a.cell(i) + a.cell(0);\n"
     "for (int i = n - 1; i >= 0; i--) q.cell(i) = a.cell(i) / s;",
     "input 0 read in 0, up to n, 8 bytes: i s+, i stores"},
    {"for (int i = 1; i < n; i++) s += a.cell(i) * v.cell(i);\n"
     "for (int i = 1; i < n; i++) t += a.cell(i) * v.cell(i) / s;",
     "input 0 read in 0, input 1 read in 0, up to n, 16 bytes: i s+, i t+"},
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\nfor (int i = 0; i < n; i++) s += r.cell(i);\n"
     "q.cell(0) = s;",
     "output 0 written in 0, up to n, 8 bytes: i stores, i s+, first"},
};
INSTANTIATE_TEST_SUITE_P(Kept, FindKeptCells, ::testing::ValuesIn(kKept));

constexpr Case kNotKept[] = {
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);", ""},
    {"for (int i = 0; i < n; i++) s += a.cell(i);\nfor (int i = n - 1; i >= 0; i--) t += a.cell(i) * s;", ""},
    {"for (int i = 0; i < n; i++) s += a.cell(i);\nfor (int i = 1; i < n; i++) t += a.cell(i) * s;", ""},
    {"for (int i = 0; i < n; i++) s += a.cell(i);\nfor (int i = 0; i < n; i++) t += a.cell(n - 1 - i) * s;", ""},
    {"for (int i = 0; i < n; i++) r.cell(i) += s;\nfor (int i = 0; i < n; i++) t += r.cell(i);", ""},
    {"for (int i = 0; i < n; i++) r.cell(i) = s;\nfor (int i = 0; i < n; i++) r.cell(i) += t;\nt = r.cell(0);", ""},
    {"for (int i = 0; i < m; i++) s += a.cell(min(i, n - 1));\nfor (int i = 0; i < m; i++) t += a.cell(i) * s;", ""},
    {"for (int i = 0; i < 2 * n; i++) s += i < n ? a.cell(i) : 0;\n"
     "for (int i = 0; i < 2 * n; i++) t += i < n ? a.cell(i) : s;",
     ""},
};
INSTANTIATE_TEST_SUITE_P(NotKept, FindKeptCells, ::testing::ValuesIn(kNotKept));

TEST(FindPhases, OfOutputsInOneMatrixThereAreNone) {
  const auto planned = planned_text(
      "main transform T from A[n, m] to R[n, 2*m]\n{\n"
      "  to (R.row(2*y) r, R.row(2*y+1) q) from (A.row(y) a) {\n"
      "    for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);\n"
      "    for (int i = 0; i < n; i++) q.cell(i) = a.cell(i);\n  }\n}\n");
  ASSERT_TRUE(planned);
  EXPECT_EQ(text_of(planned->only().computations.at(0)),
            "no: several outputs of the rule are parts of one matrix; no: several outputs of the rule are parts of one "
            "matrix");
}

struct Filling {
  const char* body;
  std::vector<std::size_t> filled;  ///< 0 is the row `r`
};

class FindFilledOutputs : public ::testing::TestWithParam<Filling> {};

TEST_P(FindFilledOutputs, SaysWhichOutputsGetNewValues) {
  EXPECT_EQ(computation_of_rows(GetParam().body).filled, GetParam().filled) << GetParam().body;
}

const Filling kFillings[] = {
    {"for (int i = 0; i < n; i++) r.cell(i) = a.cell(i);", {0}},
    {"for (int i = n - 1; i >= 0; i--) r.cell(i) = a.cell(i);", {0}},
    {"for (int i = 0; i <= n - 1; i++) { double x = a.cell(i); r.cell(i) = x; r.cell(i) += 1; }", {0}},
    {"for (int i = 0; i < r.size(0); i++) { q.cell(i) = 1; r.cell(i) = q.cell(i); }", {0, 1}},
    {"for (int i = 0; i < a.count(); i++) r.cell(i) = 1;\nq.cell(0) = r.cell(0);", {0}},
    {"for (int i = 0; i < n; i++) r.cell(i) += a.cell(i);", {}},
    {"for (int i = 0; i < n; i++) r.cell(i) = r.cell(i) + 1;", {}},
    {"for (int i = 1; i < n; i++) r.cell(i) = 1;", {}},
    {"for (int i = 0; i < n - 1; i++) r.cell(i) = 1;", {}},
    {"for (int i = n - 1; i > 0; i--) r.cell(i) = 1;", {}},
    {"for (int i = 0; i < n; i += 2) r.cell(i) = 1;", {}},
    {"for (int i = 0; i < m; i++) r.cell(i) = 1;", {}},
    {"for (int i = 0; i < n; i++) if (a.cell(i) > 0) r.cell(i) = 1;", {}},
    {"for (int i = 0; i < n; i++) { if (a.cell(i) > 0) continue; r.cell(i) = 1; }", {}},
    {"s = r.cell(0);\nfor (int i = 0; i < n; i++) r.cell(i) = 1;", {}},
    {"if (s > 0) return;\nfor (int i = 0; i < n; i++) r.cell(i) = 1;", {}},
    {"if (s > 0) for (int i = 0; i < n; i++) r.cell(i) = 1;", {}},
};
INSTANTIATE_TEST_SUITE_P(Rows, FindFilledOutputs, ::testing::ValuesIn(kFillings));

/// The phases of a rule with one instance that filters `a`, with their stages.
std::string stages_of_filter(const std::string& body) {
  const auto planned = planned_text(
      "main transform T from A[n], Limit to K[n], P[n], int N\n{\n"
      "  to (K k, P p, N num) from (A a, Limit limit) {\n    int at = 0, sum = 0;\n" +
      body + "\n    num = at;\n  }\n}\n");
  if (!planned) return "has errors";
  const Computation& computation = planned->only().computations.at(0);
  std::string out;
  for (const Phase& phase : computation.phases)
    out += " " + std::to_string(phase.stage) + (phase.ends_stage ? "." : "");
  return text_of(computation) + ":" + out + " of " + std::to_string(computation.stages.num);
}

TEST(RunningPlaces, AreCountedInAStageBeforeTheirOwn) {
  EXPECT_EQ(stages_of_filter("for (int i = 0; i < n; i++) if (a.cell(i) > limit) k.cell(at++) = a.cell(i);"),
            "i stores at+: 2. of 3")
      << "the number needs all counts";
  EXPECT_EQ(stages_of_filter("for (int i = 0; i < n; i++) p.cell(i) = 0;\n"
                             "for (int i = 0; i < n; i++) if (a.cell(i) > limit) k.cell(at++) = a.cell(i);\n"
                             "for (int i = at; i < n; i++) k.cell(i) = 0;"),
            "i stores, i stores at+, wait, i stores: 1 2. 3. of 4")
      << "what does not wait counts beside the stores before";
  EXPECT_EQ(stages_of_filter("for (int i = 0; i < n; i++) for (int j = 0; j < a.cell(i); j++) k.cell(at++) = j;"),
            "no: a loop inside stores at `at`; so no loop of the body is divided: of 0");
}

TEST(OrderedBins, AreFilledInAStageBeforeTheirOwn) {
  EXPECT_EQ(stages_of_filter("for (int i = 0; i < n; i++) k.cell(i) = 0;\n"
                             "for (int i = 0; i < n; i++) k.cell(int(a.cell(i))) += a.cell(i);\n"
                             "for (int i = 0; i < n; i++) p.cell(i) = k.cell(i);"),
            "i stores, wait, i stores, wait, i stores: 1. 3. 4. of 5");
  EXPECT_EQ(stages_of_filter("for (int i = 0; i < n; i++) { k.cell(int(a.cell(i))) *= 2; sum += i; }\nat = sum;"),
            "i stores sum+: 2. of 3")
      << "the number needs the sum";
}

}  // namespace
}  // namespace pb::testing
