// SPDX-License-Identifier: MIT
// What counts as a slip and what does not. The messages: frontend/testdata/slips.
#include "frontend/check_slips/check_slips.h"

#include <gtest/gtest.h>

#include "frontend/check_types/check_types.h"
#include "frontend/infer_regions/infer_regions.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"

namespace pb {
namespace {

/// The kinds of slips in a program, each followed by a blank.
std::string slips_in(const std::string& text) {
  SourceManager sources;
  Diagnostics diags;
  const TokenStream tokens = preprocess(sources.add("t.pbcc", text), sources, diags);
  std::optional<Program> program = resolve(parse(tokens, sources, diags), sources, {}, diags);
  if (!program || !check_types(*program, diags) || !infer_regions(*program, diags)) return render(diags, sources);
  Diagnostics slips;
  const bool ok = check_slips(*program, slips);
  EXPECT_EQ(ok, !slips.has_errors());
  std::string out;
  for (const Diagnostic& diagnostic : slips.all()) out += std::string(info_of(diagnostic.kind).id) + " ";
  return out;
}

std::string slips_in_body(const std::string& body, const std::string& access = "A.region(i, i+2) w") {
  return slips_in("transform T from A[n], K[3] to B[n-1] { B.cell(i) from (" + access + ", K k) { " + body + " } }");
}

TEST(CheckSlips, TheFirstIndexBehindARegionIsOutside) {
  EXPECT_EQ(slips_in_body("return w.cell(0) + w.cell(1) + k.cell(2);"), "");
  EXPECT_EQ(slips_in_body("return w.cell(2);"), "IndexOutside ");
  EXPECT_EQ(slips_in_body("return k.cell(3);"), "IndexOutside ");
  EXPECT_EQ(slips_in_body("return w.cell(-1);"), "IndexOutside ");
  EXPECT_EQ(slips_in_body("return w.cell(1 + 1);"), "IndexOutside ");
}

TEST(CheckSlips, SizesThatAreNoConstantsHaveNoLastIndex) {
  EXPECT_EQ(slips_in_body("return w.cell(1000);", "A.region(0, i+2) w"), "");
  EXPECT_EQ(slips_in_body("return w.cell(1000);", "A w"), "");
  EXPECT_EQ(slips_in_body("return w.cell(-1);", "A w"), "IndexOutside ");
}

TEST(CheckSlips, WhatNeverRunsIsNoSlip) {
  EXPECT_EQ(slips_in_body("if (0) return w.cell(2); return 0;"), "");
  EXPECT_EQ(slips_in_body("if (1) return 0; else return w.cell(2);"), "");
  EXPECT_EQ(slips_in_body("if (w.cell(0) > 0) return w.cell(2); return 0;"), "IndexOutside ");
}

TEST(CheckSlips, ConstantsOfARuleMayBeTestedBeforeTheIndex) {
  const auto slips_of_template = [](const std::string& body) {
    return slips_in("transform T template <E(1, 2)> from A[n] to B[n-E] { B.cell(i) from (A.region(i, i+E) w) { " +
                    body + " } }");
  };
  EXPECT_EQ(slips_of_template("return E > 1 ? w.cell(1) : w.cell(0);"), "");
  EXPECT_EQ(slips_of_template("if (E == 1) return 0; return w.cell(1);"), "");
  EXPECT_EQ(slips_of_template("return w.cell(1);"), "IndexOutside ");
  EXPECT_EQ(slips_of_template("return w.cell(2);"), "IndexOutside IndexOutside ");
}

TEST(CheckSlips, QuotientsMatterWhereNumbersAreReal) {
  EXPECT_EQ(slips_in_body("return 1/2;"), "IntegerQuotient ");
  EXPECT_EQ(slips_in_body("return 4/2 + w.cell(3/2);"), "");
  EXPECT_EQ(slips_in_body("int h = 7/2; return h;"), "");
  EXPECT_EQ(slips_in_body("return sqrt(1/2);"), "IntegerQuotient ");
}

}  // namespace
}  // namespace pb
