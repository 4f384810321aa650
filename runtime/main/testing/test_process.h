// SPDX-License-Identifier: MIT
// Child processes for the tests of this folder: run to the end with captured output, or talk to.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pbrt::test {

inline std::string quoted(const std::string& text) { return "'" + text + "'"; }

struct Finished {
  int status = 0;  ///< exit status; 128 + n for signal n
  std::string out, err;
};

/// A fresh directory per test in which mini_program runs.
class ProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "pb_main_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  /// Runs `mini_program <args>` through the shell, so that args may redirect; `before`: text before the command.
  [[nodiscard]] Finished mini(const std::string& args, const std::string& before = "") const {
    const std::string command = "cd " + quoted(folder_.string()) + " && " + before + " " + quoted(MINI_PROGRAM) + " " +
                                args + " >stdout.txt 2>stderr.txt";
    const int status = std::system(("{ " + command + "; }").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            without_path(get_and_remove("stdout.txt")), without_path(get_and_remove("stderr.txt"))};
  }

  std::filesystem::path folder_;

 private:
  std::string get_and_remove(const std::string& name) const {
    std::string text = get(name);
    std::filesystem::remove(folder_ / name);
    return text;
  }
  /// Messages without the program's path at their start, which differs between machines.
  static std::string without_path(std::string text) {
    const std::string path = MINI_PROGRAM;
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path))
      text.replace(at, path.size(), "mini");
    return text;
  }
};

}  // namespace pbrt::test
