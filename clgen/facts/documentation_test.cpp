// SPDX-License-Identifier: MIT
#include "clgen/facts/documentation.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

/// What is said of the transform `T` of a text.
std::string documentation(const std::string& text) {
  SourceManager sources;
  const FileId file = sources.add("t.pbcc", text);
  const auto begin = static_cast<std::uint32_t>(text.find("T\n"));
  return documentation_of(sources, {file, begin, begin + 1});
}

TEST(Documentation, IsTheCommentThatEndsAbove) {
  EXPECT_EQ(documentation("// one\n\n// Blurs.\n//   twice\nmain transform T\n"), "Blurs.\n  twice");
  EXPECT_EQ(documentation("/// Blurs.\ntransform T\n"), "Blurs.");
  EXPECT_EQ(documentation("/** Blurs.\r\n *\r\n * Twice. */\r\ntransform T\n"), "Blurs.\n\nTwice.");
  EXPECT_EQ(documentation("/*\n  Blurs.\n*/\ntransform T\n"), "Blurs.");
}

TEST(Documentation, IsEmptyWhereNoCommentEndsAbove) {
  EXPECT_EQ(documentation("transform T\n"), "");
  EXPECT_EQ(documentation("// far away\n\ntransform T\n"), "");
  EXPECT_EQ(documentation("} // behind code\ntransform T\n"), "");
  EXPECT_EQ(documentation("} /* behind\n code */\ntransform T\n"), "");
  EXPECT_EQ(documentation("//\ntransform T\n"), "");
}

}  // namespace
}  // namespace pb
