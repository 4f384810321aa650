// SPDX-License-Identifier: MIT
#include "frontend/preprocess/included_files.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

class IncludedFilesTest : public testing::Test {
 protected:
  /// Opens a text as the file that is included by the one before.
  FileId open(const std::string& text) {
    const FileId file = sources_.add("f" + std::to_string(files_.depth()) + ".pbcc", text);
    files_.open(file, name_);
    name_ = {file, 9, 12};
    return file;
  }
  std::string messages() { return render(diags_, sources_); }

  SourceManager sources_;
  Diagnostics diags_;
  FileStack files_{sources_, diags_};
  IncludedFiles included_{sources_, files_, diags_};
  Span name_;
};

TEST_F(IncludedFilesTest, ReadsAFileAgainUnlessItIsToBeReadOnce) {
  const FileId file = sources_.add("a", "");
  open("");
  EXPECT_EQ(included_.read_again(file, name_), file);
  EXPECT_EQ(included_.read_again(file, name_), file);
  included_.read_once(file);
  EXPECT_FALSE(included_.read_again(file, name_));
  EXPECT_FALSE(diags_.has_errors());
}

TEST_F(IncludedFilesTest, SaysWhichIncludesWouldNeverEnd) {
  const FileId outer = open("#include \"f1\"\n");
  open("#include \"f0\"\n");
  EXPECT_FALSE(included_.read_again(outer, name_));
  EXPECT_EQ(messages(),
            "f1.pbcc:1:10: error: `f0.pbcc` includes itself\n    1 | #include \"f0\"\n      |          ^~~\n"
            "  f0.pbcc:1:10:\n    1 | #include \"f1\"\n      |          ~~~ from here on\n"
            "hint: `#pragma once` in it lets it be read once\n");
}

TEST_F(IncludedFilesTest, SaysWhenAFileIncludesItselfAtOnce) {
  const FileId file = open("#include \"f0\"\n");
  EXPECT_FALSE(included_.read_again(file, name_));
  EXPECT_TRUE(diags_.has(DiagKind::IncludesItself));
}

TEST_F(IncludedFilesTest, LeavesOutWhatAGuardWouldLeaveOut) {
  const FileId file = open("#ifndef X\n#define X\n#include \"f0\"\n#endif\n");
  EXPECT_FALSE(included_.read_again(file, name_));
  EXPECT_FALSE(diags_.has_errors()) << messages();
}

TEST_F(IncludedFilesTest, HasABoundForFilesThatIncludeTheNextOneTwice) {
  const FileId file = sources_.add("a", "");
  open("");
  for (int i = 0; i < 20'000; ++i) (void)included_.read_again(file, name_);
  EXPECT_TRUE(diags_.has(DiagKind::TooManyIncludes));
  EXPECT_EQ(diags_.num_errors(), 1U);
}

}  // namespace
}  // namespace pb
