// SPDX-License-Identifier: MIT
#include "clgen/writer/writer.h"

#include <algorithm>
#include <cstddef>

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
  if (!text.empty() && text.back() != '\n') append("\n");
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

std::string to_cpp(const Parameter& parameter) { return parameter.type + " " + parameter.name; }

void Writer::declare(std::string_view type, std::string_view name, std::string_view value) {
  line(std::string(type) + " " + std::string(name) + " = " + std::string(value) + ";");
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
