// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "runtime/config/errors.h"
#include "runtime/config/paths.h"

namespace pbrt {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;
constexpr mode_t kNewFileMode = 0666;

std::string temporary_name(const std::string& target) {
  struct timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  char suffix[64];
  std::snprintf(suffix, sizeof(suffix), ".%ld-%ld.tmp", static_cast<long>(::getpid()),
                static_cast<long>(now.tv_sec * 1000000000L + now.tv_nsec));
  return name_beside(target, suffix);
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  buffer_.reserve(kBufferBytes);
  if (path == "-") {
    is_direct_ = true;
    fd_ = STDOUT_FILENO;
    return;
  }
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw IoError("cannot write " + path + ": it is a directory");
  if (exists && !S_ISREG(status.st_mode)) {
    open_direct();
    return;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) fail("cannot write ");
  target_ = follow_links(path);
  open_beside();
  if (exists) {
    // The owner can only be kept by a privileged process; the permissions always.
    if (::fchown(fd_, status.st_uid, status.st_gid) != 0) errno = 0;
    if (::fchmod(fd_, status.st_mode & 07777) != 0) fail("cannot set the permissions of ");
  }
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      buffer_(std::move(other.buffer_)),
      fd_(other.fd_),
      is_direct_(other.is_direct_),
      owns_fd_(other.owns_fd_) {
  other.temporary_.clear();
  other.owns_fd_ = false;
}

OutputFile::~OutputFile() {
  if (owns_fd_) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::open_direct() {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ < 0) fail("cannot write ");
  is_direct_ = true;
  owns_fd_ = true;
}

void OutputFile::open_beside() {
  const std::string folder = folder_of(target_);
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw IoError("cannot write " + path_ + ": there is no folder " + folder);
  // A file without a name vanishes by itself when the process is killed.
  fd_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kNewFileMode);
  if (fd_ < 0) {
    const std::string name = temporary_name(target_);
    fd_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kNewFileMode);
    if (fd_ < 0) fail("cannot write ");
    temporary_ = name;
  }
  owns_fd_ = true;
}

void OutputFile::write(std::string_view text) {
  if (buffer_.size() + text.size() > kBufferBytes) {
    write_all(buffer_.data(), buffer_.size());
    buffer_.clear();
  }
  if (text.size() > kBufferBytes) {
    write_all(text.data(), text.size());
  } else {
    buffer_ += text;
  }
}

void OutputFile::write_all(const char* data, std::size_t count) {
  while (count != 0) {
    const ssize_t done = ::write(fd_, data, count);
    if (done < 0) {
      if (errno == EINTR) continue;
      fail("cannot write ");
    }
    data += done;
    count -= static_cast<std::size_t>(done);
  }
}

void OutputFile::finish() {
  write_all(buffer_.data(), buffer_.size());
  buffer_.clear();
  if (!is_direct_ || !owns_fd_) return;
  owns_fd_ = false;
  if (::close(fd_) != 0) fail("cannot write ");
}

void OutputFile::commit() {
  if (is_direct_) return;
  if (temporary_.empty()) {
    const std::string name = temporary_name(target_);
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) fail("cannot write ");
    temporary_ = name;
  }
  owns_fd_ = false;
  if (::close(fd_) != 0) fail("cannot write ");
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot write ");
  temporary_.clear();
}

bool OutputFile::is_same_place(const std::string& path) const { return is_place_of(path == "-", follow_links(path)); }

bool OutputFile::is_place_of(bool is_other_direct, const std::string& target) const {
  if (is_direct_ || is_other_direct) return false;
  const auto name_of = [](const std::string& path) { return std::string_view(path).substr(path.rfind('/') + 1); };
  struct stat mine = {}, others = {};
  return name_of(target_) == name_of(target) && ::stat(folder_of(target_).c_str(), &mine) == 0 &&
         ::stat(folder_of(target).c_str(), &others) == 0 && mine.st_dev == others.st_dev &&
         mine.st_ino == others.st_ino;
}

void OutputFile::fail(const char* what) const {
  const int error = errno;
  throw IoError(what + (path_ == "-" ? std::string("standard output") : path_) + ": " + std::strerror(error));
}

}  // namespace pbrt
