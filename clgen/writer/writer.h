// SPDX-License-Identifier: MIT
// Text of generated code: owns indentation, braces and #line. Used by every emitter of clgen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pb {

/// What becomes of a declaration whose name nothing below it uses.
enum class Unused : std::uint8_t {
  Goes,
  Stays,  ///< marked `[[maybe_unused]]`: its value may stop the run
};

/// A parameter of a function.
struct Parameter {
  std::string type;
  std::string name;
  bool may_be_unused = false;
};
/// `const IndexT n`, marked `[[maybe_unused]]` if it may be unused.
[[nodiscard]] std::string to_cpp(const Parameter& parameter);

/// Collects lines. Indentation is two blanks per level.
class Writer {
 public:
  /// One line at the current level; an empty text gives an empty line without blanks.
  void line(std::string_view text);
  void blank() { line(""); }
  /// `type name = value;`.
  void declare(std::string_view type, std::string_view name, std::string_view value, Unused unused = Unused::Goes);
  /// The lines of another writer as they are, with its declarations.
  void append_statements(const Writer& other);
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
  /// All lines; declarations are marked `[[maybe_unused]]`.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The lines of a function as a whole: declarations that nothing below them uses go, and others lose the mark.
  [[nodiscard]] std::string statements() const;

 private:
  void append(std::string_view text);

  struct Declaration {
    std::size_t begin, end;  ///< its line in the text
    std::string name;
    Unused unused;
  };

  std::string text_;
  std::vector<Declaration> declarations_;
  int level_ = 0;
  unsigned next_line_ = 1;
};

/// Whether the text has the word.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

/// `"…"` with what C needs escaped.
[[nodiscard]] std::string quoted(std::string_view text);
/// A raw string literal of `text`; its delimiter does not occur in it.
[[nodiscard]] std::string raw_string(std::string_view text);

}  // namespace pb
