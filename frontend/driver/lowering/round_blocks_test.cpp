// SPDX-License-Identifier: MIT
// Which steps may run their folds in blocks of rounds. The tests lie beside the front end, which makes the programs.
#include "clgen/facts/round_blocks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// `0 1; a walks 0, moves 1; keeps s (8)`: the loops, the inputs with their dimensions, the values with their bytes.
std::string blocks_of(const std::string& rule) {
  const auto planned = planned_text(
      "main transform T from A[k, m], B[n, k], V[n+k], Stack[n, k, l], E[n+2, m, k], "
      "Weights[3, k, l], N to C[n, m], D[n, m, l]\n{\n" +
      rule + "\n}\n");
  if (!planned) return "has errors";
  const TransformPlan& plan = planned->only();
  std::optional<RoundBlockFacts> found;
  RuleId with_blocks;
  for (const Step& step : plan.steps) {
    if (found) break;
    found = find_round_blocks(planned->program, plan, step);
    with_blocks = step.rule;
  }
  if (!found) return "";
  const Rule& first = planned->program.transforms[TransformId(0)].rules[with_blocks];
  std::string out = std::to_string(found->loops[0]) + " " + std::to_string(found->loops[1]);
  for (const BlockInput& input : found->inputs)
    out += "; " + first.inputs[input.input].binding + " walks " + std::to_string(input.walked) + ", moves " +
           std::to_string(input.moving);
  if (found->products)
    for (const std::size_t input : found->products->inputs) out += "; adds " + first.inputs[input].binding;
  out += "; keeps";
  for (const CarriedValue& each : found->carried) out += " " + each.name;
  return out + " (" + std::to_string(found->carried_bytes) + ")";
}

constexpr const char* kOther = "D.cell(x, y, z) from (N one) { return one; }\n";

std::string blocks_with(const std::string& from, const std::string& body) {
  return blocks_of("C.cell(x, y) from (" + from + ") {\n" + body + "\n}\n" + kOther);
}

std::string product_with(const std::string& body) { return blocks_with("A.row(y) a, B.column(x) b", body); }

TEST(RoundBlocks, AreOfFoldsWhoseNeighboursShareCells) {
  const std::string found = "0 1; a walks 0, moves 1; b walks 1, moves 0; adds b; adds a; keeps s (8)";
  const std::string product = "double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); return s;";
  EXPECT_EQ(product_with(product), found);
  EXPECT_EQ(product_with("float s = 0, t = 1; for (int i = 0; i < a.count(); i++) { s += a.cell(i); t *= b.cell(i); } "
                         "return s * t;"),
            "0 1; a walks 0, moves 1; b walks 1, moves 0; keeps s t (8)");
  EXPECT_EQ(blocks_with("A.row(m-1-y) a, B.column(n-1-x) b", product), found);
  EXPECT_EQ(blocks_with("A.row(y) a, V.region(x, x+k) b", product),
            "0 1; a walks 0, moves 1; b walks 0, moves 0; adds b; adds a; keeps s (8)");
  EXPECT_EQ(blocks_of("D.cell(x, y, z) from (A.row(y) a, Stack.region(x, 0, z, x+1, k, z+1) b) { double s = 0; "
                      "for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(0, i, 0); return s; }\n"
                      "C.cell(x, y) from (N one) { return one; }"),
            found)
      << "a batch";
  EXPECT_EQ(blocks_of("D.cell(x, y, z) from (E.region(x, y, 0, x+3, y+1, k) e, Weights.region(0, 0, z, 3, k, z+1) w) { "
                      "double s = 0; for (int i = 0; i < k; i++) for (int j = 0; j < 3; j++) "
                      "s += e.cell(j, 0, i) * w.cell(j, i, 0); return s; }\n"
                      "C.cell(x, y) from (N one) { return one; }"),
            "0 2; e walks 2, moves 0; w walks 1, moves 2; keeps s (8)")
      << "a layer";
}

TEST(RoundBlocks, AddProductsOnlyWhereRoundsDoNothingElse) {
  const std::string found = "0 1; a walks 0, moves 1; b walks 1, moves 0; keeps s (8)";
  const auto with_round = [](const std::string& round) {
    return product_with("double s = 0; for (int i = 0; i < k; i++) " + round + " return s;");
  };
  EXPECT_NE(with_round("s += b.cell(i) * a.cell(i);"), found);
  EXPECT_NE(with_round("{ s += a.cell(i) * b.cell(i); }"), found);
  EXPECT_EQ(with_round("s -= a.cell(i) * b.cell(i);"), found);
  EXPECT_EQ(with_round("s += a.cell(i) + b.cell(i);"), found);
  EXPECT_EQ(with_round("s += 2 * a.cell(i) * b.cell(i);"), found);
  EXPECT_EQ(with_round("s += a.cell(i) * a.cell(i) + b.cell(i);"), found);
  EXPECT_EQ(with_round("if (i > 2) s += a.cell(i) * b.cell(i);"), found);
  EXPECT_EQ(with_round("{ const double p = a.cell(i) * b.cell(i); s += p; }"), found);
  EXPECT_EQ(product_with("float s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(i); return s;"),
            "0 1; a walks 0, moves 1; b walks 1, moves 0; keeps s (4)");
}

/// What another order does to the values of the first rule that runs in blocks.
Regrouping regrouping_of(const std::string& body) {
  const auto planned = planned_text("main transform T from A[k, m], B[n, k] to C[n, m] {\n" +
                                    ("C.cell(x, y) from (A.row(y) a, B.column(x) b) {\n" + body + "\n}\n}\n"));
  if (!planned) return Regrouping::Never;
  for (const Step& step : planned->only().steps)
    if (const auto found = find_round_blocks(planned->program, planned->only(), step)) return found->regrouping;
  ADD_FAILURE() << "no blocks: " << body;
  return Regrouping::Never;
}

TEST(RoundBlocks, SayWhatAnotherOrderDoes) {
  const std::string head = "for (int i = 0; i < k; i++) ";
  EXPECT_EQ(regrouping_of("double s = 0; " + head + "s += a.cell(i) * b.cell(i); return s;"), Regrouping::Rounds);
  EXPECT_EQ(regrouping_of("int s = 0; " + head + "if (a.cell(i) < b.cell(i)) s++; return s;"), Regrouping::Exact);
  EXPECT_EQ(regrouping_of("double s = 9; " + head + "s = max(s, a.cell(i) * b.cell(i)); return s;"), Regrouping::Exact);
  EXPECT_EQ(regrouping_of("double s = 9; " + head +
                          "s = s > a.cell(i) + b.cell(i) ? s : a.cell(i) + b.cell(i); "
                          "return s;"),
            Regrouping::Never)
      << "a NaN is taken, and the next value, too";
  EXPECT_EQ(regrouping_of("double s = 9; int at = 0; " + head +
                          "{ const double d = a.cell(i) - b.cell(i); "
                          "if (d < s) { s = d; at = i; } } return s + at;"),
            Regrouping::Exact);
}

TEST(RoundBlocks, AreNotOfOthers) {
  EXPECT_EQ(blocks_with("A.row(y) a", "double s = 0; for (int i = 0; i < k; i++) s += a.cell(i); return s;"), "")
      << "nothing moves with x";
  EXPECT_EQ(blocks_with("A.row(y) a, Stack.region(x, 0, y/m, x+1, k, y/m+1) b",
                        "double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(0, i, 0); return s;"),
            "")
      << "an input moves in another way";
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < k; i++) for (int j = 0; j < x; j++) "
                         "s += a.cell(i) * b.cell(i) + j; return s;"),
            "")
      << "inner loops differ between instances";
  EXPECT_EQ(product_with("double s = 0; for (int y = 0; y < k; y++) s += a.cell(y) * b.cell(y) * y; return s;"), "")
      << "the loop hides a variable of the rule";
  EXPECT_EQ(product_with("double s = 0; for (int l = 0; l < k; l++) s += a.cell(l) * b.cell(l); return s;"), "")
      << "the loop hides a size variable";
  EXPECT_EQ(product_with("double s = 0; for (int i = 0; i < k; i++) s += a.cell(i) * b.cell(k-1-i); return s;"), "")
      << "one input is not walked along";
}

}  // namespace
}  // namespace pb::testing
