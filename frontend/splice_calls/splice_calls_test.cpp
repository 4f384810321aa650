// SPDX-License-Identifier: MIT
// Which bodies become transforms, what these have in them, and why others do not. Whole programs are in
// frontend/testdata/splices.
#include "frontend/splice_calls/splice_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/check_types/check_types.h"
#include "frontend/infer_regions/infer_regions.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"

namespace pb {
namespace {

const std::string kCopy = "transform Copy from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return a; } }\n";
const std::string kTwice = kCopy + "transform Twice from A[n] to B[n] { to (B b) from (A a) using (T[n]) { ";

struct Spliced {
  Program program;
  std::vector<SplicedCalls> calls;

  /// The calls of the last transform's first rule.
  [[nodiscard]] const SplicedCalls& last() const { return calls.back(); }
  [[nodiscard]] const Transform& made() const { return program.transforms[last().made.value()]; }
};

Spliced spliced(const std::string& text,
                const TransformFacts& facts = {[](const Program&, TransformId) { return ""; },
                                               [](const Program&, TransformId, MatrixId) { return false; }}) {
  SourceManager sources;
  Diagnostics diags;
  const TokenStream tokens = preprocess(sources.add("t.pbcc", text), sources, diags);
  std::optional<Program> program = resolve(parse(tokens, sources, diags), sources, {}, diags);
  EXPECT_TRUE(program && check_types(*program, diags) && infer_regions(*program, diags)) << render(diags, sources);
  Spliced out{std::move(*program), {}};
  out.calls = splice_calls(out.program, facts);
  verify(out.program);
  return out;
}

/// Why the calls in the last transform of a program stay as they are; `spliced` if they do not.
std::string reason_of(const std::string& text) {
  const Spliced found = spliced(text);
  return found.calls.empty() ? "no chain" : found.last().made ? "spliced" : found.last().reason;
}

std::string reason_of_body(const std::string& body) { return reason_of(kTwice + body + " } }"); }

/// The matrices of a transform: role, name and size.
std::string matrices_of(const Transform& transform) {
  std::string out;
  for (const Matrix& matrix : transform.matrices) {
    out += out.empty() ? "" : " ";
    out += matrix.role == MatrixRole::From ? "from " : matrix.role == MatrixRole::To ? "to " : "through ";
    out += header_of(matrix.name, matrix.extents);
  }
  return out;
}

std::string body_of(const Rule& rule) {
  return text_of(rule.body, {0, static_cast<std::uint32_t>(rule.body.tokens.size())});
}

TEST(SpliceCalls, TemporariesBecomeThroughMatrices) {
  const Spliced found = spliced(kTwice + "Copy(T, a); Copy(b, T); } }");
  ASSERT_EQ(reason_of_body("Copy(T, a); Copy(b, T);"), "spliced");
  EXPECT_EQ(found.made().name, "Twice<spliced B#1>");
  EXPECT_EQ(matrices_of(found.made()), "to B[n] from A[n] through T[n]");
  ASSERT_EQ(found.made().rules.size(), 2U);
  EXPECT_EQ(found.made().rules[RuleId(0)].name, "T#1");
  EXPECT_EQ(found.made().rules[RuleId(1)].name, "B#1");
}

TEST(SpliceCalls, TheCallerGetsARuleThatCallsIt) {
  const Spliced found = spliced(kTwice + "Copy(T, a); Copy(b, T); } }");
  const Transform& caller = found.program.transforms[found.last().caller];
  ASSERT_EQ(caller.rules.size(), 2U);
  const Rule& rule = caller.rules[RuleId(1)];
  EXPECT_TRUE(rule.is_spliced);
  EXPECT_EQ(rule.name, "B#1[spliced]");
  EXPECT_TRUE(rule.temporaries.empty());
  ASSERT_EQ(rule.calls.size(), 1U);
  EXPECT_EQ(rule.calls[0].targets, std::vector{*found.last().made});
  EXPECT_EQ(rule.domain.to_string(), caller.rules[RuleId(0)].domain.to_string());
}

TEST(SpliceCalls, SizesOfCalleesAreThoseOfTheCaller) {
  const Spliced found = spliced(
      "transform Shrink from A[m] to B[m-1] { B.cell(i) from (A.cell(i) a, A.cell(i+1) b) { return a + b * m; } }\n"
      "transform Two from A[n] to B[n-2] { to (B b) from (A a) using (T[n-1]) { Shrink(T, a); Shrink(b, T); } }");
  ASSERT_TRUE(found.last().made) << found.last().reason;
  EXPECT_EQ(matrices_of(found.made()), "to B[n-2] from A[n] through T[n-1]");
  EXPECT_EQ(body_of(found.made().rules[RuleId(0)]), "return a + b * n;");
  EXPECT_EQ(body_of(found.made().rules[RuleId(1)]), "return a + b * (n-1);");
}

TEST(SpliceCalls, NumbersTakeThePlaceOfInputs) {
  const Spliced found = spliced(
      "transform Scale from A[n], F, float G to B[n] { B.cell(i) from (F f, A.cell(i) a) { return a * f + G; } }\n"
      "transform Two from A[n], S to B[n] { to (B b) from (A a, S s) using (T[n]) { Scale(T, a, -2, 0.5); Copy(b, T); "
      "} "
      "}\n" +
      kCopy);
  ASSERT_TRUE(found.last().made) << found.last().reason;
  const Rule& rule = found.made().rules[RuleId(0)];
  EXPECT_EQ(body_of(rule), "return a * static_cast<ElementT>(-2) + static_cast<float>(0.5);");
  ASSERT_EQ(rule.inputs.size(), 1U);
  EXPECT_EQ(rule.inputs[0].binding, "a");
}

TEST(SpliceCalls, NumbersMayFollowFromSizes) {
  const Spliced found = spliced(
      "transform Add from A[n], int K to B[n] { B.cell(i) from (A.cell(i) a) { return a + K; } }\n"
      "transform Inner from A[m] to B[m-1] { to (B b) from (A a) using (T[m-1]) { Add(T, a, m * 2 + 1); Add(b, T, -m); "
      "} }\n");
  EXPECT_FALSE(found.last().made);
  const Spliced fits = spliced(
      "transform Add from A[n], int K to B[n] { B.cell(i) from (A.cell(i) a) { return a + K; } }\n"
      "transform Two from A[m] to B[m] { to (B b) from (A a) using (T[m]) { Add(T, a, m * 2 + 1); Add(b, T, -m); } }\n"
      "transform Four from A[k-1] to B[k-1] { to (B b) from (A a) using (T[k-1]) { Two(T, a); Two(b, T); } }");
  ASSERT_TRUE(fits.last().made) << fits.last().reason;
  EXPECT_EQ(body_of(fits.made().rules[RuleId(0)]), "return a + static_cast<int>(2*k-1);");
  EXPECT_EQ(body_of(fits.made().rules[RuleId(1)]), "return a + static_cast<int>(-(k-1));");
}

TEST(SpliceCalls, ChainsOfChainsAreOneTransform) {
  const Spliced found = spliced(kTwice +
                                "Copy(T, a); Copy(b, T); } }\n"
                                "transform Four from A[k] to B[k] { to (B b) from (A a) using (T[k]) { Twice(T, a); "
                                "Twice(b, T); } }");
  ASSERT_TRUE(found.last().made) << found.last().reason;
  EXPECT_EQ(matrices_of(found.made()), "to B[k] from A[k] through T[k] through T_2[k] through T_3[k]");
  EXPECT_EQ(found.made().rules.size(), 4U);
}

TEST(SpliceCalls, EachCallWritesAMatrixOfItsOwn) {
  const Spliced found = spliced(kTwice + "Copy(T, a); Copy(b, T); Copy(T, b); Copy(b, T); } }");
  ASSERT_TRUE(found.last().made) << found.last().reason;
  EXPECT_EQ(matrices_of(found.made()), "to B[n] from A[n] through T[n] through B_2[n] through T_2[n]");
  const Spliced kept = spliced(
      kTwice + "Copy(T, a); Copy(b, T); Copy(T, b); Copy(b, T); } }",
      {[](const Program&, TransformId) { return ""; }, [](const Program&, TransformId, MatrixId) { return true; }});
  EXPECT_EQ(kept.last().reason, "several calls write one matrix, and `Copy` may read what it finds there");
}

TEST(SpliceCalls, OtherStagesMayRefuse) {
  const Spliced kept =
      spliced(kTwice + "Copy(T, a); Copy(b, T); } }", {[](const Program&, TransformId) { return "it is Tuesday"; },
                                                       [](const Program&, TransformId, MatrixId) { return false; }});
  EXPECT_EQ(kept.last().reason, "it is Tuesday");
  EXPECT_EQ(kept.program.transforms.size(), 2U);
  EXPECT_EQ(kept.program.transforms[TransformId(1)].rules.size(), 1U);
}

TEST(SpliceCalls, BodiesThatAreNoChainsStay) {
  EXPECT_EQ(reason_of_body("Copy(b, a);"), "no chain");
  EXPECT_EQ(reason_of_body("Copy(T, a); Copy(b, T); b.cell(0) = 1;"), "it does more than call transforms");
  EXPECT_EQ(reason_of_body("Copy(T, T); Copy(b, T);"), "a call reads `T`, which no call before it has written");
  EXPECT_EQ(reason_of_body("Copy(T, a); Copy(T, T); Copy(b, T);"), "a call has `T` twice");
  EXPECT_EQ(reason_of_body("Copy(T, a); Copy(T, a);"), "no call writes `b`");
  EXPECT_EQ(reason_of_body("Copy(T, a); Copy(b, T.region(0, n));"),
            "an argument of `Copy` is neither a whole matrix nor a number that sizes give");
}

TEST(SpliceCalls, CalleesHaveNothingOfTheirOwn) {
  const auto reason = [](const std::string& callee) {
    return reason_of(callee + kTwice + "Other(T, a); Copy(b, T); } }");
  };
  EXPECT_EQ(reason("transform Other from A[n] to B[n] memoized { to (B b) from (A a) { b.cell(0) = 1; } }\n"),
            "`Other` is memoized");
  EXPECT_EQ(reason("transform Other from A[n] to B[n] tunable k(1, 1, 9) { B.cell(i) from () { return k; } }\n"),
            "`Other` has tunables of its own");
  EXPECT_EQ(reason("transform Other from A[n] to B[n] { to (B b) from (A a) { if (n > 1) Copy(b, a); } }\n"),
            "calls of `Other` are no chain: it does more than call transforms");
  EXPECT_EQ(reason("transform Other from A[n] to B[n] { to (B b) from (A a) { Other(b, a); } }\n"),
            "`Other` calls itself");
}

TEST(SpliceCalls, InstancesThatTestTheirWhereStay) {
  EXPECT_EQ(reason_of("transform Odd from A[n] to B[n] { B.cell(i) from (A.cell(i) a) where i * i > 4 { return a; }\n"
                      "secondary B.cell(i) from () { return 0; } }\n" +
                      kTwice + "Odd(T, a); Copy(b, T); } }"),
            "instances of `Odd.B#1` test their `where`");
}

TEST(SpliceCalls, SizesThatAreNotProvedEqualStay) {
  EXPECT_EQ(reason_of("transform Half from A[2*m] to B[2*m] { B.cell(i) from (A.cell(i) a) { return a; } }\n" + kTwice +
                      "Half(T, a); Copy(b, T); } }"),
            "`Half` takes `A` with 2*(n/2) cells in dimension 0, which are not known to be n");
  EXPECT_EQ(
      reason_of(kCopy + "transform P from A[n] to B[n] { to (B b) from (A a) using (T[n-1]) { Copy(T, a); Copy(b, T); "
                        "} }"),
      "`Copy` takes `B` with n cells in dimension 0, which are not known to be n-1");
}

TEST(SpliceCalls, TemporariesThatMayHaveNegativeSizesStay) {
  const std::string more =
      "transform Wide from A[n], C[m] to B[m] { B.cell(i) from (A a, C.cell(i) c) { return c; } }\n"
      "transform Ones from S[m] to B[n] { B.cell(i) from () { return 1; } }\n";
  EXPECT_EQ(
      reason_of(more + "transform P from A[n] to B[n] { to (B b) from (A a) using (T[n-1]) { Ones(T, a); Wide(b, T, "
                       "a); } }"),
      "`T` may have a negative size, `n-1`");
  // Where `T` would have less than no cells, `B[n]` of `Shrink` has none, and its `A[n+1]` is not what `A` is.
  EXPECT_EQ(
      reason_of(
          "transform Shrink from A[n+1] to B[n] { B.cell(i) from (A.cell(i) a) { return a; } }\n" + more +
          "transform P from A[n] to B[n] { to (B b) from (A a) using (T[n-1]) { Shrink(T, a); Wide(b, T, a); } }"),
      "spliced");
}

TEST(SpliceCalls, NamesThatWouldMeanSomethingElseStay) {
  // `k` is a local of the callee and a size of the caller.
  EXPECT_EQ(
      reason_of("transform One from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { int k = 1; return a + k * n; } }\n"
                "transform P from A[k] to B[k] { to (B b) from (A a) using (T[k]) { One(T, a); One(b, T); } }"),
      "`k`, a name of `One`, is also a size of `P<spliced B#1>`");
  EXPECT_EQ(
      reason_of(kCopy + "transform P from A[i] to B[i] { to (B b) from (A a) using (T[i]) { Copy(T, a); Copy(b, T); "
                        "} }"),
      "`i` means something in both `P<spliced B#1>` and `Copy`");
  EXPECT_EQ(reason_of("transform One from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { auto f = [n]() { return n; }; "
                      "return a + f(); } }\n"
                      "transform P from A[k] to B[k] { to (B b) from (A a) using (T[k]) { One(T, a); One(b, T); } }"),
            "`n` stands in code that is passed through, or has several meanings");
}

TEST(SpliceCalls, ElementsMustBeTheSame) {
  EXPECT_EQ(reason_of(kCopy + "transform P from A[n] to B[n] { to (B b) from (A a) using (double T[n]) { Copy(T, a); "
                              "Copy(b, T); } }"),
            "`T` is not declared as `B` of `Copy` is");
}

TEST(SpliceCalls, RefusesNamesAndReferencesThatWouldNotCompile) {
  const std::string shift = "transform Shift from A[n], F to B[n] { B.cell(x) from (A.cell(x) a, F f) { ";
  const auto reason = [&](const std::string& body, const std::string& input) {
    return reason_of(kCopy + shift + body + " } }\ntransform M from " + input + "[w] to B[w] { to (B b) from (" +
                     input + " a) using (T[w]) { Shift(T, a, 5); Copy(b, T); } }");
  };
  EXPECT_EQ(reason("return a + f;", "In"), "spliced");
  EXPECT_EQ(reason("return a + f;", "x"), "`x` is a matrix of `M`, and a variable of a rule that it calls");
  const std::string referred = "`Shift` has a reference to `f`, or its address";
  EXPECT_EQ(reason("auto& g = f; return a + g;", "In"), referred);
  EXPECT_EQ(reason("const auto* g = &f; return a + *g;", "In"), referred);
}

}  // namespace
}  // namespace pb
