// SPDX-License-Identifier: MIT
#include "clgen/facts/documentation.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace pb {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// The comment that the last of `lines` ends, by lines, without its signs; none if that line ends no comment.
std::vector<std::string_view> last_comment(const std::vector<std::string_view>& lines) {
  std::vector<std::string_view> found;
  const bool is_block = !lines.empty() && trimmed(lines.back()).ends_with("*/");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    std::string_view text = trimmed(*line);
    if (!is_block && !text.starts_with("//")) break;
    if (is_block && found.empty()) text.remove_suffix(2);
    const bool is_first = is_block && text.find("/*") != std::string_view::npos;
    if (is_first && !text.starts_with("/*")) return {};
    const std::size_t signs = text.find_first_not_of(is_block && !is_first ? "*" : "/*!");
    found.push_back(signs == std::string_view::npos ? std::string_view() : text.substr(signs));
    if (is_first) break;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace

std::string documentation_of(const SourceManager& sources, Span declaration) {
  const std::uint32_t line_begin = sources.line_span(declaration.file, declaration.begin).begin;
  std::vector<std::string_view> lines = last_comment(lines_of(sources.text(declaration.file).substr(0, line_begin)));
  std::size_t common = std::string_view::npos;
  for (const std::string_view line : lines) common = std::min(common, line.find_first_not_of(kBlanks));
  std::string text;
  for (const std::string_view line : lines) {
    const std::string_view words = trimmed(line);
    if (words.empty() && text.empty()) continue;
    if (!text.empty()) text += '\n';
    if (!words.empty()) text += line.substr(common, words.data() + words.size() - line.data() - common);
  }
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace pb
