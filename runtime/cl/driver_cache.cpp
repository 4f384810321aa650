// SPDX-License-Identifier: MIT
#include "runtime/cl/driver_cache.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
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
  std::string name = (parent / "polybricks-XXXXXX").string();
  return ::mkdtemp(name.data()) != nullptr ? name : std::string();
}

/// Whether the folder, or the first one above that exists, takes new folders.
bool is_writable(fs::path folder) {
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const std::string probe = make_folder_in(folder);
  return !probe.empty() && ::rmdir(probe.c_str()) == 0;
}

class RunFolder {
 public:
  RunFolder() {
    std::error_code error;
    path_ = make_folder_in(fs::temp_directory_path(error));
    if (path_.empty()) return;
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
};

}  // namespace

void ensure_driver_cache() {
  if (!is_writable(folder_of_driver())) static const RunFolder folder;
}

}  // namespace pbrt::cl
