// SPDX-License-Identifier: MIT
#include "frontend/check_types/vocabulary/native_names.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pb::checking {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name(std::string_view text) {
  return !text.empty() && is_word(text[0]) && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

/// `NAME` of `#define NAME(`; empty for other lines.
std::string macro_name(std::string_view line) {
  constexpr std::string_view kDefine = "#define ";
  if (!line.starts_with(kDefine)) return {};
  line.remove_prefix(kDefine.size());
  const auto end = std::find_if_not(line.begin(), line.end(), is_word);
  if (end == line.end() || *end != '(') return {};
  return std::string(line.begin(), end);
}

class Finder {
 public:
  explicit Finder(const NativeBlock& block) : tokens_(block.tokens) {}

  void run(std::set<std::string>& names) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string& token = text(i);
      if (token.starts_with("#")) {
        if (std::string name = macro_name(token); !name.empty()) names.insert(std::move(name));
      } else if (token == "{") {
        open(i);
      } else if (token == "}") {
        close();
      } else if (depth_ == 0 && text(i + 1) == "(" && is_declared(i)) {
        names.insert(token);
      }
    }
  }

 private:
  const std::string& text(std::size_t i) const {
    static const std::string kNone;
    return i < tokens_.size() ? tokens_[i].text : kNone;
  }

  /// Whether token `i` is a name after a type.
  bool is_declared(std::size_t i) const {
    if (i == 0 || !is_name(text(i))) return false;
    const std::string& before = text(i - 1);
    return before == "*" || before == "&" || before == ">" || (is_name(before) && before != "return");
  }

  void open(std::size_t i) {
    const bool is_linkage = i >= 2 && text(i - 1) == "\"C\"" && text(i - 2) == "extern";
    const bool is_namespace = i >= 1 && (text(i - 1) == "namespace" || (i >= 2 && text(i - 2) == "namespace"));
    if (depth_ > 0 || (!is_linkage && !is_namespace)) ++depth_;
  }
  void close() {
    if (depth_ > 0) --depth_;
  }

  const std::vector<BodyToken>& tokens_;
  int depth_ = 0;  ///< how deep the token lies in braces that hold no declarations of the namespace
};

}  // namespace

std::set<std::string> find_native_functions(const std::vector<NativeBlock>& blocks) {
  std::set<std::string> names;
  for (const NativeBlock& block : blocks) Finder(block).run(names);
  return names;
}

}  // namespace pb::checking
