// SPDX-License-Identifier: MIT
#include "clgen/writer/writer.h"

#include <algorithm>
#include <cctype>

#include "lang/check.h"

namespace pb {

void Writer::append(std::string_view text) {
  text_ += text;
  next_line_ += static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
}

void Writer::line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<std::size_t>(level_) * 2, ' ');
  append(text);
  append("\n");
}

void Writer::verbatim(std::string_view text) {
  append(text);
  if (text.empty() || text.back() != '\n') append("\n");
}

void Writer::open(std::string_view head) {
  line(head.empty() ? "{" : std::string(head) + " {");
  ++level_;
}

void Writer::close(std::string_view tail) {
  PB_CHECK(level_ > 0, "more braces closed than opened");
  --level_;
  line("}" + std::string(tail));
}

void Writer::reopen(std::string_view middle) {
  PB_CHECK(level_ > 0, "more braces closed than opened");
  --level_;
  line("} " + std::string(middle) + " {");
  ++level_;
}

void Writer::line_directive(unsigned number, std::string_view file) {
  append("#line " + std::to_string(number) + " " + quoted(file) + "\n");
}

void Writer::restore_line(std::string_view file) { line_directive(next_line_ + 1, file); }

namespace {

constexpr std::string_view kMark = "[[maybe_unused]] ";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string to_cpp(const Parameter& parameter) {
  return std::string(parameter.may_be_unused ? kMark : "") + parameter.type + " " + parameter.name;
}

void Writer::declare(std::string_view type, std::string_view name, std::string_view value, Unused unused) {
  const std::size_t begin = text_.size();
  line(std::string(kMark) + std::string(type) + " " + std::string(name) + " = " + std::string(value) + ";");
  declarations_.push_back({begin, text_.size(), std::string(name), unused});
}

void Writer::append_statements(const Writer& other) {
  for (const Declaration& declaration : other.declarations_)
    declarations_.push_back(
        {text_.size() + declaration.begin, text_.size() + declaration.end, declaration.name, declaration.unused});
  append(other.text_);
}

std::string Writer::statements() const {
  // The declarations are visited from the last to the first: all uses of a name are known before its declaration is
  // reached.
  std::string out;
  std::size_t end = text_.size();
  for (auto declaration = declarations_.rbegin(); declaration != declarations_.rend(); ++declaration) {
    out.insert(0, text_, declaration->end, end - declaration->end);
    end = declaration->begin;
    const bool is_used = has_word(out, declaration->name);
    if (!is_used && declaration->unused == Unused::Goes) continue;
    std::string line = text_.substr(declaration->begin, declaration->end - declaration->begin);
    if (is_used) line.erase(line.find(kMark), kMark.size());
    out.insert(0, line);
  }
  return out.insert(0, text_, 0, end);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

std::string raw_string(std::string_view text) {
  std::string delimiter = "pb";
  while (text.find(")" + delimiter + "\"") != std::string_view::npos) delimiter += "_";
  return "R\"" + delimiter + "(" + std::string(text) + ")" + delimiter + "\"";
}

}  // namespace pb
