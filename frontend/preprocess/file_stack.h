// SPDX-License-Identifier: MIT
// The files that are being read, each inside of the one that includes it, with their open conditionals and prefix
// blocks. It knows no preprocessor line by its name.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/preprocess/scanner.h"
#include "lang/diagnostics.h"
#include "lang/source.h"
#include "lang/token.h"

namespace pb {

/// An `#if` that is not yet closed.
struct Conditional {
  std::string name;  ///< `if`, `ifdef` or `ifndef`
  Span span;
  bool is_active = false;     ///< whether the text that is being read counts
  bool was_taken = false;     ///< a branch was active before
  bool has_else = false;      ///< `#else` was read
  bool is_passed_on = false;  ///< in a prefix block: left to the C++ compiler
};

/// All functions except open(), those that are const and the two for newlines concern the innermost file and need one.
class FileStack {
 public:
  FileStack(SourceManager& sources, Diagnostics& diags) : sources_(sources), diags_(diags) {}

  [[nodiscard]] bool is_empty() const { return files_.empty(); }
  [[nodiscard]] std::size_t depth() const { return files_.size(); }
  [[nodiscard]] bool is_open(FileId file) const;
  /// The name in the `#include` of `file` that is being obeyed. Pre: `file` is open, and not the innermost one
  [[nodiscard]] Span include_in(FileId file) const;
  /// Continues with `file`, whose name stands in the `#include` at `include`. Inside of a prefix block the whole file
  /// is a part of that block.
  void open(FileId file, Span include = {});
  /// Continues with the file that includes this one.
  ///
  /// Errors: UnterminatedConditional, UnterminatedNative
  void close();

  [[nodiscard]] Scanner& scanner() { return files_.back().scanner; }
  [[nodiscard]] std::vector<Conditional>& conditionals() { return files_.back().conditionals; }
  /// Whether a conditional leaves out the text that is being read.
  [[nodiscard]] bool is_skipping() const;
  /// Whether the text is that of a prefix block.
  [[nodiscard]] bool is_in_native() const { return files_.back().native.has_value(); }
  /// Notes where prefix blocks begin and end; false if the token is not to be passed on.
  ///
  /// Errors: StrayNativeEnd
  bool track_native(const Token& token);
  /// `file`, relative to the folder of this file.
  [[nodiscard]] std::string path_beside(const std::string& file);

  /// The tokens up to the end of the line.
  [[nodiscard]] std::vector<Token> rest_of_line();
  /// Skips what is left of the line.
  void end_line();

  /// Keeps the newlines of a text that gives no token, for the next one that does.
  void carry_newlines(std::string_view text);
  /// The white space that was kept since the last call.
  [[nodiscard]] std::string take_carry();

 private:
  struct OpenFile {
    Scanner scanner;
    Span include;  ///< its name in the `#include`
    std::vector<Conditional> conditionals;
    std::optional<Span> native;  ///< where the open `%{` stands
    bool is_cxx = false;         ///< the whole file is read as a part of a prefix block
  };

  SourceManager& sources_;
  Diagnostics& diags_;
  std::deque<OpenFile> files_;  // innermost last
  std::string carry_;
};

}  // namespace pb
