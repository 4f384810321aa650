// SPDX-License-Identifier: MIT
#include "clgen/cpp/native_macros.h"

#include <cctype>
#include <string_view>

namespace pb {
namespace {

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_char(text[end])) ++end;
    if (end > i) out.emplace_back(text.substr(i, end - i));
    i = end > i ? end : i + 1;
  }
  return out;
}

}  // namespace

NativeMacros::NativeMacros(const Program& program) {
  for (const NativeBlock& block : program.native_blocks)
    for (const BodyToken& token : block.tokens)
      if (token.text.starts_with("#define")) add(token.text);
  if (macros_.empty()) return;
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules) used_.merge(used_in(rule.body));
}

/// `line`: `#define NAME …`. Of a name with several definitions all count.
void NativeMacros::add(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words.size() < 2) return;  // "define" is the first
  Definition& macro = macros_[words[1]];
  macro.words.insert(words.begin() + 2, words.end());
  macro.pastes = macro.pastes || line.find("##") != std::string::npos;
}

bool NativeMacros::Use::may_paste(const std::string& name) const {
  for (std::size_t i = 1; pastes && i < name.size(); ++i)
    if (words.contains(name.substr(0, i)) && words.contains(name.substr(i))) return true;
  return false;
}

void NativeMacros::add_with_named(const std::string& name, Use& to) const {
  to.words.insert(name);
  const auto found = macros_.find(name);
  if (found == macros_.end() || !to.names.insert(name).second) return;
  to.pastes = to.pastes || found->second.pastes;
  for (const std::string& word : found->second.words) add_with_named(word, to);
}

std::set<std::string> NativeMacros::used_in(const Body& body) const {
  Use use;
  if (macros_.empty()) return {};
  for (const BodyToken& token : body.tokens) add_with_named(token.text, use);
  for (const auto& [name, definition] : macros_)
    if (use.may_paste(name)) add_with_named(name, use);
  return use.names;
}

std::string NativeMacros::take_all() const {
  std::string out = take(used_);
  for (const auto& [name, definition] : macros_)
    if (!used_.contains(name)) out += "#undef " + name + "\n";
  return out;
}

std::string NativeMacros::take(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += "#pragma push_macro(\"" + name + "\")\n#undef " + name + "\n";
  return out;
}

std::string NativeMacros::give_back(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += "#pragma pop_macro(\"" + name + "\")\n";
  return out;
}

}  // namespace pb
