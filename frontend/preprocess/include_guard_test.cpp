// SPDX-License-Identifier: MIT
#include "frontend/preprocess/include_guard.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

bool has_guard(const std::string& text) {
  SourceManager sources;
  return has_include_guard(sources.add("t.h", text), sources);
}

TEST(IncludeGuard, StandsAroundAllOfAFile) {
  EXPECT_TRUE(has_guard("// t.h\n#ifndef X\n#define X\na\n#endif // X\n"));
  EXPECT_TRUE(has_guard("#if !defined(X)\r\n#define X 1\r\n#endif\r\n"));
  EXPECT_TRUE(has_guard("#ifndef X\n#define X\n#ifdef Y\na\n#else\nb\n#endif\ndon't\n#endif"));
  EXPECT_FALSE(has_guard(""));
  EXPECT_FALSE(has_guard("a\n#ifndef X\n#define X\n#endif\n"));
  EXPECT_FALSE(has_guard("#ifndef X\n#define X\n#endif\na\n"));
}

TEST(IncludeGuard, DefinesItsMacroAtOnceAndHasOneBranch) {
  EXPECT_FALSE(has_guard("#ifndef X\n#define Y\n#endif\n"));
  EXPECT_FALSE(has_guard("#ifndef X\n#include \"t.h\"\n#define X\n#endif\n"));
  EXPECT_FALSE(has_guard("#ifdef X\n#define X\n#endif\n"));
  EXPECT_FALSE(has_guard("#ifndef X\n#define X\n#else\na\n#endif\n"));
  EXPECT_FALSE(has_guard("#ifndef X\n#define X\n"));
}

}  // namespace
}  // namespace pb
