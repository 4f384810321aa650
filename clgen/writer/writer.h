// SPDX-License-Identifier: MIT
// Text of generated code: owns indentation, braces and #line. Used by every emitter of clgen.
#pragma once

#include <string>
#include <string_view>

namespace pb {

/// A parameter of a function.
struct Parameter {
  std::string type;
  std::string name;
};
/// Returns `const IndexT n`.
[[nodiscard]] std::string to_cpp(const Parameter& parameter);

/// Collects lines. Indentation is two blanks per level.
class Writer {
 public:
  /// One line at the current level; an empty text gives an empty line without blanks.
  void line(std::string_view text);
  void blank() { line(""); }
  /// Adds the line `type name = value;`.
  void declare(std::string_view type, std::string_view name, std::string_view value);
  /// Adds several lines as they are, without indentation. The text gets a newline at its end if it has none; an empty
  /// text adds nothing.
  void verbatim(std::string_view text);

  /// Adds `head {` and goes one level deeper; an empty head gives a bare brace.
  void open(std::string_view head);
  /// Goes one level up and adds `}` and `tail`.
  void close(std::string_view tail = "");
  /// Goes one level up, adds `} middle {`, and goes one level deeper.
  void reopen(std::string_view middle);
  /// Goes one level deeper without a brace, for labels and continued lines; `outdent` goes back.
  void indent() { ++level_; }
  void outdent() { --level_; }

  /// Adds `#line number "file"` in column 0: the next line of the text counts as that one.
  void line_directive(unsigned number, std::string_view file);
  /// Adds a directive that gives the lines below it their own numbers in the generated `file` again.
  void restore_line(std::string_view file);

  /// Number of the next line, from 1.
  [[nodiscard]] unsigned next_line() const { return next_line_; }
  /// Returns all lines.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void append(std::string_view text);

  std::string text_;
  int level_ = 0;
  unsigned next_line_ = 1;
};

/// Returns `"…"`, with what C needs escaped.
[[nodiscard]] std::string quoted(std::string_view text);
/// Returns a raw string literal of `text`. Its delimiter does not occur in the text.
[[nodiscard]] std::string raw_string(std::string_view text);

}  // namespace pb
