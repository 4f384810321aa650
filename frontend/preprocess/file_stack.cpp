// SPDX-License-Identifier: MIT
#include "frontend/preprocess/file_stack.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "lang/check.h"

namespace pb {

void FileStack::open(FileId file, Span include) {
  const std::optional<Span> native = files_.empty() ? std::nullopt : files_.back().native;
  files_.push_back({Scanner(file, sources_, diags_), include, {}, native, native.has_value()});
}

bool FileStack::is_open(FileId file) const {
  return std::any_of(files_.begin(), files_.end(), [&](const OpenFile& open) { return open.scanner.file() == file; });
}

Span FileStack::include_in(FileId file) const {
  const auto found =
      std::find_if(files_.begin(), files_.end(), [&](const OpenFile& open) { return open.scanner.file() == file; });
  PB_CHECK(found != files_.end() && found + 1 != files_.end(), "the file includes another one");
  return (found + 1)->include;
}

void FileStack::close() {
  OpenFile& file = files_.back();
  for (const Conditional& c : file.conditionals) diags_.emit(DiagKind::UnterminatedConditional, c.span).arg(c.name);
  if (file.native && !file.is_cxx) diags_.emit(DiagKind::UnterminatedNative, *file.native);
  carry_ += file.scanner.take_leading();
  files_.pop_back();
}

bool FileStack::is_skipping() const {
  const auto& conditionals = files_.back().conditionals;
  return !conditionals.empty() && !conditionals.back().is_active;
}

bool FileStack::track_native(const Token& token) {
  std::optional<Span>& native = files_.back().native;
  if (files_.back().is_cxx) return token.kind != TokenKind::NativeBegin && token.kind != TokenKind::NativeEnd;
  if (token.kind == TokenKind::NativeBegin && !native) native = token.spelling;
  if (token.kind != TokenKind::NativeEnd) return true;
  if (!native) diags_.emit(DiagKind::StrayNativeEnd, token.spelling);
  return std::exchange(native, std::nullopt).has_value();
}

std::string FileStack::path_beside(const std::string& file) {
  return (std::filesystem::path(sources_.name(scanner().file())).parent_path() / file).string();
}

std::vector<Token> FileStack::rest_of_line() {
  std::vector<Token> out;
  while (!scanner().at_line_end()) {
    auto token = scanner().next();
    if (!token) break;
    std::replace(token->leading.begin(), token->leading.end(), '\n', ' ');
    out.push_back(std::move(*token));
  }
  carry_newlines(scanner().take_leading());
  return out;
}

void FileStack::end_line() {
  const std::uint32_t begin = scanner().offset();
  (void)scanner().take_line();  // the text of the line is not used
  carry_newlines(sources_.text({scanner().file(), begin, scanner().offset()}));
}

void FileStack::carry_newlines(std::string_view text) {
  carry_.append(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

std::string FileStack::take_carry() { return std::exchange(carry_, {}); }

}  // namespace pb
