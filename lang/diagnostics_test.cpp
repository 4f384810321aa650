// SPDX-License-Identifier: MIT
#include "lang/diagnostics.h"

#include <gtest/gtest.h>

#include <set>

namespace pb {
namespace {

TEST(Diagnostics, RendersPlaceMessageAndCarets) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "to OUT[n]\nfrom IN[n\n");
  Diagnostics diags;
  diags.emit(DiagKind::SyntaxError, {file, 15, 17}).arg("`IN`").arg("a name").label("here").hint("write a name");
  EXPECT_EQ(render(diags, sources),
            "a.pbcc:2:6: error: found `IN`, expected a name\n"
            "    2 | from IN[n\n"
            "      |      ^~ here\n"
            "hint: write a name\n");
}

TEST(Diagnostics, WarningsEndWithTheirNameAndCanBeSilenced) {
  SourceManager sources;
  Diagnostics diags;
  diags.emit(DiagKind::LibraryIgnored);
  EXPECT_EQ(render(diags, sources), "warning: `#library` has no effect [LibraryIgnored]\n");
  diags.silence(kind_named("LibraryIgnored").value());
  diags.emit(DiagKind::LibraryIgnored).hint("of a message that is dropped");
  diags.emit(DiagKind::RotatableIgnored);
  EXPECT_EQ(diags.num_warnings(), 2U);
  EXPECT_TRUE(diags.has(DiagKind::RotatableIgnored));
  EXPECT_EQ(kind_named("Library"), std::nullopt);
}

TEST(Diagnostics, RendersLabelsAndNotesWithTheirLines) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "one\ntwo\nthree\n");
  Diagnostics diags;
  diags.emit(DiagKind::RepeatedClause, {file, 4, 7})
      .arg("generator")
      .label(Span{file, 0, 3}, "first here")
      .note(Span{file, 8, 13}, "a note")
      .note("about no place");
  EXPECT_EQ(render(diags, sources),
            "a.pbcc:2:1: error: `generator` is given twice in one header\n"
            "    2 | two\n"
            "      | ^~~\n"
            "  a.pbcc:1:1:\n"
            "    1 | one\n"
            "      | ~~~ first here\n"
            "a.pbcc:3:1: note: a note\n"
            "    3 | three\n"
            "      | ^~~~~\n"
            "note: about no place\n");
}

TEST(Diagnostics, TabsAndMultiByteCharactersKeepTheCaretInPlace) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "\t\xc3\xa4 x\n");
  Diagnostics diags;
  diags.emit(DiagKind::NoTransform, {file, 4, 5});
  EXPECT_EQ(render(diags, sources),
            "a.pbcc:1:5: error: file holds no transform\n    1 | \t\xc3\xa4 x\n      | \t  ^\n");
}

TEST(Diagnostics, SpansAtTheEndOfTheFileRender) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "x");
  Diagnostics diags;
  diags.emit(DiagKind::NoTransform, {file, 1, 1});
  EXPECT_EQ(render(diags, sources), "a.pbcc:1:2: error: file holds no transform\n    1 | x\n      |  ^\n");
}

TEST(Diagnostics, LongLinesAreShownInPart) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", std::string(100000, 'x'));
  Diagnostics diags;
  diags.emit(DiagKind::NoTransform, {file, 50000, 50001});
  EXPECT_LT(render(diags, sources).size(), 600u);
}

TEST(Diagnostics, ErrorLimitDropsAndCounts) {
  SourceManager sources;
  Diagnostics diags(2);
  for (int i = 0; i < 5; ++i) diags.emit(DiagKind::NoTransform).hint("x");
  EXPECT_EQ(diags.all().size(), 2u);
  EXPECT_EQ(diags.num_errors(), 5u);
  EXPECT_EQ(diags.num_dropped(), 3u);
  EXPECT_NE(render(diags, sources).find("3 more messages are not shown"), std::string::npos);
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics diags;
  diags.emit(DiagKind::LibraryIgnored);
  EXPECT_FALSE(diags.has_errors());
  EXPECT_EQ(diags.num_warnings(), 1u);
  EXPECT_TRUE(diags.has(DiagKind::LibraryIgnored));
}

TEST(Diagnostics, ColoursOnlyWhenAsked) {
  SourceManager sources;
  Diagnostics diags;
  diags.emit(DiagKind::NoTransform);
  EXPECT_EQ(render(diags, sources).find('\033'), std::string::npos);
  EXPECT_NE(render(diags, sources, true).find('\033'), std::string::npos);
}

TEST(DiagnosticTable, WordingFollowsTheHouseRules) {
  std::set<std::string_view> ids;
  for (const DiagInfo& info : all_diagnostics()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_FALSE(info.format.ends_with('.')) << info.id;
    EXPECT_FALSE(info.format.empty() || (info.format[0] >= 'A' && info.format[0] <= 'Z')) << info.id;
    for (const char* word : {"invalid", "illegal", "not allowed"})
      EXPECT_EQ(info.format.find(word), std::string_view::npos) << info.id;
    if (info.is_status) {
      EXPECT_TRUE(info.format.ends_with(" is not supported yet")) << info.id;
      EXPECT_FALSE(info.doc.empty()) << info.id;
    }
  }
}

TEST(DiagnosticTable, IndexedByKind) {
  for (const DiagInfo& info : all_diagnostics()) EXPECT_EQ(info_of(info.kind).id, info.id);
}

}  // namespace
}  // namespace pb
