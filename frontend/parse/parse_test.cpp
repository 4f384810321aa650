// SPDX-License-Identifier: MIT
// Tests of what golden files do not show: spans and token ranges, limits, and that nothing crashes.
#include <random>

#include "frontend/parse/parse_fixture.h"

namespace pb {
namespace {

class Parse : public ParseFixture {
 protected:
  /// A program with one body.
  static std::string with_body(const std::string& text) {
    return "transform T from A to B { to (B b) from (A a) {" + text + "} }";
  }
  static const Body& body_of(const Ast& ast) { return ast.transforms().at(0)->rules.at(0).body; }
  template <class Node>
  static const Stmt& first(const Body& body) {
    for (const Stmt& s : body.stmts)
      if (std::holds_alternative<Node>(s.node)) return s;
    throw std::runtime_error("no such statement");
  }
};

TEST_F(Parse, ExampleParsesWithoutOpaquePieces) {
  const auto tokens = preprocess(PB_SOURCE_DIR "/examples/separable_convolution.pbcc", sources_, diags_);
  ASSERT_TRUE(tokens);
  const Ast ast = parse(*tokens, sources_, diags_);
  EXPECT_EQ(messages(), "");
  EXPECT_EQ(ast.transforms().size(), 5u);
  EXPECT_EQ(to_string(ast).find("opaque"), std::string::npos);
}

TEST_F(Parse, BodyKeepsTheTextBetweenItsBraces) {
  const Ast ast = parse_text(with_body("\n  int i = 0;  // note\n  f( i );\n"));
  const Body& body = body_of(ast);
  EXPECT_EQ(text_of(body, {0, static_cast<std::uint32_t>(body.tokens.size())}), "int i = 0;  \n  f( i );");
  EXPECT_EQ(sources_.text(body.span), "{\n  int i = 0;  // note\n  f( i );\n}");
}

TEST_F(Parse, StatementsHaveExactRanges) {
  const Ast ast = parse_text(with_body("x = 1; if (x) y(); else z(); for_enough (1; 2) { w(); }"));
  const Body& body = body_of(ast);
  EXPECT_EQ(text_of(body, first<IfStmt>(body).tokens), "if (x) y(); else z();");
  EXPECT_EQ(sources_.text(first<IfStmt>(body).span), "if (x) y(); else z();");
  const auto& loop = std::get<ForEnoughStmt>(first<ForEnoughStmt>(body).node);
  EXPECT_EQ(text_of(body, loop.head), "for_enough (1; 2)");
  EXPECT_EQ(text_of(body, body.stmts[loop.body].tokens), "{ w(); }");
}

TEST_F(Parse, CallOfTransformKnowsItsNameAndArguments) {
  const Ast ast = parse_text(with_body("{ spawn T(b.cell(0), a + 1); }"));
  const Body& body = body_of(ast);
  const auto& call = std::get<TransformCallStmt>(first<TransformCallStmt>(body).node);
  EXPECT_EQ(sources_.text(call.callee_span), "T");
  EXPECT_TRUE(call.is_spawn);
  ASSERT_EQ(call.args.size(), 2u);
  EXPECT_EQ(text_of(body, body.exprs[call.args[1]].tokens), "a + 1");
  EXPECT_EQ(text_of(body, first<TransformCallStmt>(body).tokens), "spawn T(b.cell(0), a + 1);");
}

TEST_F(Parse, FunctionOfTheSameNameInAnExpressionIsNoCallOfTheTransform) {
  EXPECT_EQ(body_form("x = Other(3); int Other = 2; Other(b, a);"),
            "  (= x (call Other 3))\n  decl `int` Other = 2 : int\n  transform-call Other b a\n");
}

TEST_F(Parse, ShiftAndClosingTemplateArgumentsAreToldApart) {
  EXPECT_EQ(body_form("x = a >> 2; v<v<int>> w;"), "  (= x (>> a 2))\n  decl `v<v<int>>` w : ?\n");
}

TEST_F(Parse, HeaderSpansNameTheirText) {
  const Ast ast = parse_text(
      "transform T from float IN<0..k>[n + 1] to B { to (B b) from (IN<k>.region(0, n) in) where n < 3 { } }");
  const ast::Transform& t = *ast.transforms().at(0);
  const ast::Matrix& in = t.matrix_clauses[0].matrices[0];
  EXPECT_EQ(sources_.text(in.name.span), "IN");
  EXPECT_EQ(sources_.text(in.element_span), "float");
  EXPECT_EQ(sources_.text(in.versions->span), "0..k");
  EXPECT_EQ(sources_.text(in.extents[0].span), "n + 1");
  EXPECT_EQ(sources_.text(t.rules[0].inputs[0].region.span), "IN<k>.region(0, n)");
  EXPECT_EQ(sources_.text(t.rules[0].inputs[0].name->span), "in");
  EXPECT_EQ(sources_.text(t.rules[0].where->span), "n < 3");
  EXPECT_EQ(sources_.text(t.span), "transform T from float IN<0..k>[n + 1] to B");
}

TEST_F(Parse, UnaryMinusBindsLikeBinaryMinusFromZero) {
  const Ast ast = parse_text("transform T from A[-n*m + 1, 2^n^m, a - b - c] to B { B from () { return 0; } }");
  const auto& extents = ast.transforms().at(0)->matrix_clauses[0].matrices[0].extents;
  EXPECT_EQ(to_string(extents[0]), "-n*m+1");
  EXPECT_TRUE(std::holds_alternative<NegatedFormula>(std::get<BinaryFormula>(extents[0].node).operands[0].node));
  EXPECT_EQ(to_string(std::get<BinaryFormula>(extents[1].node).operands[0]), "2^n");
  EXPECT_EQ(to_string(std::get<BinaryFormula>(extents[2].node).operands[0]), "a-b");
}

struct Deep {
  const char* name;
  const char* before;
  const char* repeated;
  const char* middle;
  const char* closing;
};

class TooDeep : public ParseFixture, public testing::WithParamInterface<Deep> {};

TEST_P(TooDeep, IsAnErrorNotACrash) {
  constexpr int kTimes = 20000;
  const Deep& deep = GetParam();
  std::string text = deep.before;
  for (int i = 0; i < kTimes; ++i) text += deep.repeated;
  text += deep.middle;
  for (int i = 0; i < kTimes; ++i) text += deep.closing;
  (void)parse_text("transform T from A to B { to (B b) from (A a) {" + text + "} }");
  EXPECT_TRUE(diags_.has(DiagKind::NestingTooDeep)) << messages();
}

INSTANTIATE_TEST_SUITE_P(Bodies, TooDeep,
                         testing::Values(Deep{"Parentheses", "x = ", "(", "1;", ")"}, Deep{"Braces", "", "{", "", "}"},
                                         Deep{"Signs", "x = ", "- ", "1;", ""}, Deep{"Sums", "x = 1", " + 1", ";", ""},
                                         Deep{"Members", "x", ".y", ";", ""}, Deep{"Assignments", "x", " = x", ";", ""},
                                         Deep{"Conditionals", "x = ", "a ? b : ", "1;", ""},
                                         Deep{"Ifs", "", "if (a) ", "x;", ""},
                                         Deep{"ElseIfs", "", "if (a) x; else ", "y;", ""},
                                         Deep{"Templates", "x = ", "a<", "1;", ""}, Deep{"Commas", "x", ", x", ";", ""},
                                         Deep{"Casts", "x = ", "(int) ", "1;", ""}),
                         [](const testing::TestParamInfo<Deep>& deep) { return std::string(deep.param.name); });

TEST_F(Parse, DeepFormulasAreErrors) {
  for (const char* repeated : {"(", "-", "n+", "(-"}) {
    Diagnostics diags;
    std::string text = "transform T from A[";
    for (int i = 0; i < 20000; ++i) text += repeated;
    const TokenStream tokens =
        preprocess(sources_.add("t.pbcc", text + "n] to B { B from (A a) { return 1; } }"), sources_, diags);
    (void)parse(tokens, sources_, diags);
    EXPECT_TRUE(diags.has_errors()) << repeated;
  }
}

TEST_F(Parse, TruncatedAndDamagedProgramsGiveMessagesNotCrashes) {
  const auto file = sources_.load(PB_SOURCE_DIR "/tests/corpus/merge_sort.pbcc");
  ASSERT_TRUE(file);
  const std::string text(sources_.text(*file));
  std::mt19937 random(20260101);
  for (int i = 0; i < 90; ++i) {
    std::string damaged = text;
    const std::size_t at = random() % damaged.size();
    switch (i % 3) {
      case 0:
        damaged.resize(at);
        break;
      case 1:
        damaged.erase(at, 1 + random() % 5);
        break;
      default:
        damaged.insert(at, 1, "(){}[];,<>=\"'#%.a1"[random() % 18]);
        break;
    }
    SourceManager sources;
    Diagnostics diags;
    const TokenStream tokens = preprocess(sources.add("t.pbcc", damaged), sources, diags);
    const Ast ast = parse(tokens, sources, diags);
    EXPECT_FALSE((to_string(ast) + render(diags, sources)).empty());
  }
}

}  // namespace
}  // namespace pb
