// SPDX-License-Identifier: MIT
// Which included files are read: each time anew, as in C, so that macros can make something else of a file. Not read
// are those with `#pragma once` a second time, and what would include itself without end.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "frontend/preprocess/file_stack.h"
#include "lang/diagnostics.h"
#include "lang/source.h"

namespace pb {

class IncludedFiles {
 public:
  IncludedFiles(SourceManager& sources, const FileStack& files, Diagnostics& diags)
      : sources_(sources), files_(files), diags_(diags) {}

  /// The file at `path` if it is to be read now. `name` is its name in the `#include`.
  ///
  /// Errors: CannotInclude, and those of read_again()
  [[nodiscard]] std::optional<FileId> find(const std::string& path, Span name);
  /// `file` if it is to be read now.
  ///
  /// Errors: IncludesItself, IncludeTooDeep, TooManyIncludes
  [[nodiscard]] std::optional<FileId> read_again(FileId file, Span name);
  /// Reads the file no further time: it has `#pragma once`.
  void read_once(FileId file) { once_.insert(file); }

 private:
  SourceManager& sources_;
  const FileStack& files_;
  Diagnostics& diags_;
  std::set<FileId> once_;
  std::size_t num_read_ = 0;
};

}  // namespace pb
