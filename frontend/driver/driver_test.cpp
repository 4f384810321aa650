// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "frontend/driver/compiler_output.h"
#include "frontend/driver/depfile.h"
#include "frontend/driver/output_names.h"
#include "frontend/driver/output_place.h"
#include "frontend/driver/process.h"
#include "frontend/driver/sha256.h"
#include "frontend/driver/source_fingerprint.h"
#include "frontend/driver/temporary.h"
#include "frontend/driver/toolchain/debug_build.h"
#include "frontend/driver/toolchain/native_link_flags.h"
#include "lang/io_error.h"

namespace pb {
namespace {

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(119, 'a')), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb");
}

TEST(SourceFingerprint, CoversIncludedFilesAndOptionsThatChangeTheProgram) {
  const auto of = [](const std::string& included, const Options& options, const std::string& main = "T") {
    SourceManager sources;
    (void)sources.add("main.pbcc", "#include \"part.pbcc\"\n");
    (void)sources.add("part.pbcc", included);
    return source_fingerprint(sources, options, main);
  };
  const std::string plain = of("transform T", {});
  EXPECT_EQ(of("transform T", {}), plain);
  EXPECT_NE(of("transform U", {}), plain);
  EXPECT_NE(of("transform T", {}, "U"), plain);
  Options options;
  options.element = ElementType::Float;
  EXPECT_NE(of("transform T", options), plain);
  options = {};
  options.fp = FpMode::Strict;
  EXPECT_NE(of("transform T", options), plain);
  options = {};
  options.splits_products = true;
  EXPECT_NE(of("transform T", options), plain);
  options = {};
  options.is_checked = true;
  EXPECT_EQ(of("transform T", options), plain) << "configurations are the same for it";
}

TEST(OutputNames, LibrariesAreNamedByTheirFiles) {
  EXPECT_EQ(library_name("out/libedges.so"), "edges");
  EXPECT_EQ(library_name("edges.a"), "edges");
  EXPECT_EQ(header_path("out/libedges.so"), "out/edges.h");
  Options options;
  options.input = "in/edges.pbcc";
  EXPECT_EQ(library_path(options), "in/libedges.so");
  for (const char* wrong : {"edges", "libedges.dll", "lib.so", "lib3d.so", "libtwo-words.a"})
    EXPECT_THROW((void)library_name(wrong), IoError) << wrong;
}

TEST(Depfile, IsARuleOfMake) {
  EXPECT_EQ(depfile_text("out/my blur", {"a.pbcc", "cost$#.pbcc"}),
            "out/my\\ blur: \\\n  a.pbcc \\\n  cost$$\\#.pbcc\n");
  EXPECT_EQ(depfile_text("o", {"it's/\"quoted\"", "a\\b", "a\\ b"}),
            "o: \\\n  it's/\"quoted\" \\\n  a\\b \\\n  a\\\\\\ b\n");
  EXPECT_EQ(depfile_text("o", {"a\\", "b"}), "o: \\\n  a\\\\ \\\n  b\n");
}

TEST(OutputPlace, MissingFolderIsOneClearError) {
  try {
    check_output_place("/nonexistent/folder/out");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "the output folder `/nonexistent/folder` does not exist");
  }
}

TEST(OutputPlace, FolderAsOutputIsRefused) {
  const TemporaryPath folder(make_temporary_folder());
  EXPECT_THROW(check_output_place(folder.path()), IoError);
}

TEST(OutputPlace, PipesAreRefused) {
  const TemporaryPath folder(make_temporary_folder());
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(check_output_place(pipe), IoError);
}

TEST(Process, CollectsBothStreamsAndStatus) {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(result.output, "out\nerr\n");
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_FALSE(result.succeeded());
}

TEST(NativeLibraries, FoldersAreThoseThatTheCompilerSearches) {
  EXPECT_EQ(library_folders("install: /a\nprograms: =/b\nlibraries: =/usr/lib/x:/lib/../lib\n"),
            (std::vector<std::string>{"/usr/lib/x", "/lib/../lib"}));
  EXPECT_TRUE(library_folders("libraries: =\n").empty());
  EXPECT_TRUE(library_folders("").empty());
}

TEST(Process, MissingProgramIsNamedByErrno) {
  EXPECT_EQ(run_process({"no-such-program-anywhere"}).start_error, ENOENT);
}

TEST(Process, SignalIsToldFromExit) { EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).signal_number, 9); }

class CompilerOutput : public testing::Test {
 protected:
  void SetUp() override {
    file_ = sources_.add("prog.pbcc", "transform T\n{\n  B from (A a) { return a * oops; }\n}\n");
  }
  std::string messages() const {
    std::string out;
    for (const Diagnostic& diagnostic : diags_.all()) {
      out += std::string(diagnostic.span.is_known() ? sources_.text(diagnostic.span) : "-") + ": " +
             diagnostic.message() + "\n";
    }
    return out;
  }
  SourceManager sources_;
  const UserProgram user_{sources_, {"Sort", "Merge"}};
  Diagnostics diags_;
  FileId file_{};
  const std::string generated_ = "// made\n#line 3 \"prog.pbcc\"\n    return a * oops;\n#line 4 \"prog.cpp\"\nint x;\n";
};

TEST_F(CompilerOutput, ErrorIsShownAtTheUsersText) {
  EXPECT_TRUE(report_compiler_output("prog.pbcc:3:16: error: 'oops' was not declared in this scope\n    3 | return a\n",
                                     generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: `oops` was not declared in this scope\n");
}

TEST_F(CompilerOutput, CallOfAnUnknownNameProposesATransform) {
  const std::string line = "  Sor(b, a); Srot <2>(b); flor(b); Merg;\n";
  (void)sources_.add("call.pbcc", line);
  const std::string output =
      "call.pbcc:1:3: error: 'Sor' was not declared in this scope\n"
      "call.pbcc:1:14: error: 'Srot' was not declared in this scope\n"
      "call.pbcc:1:27: error: 'flor' was not declared in this scope\n"
      "call.pbcc:1:36: error: 'Merg' was not declared in this scope\n";
  EXPECT_TRUE(report_compiler_output(output, "#line 1 \"call.pbcc\"\n" + line, user_, diags_));
  ASSERT_EQ(diags_.all().size(), 4U);
  EXPECT_EQ(diags_.all()[0].hints, std::vector<std::string>{"did you mean `Sort`?"});
  EXPECT_EQ(diags_.all()[1].hints, std::vector<std::string>{"did you mean `Sort`?"});
  EXPECT_TRUE(diags_.all()[2].hints.empty());  // like no transform
  EXPECT_TRUE(diags_.all()[3].hints.empty());  // no call
}

TEST_F(CompilerOutput, GeneratedNamesAreNotProposed) {
  const std::string line = "  call Sort(b, a + 1);\n";
  (void)sources_.add("call.pbcc", line);
  for (const char* name : {"call_Sort", "rule_Sort_0_B1", "pb_call", "Sort_of"})
    (void)report_compiler_output(
        "call.pbcc:1:3: error: 'call' was not declared in this scope; did you mean '" + std::string(name) + "'?\n",
        "#line 1 \"call.pbcc\"\n" + line, user_, diags_);
  EXPECT_EQ(messages(),
            "call: `call` was not declared in this scope\ncall: `call` was not declared in this scope\n"
            "call: `call` was not declared in this scope\n"
            "call: `call` was not declared in this scope; did you mean `Sort_of`?\n");
  EXPECT_EQ(diags_.all()[0].hints, std::vector<std::string>{"a call is `Sort(b, a + 1);`"});
}

TEST_F(CompilerOutput, PlacesBesideCallsAreFoundByWhatStandsAroundThem) {
  (void)sources_.add("beside.pbcc", "  int t; Sort(b, a); t = b; Sort(t, t);\n");
  const std::string made =
      "  int t; { call_Sort(pb_frame, b, a.as_input()); pbrt::back(b); } t = b; { call_Sort(pb_frame, t, t); }\n";
  const auto place_of = [&](std::string_view text, std::size_t offset) {
    Diagnostics diags;
    const std::string column = std::to_string(made.find(text) + offset + 1);
    (void)report_compiler_output("beside.pbcc:1:" + column + ": error: no\n", "#line 1 \"beside.pbcc\"\n" + made, user_,
                                 diags);
    return diags.all().at(0).span;
  };
  EXPECT_EQ(place_of("t = b", 0).begin, 21U);
  EXPECT_EQ(place_of("t = b", 2).begin, 23U);
  EXPECT_EQ(place_of("t = b", 4).begin, 25U);
  EXPECT_EQ(place_of("b, a.", 0).begin, 14U);
  EXPECT_EQ(place_of("t, t)", 3).begin, 36U);
  EXPECT_EQ(sources_.text(place_of("pb_frame", 0)), "int t; Sort(b, a); t = b; Sort(t, t);") << "no place is alike";
}

TEST_F(CompilerOutput, FormerDeclarationsOfTunablesGetAHint) {
  const std::string line = "  JTUNABLE(Cutoff, 64);\n";
  (void)sources_.add("tunable.pbcc", line);
  EXPECT_TRUE(report_compiler_output(
      "tunable.pbcc:1:11: error: expected constructor, destructor, or type conversion before '(' token\n",
      "#line 1 \"tunable.pbcc\"\n" + line, user_, diags_));
  ASSERT_EQ(diags_.all().size(), 1U);
  ASSERT_EQ(diags_.all()[0].hints.size(), 1U);
  EXPECT_NE(diags_.all()[0].hints[0].find("`tunable NAME(value, min, max)`"), std::string::npos);
}

TEST_F(CompilerOutput, AMissingSemicolonIsShownWhereItBelongs) {
  const std::string lines = "  double s = a  // a half\n\n  return s;\n";
  const FileId file = sources_.add("semicolon.pbcc", lines);
  EXPECT_TRUE(report_compiler_output("semicolon.pbcc:3:3: error: expected ',' or ';' before 'return'\n",
                                     "#line 1 \"semicolon.pbcc\"\n" + lines, user_, diags_));
  EXPECT_EQ(diags_.all().at(0).span, (Span{file, 14, 15}));
}

TEST_F(CompilerOutput, AMemberOfANumberIsExplained) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: request for member 'cell' in 'a', which is of non-class type "
                             "'const ElementT' {aka 'const double'}\n",
                             generated_, user_, diags_));
  EXPECT_EQ(diags_.all().at(0).hints,
            std::vector<std::string>{"it is one number: write its name alone, without `.cell( )`"});
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: request for member 'cell' in 'b', which is of non-class type "
                             "'ElementT' {aka 'double'}\n",
                             generated_, user_, diags_));
  EXPECT_EQ(
      diags_.all().at(1).hints,
      std::vector<std::string>{"it is one number: write `b` alone, or give its matrix sizes in the header, as `b[n]`"});
}

TEST_F(CompilerOutput, LettersOfOtherAlphabetsAreShownAsTheyAre) {
  EXPECT_TRUE(report_compiler_output(
      "prog.pbcc:3:16: error: '\\U000065e5\\U0001d4d0\\U000000e9' was not declared in this scope\n", generated_, user_,
      diags_));
  EXPECT_EQ(messages(), "oops: `\u65e5\U0001d4d0\u00e9` was not declared in this scope\n");
}

TEST_F(CompilerOutput, AMessageWithAProposalAndOneWithoutAreOne) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: there are no arguments to 'oops' that depend on a template "
                             "parameter, so a declaration of "
                             "'oops' must be available [-fpermissive]\n"
                             "prog.pbcc:3:20: error: 'oops' was not declared in this scope; did you mean 'pops'?\n",
                             generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: `oops` was not declared in this scope; did you mean `pops`?\n");
}

TEST_F(CompilerOutput, RepeatedMessagesAreShownOnce) {
  const std::string line = "prog.pbcc:3:16: error: no\n";
  EXPECT_TRUE(report_compiler_output(line + line, generated_, user_, diags_));
  EXPECT_EQ(diags_.all().size(), 1U);
}

TEST_F(CompilerOutput, ErrorInAHeaderIsShownWhereTheUserNeedsIt) {
  const std::string output =
      "prog.pbcc:3:16:   required from here\n/usr/include/x.h:7:1: error: static assertion failed\n";
  EXPECT_TRUE(report_compiler_output(output, generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: static assertion failed\n");
}

TEST_F(CompilerOutput, ErrorInGeneratedCodeIsNotTheUsers) {
  EXPECT_FALSE(report_compiler_output("program.cpp:9:1: error: expected ;\n", generated_, user_, diags_));
  EXPECT_TRUE(diags_.all().empty());
}

TEST_F(CompilerOutput, TemplatesAreNotTheUsersConcern) {
  const std::string output =
      "prog.pbcc:3:16: error: there are no arguments to 'oops' that depend on a template parameter, so a declaration "
      "of "
      "'oops' must be available [-fpermissive]\nprog.pbcc:3:20: error: 'oops' was not declared in this scope\n";
  EXPECT_TRUE(report_compiler_output(output, generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: `oops` was not declared in this scope\n");
}

TEST_F(CompilerOutput, OfSeveralLinesMadeFromOneThatWithTheTextCounts) {
  const std::string generated = "#line 3 \"prog.pbcc\"\nint declared_before_the_body;\n" + generated_;
  EXPECT_TRUE(report_compiler_output("prog.pbcc:3:16: error: no\n", generated, user_, diags_));
  EXPECT_EQ(messages(), "oops: no\n");
}

TEST_F(CompilerOutput, ProposedHeaderIsAHint) {
  const std::string note =
      "prog.pbcc:1:1: note: 'std::oops' is defined in header '<map>'; did you forget to '#include <map>'?\n";
  EXPECT_TRUE(report_compiler_output("prog.pbcc:3:16: error: no\n" + note, generated_, user_, diags_));
  EXPECT_TRUE(report_compiler_output("prog.pbcc:3:20: error: not\nprog.pbcc:3:9: error: none\n" + note, generated_,
                                     user_, diags_));
  ASSERT_EQ(diags_.all().size(), 3U);
  EXPECT_EQ(diags_.all()[0].hints,
            std::vector<std::string>{"write `%{`, `#include <map>`, `%}` in lines above the transform"});
  EXPECT_TRUE(diags_.all()[1].hints.empty());
}

TEST_F(CompilerOutput, NamesOfTheStandardLibraryAreProposed) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: 'max' was not declared in this scope\n"
                             "prog.pbcc:3:16: note: suggested alternatives:\n"
                             "In file included from /usr/include/c++/12/algorithm:61:\n"
                             "/usr/include/c++/12/bits/stl_algo.h:5756:5: note:   'std::max'\n"
                             "prog.pbcc:3:20: error: 'sum' was not declared in this scope\n"
                             "prog.pbcc:3:20: note: suggested alternatives:\n"
                             "/usr/include/c++/12/bits/stl_algo.h:5756:5: note:   'std::ranges::sum'\n",
                             generated_, user_, diags_));
  EXPECT_EQ(diags_.all()[0].hints, std::vector<std::string>{"of the standard library it is `std::max`"});
  EXPECT_TRUE(diags_.all()[1].hints.empty());
}

TEST_F(CompilerOutput, FilesOfOneNameAreToldApart) {
  for (const char* name : {"one/common.h", "two/common.h"})
    sources_.add(name, std::string("%{\nint ") + name[0] + " = 1;\n%}\n");
  EXPECT_TRUE(
      report_compiler_output("two/common.h:2:5: error: no\none/common.h:2:5: error: no\n", generated_, user_, diags_));
  EXPECT_EQ(messages(), "int t = 1;: no\nint o = 1;: no\n");
}

TEST_F(CompilerOutput, WhatAFileDefinesTwiceSaysThatItIsIncludedTwice) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: redefinition of 'int pb_user::{anonymous}::f(int)'\n"
                             "    3 | static\n"
                             "prog.pbcc:3:16: note: 'int pb_user::{anonymous}::f(int)' previously defined here\n"
                             "prog.pbcc:3:16: error: redefinition of 'int g()'\n"
                             "prog.pbcc:1:16: note: 'int g()' previously defined here\n",
                             generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: redefinition of `int f(int)`\noops: redefinition of `int g()`\n");
  EXPECT_EQ(diags_.all()[0].hints, std::vector<std::string>{"its file is included twice: write `#pragma once` in it"});
  EXPECT_TRUE(diags_.all()[1].hints.empty());
}

TEST_F(CompilerOutput, TypesHaveTheNamesThatProgramsKnow) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: no match for 'operator=' (operand types are 'MatrixRegion1D' {aka "
                             "'pbrt::BasicRegion<double, 1>'} "
                             "and 'pbrt::BasicRegion<const double, 1>')\n",
                             generated_, user_, diags_));
  EXPECT_EQ(messages(),
            "oops: no match for `operator=` (operand types are `MatrixRegion1D` and `ConstMatrixRegion<double, 1>`)\n");
  EXPECT_EQ(diags_.all()[0].hints.size(), 1U);
}

TEST_F(CompilerOutput, WrongUsesOfRegionsHaveHints) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: no match for 'operator[]' (operand types are "
                             "'ConstMatrixRegion1D' {aka 'X'} and 'int')\n",
                             generated_, user_, diags_));
  EXPECT_EQ(diags_.all()[0].hints, std::vector<std::string>{"an element of a region is `m.cell(i)`"});
}

TEST_F(CompilerOutput, RegionsAndArraysUsedAsNumbersHaveHints) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"no match for 'operator+' (operand types are 'const double' and 'ConstMatrixRegion1D')",
       "a region is no number: an element of it is `m.cell(i)`"},
      {"cannot convert 'MatrixRegion1D' to 'int' in initialization",
       "a region is no number: an element of it is `m.cell(i)`"},
      {"no match for 'operator*' (operand types are 'const ElementT' and 'const std::array<int, 3>')",
       "a tunable of `array` has several values: `k[0]` is the first"},
      {"no matching function for call to 'pbrt::BasicRegion<double, 2>::allocate(const IndexT&)'",
       "a matrix of 2 dimensions has 2 sizes: `allocate(w, h)`"}};
  for (const auto& [text, hint] : cases) {
    Diagnostics diags;
    EXPECT_TRUE(report_compiler_output("prog.pbcc:3:16: error: " + text + "\n", generated_, user_, diags));
    EXPECT_EQ(diags.all().at(0).hints, std::vector<std::string>{hint});
  }
}

TEST_F(CompilerOutput, WhatStandsForARegionInLoopsIsNamedAsOne) {
  EXPECT_TRUE(report_compiler_output(
      "prog.pbcc:3:16: error: no match for call to '(pbrt::BasicView<const double, 1, true, false>) (int&)'\n"
      "prog.pbcc:3:16: error: no match for call to '(pbrt::BasicView<const double, 1, false, false>) (int&)'\n",
      generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: no match for call to `(ConstMatrixRegion<double, 1>) (int&)`\n");
  EXPECT_EQ(diags_.all()[0].hints, std::vector<std::string>{"an element of a region is `m.cell(i)`"});
}

TEST_F(CompilerOutput, MembersOfRegionsAreListed) {
  EXPECT_TRUE(
      report_compiler_output("prog.pbcc:3:16: error: 'using MatrixRegion1D = class pbrt::BasicRegion<double, 1>' {aka "
                             "'class pbrt::BasicRegion<double, "
                             "1>'} has no member named 'length'; did you mean 'lent'?\n",
                             generated_, user_, diags_));
  EXPECT_EQ(messages(), "oops: `MatrixRegion1D` has no member named `length`\n");
  EXPECT_EQ(diags_.all()[0].hints.size(), 1U);
}

TEST_F(CompilerOutput, UndefinedReferenceIsALinkError) {
  EXPECT_TRUE(report_compiler_output("/usr/bin/ld: x.o: in function `f': undefined reference to `dgemm_'\n", generated_,
                                     user_, diags_));
  EXPECT_TRUE(diags_.has(DiagKind::LinkError));
}

TEST_F(CompilerOutput, ColumnOutsideTheLineFallsBackToTheLine) {
  EXPECT_TRUE(report_compiler_output("prog.pbcc:3:999: error: far\n", generated_, user_, diags_));
  EXPECT_EQ(messages(), "B from (A a) { return a * oops; }: far\n");
  EXPECT_TRUE(diags_.has(DiagKind::CxxError));
}

TEST(DebugBuild, FilesAreNamedByTheirWholePathsAndLongerNamesLast) {
  SourceManager sources;
  sources.add("/src/a.hpp", "");
  sources.add("/src/a.h", "");
  const std::vector<std::string> expected = {
      "-fdebug-prefix-map=a.h=/src/a.h", "-fdebug-prefix-map=a.cpp=/out/prog.cpp",
      "-fdebug-prefix-map=a.hpp=/src/a.hpp", "-fdebug-prefix-map=/tmp/x/program.cpp=/out/prog.cpp"};
  EXPECT_EQ(source_path_flags(sources, {"/tmp/x/program.cpp", "a.cpp", "/out/prog.cpp"}), expected);
}

}  // namespace
}  // namespace pb
