// SPDX-License-Identifier: MIT
// The outline of a program: which tokens are headers, rule headers and bodies, found by
// matching brackets before anything is parsed. So a syntax error stays within its unit.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "frontend/parse/token_view.h"
#include "lang/diagnostics.h"
#include "lang/token.h"

namespace pb {

struct RuleOutline {
  TokenSlice header;
  TokenSlice body;          ///< without the braces
  Span braces;              ///< from `{` to `}`
  bool is_balanced = true;  ///< false: its brackets do not match, which is reported
};

struct ItemOutline {
  enum class Kind { Native, Transform, Function, Forward } kind = Kind::Transform;
  TokenSlice header;               ///< Native: the tokens between `%{` and `%}`
  Span span;                       ///< Native: with `%{` and `%}`
  bool has_lost_rules = false;     ///< some of its rules are left out, which is reported
  bool is_unterminated = false;    ///< neither `{` nor `;` follows the header
  std::vector<RuleOutline> rules;  ///< Function: its alternatives, without headers
};

struct Outline {
  std::vector<ItemOutline> items;
  std::set<std::string> transform_names;
};

/// Makes the outline. Errors: brackets that do not match, nesting beyond the limit, things outside of transforms.
[[nodiscard]] Outline make_outline(const TokenStream& stream, Diagnostics& diags);

}  // namespace pb
