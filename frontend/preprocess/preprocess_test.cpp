// SPDX-License-Identifier: MIT
#include "frontend/preprocess/preprocess.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pb {
namespace {

class Preprocess : public testing::Test {
 protected:
  std::vector<Token> tokens_of(const std::string& text) {
    stream_ = preprocess(sources_.add("t.pbcc", text), sources_, diags_);
    return stream_.tokens;
  }
  /// Texts of the tokens, one blank between two.
  std::string words(const std::string& text) {
    std::string out;
    for (const Token& token : tokens_of(text)) out += (out.empty() ? "" : " ") + token.text;
    return out;
  }
  std::string messages() { return render(diags_, sources_); }
  /// A folder with the given files.
  std::string folder_with(const std::vector<std::pair<std::string, std::string>>& files) {
    const auto folder = std::filesystem::path(testing::TempDir()) /
                        (std::string("pb_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder / "sub");
    for (const auto& [name, text] : files) std::ofstream(folder / name) << text;
    return folder.string();
  }
  std::string words_of_file(const std::string& path) {
    const auto stream = preprocess(path, sources_, diags_);
    std::string out;
    if (stream)
      for (const Token& token : stream->tokens) out += (out.empty() ? "" : " ") + token.text;
    return out;
  }

  SourceManager sources_;
  Diagnostics diags_;
  TokenStream stream_;
};

TEST_F(Preprocess, CommentsVanishAndLiteralsStay) {
  EXPECT_EQ(words("a // b\n/* c */ \"// no { comment\" '\"' 1e-6 0x1F .5 10L R\"x(\")\")x\""),
            "a \"// no { comment\" '\"' 1e-6 0x1F .5 10L R\"x(\")\")x\"");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, TextCanBePutTogetherAgain) {
  const std::string text = "int  i = 0;\n\n  f(x) ; ";
  std::string again;
  for (const Token& token : tokens_of(text)) again += token.leading + token.text;
  EXPECT_EQ(again, "int  i = 0;\n\n  f(x) ;");
}

TEST_F(Preprocess, VersionRangeIsThreeTokens) { EXPECT_EQ(words("T<0..20> 1. 2.5"), "T < 0 .. 20 > 1. 2.5"); }

TEST_F(Preprocess, HexDigitEIsNoExponent) { EXPECT_EQ(words("0xE+1 1e+1"), "0xE + 1 1e+1"); }

TEST_F(Preprocess, ObjectMacroIsReplacedByWholeWord) {
  EXPECT_EQ(words("#define N 3\nN NN N1 x[N] \"N\""), "3 NN N1 x [ 3 ] \"N\"");
}

TEST_F(Preprocess, MacroCountsOnlyAfterItsDefinition) {
  EXPECT_EQ(words("N\n#define N 3\nN\n#undef N trailing\nN"), "N 3 N");
}

TEST_F(Preprocess, EmptyMacroVanishes) { EXPECT_EQ(words("#define X\na X b"), "a b"); }

TEST_F(Preprocess, MacroInsideItsOwnExpansionStays) {
  EXPECT_EQ(words("#define A B\n#define B A\nA B"), "A B");
  EXPECT_EQ(words("#define f(x) f(x+1)\nf(f(2))"), "f ( f ( 2 + 1 ) + 1 )");
}

TEST_F(Preprocess, FunctionMacroNeedsAdjacentParenthesis) {
  EXPECT_EQ(words("#define F(a, b) a*b\nF(1, (2, 3)) F (1) F"), "1 * ( 2 , 3 ) F ( 1 ) F");
}

TEST_F(Preprocess, ArgumentsMaySpanLines) { EXPECT_EQ(words("#define F(a) [a]\nF(1\n+\n2)"), "[ 1 + 2 ]"); }

TEST_F(Preprocess, RescanSeesTheRestOfTheText) { EXPECT_EQ(words("#define F G\n#define G(x) <x>\nF(1)"), "< 1 >"); }

TEST_F(Preprocess, MacroWithoutArgumentsTakesNone) { EXPECT_EQ(words("#define F() 7\nF()"), "7"); }

TEST_F(Preprocess, OperatorsOfMacrosJoinTokensAndQuoteArguments) {
  EXPECT_EQ(words("#define JOIN(a, b) a ## b\nJOIN(x, 1) JOIN(, y) JOIN(z, ) JOIN(<, <) JOIN(1, .5) JOIN(a b, c d)"),
            "x1 y z << 1.5 a bc d");
  EXPECT_EQ(
      words(
          "#define CAT(a, b) CAT_(a, b)\n#define CAT_(a, b) a##b\n#define N 3\nCAT(x, N) CAT_(x, N) CAT(CAT(p, q), r)"),
      "x3 xN pqr");
  EXPECT_EQ(words("#define NAME(t) get_##t##_of\nNAME(row)(2)"), "get_row_of ( 2 )");
  EXPECT_EQ(words("#define xy 7\n#define J(a, b) a##b\nJ(x, y)"), "7") << "what is joined is replaced again";
  EXPECT_EQ(words("#define TEXT(x) #x\nTEXT(a  +  \"b\\n\") TEXT()"), "\"a + \\\"b\\\\n\\\"\" \"\"");
  EXPECT_EQ(words("#define J2(a, b) a ## b\nJ2(L, \"x\") J2(\"x\", s) J2(1'0, 00) J2(gr\u00fc\u00dfe, 1)"),
            "L\"x\" \"x\"s 1'000 gr\u00fc\u00dfe1");
  EXPECT_EQ(words("#define PLAIN # x\nPLAIN"), "# x") << "without parameters it is no operator";
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, TextThatOperatorsMakeHasABound) {
  std::string call = "\"\\\\\"";
  for (int i = 0; i < 40; ++i) call = "S(" + call + ")";
  words("#define X(x) #x\n#define S(x) X(x)\n" + call);
  EXPECT_TRUE(diags_.has(DiagKind::MacroTooLarge));
}

TEST_F(Preprocess, OperatorsAtAnEndOfATextAreAnError) {
  words("#define J(a) a ##\n#define K(a) ## a\n");
  EXPECT_TRUE(diags_.has(DiagKind::MalformedDirective));
}

TEST_F(Preprocess, TokensThatDoNotJoinAreAnError) {
  words("#define J(a, b) a ## b\nJ(x, +)");
  EXPECT_EQ(messages(),
            "t.pbcc:2:1: error: `x` and `+` do not make one token together\n    2 | J(x, +)\n      | ^\n"
            "  t.pbcc:1:9:\n    1 | #define J(a, b) a ## b\n      |         ~ defined here\n");
}

TEST_F(Preprocess, DefinitionContinuesAfterBackslash) { EXPECT_EQ(words("#define F 1 + \\\n  2\nF x"), "1 + 2 x"); }

TEST_F(Preprocess, BackslashJoinsTheLinesOfAComment) {
  EXPECT_EQ(words("a // b \\\n c\nd"), "a d");
  EXPECT_EQ(words("a // b \\\r\n c\r\nd"), "a d");
  EXPECT_EQ(words("#define M 1 // b \\\r\n + 1\r\nM"), "1");
}

TEST_F(Preprocess, ReplacedOperatorsStayApart) {
  std::string text;
  for (const Token& token : tokens_of("#define M -1\nx = -M;")) text += token.leading + token.text;
  EXPECT_EQ(text, "\nx = - -1;");
}

TEST_F(Preprocess, ExpandedTokensKnowBothPlaces) {
  const auto tokens = tokens_of("#define N 3\nx N");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(sources_.text(tokens[1].spelling), "3");
  EXPECT_EQ(sources_.text(tokens[1].expansion), "N");
}

TEST_F(Preprocess, WrongArgumentCountIsAnError) {
  words("#define F(a, b) a\nF(1)");
  EXPECT_EQ(messages(),
            "t.pbcc:2:1: error: macro `F` takes 2 arguments, found 1\n    2 | F(1)\n      | ^\n"
            "  t.pbcc:1:9:\n    1 | #define F(a, b) a\n      |         ~ defined here\n");
}

TEST_F(Preprocess, UnclosedMacroCallIsAnError) {
  words("#define F(a) a\nF(1");
  EXPECT_TRUE(diags_.has(DiagKind::MacroCallUnterminated));
}

TEST_F(Preprocess, ExplodingMacroIsAnError) {
  std::string text = "#define A0 x x x x x x x x x x\n";
  for (int i = 1; i < 12; ++i) {
    text += "#define A" + std::to_string(i);
    for (int k = 0; k < 10; ++k) text += " A" + std::to_string(i - 1);
    text += "\n";
  }
  words(text + "A11 end");
  EXPECT_TRUE(diags_.has(DiagKind::MacroTooLarge));
  EXPECT_EQ(stream_.tokens.back().text, "end");
}

TEST_F(Preprocess, DeeplyNestedMacroCallsAreAnError) {
  std::string text = "#define F(a) a\n";
  for (int i = 0; i < 20000; ++i) text += "F(";
  text += std::string(20000, ')');
  words(text);
  EXPECT_TRUE(diags_.has(DiagKind::NestingTooDeep));
}

TEST_F(Preprocess, LongChainOfNestedExpansionsIsAnErrorNotACrash) {
  std::string text = "#define F(a) a\n";
  for (int i = 0; i < 50000; ++i) text += "#define X" + std::to_string(i) + " F(X" + std::to_string(i + 1) + ")\n";
  words(text + "X0");
  EXPECT_TRUE(diags_.has(DiagKind::NestingTooDeep));
}

TEST_F(Preprocess, ConditionalsNest) {
  EXPECT_EQ(words("#ifdef A\na\n#ifdef B\nb\n#else\nc\n#endif\n#else\nd\n#ifndef B\ne\n#endif ignored\n#endif\nf"),
            "d e f");
}

TEST_F(Preprocess, ConditionsAreIntegerExpressions) {
  EXPECT_EQ(words("#define N 3\n#if N * 2 == 6 && defined(N) && !defined M\na\n#elif 1\nb\n#endif"), "a");
  EXPECT_EQ(words("#if 0\na\n#elif (1 << 3) % 5 > 2 ? 1 : 0\nb\n#elif 1\nc\n#else\nd\n#endif"), "b");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, FunctionMacroDoesNotCountAsDefined) {
  EXPECT_EQ(words("#define F(a) a\n#ifdef F\na\n#else\nb\n#endif"), "b");
}

TEST_F(Preprocess, SkippedTextIsNotLexed) {
  EXPECT_EQ(words("#if 0\ndon't \" @\n#bogus\n#endif\na"), "a");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, SkippedLinesKeepTheirNewlines) {
  const auto tokens = tokens_of("a\n#if 0\nx\ny\n#endif\nb");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(std::count(tokens[1].leading.begin(), tokens[1].leading.end(), '\n'), 5);
}

TEST_F(Preprocess, BadConditionsAreErrors) {
  words("#if 1 / 0\n#endif\n#if (\n#endif\n#if\n#endif\n#if 1.5\n#endif\n#if 1 2\n#endif");
  EXPECT_EQ(diags_.num_errors(), 5u) << messages();
  EXPECT_TRUE(diags_.has(DiagKind::ConditionNotConstant));
}

TEST_F(Preprocess, DeepConditionIsAnErrorNotACrash) {
  words("#if " + std::string(100000, '(') + "\n#endif\n#if " + std::string(100000, '!') + "1\n#endif");
  EXPECT_EQ(diags_.num_errors(), 2u);
}

TEST_F(Preprocess, UnbalancedConditionalsAreErrors) {
  words("#endif\n#else\n#if 1\n#else\n#else\n#endif\n#ifdef X\n");
  EXPECT_TRUE(diags_.has(DiagKind::ConditionalMismatch));
  EXPECT_TRUE(diags_.has(DiagKind::ConditionalAfterElse));
  EXPECT_TRUE(diags_.has(DiagKind::UnterminatedConditional));
}

TEST_F(Preprocess, LinesOfWordsBehindABlankAreComments) {
  EXPECT_EQ(words("# it's a comment\na\n  # another \"one\nb\n# define C c\nC\n"), "a b c");
  EXPECT_EQ(diags_.num_errors(), 0U) << messages();
  words("#comment\n");
  EXPECT_TRUE(diags_.has(DiagKind::UnknownDirective));
}

TEST_F(Preprocess, UnknownLinesAreErrorsOutsidePrefixBlocks) {
  words("#pragma omp\n#include <math.h>\n#define 3\n#undef\n#include x\n#library \"x\"\n");
  EXPECT_TRUE(diags_.has(DiagKind::UnknownDirective));
  EXPECT_TRUE(diags_.has(DiagKind::SystemInclude));
  EXPECT_TRUE(diags_.has(DiagKind::MalformedDirective));
  EXPECT_TRUE(diags_.has(DiagKind::LibraryIgnored));
  EXPECT_EQ(diags_.num_errors(), 5u) << messages();
}

TEST_F(Preprocess, PrefixBlocksPassCxxLinesOn) {
  const auto tokens = tokens_of("%{\n#include <cstdlib>\n#define TWICE(x) \\\n  ((x) + (x))\nint i;\n%}");
  ASSERT_EQ(tokens.size(), 7u);
  EXPECT_EQ(tokens[0].kind, TokenKind::NativeBegin);
  EXPECT_EQ(tokens[1].kind, TokenKind::NativeLine);
  EXPECT_EQ(tokens[1].text, "#include <cstdlib>");
  EXPECT_EQ(tokens[2].text, "#define TWICE(x) ((x) + (x))");
  EXPECT_EQ(tokens[6].kind, TokenKind::NativeEnd);
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, PrefixBlocksEvaluateConditionalsOnTheProgramsMacros) {
  EXPECT_EQ(words("#define FAST\n%{\n#ifdef FAST\na\n#else\nb\n#endif\n#if 0\nc\n#endif\n%}"), "%{ a %}");
}

TEST_F(Preprocess, PrefixBlocksLeaveOtherConditionalsToCxx) {
  EXPECT_EQ(words("%{\n#ifdef _OPENMP\na\n#else\nb\n#endif\n%}"), "%{ #ifdef _OPENMP a #else b #endif %}");
}

TEST_F(Preprocess, MacrosOfPrefixBlocksCountInTheProgramWhereTheyCanBeKnown) {
  EXPECT_EQ(
      words("%{\n#define ONE 1\n#define F(x) <x>\n#define S(x) #x\n#define V(...) v\n#define G 1 // G\n#undef G\n%}"
            " ONE F(2) S(3) V(4) G"),
      "%{ #define ONE 1 #define F(x) <x> #define S(x) #x #define V(...) v #define G 1 #undef G %} "
      "1 < 2 > S ( 3 ) V ( 4 ) G");
  EXPECT_EQ(words("%{\n#define CAT(a, b) CAT_(a, b)\n#define CAT_(a, b) a##b\n#define X CAT(y, 1)\n%} CAT(y, 1) X"),
            "%{ #define CAT(a, b) CAT_(a, b) #define CAT_(a, b) a##b #define X CAT(y, 1) %} CAT ( y , 1 ) X")
      << "and what uses such a macro";
  EXPECT_EQ(words("%{\n#ifdef _X\n#define A 1\n#else\n#define B 2\n#endif\n#ifndef C\n#define C 3\n#endif\n%} A B C"),
            "%{ #ifdef _X #define A 1 #else #define B 2 #endif #ifndef C #define C 3 #endif %} A B 3");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, PrefixBlocksReadIncludedFilesAsCxx) {
  const auto folder =
      folder_with({{"main.pbcc", "%{\n#include \"sub/a.h\"\n#include \"elsewhere.h\"\n#include \"sub/a.h\"\nb\n%} end"},
                   {"sub/a.h", "#pragma once\n%{\n#include \"c.h\"\n#define A 1\na\n%}"},
                   {"sub/c.h", "c"}});
  EXPECT_EQ(words_of_file(folder + "/main.pbcc"), "%{ #pragma once c #define A 1 a #include \"elsewhere.h\" b %} end");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, PrefixBlocksReadFilesWithoutAGuardAgain) {
  const auto folder = folder_with({{"main.pbcc",
                                    "%{\n#include \"a.h\"\n#include \"b.h\"\n%} %{\n#include \"a.h\"\n"
                                    "#include \"b.h\"\n#include \"a.h\"\n%}"},
                                   {"a.h", "a"},
                                   {"b.h", "#ifndef B\n#define B\nb\n#endif"}});
  EXPECT_EQ(words_of_file(folder + "/main.pbcc"), "%{ a #ifndef B #define B b #endif %} %{ a a %}");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, UnclosedPrefixBlockIsAnError) {
  words("%{ int i;\n");
  EXPECT_TRUE(diags_.has(DiagKind::UnterminatedNative));
  words("%}");
  EXPECT_TRUE(diags_.has(DiagKind::StrayNativeEnd));
}

TEST_F(Preprocess, IncludesAreRelativeToTheFile) {
  const auto folder = folder_with({{"main.pbcc", "#include \"sub/a.h\"\nend N"},
                                   {"sub/a.h", "#include \"b.h\"\na"},
                                   {"sub/b.h", "#define N 4\nb"}});
  EXPECT_EQ(words_of_file(folder + "/main.pbcc"), "b a end 4");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, FilesAreReadAgainWithTheMacrosOfTheTime) {
  const auto folder = folder_with(
      {{"main.pbcc", "#define N 1\n#include \"rule.pbcc\"\n#undef N\n#define N 2\n#include \"sub/../rule.pbcc\"\nend"},
       {"rule.pbcc", "rule N\n# 9 \"other\"\n;\n"}});
  EXPECT_EQ(words_of_file(folder + "/main.pbcc"), "rule 1 ; rule 2 ; end");
  EXPECT_EQ(sources_.num_files(), 2U);
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, FilesWithAGuardAreReadOnceAlsoWhereTheyIncludeEachOther) {
  const auto folder = folder_with({{"main.pbcc", "#include \"a.h\"\n#include \"b.h\"\n#include \"a.h\"\nend"},
                                   {"a.h", "#pragma once\n#include \"b.h\"\na"},
                                   {"b.h", "#ifndef B\n#define B\n#include \"a.h\"\n#include \"b.h\"\nb\n#endif\n"}});
  EXPECT_EQ(words_of_file(folder + "/main.pbcc"), "b a end");
  EXPECT_EQ(words_of_file(folder + "/b.h"), "a b");
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(Preprocess, MissingIncludeIsAnErrorAtItsLine) {
  const auto folder = folder_with({{"main.pbcc", "a\n#include \"nowhere.h\"\nb"}});
  EXPECT_EQ(words_of_file(folder + "/main.pbcc"), "a b");
  EXPECT_EQ(
      messages(),
      folder + "/main.pbcc:2:10: error: cannot read included file `" + folder +
          "/nowhere.h`: No such file or directory\n    2 | #include \"nowhere.h\"\n      |          ^~~~~~~~~~~\n");
}

TEST_F(Preprocess, DeepIncludesAreAnError) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 300; ++i)
    files.push_back({std::to_string(i) + ".h", "#include \"" + std::to_string(i + 1) + ".h\"\n"});
  words_of_file(folder_with(files) + "/0.h");
  EXPECT_TRUE(diags_.has(DiagKind::IncludeTooDeep)) << messages();
}

TEST_F(Preprocess, MissingMainFileIsAnError) {
  EXPECT_EQ(words_of_file("/nonexistent/x.pbcc"), "");
  EXPECT_TRUE(diags_.has(DiagKind::CannotReadFile));
  EXPECT_EQ(messages(), "error: cannot read `/nonexistent/x.pbcc`: No such file or directory\n");
}

TEST_F(Preprocess, LineMarkerSetsThePosition) {
  const auto tokens = tokens_of("# 40 \"other.pbcc\"\na\n");
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(sources_.begin_of(tokens[0].spelling).file, "other.pbcc");
  EXPECT_EQ(sources_.begin_of(tokens[0].spelling).line, 40u);
}

TEST_F(Preprocess, BadCharactersAndLiteralsAreErrors) {
  EXPECT_EQ(words("a @ b \x01 \"open\nc 'x\n/* never"), "a b \"open c 'x");
  EXPECT_EQ(diags_.num_errors(), 5u) << messages();
}

TEST_F(Preprocess, BinaryTextIsAnErrorNotACrash) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += static_cast<char>((i * 2654435761u) >> 24);
  words(text);
  EXPECT_TRUE(diags_.has_errors());
}

}  // namespace
}  // namespace pb
