// SPDX-License-Identifier: MIT
#include "runtime/cl/driver_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace pbrt::cl {
namespace {

namespace fs = std::filesystem;

/// A variable of the environment that is set to something.
const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

/// The folder in which PoCL would keep its kernels.
fs::path folder_of_driver() {
  if (const char* own = setting("POCL_CACHE_DIR")) return own;
  if (const char* base = setting("XDG_CACHE_HOME")) return fs::path(base) / "pocl/kcache";
  if (const char* home = setting("HOME")) return fs::path(home) / ".cache/pocl/kcache";
  return "/tmp/pocl/kcache";
}

/// Makes a folder of a new name in `parent`; empty if that is not possible.
std::string make_folder_in(const fs::path& parent) {
  std::string name = (parent / kRunFolderPrefix).string() + "XXXXXX";
  return ::mkdtemp(name.data()) != nullptr ? name : std::string();
}

/// Whether the folder, or the first one above that exists, takes new folders.
bool is_writable(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const std::string probe = make_folder_in(folder);
  return !probe.empty() && ::rmdir(probe.c_str()) == 0;
}

/// A lock on a folder of this user, which ends with the process.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
    struct stat status {};
    is_held_ =
        fd_ >= 0 && ::fstat(fd_, &status) == 0 && status.st_uid == ::geteuid() && ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  int fd_;
  bool is_held_ = false;
};

class RunFolder {
 public:
  RunFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    remove_left_folders(parent);
    path_ = make_folder_in(parent);
    if (path_.empty()) return;
    lock_.emplace(path_);
    ::setenv("POCL_CACHE_DIR", path_.c_str(), 1);
    ::setenv("POCL_KERNEL_CACHE", "0", 1);
  }
  ~RunFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

 private:
  std::string path_;
  std::optional<FolderLock> lock_;
};

}  // namespace

void remove_left_folders(const fs::path& parent) {
  constexpr std::chrono::minutes kUntilLocked{1};  // a process locks its folder as soon as it has made it
  std::error_code error, ignored;                  // what cannot be looked at or removed stays
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kRunFolderPrefix)) continue;
    const fs::file_time_type written = entry->last_write_time(ignored);
    if (ignored || fs::file_time_type::clock::now() - written < kUntilLocked) continue;
    if (FolderLock(entry->path()).is_held()) fs::remove_all(entry->path(), ignored);
  }
}

void ensure_driver_cache() {
  if (!is_writable(folder_of_driver())) static const RunFolder folder;
}

}  // namespace pbrt::cl
