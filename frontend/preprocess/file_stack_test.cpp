// SPDX-License-Identifier: MIT
#include "frontend/preprocess/file_stack.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

class FileStackTest : public testing::Test {
 protected:
  void open(const std::string& text) { files_.open(sources_.add("folder/t.pbcc", text)); }
  SourceManager sources_;
  Diagnostics diags_;
  FileStack files_{sources_, diags_};
};

TEST_F(FileStackTest, GoesOnWithTheOuterFileBehindAnInnerOne) {
  open("a b");
  EXPECT_EQ(files_.scanner().next()->text, "a");
  open("inner");
  EXPECT_EQ(files_.depth(), 2u);
  EXPECT_EQ(files_.scanner().next()->text, "inner");
  files_.close();
  EXPECT_EQ(files_.scanner().next()->text, "b");
  EXPECT_EQ(files_.path_beside("x.h"), "folder/x.h");
}

TEST_F(FileStackTest, ReadsLines) {
  open("a \\\n b\nc d\ne");
  EXPECT_EQ(files_.rest_of_line().size(), 2u);
  EXPECT_EQ(files_.take_carry(), "");
  EXPECT_EQ(files_.scanner().next()->text, "c");
  files_.end_line();
  EXPECT_EQ(files_.scanner().next()->text, "e");
}

TEST_F(FileStackTest, KeepsNewlinesForTheNextToken) {
  files_.carry_newlines(" \n x\n");
  EXPECT_EQ(files_.take_carry(), "\n\n");
  EXPECT_EQ(files_.take_carry(), "");
}

TEST_F(FileStackTest, SkipsWhatItsInnermostConditionalLeavesOut) {
  open("");
  EXPECT_FALSE(files_.is_skipping());
  files_.conditionals().push_back({"if", {}, true});
  EXPECT_FALSE(files_.is_skipping());
  files_.conditionals().push_back({"ifdef", {}, false});
  EXPECT_TRUE(files_.is_skipping());
  files_.close();
  EXPECT_EQ(diags_.num_errors(), 2u);
  EXPECT_TRUE(diags_.has(DiagKind::UnterminatedConditional));
}

TEST_F(FileStackTest, FollowsPrefixBlocks) {
  open("%{ x %} %}");
  EXPECT_TRUE(files_.track_native(*files_.scanner().next()));
  EXPECT_TRUE(files_.is_in_native());
  EXPECT_TRUE(files_.track_native(*files_.scanner().next()));
  EXPECT_TRUE(files_.track_native(*files_.scanner().next()));
  EXPECT_FALSE(files_.is_in_native());
  EXPECT_FALSE(files_.track_native(*files_.scanner().next()));
  EXPECT_TRUE(diags_.has(DiagKind::StrayNativeEnd));
}

TEST_F(FileStackTest, TakesAFileInsideOfAPrefixBlockAsAPartOfIt) {
  open("%{");
  EXPECT_TRUE(files_.track_native(*files_.scanner().next()));
  open("%{ x %}");
  EXPECT_FALSE(files_.track_native(*files_.scanner().next()));
  EXPECT_TRUE(files_.track_native(*files_.scanner().next()));
  EXPECT_FALSE(files_.track_native(*files_.scanner().next()));
  EXPECT_TRUE(files_.is_in_native());
  files_.close();
  EXPECT_FALSE(diags_.has(DiagKind::UnterminatedNative));
  files_.close();
  EXPECT_TRUE(diags_.has(DiagKind::UnterminatedNative));
}

}  // namespace
}  // namespace pb
