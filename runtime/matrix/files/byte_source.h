// SPDX-License-Identifier: MIT
// Reads the bytes of a file, pipe or C stream one after the other, and knows the position for messages. The matrix
// readers use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace pbrt {

class ByteSource {
 public:
  /// Opens a file; `-` is standard input.
  ///
  /// Errors:  IoError: missing, unreadable, a folder
  static std::unique_ptr<ByteSource> open(const std::string& path);
  /// Reads a C stream without running ahead of what is used: the last byte looked at is put back.
  static std::unique_ptr<ByteSource> over(std::FILE* stream, const std::string& name);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The next byte, or -1 at the end.
  [[nodiscard]] int peek() {
    if (next_ == end_ && !fill()) return -1;
    return static_cast<unsigned char>(*next_);
  }
  /// Skips the next byte. Pre: peek() was not -1.
  void advance() {
    ++offset_;
    if (*next_++ == '\n') {
      ++line_;
      line_start_ = offset_;
    }
  }
  /// Reads up to `count` bytes; fewer only at the end.
  std::size_t read(void* to, std::size_t count);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t offset() const { return offset_; }
  /// Bytes from here to the end of a regular file; -1 if that is not known.
  [[nodiscard]] std::int64_t bytes_left() const { return size_ < 0 ? -1 : size_ - offset_; }
  /// `file:line:column` of the next byte.
  [[nodiscard]] std::string position() const;
  [[nodiscard]] std::string position_at(std::int64_t line, std::int64_t column) const;
  [[nodiscard]] std::int64_t line() const { return line_; }
  [[nodiscard]] std::int64_t column() const { return offset_ - line_start_ + 1; }

 private:
  ByteSource() = default;
  bool fill();
  std::size_t read_some(char* to, std::size_t count);

  std::string name_;
  int fd_ = -1;
  bool owns_fd_ = false;
  std::FILE* stream_ = nullptr;
  std::int64_t size_ = -1;
  std::int64_t offset_ = 0;
  std::int64_t line_ = 1;
  std::int64_t line_start_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace pbrt
