// SPDX-License-Identifier: MIT
#include "clgen/writer/writer.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

TEST(Writer, IndentsBetweenBraces) {
  Writer writer;
  writer.open("if (a)");
  writer.line("b();");
  writer.reopen("else");
  writer.open("");
  writer.line("c();");
  writer.close();
  writer.close(";");
  EXPECT_EQ(writer.text(), "if (a) {\n  b();\n} else {\n  {\n    c();\n  }\n};\n");
}

TEST(Writer, EmptyLinesHaveNoBlanks) {
  Writer writer;
  writer.open("x");
  writer.blank();
  writer.close();
  EXPECT_EQ(writer.text(), "x {\n\n}\n");
}

TEST(Writer, VerbatimTextKeepsItsOwnIndentation) {
  Writer writer;
  writer.open("x");
  writer.verbatim("        a;\n b;");
  writer.close();
  EXPECT_EQ(writer.text(), "x {\n        a;\n b;\n}\n");
}

TEST(Writer, RestoredLineIsTheNumberInTheText) {
  Writer writer;
  writer.line("a");
  writer.line_directive(27, "p.pbcc");
  writer.verbatim("b\nc\n");
  writer.restore_line("p.cpp");
  EXPECT_EQ(writer.text(), "a\n#line 27 \"p.pbcc\"\nb\nc\n#line 6 \"p.cpp\"\n");
  EXPECT_EQ(writer.next_line(), 6u);
}

TEST(Writer, DropsDeclarationsThatNothingUses) {
  EXPECT_EQ(without_unused("  [[maybe_unused]] const int n = a;\n"
                           "  [[maybe_unused]] const int m = n;\n"
                           "  [[maybe_unused]] const int size = n + 1;\n"
                           "  f(size_of, size);\n"),
            "  const int n = a;\n  const int size = n + 1;\n  f(size_of, size);\n");
  EXPECT_EQ(without_unused("[[maybe_unused]] const int t = c.tunable_int(1);\n"),
            "[[maybe_unused]] const int t = c.tunable_int(1);\n")
      << "it may stop the run";
  EXPECT_EQ(without_unused("[[maybe_unused]] const int q = pbrt::quotient(n, k, \"n/k\");\n"),
            "[[maybe_unused]] const int q = pbrt::quotient(n, k, \"n/k\");\n");
}

TEST(Writer, UnmarksParametersThatTheBodyUses) {
  EXPECT_EQ(without_mark("[[maybe_unused]] const int n", "f(n);"), "const int n");
  EXPECT_EQ(without_mark("[[maybe_unused]] const int n", "f(nn);"), "[[maybe_unused]] const int n");
  EXPECT_EQ(without_mark("const int n", ""), "const int n");
}

TEST(Writer, QuotesWhatCNeedsEscaped) { EXPECT_EQ(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\""); }

TEST(Writer, RawStringDelimiterDoesNotOccurInTheText) {
  EXPECT_EQ(raw_string("a"), "R\"pb(a)pb\"");
  EXPECT_EQ(raw_string("a)pb\"b"), "R\"pb_(a)pb\"b)pb_\"");
}

}  // namespace
}  // namespace pb
