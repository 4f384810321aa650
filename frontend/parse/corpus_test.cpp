// SPDX-License-Identifier: MIT
// Every complete program of the corpus and of the examples parses without a message, and its
// bodies become typed statements. What stays opaque is listed here with its reason.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/parse/parse_fixture.h"

namespace pb {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(std::string(PB_SOURCE_DIR) + "/" + folder))
    if (entry.path().extension() == ".pbcc") out.push_back(folder + "/" + entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

void collect_opaque(const Body& body, std::set<std::string>& out) {
  for (const Stmt& s : body.stmts)
    if (const auto* opaque = std::get_if<OpaqueStmt>(&s.node))
      out.insert(text_of(body, s.tokens) + " because " + opaque->reason);
  for (const Expr& e : body.exprs)
    if (const auto* opaque = std::get_if<OpaqueExpr>(&e.node))
      out.insert(text_of(body, e.tokens) + " because " + opaque->reason);
}

/// Every node knows its tokens and its place, and the tokens give the text back.
void check_ranges(const Body& body, const SourceManager& sources) {
  for (const Stmt& s : body.stmts) {
    EXPECT_LE(s.tokens.end, body.tokens.size());
    EXPECT_TRUE(s.tokens.begin < s.tokens.end || body.tokens.empty());
  }
  for (const Expr& e : body.exprs) {
    ASSERT_LE(e.tokens.end, body.tokens.size());
    ASSERT_LT(e.tokens.begin, e.tokens.end);
    EXPECT_TRUE(e.span.is_known());
    if (const auto* name = std::get_if<NameExpr>(&e.node)) {
      EXPECT_EQ(name->text.find(body.tokens[e.tokens.begin].text), 0u);
    }
  }
  for (const BodyToken& token : body.tokens) EXPECT_EQ(sources.text(token.spelling), token.text);
}

/// Opaque pieces of the whole corpus, by program: none.
const std::map<std::string, std::set<std::string>> kOpaque = {};

class Corpus : public ParseFixture, public testing::WithParamInterface<std::string> {};

TEST_P(Corpus, ParsesToTypedStatements) {
  const auto tokens = preprocess(std::string(PB_SOURCE_DIR) + "/" + GetParam(), sources_, diags_);
  ASSERT_TRUE(tokens);
  const Ast ast = parse(*tokens, sources_, diags_);
  EXPECT_EQ(messages(), "");
  EXPECT_FALSE(ast.transforms().empty());
  std::set<std::string> opaque;
  for (const ast::Transform* transform : ast.transforms()) {
    for (const ast::Rule& rule : transform->rules) {
      collect_opaque(rule.body, opaque);
      check_ranges(rule.body, sources_);
    }
    for (const Body& body : transform->alternatives) collect_opaque(body, opaque);
  }
  const auto expected = kOpaque.find(GetParam());
  EXPECT_EQ(opaque, expected == kOpaque.end() ? std::set<std::string>() : expected->second);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out = fs::path(info.param).stem().string();
  std::replace_if(
      out.begin(), out.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(Tests, Corpus, testing::ValuesIn(programs_in("tests/corpus")), test_name);
INSTANTIATE_TEST_SUITE_P(Examples, Corpus, testing::ValuesIn(programs_in("examples")), test_name);

TEST(CorpusFolder, IsComplete) { EXPECT_GE(programs_in("tests/corpus").size(), 34u); }

}  // namespace
}  // namespace pb
