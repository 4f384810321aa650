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

bool names(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

/// The last word: `const IndexT n` declares `n`.
std::string_view declared_name(std::string_view declaration) {
  std::size_t end = declaration.size();
  while (end > 0 && !is_word(declaration[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_word(declaration[begin - 1])) --begin;
  return declaration.substr(begin, end - begin);
}

}  // namespace

std::string without_mark(std::string_view param, std::string_view body) {
  const bool is_used = param.starts_with(kMark) && names(body, declared_name(param));
  return std::string(is_used ? param.substr(kMark.size()) : param);
}

std::string without_unused(std::string_view statements) {
  // From the last one up: what uses a name is known before its declaration.
  std::string out;
  while (!statements.empty()) {
    const std::size_t before = statements.rfind('\n', statements.size() - 2);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string line(statements.substr(begin));
    statements = statements.substr(0, begin);
    const std::size_t mark = line.find(kMark);
    const std::size_t assignment = line.find(" = ");
    if (mark != std::string::npos && mark == line.find_first_not_of(' ') && assignment != std::string::npos) {
      const bool is_used = names(out, declared_name(std::string_view(line).substr(0, assignment)));
      const bool may_stop = line.find("tunable") != std::string::npos || line.find("quotient") != std::string::npos;
      if (!is_used && !may_stop) continue;
      if (is_used) line.erase(mark, kMark.size());
    }
    out.insert(0, line);
  }
  return out;
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
