// SPDX-License-Identifier: MIT
// Types as bodies write them.
#pragma once

#include <string>

#include "PbccParser.h"
#include "lang/body/body.h"

namespace pb {

/// A type as written, and what the body knows about it.
struct WrittenType {
  BodyType type;
  std::string text;
  bool is_static = false;
};

/// The type of a declaration: its words before the first declarator.
[[nodiscard]] WrittenType type_of_decl(pb_antlr::PbccParser::DeclContext* context);
[[nodiscard]] WrittenType type_of(pb_antlr::PbccParser::CastTypeContext* context);
[[nodiscard]] WrittenType type_of(pb_antlr::PbccParser::TypeNameContext* context);
/// The type that a word before parentheses names, as in `double(…)` and `ElementT(…)`.
[[nodiscard]] WrittenType type_of_word(const std::string& word);

/// The text of a tree without blanks, but for those between two words.
[[nodiscard]] std::string compact_text(antlr4::tree::ParseTree* tree);

}  // namespace pb
