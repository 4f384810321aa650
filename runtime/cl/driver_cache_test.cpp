// SPDX-License-Identifier: MIT
#include "runtime/cl/driver_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace pbrt::cl {
namespace {

namespace fs = std::filesystem;

class DriverCache : public ::testing::Test {
 protected:
  DriverCache() { parent_ = ::mkdtemp((fs::temp_directory_path() / "pb_cl_test_XXXXXX").string().data()); }
  ~DriverCache() override { fs::remove_all(parent_); }

  /// Makes a folder with a kernel in it, written an hour ago.
  [[nodiscard]] fs::path old_folder(const std::string& name) const {
    fs::path path = parent_ / name;
    fs::create_directory(path);
    std::ofstream(path / "kernel") << "code";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
    return path;
  }

  fs::path parent_;
};

TEST_F(DriverCache, FoldersThatKilledProcessesLeftAreRemoved) {
  const std::string prefix = kRunFolderPrefix;
  const fs::path left = old_folder(prefix + "left"), used = old_folder(prefix + "used"), other = old_folder("other");
  const fs::path fresh = parent_ / (prefix + "fresh");
  fs::create_directory(fresh);
  const int lock = ::open(used.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  remove_left_folders(parent_);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(used / "kernel"));
  EXPECT_TRUE(fs::exists(other / "kernel"));
  EXPECT_TRUE(fs::exists(fresh));
  ::close(lock);
  remove_left_folders(parent_);
  EXPECT_FALSE(fs::exists(used)) << "its process has ended";
  remove_left_folders(parent_ / "none");
}

}  // namespace
}  // namespace pbrt::cl
