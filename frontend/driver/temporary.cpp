// SPDX-License-Identifier: MIT
#include "frontend/driver/temporary.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ending_signals.h"
#include "lang/io_error.h"

namespace pb {
namespace {

// Globals, because a signal handler has no other way to reach state. It may only call async-signal-safe functions,
// hence fixed buffers. Slots are written by the main thread alone: the path first, then `is_used` (release), which the
// handler reads.
constexpr int kNumSlots = 16;
constexpr std::size_t kMaxPath = 4096;
struct Slot {
  std::atomic<bool> is_used{false};
  char path[kMaxPath] = {};
};
Slot g_slots[kNumSlots];
constexpr int kNumChildren = 4;
std::atomic<int> g_children[kNumChildren];

/// Names of the files that the driver may leave in a temporary folder; a handler cannot list a folder safely.
constexpr const char* kKnownFiles[] = {"/program.cpp",  "/prefix.h",       "/prefix.h.gch", "/library.o",
                                       "/exported.map", "/exported.names", "/printers.s"};

void remove_from_handler(const char* path) {
  if (unlink(path) == 0 || errno == ENOENT) return;
  for (const char* name : kKnownFiles) {
    char file[kMaxPath + 32];
    const std::size_t length = strlen(path);
    memcpy(file, path, length + 1);
    memcpy(file + length, name, strlen(name) + 1);
    unlink(file);
  }
  rmdir(path);
}

void on_signal(int signal_number) {
  for (const std::atomic<int>& slot : g_children) {
    const int child = slot.load(std::memory_order_acquire);
    if (child <= 0) continue;
    kill(-child, SIGTERM);  // its group: see process.cpp
    waitpid(child, nullptr, 0);
  }
  for (Slot& slot : g_slots) {
    if (slot.is_used.load(std::memory_order_acquire)) remove_from_handler(slot.path);
  }
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

int take_slot(const std::string& path) {
  if (path.size() + 1 > kMaxPath) return -1;
  for (int i = 0; i < kNumSlots; ++i) {
    if (g_slots[i].is_used.load(std::memory_order_relaxed)) continue;
    memcpy(g_slots[i].path, path.c_str(), path.size() + 1);
    g_slots[i].is_used.store(true, std::memory_order_release);  // pairs with on_signal
    return i;
  }
  return -1;
}

void free_slot(int slot) {
  if (slot >= 0) g_slots[slot].is_used.store(false, std::memory_order_release);
}

}  // namespace

TemporaryPath::TemporaryPath(std::string path) : path_(std::move(path)), slot_(take_slot(path_)) {}

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept
    : path_(std::exchange(other.path_, {})), slot_(std::exchange(other.slot_, -1)) {}

TemporaryPath::~TemporaryPath() {
  if (!path_.empty()) {
    std::error_code ignored;  // a destructor must not throw
    std::filesystem::remove_all(path_, ignored);
  }
  free_slot(slot_);
}

void TemporaryPath::rename_to(const std::string& target) {
  if (rename(path_.c_str(), target.c_str()) != 0) {
    throw IoError("cannot write `" + target + "`: " + strerror(errno));
  }
  path_.clear();
  free_slot(std::exchange(slot_, -1));
}

std::string make_temporary_folder() {
  const char* parent = getenv("TMPDIR");
  std::string pattern = std::string(parent && *parent ? parent : "/tmp") + "/pbc-XXXXXX";
  if (!mkdtemp(pattern.data())) throw IoError("cannot make a temporary folder `" + pattern + "`: " + strerror(errno));
  return pattern;
}

void install_signal_cleanup() {
  signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is a write that fails, with a message
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  constexpr std::array<int, 5> kEnding = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU};
  for (const int number : kEnding) sigaddset(&action.sa_mask, number);
  for (const int number : kEnding) act_unless_ignored(number, action);
}

void add_running_child(int pid) {
  for (std::atomic<int>& slot : g_children) {
    int free = 0;
    if (slot.compare_exchange_strong(free, pid, std::memory_order_acq_rel)) return;
  }
}

void remove_running_child(int pid) {
  for (std::atomic<int>& slot : g_children) {
    int found = pid;
    if (slot.compare_exchange_strong(found, 0, std::memory_order_acq_rel)) return;
  }
}

}  // namespace pb
