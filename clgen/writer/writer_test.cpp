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

TEST(Writer, DeclaresNamesAndParameters) {
  Writer writer;
  writer.indent();
  writer.declare("const int", "n", "a");
  EXPECT_EQ(writer.text(), "  const int n = a;\n");
  EXPECT_EQ(to_cpp(Parameter{"const int", "n"}), "const int n");
}

TEST(Writer, QuotesWhatCNeedsEscaped) { EXPECT_EQ(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\""); }

TEST(Writer, RawStringDelimiterDoesNotOccurInTheText) {
  EXPECT_EQ(raw_string("a"), "R\"pb(a)pb\"");
  EXPECT_EQ(raw_string("a)pb\"b"), "R\"pb_(a)pb\"b)pb_\"");
}

}  // namespace
}  // namespace pb
