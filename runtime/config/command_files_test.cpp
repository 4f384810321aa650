// SPDX-License-Identifier: MIT
#include "runtime/config/command_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/config/errors.h"

namespace pbrt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputCheckTest : public ::testing::Test {
 protected:
  OutputCheckTest() { folder = ::mkdtemp(folder.data()); }
  ~OutputCheckTest() override { fs::remove_all(folder); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string error_of(const CommandFiles& files) {
    try {
      check_outputs(files, "pbc");
      return "";
    } catch (const IoError& error) {
      return error.what();
    }
  }

  std::string folder = (fs::temp_directory_path() / "command_files_XXXXXX").string();
};

TEST_F(OutputCheckTest, AnInputIsNoOutputHoweverItIsNamed) {
  const std::string source = file("a.pbcc", "transform T");
  fs::create_symlink(source, path("link"));
  fs::create_directory(path("sub"));
  for (const char* name : {"a.pbcc", "./a.pbcc", "sub/../a.pbcc", "link"})
    EXPECT_THAT(error_of({{{"a source", source}}, {{"the output", path(name)}}}), HasSubstr("is a source")) << name;
  EXPECT_EQ(error_of({{{"a source", source}}, {{"the output", path("a")}}}), "");
}

TEST_F(OutputCheckTest, TwoOutputsAreTwoFilesAlsoBeforeTheyAreMade) {
  EXPECT_THAT(error_of({{}, {{"the output", path("a")}, {"the dependency file", path("./a")}}}),
              HasSubstr("a` is also the output"));
  EXPECT_EQ(error_of({{}, {{"the output", path("a")}, {"the dependency file", path("b")}}}), "");
  EXPECT_EQ(error_of({{}, {{"the output", "/dev/null"}, {"the dependency file", "/dev/null"}}}), "");
}

TEST_F(OutputCheckTest, OnlyFilesOfItsOwnKindAreReplaced) {
  const auto is_own = [](std::string_view head) { return head.starts_with("own"); };
  EXPECT_THAT(error_of({{}, {{"the page", file("foreign", "text"), is_own}}}),
              HasSubstr("the page would replace `" + path("foreign") + "`, which pbc did not make"));
  EXPECT_EQ(error_of({{}, {{"the page", file("earlier", "own text"), is_own}}}), "");
  EXPECT_EQ(error_of({{}, {{"the page", file("empty", ""), is_own}}}), "");
  EXPECT_EQ(error_of({{}, {{"the page", path("missing"), is_own}}}), "");
  EXPECT_EQ(error_of({{}, {{"the page", path("foreign")}}}), "") << "of a kind that any file may be";
}

}  // namespace
}  // namespace pbrt
