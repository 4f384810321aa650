// SPDX-License-Identifier: MIT
// A file that appears whole or not at all (docs/reference/formats.md 5): it is written where no other program sees it,
// then put in place. `-`, devices and pipes are written directly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pbrt {

class OutputFile {
 public:
  /// Opens the file. Errors: IoError: folder missing or not writable, the name is a folder.
  explicit OutputFile(const std::string& path);
  /// Ends the file. Without commit() a regular file is left as it was.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends `text`. Errors: IoError: no space, a closed pipe.
  void write(std::string_view text);
  /// Writes the buffered data. Errors of the disk are reported here at the latest.
  void finish();
  /// Puts the file in place.
  ///
  /// Pre:     finish() has returned
  void commit();

  /// Whether both are the same regular file, reached by any paths. If so, the later one would replace the other.
  [[nodiscard]] bool is_same_place(const OutputFile& other) const {
    return is_place_of(other.is_direct_, other.target_);
  }
  /// Whether the file at `path` is this one, so that commit() would replace it.
  [[nodiscard]] bool is_same_place(const std::string& path) const;

 private:
  void open_direct();
  [[nodiscard]] bool is_place_of(bool is_other_direct, const std::string& target) const;
  void open_beside();
  void write_all(const char* data, std::size_t count);
  [[noreturn]] void fail(const char* what) const;

  std::string path_;       ///< as the user wrote it, for messages
  std::string target_;     ///< with symbolic links resolved
  std::string temporary_;  ///< name of the file beside the target; empty if it has none (yet)
  std::string buffer_;
  int fd_ = -1;
  bool is_direct_ = false;
  bool owns_fd_ = false;
};

}  // namespace pbrt
