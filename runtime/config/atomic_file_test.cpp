// SPDX-License-Identifier: MIT
#include "runtime/config/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/config/errors.h"

namespace pbrt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AtomicFileTest : public ::testing::Test {
 protected:
  AtomicFileTest() { folder = ::mkdtemp(folder.data()); }
  ~AtomicFileTest() override { fs::remove_all(folder); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder + "/" + name; }
  [[nodiscard]] std::ptrdiff_t num_files() const { return std::distance(fs::directory_iterator(folder), {}); }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string error_of(const std::string& path) {
    try {
      write_file_atomically(path, "x");
    } catch (const IoError& error) {
      return error.what();
    }
    return {};
  }

  std::string folder = fs::temp_directory_path() / "atomic_file_test.XXXXXX";
};

TEST_F(AtomicFileTest, ReplacesAndLeavesNothingBeside) {
  write_file_atomically(path("out"), "first");
  write_file_atomically(path("out"), "second");
  EXPECT_EQ(read(path("out")), "second");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(AtomicFileTest, AFailureLeavesNothingBehind) {
  EXPECT_THAT(error_of(path("none/out")), HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of("/dev/full"), HasSubstr("No space left"));
  EXPECT_THAT(error_of(folder), HasSubstr("Is a directory"));
  EXPECT_EQ(num_files(), 0);
}

TEST_F(AtomicFileTest, LinksAreFollowedAlsoToFilesThatAreNotThereYet) {
  fs::create_directory(path("store"));
  fs::create_symlink("store/real", path("link"));
  for (const char* text : {"first", "second"}) {
    write_file_atomically(path("link"), text);
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(read(path("store/real")), text);
  }
}

TEST_F(AtomicFileTest, ProtectedFilesStay) {
  write_file_atomically(path("out"), "text");
  ASSERT_EQ(::chmod(path("out").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;  // root may write all files
    if (::getuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    ::_exit(error_of(path("out")).find("Permission denied") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) GTEST_SKIP() << "there is no user who may not write all files";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read(path("out")), "text");
}

TEST_F(AtomicFileTest, NamesMayBeTheLongestThatThereAre) {
  const std::string name(255, 'n');
  write_file_atomically(path(name), "text");
  EXPECT_EQ(read(path(name)), "text");
}

TEST_F(AtomicFileTest, DevicesAndPipesStayWhatTheyAre) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDWR);
  ASSERT_GE(reader, 0);
  write_file_atomically(pipe, "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
  char found[4];
  ASSERT_EQ(::read(reader, found, sizeof found), 4);
  EXPECT_EQ(std::string(found, 4), "text");
  ::close(reader);
}

TEST_F(AtomicFileTest, ASignalLeavesTheWholeFileAndNothingBeside) {
  const std::string text(1 << 20, 'x');
  write_file_atomically(path("out"), text);
  for (int i = 0; i < 20; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      for (;;) write_file_atomically(path("out"), text);
    ::usleep(static_cast<useconds_t>(1000 + 700 * i));
    ::kill(child, SIGTERM);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    ASSERT_EQ(num_files(), 1) << i;
    ASSERT_EQ(fs::file_size(path("out")), text.size()) << i;
  }
}

}  // namespace
}  // namespace pbrt
