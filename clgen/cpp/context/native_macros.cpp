// SPDX-License-Identifier: MIT
#include "clgen/cpp/context/native_macros.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace pb {
namespace {

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

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

/// Whether a header of C may define a macro of that name: a name in capitals, or one of the few macros in small
/// letters.
bool may_be_macro(std::string_view name) {
  static const std::set<std::string_view> kSmall = {
      "alloca",          "assert", "bcmp",     "bcopy",    "bzero",      "complex",      "errno",
      "htonl",           "htons",  "i386",     "index",    "isfinite",   "isinf",        "isnan",
      "isnormal",        "linux",  "major",    "makedev",  "minor",      "ntohl",        "ntohs",
      "offsetof",        "rindex", "setjmp",   "signbit",  "sigmask",    "sigsetjmp",    "stderr",
      "stdin",           "stdout", "st_atime", "st_ctime", "st_mtime",   "unix",         "va_arg",
      "va_copy",         "va_end", "va_list",  "va_start", "sa_handler", "sa_sigaction", "timerclear",
      "math_errhandling"};
  if (kSmall.contains(name) || name == "I" || name.starts_with("__")) return true;
  const auto is_capital = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return name.size() > 1 && std::all_of(name.begin(), name.end(), is_capital);
}

std::set<std::string> names_of(const Transform& transform) {
  std::set<std::string> out;
  for (const Matrix& matrix : transform.matrices) out.insert(matrix.name);
  for (const SizeVar& var : transform.size_vars) out.insert(var.name);
  for (const UserTunable& tunable : transform.tunables) out.insert(tunable.name);
  return out;
}

std::set<std::string> names_of(const Rule& rule) {
  std::set<std::string> out;
  for (const auto* accesses : {&rule.outputs, &rule.inputs})
    for (const RegionAccess& access : *accesses) out.insert(access.binding);
  for (const RuleVar& var : rule.vars) out.insert(var.name);
  for (const RuleTemporary& temporary : rule.temporaries) out.insert(temporary.name);
  for (const Constant& constant : rule.constants) out.insert(constant.name);
  return out;
}

}  // namespace

NativeMacros::NativeMacros(const Program& program) {
  for (const NativeBlock& block : program.native_blocks)
    for (const BodyToken& token : block.tokens)
      if (token.text.starts_with("#define")) add(token.text);
  for (const Transform& transform : program.transforms) add_names(transform);
  if (macros_.empty()) return;
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules) used_.merge(used_in(transform, rule));
}

/// Adds the names in the transform's headers that may also be macros of C.
void NativeMacros::add_names(const Transform& transform) {
  std::set<std::string> names = names_of(transform);
  for (const Rule& rule : transform.rules) names.merge(names_of(rule));
  for (const std::string& name : names)
    if (may_be_macro(name) && macros_.try_emplace(name).second) of_headers_.insert(name);
}

/// Adds the definition in `line`, `#define NAME …`. Several definitions of one name are joined.
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

std::set<std::string> NativeMacros::used_in(const Transform& transform, const Rule& rule) const {
  Use use;
  if (macros_.empty()) return {};
  for (const BodyToken& token : rule.body.tokens) add_with_named(token.text, use);
  for (const auto& [name, definition] : macros_)
    if (use.may_paste(name)) add_with_named(name, use);
  if (of_headers_.empty()) return use.names;
  std::set<std::string> own = names_of(transform);
  own.merge(names_of(rule));
  std::erase_if(use.names, [&](const std::string& name) { return of_headers_.contains(name) && own.contains(name); });
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
