// SPDX-License-Identifier: MIT
#include "runtime/config/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/config/errors.h"
#include "runtime/config/paths.h"

namespace pbrt {
namespace {

[[noreturn]] void throw_cannot_write(const std::string& path, int error) {
  throw IoError("cannot write `" + path + "`: " + std::strerror(error));
}

/// Writes the whole text; 0, or the errno of the call that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

void write_directly(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) throw_cannot_write(path, errno);
  const int error = write_all(fd, text);
  ::close(fd);
  if (error != 0) throw_cannot_write(path, error);
}

mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

/// Holds back the signals that may end the process, except those that the thread's own faults cause.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t held;
    ::sigfillset(&held);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigdelset(&held, fault);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

void write_file_atomically(const std::string& path, std::string_view text) {
  const std::string target = follow_links(path);
  struct stat status {};
  const bool is_there = ::stat(target.c_str(), &status) == 0;
  if (is_there && S_ISDIR(status.st_mode)) throw_cannot_write(path, EISDIR);
  if (is_there && !S_ISREG(status.st_mode)) return write_directly(target, text);
  if (is_there && ::access(target.c_str(), W_OK) != 0) throw_cannot_write(path, errno);
  const SignalsHeldBack held;
  std::string beside = name_beside(target, ".XXXXXX");
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) throw_cannot_write(path, errno);
  int error = write_all(fd, text);
  if (error == 0 && ::fchmod(fd, is_there ? (status.st_mode & static_cast<mode_t>(07777)) : default_mode()) != 0)
    error = errno;
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(beside.c_str());
  throw_cannot_write(path, error);
}

}  // namespace pbrt
