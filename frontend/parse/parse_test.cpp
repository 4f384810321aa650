// SPDX-License-Identifier: MIT
#include "frontend/parse/parse_fixture.h"

namespace pb {
namespace {

class Parse : public ParseFixture {};

TEST_F(Parse, ExampleParsesWithoutOpaquePieces) {
  const auto tokens = preprocess(PB_SOURCE_DIR "/examples/separable_convolution.pbcc", sources_, diags_);
  ASSERT_TRUE(tokens);
  const Ast ast = parse(*tokens, sources_, diags_);
  EXPECT_EQ(messages(), "");
  EXPECT_EQ(ast.transforms().size(), 5u);
  EXPECT_EQ(to_string(ast).find("opaque"), std::string::npos);
}

}  // namespace
}  // namespace pb
