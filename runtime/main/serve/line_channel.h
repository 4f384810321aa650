// SPDX-License-Identifier: MIT
// Lines in and out over two descriptors, for the measurement protocol.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pbrt {

class LineChannel {
 public:
  /// A channel that owns both descriptors.
  LineChannel(int in_fd, int out_fd) : in_fd_(in_fd), out_fd_(out_fd) {}
  ~LineChannel();
  LineChannel(const LineChannel&) = delete;
  LineChannel& operator=(const LineChannel&) = delete;

  /// The next line without its newline; nothing at the end. A last line without newline counts.
  ///
  /// Errors:  IoError if it is longer than protocol::kMaxLineBytes, or cannot be read
  [[nodiscard]] std::optional<std::string> read_line();
  /// Writes a line. Errors: IoError if it cannot be written, for example because the other end was closed.
  void write_line(std::string_view line);

 private:
  int in_fd_;
  int out_fd_;
  std::string pending_;
  bool is_at_end_ = false;
};

}  // namespace pbrt
