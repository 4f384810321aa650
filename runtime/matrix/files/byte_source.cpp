// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/config/errors.h"

namespace pbrt {

namespace {
constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
}

std::unique_ptr<ByteSource> ByteSource::open(const std::string& path) {
  std::unique_ptr<ByteSource> source(new ByteSource);
  source->buffer_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  source->capacity_ = kBufferBytes;
  if (path == "-") {
    source->name_ = "standard input";
    source->fd_ = STDIN_FILENO;
    return source;
  }
  source->name_ = path;
  source->fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (source->fd_ < 0) throw IoError("cannot read " + path + ": " + std::strerror(errno));
  source->owns_fd_ = true;
  struct stat status = {};
  if (::fstat(source->fd_, &status) != 0) throw IoError("cannot read " + path + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw IoError("cannot read " + path + ": it is a directory");
  if (S_ISREG(status.st_mode)) source->size_ = status.st_size;
  return source;
}

std::unique_ptr<ByteSource> ByteSource::over(std::FILE* stream, const std::string& name) {
  std::unique_ptr<ByteSource> source(new ByteSource);
  source->buffer_ = std::make_unique<char[]>(1);
  source->capacity_ = 1;
  source->name_ = name;
  source->stream_ = stream;
  return source;
}

ByteSource::~ByteSource() {
  if (stream_ != nullptr && next_ != end_) std::ungetc(static_cast<unsigned char>(*next_), stream_);
  if (owns_fd_) ::close(fd_);
}

std::size_t ByteSource::read_some(char* to, std::size_t count) {
  if (stream_ != nullptr) return std::fread(to, 1, std::min<std::size_t>(count, 1), stream_);
  for (;;) {
    const ssize_t got = ::read(fd_, to, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw IoError("cannot read " + name_ + ": " + std::strerror(errno));
  }
}

bool ByteSource::fill() {
  const std::size_t got = read_some(buffer_.get(), capacity_);
  next_ = buffer_.get();
  end_ = next_ + got;
  return got != 0;
}

std::size_t ByteSource::read(void* to, std::size_t count) {
  char* out = static_cast<char*>(to);
  std::size_t done = std::min(count, static_cast<std::size_t>(end_ - next_));
  if (done != 0) std::memcpy(out, next_, done);
  next_ += done;
  while (done < count) {
    const std::size_t got = read_some(out + done, count - done);
    if (got == 0) break;
    done += got;
  }
  offset_ += static_cast<std::int64_t>(done);
  return done;
}

std::string ByteSource::position() const { return position_at(line(), column()); }

std::string ByteSource::position_at(std::int64_t line, std::int64_t column) const {
  return name_ + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace pbrt
