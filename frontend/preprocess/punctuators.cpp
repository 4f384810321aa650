// SPDX-License-Identifier: MIT
#include "frontend/preprocess/punctuators.h"

#include <algorithm>
#include <array>

#include "lang/operators.h"

namespace pb {
namespace {

/// All punctuators, sorted by their first character; of those that share it the longer ones come first. Some are listed
/// twice, since `-` is binary and unary.
constexpr auto kPunctuators = [] {
#define PB_BINARY_OP(name, spelling, word, precedence, kind, result) \
  spelling, has_assignment(OperatorResult::result) ? spelling "=" : spelling,
#define PB_UNARY_OP(name, spelling, place, kind) spelling,
#define PB_FORMULA_OP(name, spelling, precedence) spelling,
#define PB_RELATION_OP(name, operator_, opposite) #operator_,
  std::array out = std::to_array<std::string_view>({
#include "lang/operators.def"
      "=", "?",  ":",  ".",  "->", "..", "...", "::", ".*", "->*",  //
      "(", ")",  "[",  "]",  "{",  "}",  ";",                       //
      "#", "##", "%{", "%}",
  });
  std::sort(out.begin(), out.end(), [](std::string_view a, std::string_view b) {
    return a.front() != b.front() ? a.front() < b.front() : a.size() > b.size();
  });
  return out;
}();

}  // namespace

std::string_view punctuator_at_front(std::string_view text) {
  if (text.empty()) return {};
  const char first = text.front();
  const auto* candidate = std::lower_bound(kPunctuators.begin(), kPunctuators.end(), first,
                                           [](std::string_view p, char c) { return p.front() < c; });
  for (; candidate != kPunctuators.end() && candidate->front() == first; ++candidate)
    if (text.starts_with(*candidate)) return text.substr(0, candidate->size());
  return {};
}

}  // namespace pb
