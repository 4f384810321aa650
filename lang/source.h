// SPDX-License-Identifier: MIT
// The source files of one compilation: their texts, and the lines and columns of byte offsets. Each file is
// read once, however often it is included. Every Span of every tree points into this table.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/span.h"

namespace pb {

/// The position of a byte as a person counts it: lines and columns begin at 1, and a column counts bytes.
struct Position {
  std::string_view file;  ///< name to show: the path as given, or what a line marker says
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// The lines of a text without their ends; a newline at its end begins no further one.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// The text without blanks at both ends, and without the carriage return of a line's end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

class SourceManager {
 public:
  /// Reads the file at `path`, or finds it if it was read before (same canonical path).
  ///
  /// Errors: no value if it cannot be read; `why`, if given, then says why in words
  [[nodiscard]] std::optional<FileId> load(const std::string& path, std::string* why = nullptr);
  /// Adds a text that is in memory under the name `name`. A mark of the byte order in front, which some editors write,
  /// is no part of it.
  FileId add(std::string name, std::string text);

  [[nodiscard]] std::string_view text(FileId file) const;
  [[nodiscard]] std::string_view text(Span span) const;
  /// The name to show, as given to `load` or `add`.
  [[nodiscard]] std::string_view name(FileId file) const;
  /// The shortest end of `name`, the name of a file or of a line marker, that distinguishes it from all other files:
  /// `common.h`, or `filters/common.h` if several files have that name. Used for texts that must not depend on where a
  /// program lies.
  [[nodiscard]] std::string_view short_name(std::string_view name) const;
  [[nodiscard]] std::size_t num_files() const { return files_.size(); }

  /// Position of the byte at `offset`; line markers count.
  [[nodiscard]] Position position(FileId file, std::uint32_t offset) const;
  [[nodiscard]] Position begin_of(Span span) const { return position(span.file, span.begin); }
  /// The whole line that holds `offset`, without its end-of-line characters.
  [[nodiscard]] Span line_span(FileId file, std::uint32_t offset) const;

  /// Obeys `# line "name"`: the text from `offset` on counts as starting at `line` of `name`.
  /// What an earlier call said for `offset` stays.
  /// Pre: `offset` is the start of a line
  void set_line_marker(FileId file, std::uint32_t offset, std::uint32_t line, std::string name);

 private:
  struct Marker {
    std::uint32_t offset;
    std::uint32_t line;
    std::string name;
  };
  struct File {
    std::string name;
    std::string canonical;  ///< empty for texts in memory
    std::string text;
    std::vector<std::uint32_t> line_starts;
    std::vector<Marker> markers;
  };
  [[nodiscard]] const File& file(FileId id) const;

  std::deque<File> files_;  // a deque: views of names and texts stay good when files are added
};

}  // namespace pb
