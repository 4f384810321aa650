// SPDX-License-Identifier: MIT
#include "autotuner/measure/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/config/errors.h"
#include "runtime/config/formats/protocol.h"

namespace pbtune {
namespace {

constexpr std::size_t kMaxErrorBytes = 4096;
constexpr int kTickMs = 100;

struct Pipe {
  int read_end = -1, write_end = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw pbrt::IoError(std::string("cannot make a pipe: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

/// Turns the forked child into the program by async-signal-safe calls only. If that fails, it writes errno to `report`.
[[noreturn]] void become_child(char* const* arguments, const Pipe& in, const Pipe& out, const Pipe& err, int report,
                               pid_t parent, ChildProcess::Priority priority) {
  ::setpgid(0, 0);
  const sched_param no_priority{};
  if (priority == ChildProcess::Priority::WhenIdle) ::sched_setscheduler(0, SCHED_IDLE, &no_priority);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the parent died before prctl() took effect
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::dup2(in.read_end, 0);
  ::dup2(out.write_end, 1);
  ::dup2(err.write_end, 2);
  ::execv(arguments[0], arguments);
  const int error = errno;
  if (::write(report, &error, sizeof error) < 0) ::_exit(126);
  ::_exit(127);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, Priority priority) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  Pipe in = make_pipe(), out = make_pipe(), err = make_pipe(), report = make_pipe();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become_child(argv.data(), in, out, err, report.write_end, parent, priority);
  const int fork_error = errno;
  for (int* fd : {&in.read_end, &out.write_end, &err.write_end, &report.write_end}) close_if_open(*fd);
  input_ = in.write_end;
  output_ = out.read_end;
  error_ = err.read_end;
  int error = pid_ < 0 ? fork_error : 0;
  if (pid_ > 0) ::setpgid(pid_, pid_);  // parent and child both do this; the failure of the later one does not matter
  if (pid_ > 0 && ::read(report.read_end, &error, sizeof error) != static_cast<ssize_t>(sizeof error)) error = 0;
  close_if_open(report.read_end);
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
  ::fcntl(error_, F_SETFL, O_NONBLOCK);
  ::fcntl(input_, F_SETFL, O_NONBLOCK);
  if (error == 0) return;
  if (pid_ > 0) reap();
  for (int* fd : {&input_, &output_, &error_}) close_if_open(*fd);
  throw pbrt::IoError("cannot run `" + arguments[0] + "`: " + std::strerror(error));
}

ChildProcess::~ChildProcess() {
  kill();
  reap();
  for (int* fd : {&input_, &output_, &error_}) close_if_open(*fd);
}

bool ChildProcess::send_line(const std::string& line) {
  constexpr int kPatienceMs = 10000;
  const std::string text = line + "\n";
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::write(input_, text.data() + sent, text.size() - sent);
    if (count > 0) sent += static_cast<std::size_t>(count);
    if (count >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd waiting{input_, POLLOUT, 0};
    drain_errors();
    if (::poll(&waiting, 1, kPatienceMs) == 0) return false;
  }
  return true;
}

ChildProcess::Read ChildProcess::read_line(std::string& line, std::chrono::steady_clock::time_point deadline,
                                           const std::function<void()>& on_tick) {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return Read::Line;
    }
    if (buffer_.size() > pbrt::protocol::kMaxLineBytes) return Read::Ended;
    on_tick();
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    std::array<pollfd, 2> waiting{{{output_, POLLIN, 0}, {error_, POLLIN, 0}}};
    const int timeout = static_cast<int>(left <= 0 ? 0 : std::min<long>(kTickMs, left + 1));
    if (::poll(waiting.data(), error_ >= 0 ? 2 : 1, timeout) < 0) continue;
    drain_errors();
    std::array<char, 65536> chunk{};
    const ssize_t count = ::read(output_, chunk.data(), chunk.size());
    if (count > 0) buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return Read::Ended;
    if (count < 0 && left <= 0) return Read::TimedOut;
  }
}

void ChildProcess::drain_errors() {
  std::array<char, 4096> chunk{};
  while (error_ >= 0) {
    const ssize_t count = ::read(error_, chunk.data(), chunk.size());
    if (count == 0) close_if_open(error_);
    if (count <= 0) break;
    errors_.append(chunk.data(), static_cast<std::size_t>(count));
    if (errors_.size() > kMaxErrorBytes) errors_.erase(0, errors_.size() - kMaxErrorBytes);
  }
}

void ChildProcess::kill() {
  if (is_reaped_ || pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  was_killed_by_us_ = true;
}

void ChildProcess::reap() {
  if (is_reaped_ || pid_ <= 0) return;
  while (::waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  is_reaped_ = true;
}

std::string ChildProcess::end() {
  // A child that was not killed has closed its output. It gets half a second to end by itself, so that its own status
  // is reported.
  constexpr int kPatienceMs = 500, kStepMs = 5;
  for (int waited = 0; !is_reaped_ && !was_killed_by_us_ && waited < kPatienceMs; waited += kStepMs) {
    if (::waitpid(pid_, &wait_status_, WNOHANG) == pid_)
      is_reaped_ = true;
    else
      ::poll(nullptr, 0, kStepMs);
  }
  if (is_reaped_)
    ::kill(-pid_, SIGKILL);  // processes that the child left behind in its group
  else
    kill();
  reap();
  drain_errors();
  if (WIFSIGNALED(wait_status_)) {
    const int number = WTERMSIG(wait_status_);
    return "killed by signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(wait_status_));
}

}  // namespace pbtune
