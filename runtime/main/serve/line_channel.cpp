// SPDX-License-Identifier: MIT
#include "runtime/main/serve/line_channel.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/config/errors.h"
#include "runtime/config/formats/protocol.h"

namespace pbrt {

LineChannel::~LineChannel() {
  ::close(in_fd_);
  ::close(out_fd_);
}

std::optional<std::string> LineChannel::read_line() {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t newline = pending_.find('\n', searched);
    if (newline != std::string::npos || (is_at_end_ && !pending_.empty())) {
      std::string line = pending_.substr(0, newline);
      pending_.erase(0, newline == std::string::npos ? newline : newline + 1);
      return line;
    }
    if (is_at_end_) return std::nullopt;
    searched = pending_.size();
    if (searched > protocol::kMaxLineBytes) throw IoError("a request is longer than 16 MiB");
    char chunk[65536];
    const ssize_t got = ::read(in_fd_, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw IoError(std::string("cannot read requests: ") + std::strerror(errno));
    is_at_end_ = got == 0;
    pending_.append(chunk, static_cast<std::size_t>(got));
  }
}

void LineChannel::write_line(std::string_view line) {
  std::string text(line);
  text += '\n';
  const char* data = text.data();
  std::size_t left = text.size();
  while (left != 0) {
    const ssize_t done = ::write(out_fd_, data, left);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw IoError(std::string("cannot write a reply: ") + std::strerror(errno));
    data += done;
    left -= static_cast<std::size_t>(done);
  }
}

}  // namespace pbrt
