// SPDX-License-Identifier: MIT
#include "frontend/check_types/opaque_calls.h"

#include <string_view>

namespace pb::checking {
namespace {

/// The index of the parenthesis that matches the one at `i`, sought in steps of `step` (1 or -1); the end of `range` if
/// there is none.
std::size_t other_parenthesis(const std::vector<BodyToken>& tokens, std::size_t i, int step, TokenRange range) {
  for (int depth = 0; i >= range.begin && i < range.end; i += static_cast<std::size_t>(step)) {
    depth += tokens[i].text == "(" ? step : tokens[i].text == ")" ? -step : 0;
    if (depth == 0) return i;
  }
  return range.end;
}

/// Whether a statement `name(…);` stands at `i`, as far as tokens tell.
bool is_call_statement(const std::vector<BodyToken>& tokens, std::size_t i, TokenRange range) {
  static const std::set<std::string_view> kBefore{"{", "}", ";", "]", "else", "do", "spawn"};
  static const std::set<std::string_view> kHeads{"if", "for", "while", "switch", "constexpr"};
  if (i + 1 >= range.end || tokens[i + 1].text != "(") return false;
  const std::size_t close = other_parenthesis(tokens, i + 1, 1, range);
  if (close + 1 >= range.end || tokens[close + 1].text != ";") return false;
  const std::string& before = tokens[i - 1].text;
  if (before != ")") return kBefore.contains(before);
  const std::size_t open = other_parenthesis(tokens, i - 1, -1, range);
  return open < range.end && open > range.begin && kHeads.contains(tokens[open - 1].text);
}

}  // namespace

void report_call_in_opaque(BodyContext& context, const Scopes& scopes, const OpaqueStmt& stmt, TokenRange tokens) {
  const std::vector<BodyToken>& all = context.body().tokens;
  for (std::uint32_t i = tokens.begin + 1; i < tokens.end; ++i) {
    const std::string& name = all[i].text;
    const auto callee = context.program.find_transform(name);
    if (!callee || scopes.find(name) || context.native_functions.contains(name) || !is_call_statement(all, i, tokens))
      continue;
    context.diags.emit(DiagKind::CallInOpaque, all[i].expansion)
        .arg(name)
        .label(context.program.transforms[*callee].span, "the transform")
        .note("the statement is passed on because " + stmt.reason)
        .hint("calls stand in blocks, branches and loops of the body: move this one out of the `catch` or class");
    return;
  }
}

}  // namespace pb::checking
