// SPDX-License-Identifier: MIT
#include "lang/source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pb {
namespace {

TEST(Source, PositionsCountLinesAndColumnsFromOne) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "ab\ncd\n");
  EXPECT_EQ(sources.position(file, 0).line, 1u);
  EXPECT_EQ(sources.position(file, 4).line, 2u);
  EXPECT_EQ(sources.position(file, 4).column, 2u);
  EXPECT_EQ(sources.position(file, 6).line, 3u);
}

TEST(Source, AMarkOfTheByteOrderCountsAsNoColumn) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc",
                                  "\xef\xbb\xbf"
                                  "ab\n");
  EXPECT_EQ(sources.text(file), "ab\n");
  EXPECT_EQ(sources.position(file, 0).column, 1u);
}

TEST(Source, LineSpanLeavesOutEndOfLineCharacters) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "ab\r\ncd");
  EXPECT_EQ(sources.text(sources.line_span(file, 1)), "ab");
  EXPECT_EQ(sources.text(sources.line_span(file, 5)), "cd");
}

TEST(Source, LineMarkerMovesPositionsThatFollow) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "one\n# 7 \"b.pbcc\"\ntwo\nthree\n");
  sources.set_line_marker(file, 17, 7, "b.pbcc");
  EXPECT_EQ(sources.position(file, 0).file, "a.pbcc");
  EXPECT_EQ(sources.position(file, 18).file, "b.pbcc");
  EXPECT_EQ(sources.position(file, 18).line, 7u);
  EXPECT_EQ(sources.position(file, 22).line, 8u);
}

TEST(Source, LineMarkersOfAFileThatIsIncludedAgainStay) {
  SourceManager sources;
  const FileId file = sources.add("a.pbcc", "# 7 \"b\"\n1\n# 9 \"c\"\n2\n");
  sources.set_line_marker(file, 18, 9, "c");
  sources.set_line_marker(file, 8, 7, "b");
  sources.set_line_marker(file, 18, 9, "c");
  EXPECT_EQ(sources.position(file, 8).file, "b");
  EXPECT_EQ(sources.position(file, 18).file, "c");
}

TEST(Source, FileIsReadOnceByCanonicalPath) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "pb_source_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "x.h") << "text";
  SourceManager sources;
  const auto first = sources.load((folder / "x.h").string());
  const auto second = sources.load((folder / "." / "x.h").string());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
  EXPECT_EQ(sources.num_files(), 1u);
}

TEST(Source, MissingFileSaysWhy) {
  SourceManager sources;
  std::string why;
  EXPECT_FALSE(sources.load("/nonexistent/x.pbcc", &why));
  EXPECT_EQ(why, "No such file or directory");
  const auto file = std::filesystem::temp_directory_path() / ("pb_source_" + std::to_string(getpid()));
  std::ofstream(file) << std::string((std::size_t{64} << 20) + 1, ' ');
  EXPECT_FALSE(sources.load(file.string(), &why));
  EXPECT_EQ(why, "it is larger than 64 MiB");
  std::filesystem::remove(file);
  EXPECT_FALSE(sources.load("/proc/self/exe", &why));
  EXPECT_EQ(why, "it is no text: there are zero bytes in it");
  EXPECT_FALSE(sources.load("/", &why));
  EXPECT_EQ(why, "it is a directory");
}

TEST(SourceManager, ShortNamesTellFilesApart) {
  SourceManager sources;
  for (const char* name : {"/home/me/p.pbcc", "x.h", "/home/me/a/x.h", "/home/me/b/x.h", "rel/b/x.h", "/y.h"})
    sources.add(name, "");
  EXPECT_EQ(sources.short_name("/home/me/p.pbcc"), "p.pbcc");
  EXPECT_EQ(sources.short_name("x.h"), "x.h");
  EXPECT_EQ(sources.short_name("/home/me/a/x.h"), "a/x.h");
  EXPECT_EQ(sources.short_name("/home/me/b/x.h"), "me/b/x.h");
  EXPECT_EQ(sources.short_name("rel/b/x.h"), "rel/b/x.h");
  EXPECT_EQ(sources.short_name("/y.h"), "y.h");
  EXPECT_EQ(sources.short_name("marked.pbcc"), "marked.pbcc");
}

}  // namespace
}  // namespace pb
