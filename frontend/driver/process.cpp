// SPDX-License-Identifier: MIT
#include "frontend/driver/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "frontend/driver/temporary.h"
#include "lang/io_error.h"

extern char** environ;

namespace pb {
namespace {

/// The environment of this process, set to messages in English, because compiler_output reads them.
std::vector<std::string> english_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("LC_ALL=") && !text.starts_with("LANGUAGE=")) out.emplace_back(text);
  }
  out.emplace_back("LC_ALL=C");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string read_all(int descriptor) {
  std::string out;
  char buffer[8192];
  while (true) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return out;
    out.append(buffer, static_cast<std::size_t>(count));
  }
}

void wait_for(pid_t child, ProcessResult& result) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    result.signal_number = WTERMSIG(status);
  } else {
    result.exit_status = WEXITSTATUS(status);
  }
}

}  // namespace

RunningProcess::RunningProcess(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw IoError(std::string("cannot make a pipe: ") + strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);

  // A group of its own, so that a signal reaches what the process has started, too: compilers are several processes.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  std::vector<std::string> texts = arguments;
  std::vector<std::string> environment = english_environment();
  start_error_ = posix_spawnp(&pid_, texts.front().c_str(), &actions, &attributes, pointers(texts).data(),
                              pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_ = ends[0];
  if (start_error_ == 0) {
    add_running_child(pid_);
  } else {
    pid_ = 0;
  }
}

RunningProcess::~RunningProcess() {
  if (pid_ > 0) {
    kill(-pid_, SIGTERM);
    ProcessResult unused;
    wait_for(pid_, unused);
    remove_running_child(pid_);
  }
  if (output_ >= 0) close(output_);
}

ProcessResult RunningProcess::finish() {
  ProcessResult result;
  result.start_error = start_error_;
  if (pid_ == 0) return result;
  result.output = read_all(output_);
  wait_for(pid_, result);
  remove_running_child(pid_);
  pid_ = 0;
  return result;
}

ProcessResult run_process(const std::vector<std::string>& arguments) { return RunningProcess(arguments).finish(); }

}  // namespace pb
