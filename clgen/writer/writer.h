// SPDX-License-Identifier: MIT
// Text of generated code: owns indentation, braces and #line. Used by every emitter of clgen.
#pragma once

#include <string>
#include <string_view>

namespace pb {

/// Collects lines. Indentation is two blanks per level.
class Writer {
 public:
  /// One line at the current level; an empty text gives an empty line without blanks.
  void line(std::string_view text);
  void blank() { line(""); }
  /// Several lines, as they are: no indentation is added. Ends in a newline even if `text` does not.
  void verbatim(std::string_view text);

  /// `head {`, and one level deeper; an empty head gives a bare brace.
  void open(std::string_view head);
  /// One level up, `}` and `tail`.
  void close(std::string_view tail = "");
  /// One level up, `} middle {`, and one level deeper.
  void reopen(std::string_view middle);
  /// Deeper and back without braces, for labels and continued lines.
  void indent() { ++level_; }
  void outdent() { --level_; }

  /// `#line number "file"`: the next line of the text counts as this one. Always in column 0.
  void line_directive(unsigned number, std::string_view file);
  /// A directive that gives the text below it its own number in the generated `file` again.
  void restore_line(std::string_view file);

  /// Number of the next line, from 1.
  [[nodiscard]] unsigned next_line() const { return next_line_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void append(std::string_view text);

  std::string text_;
  int level_ = 0;
  unsigned next_line_ = 1;
};

/// Statements without the mark `[[maybe_unused]]` where the declared name is used, and without the declarations that
/// nothing uses, unless they may stop the run: values of tunables and checked quotients.
[[nodiscard]] std::string without_unused(std::string_view statements);
/// The same for a parameter of a function with that body: the mark goes, the parameter stays.
[[nodiscard]] std::string without_mark(std::string_view param, std::string_view body);

/// `"…"` with what C needs escaped.
[[nodiscard]] std::string quoted(std::string_view text);
/// A raw string literal of `text`; its delimiter does not occur in it.
[[nodiscard]] std::string raw_string(std::string_view text);

}  // namespace pb
