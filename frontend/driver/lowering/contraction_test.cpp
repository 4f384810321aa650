// SPDX-License-Identifier: MIT
// Which bodies are contractions. The tests lie beside the front end, which makes the programs.
#include "choicegraph/plan/contraction.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// `i j; a walks 0; carries s`: the loops, the dimensions that inputs walk along, and the accumulators.
std::string contraction_in(const std::string& rule) {
  const auto planned =
      planned_text("main transform T from A[k,m], B[n,k], V[n], E[3,3,k,n], N to C[n,m], F[n]\n{\n" + rule + "\n}\n");
  if (!planned) return "has errors";
  const Rule& first = planned->program.transforms[TransformId(0)].rules[RuleId(0)];
  const Computation& computation = planned->only().computations.at(0);
  const auto found = find_contraction(first, computation);
  if (!found) return "";
  std::string out;
  for (const StmtId loop : found->loops) out += (out.empty() ? "" : " ") + computation.find(loop)->var;
  for (std::size_t i = 0; i < found->walked.size(); ++i)
    if (found->walked[i]) out += "; " + first.inputs[i].binding + " walks " + std::to_string(*found->walked[i]);
  out += "; carries";
  for (const std::string& name : found->carried) out += " " + name;
  return out;
}

/// The same for a rule that computes a cell of C from a row of A and a column of B.
std::string product_with(const std::string& body) {
  return contraction_in("to (C.cell(x, y) c) from (A.row(y) a, B.column(x) b, V v) {\n" + body + "\n}\n" +
                        "to (F f) from (V v) { for (int x = 0; x < n; x++) f.cell(x) = v.cell(x); }");
}

TEST(Contractions, AreFoldsOfInstances) {
  const std::string found = "i; a walks 0; b walks 0; carries s";
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); c = s;"), found);
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < a.width(); i++) { double d = a.cell(i) - b.cell(i); "
                         "s += d * d; } c = sqrt(s);"),
            found);
  EXPECT_EQ(product_with("double s = 1e9; for (int i = 0; i < k; i++) s = min(s, a.cell(i) + b.cell(i)); c = s;"),
            found);
  EXPECT_EQ(product_with("c = v.cell(0); for (int i = 0; i < k; i++) c += a.cell(i) * b.cell(i);"),
            "i; a walks 0; b walks 0; carries c");
  EXPECT_EQ(product_with("double s = 0, t = 0; for (int i = 0; i < k; i++) { s += a.cell(i); t += b.cell(k - 1 - i); } "
                         "c = s * t;"),
            "i; a walks 0; carries s t");
}

TEST(Contractions, HaveLoopsInsideEachOther) {
  const std::string rule =
      "C.cell(x, y) from (E.region(0, 0, 0, x, 3, 3, k, x + 1) e) {\n  double s = 0;\n  for (int i = 0; i < k; i++)\n"
      "    for (int q = 0; q < 3; q++) { for (int p = 0; p < 3; p++) s += e.cell(p, q, i, 0); }\n  return s;\n}\n"
      "to (F f) from (V v) { for (int x = 0; x < n; x++) f.cell(x) = v.cell(x); }";
  EXPECT_EQ(contraction_in(rule), "i q p; e walks 2; carries s");
}

TEST(Contractions, AreNoOthers) {
  EXPECT_EQ(product_with("c = a.cell(0) * b.cell(0);"), "");  // no fold
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < x; i++) s += a.cell(i) * b.cell(i); c = s;"), "")
      << "instances have other ranges";
  EXPECT_EQ(product_with("double s = 0; for (int i = k - 1; i >= 0; i--) s += a.cell(i) * b.cell(i); c = s;"), "")
      << "it counts down";
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < k; i++) s += a.cell(i); for (int i = 0; i < k; i++) "
                         "s += b.cell(i); c = s;"),
            "")
      << "two loops";
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < k; i++) { if (a.cell(i) < 0) break; s += b.cell(i); } "
                         "c = s;"),
            "");
}

}  // namespace
}  // namespace pb::testing
