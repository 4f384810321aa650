// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/output_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <thread>

#include "runtime/matrix/files/test_files.h"

namespace pbrt {
namespace {

class OutputFiles : public test::FileTest {
 protected:
  std::string write_error(const std::string& full_path) const {
    try {
      OutputFile file(full_path);
      file.write(std::string(1 << 20, 'x'));
      file.finish();
      file.commit();
    } catch (const IoError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(OutputFiles, AppearOnlyAtCommit) {
  {
    OutputFile file(path("a"));
    file.write("new");
    file.finish();
    EXPECT_FALSE(std::filesystem::exists(path("a")));
    file.commit();
    EXPECT_EQ(get("a"), "new");
  }
  EXPECT_EQ(num_files(), 1);
}

TEST_F(OutputFiles, KeepTheOldContentWithoutCommit) {
  put("a", "old");
  {
    OutputFile file(path("a"));
    file.write("new");
    file.finish();
  }
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(OutputFiles, KeepPermissions) {
  put("a", "old");
  ::chmod(path("a").c_str(), 0604);
  OutputFile file(path("a"));
  file.write("new");
  file.finish();
  file.commit();
  struct stat status = {};
  ::stat(path("a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0604U);
  EXPECT_EQ(get("a"), "new");
}

TEST_F(OutputFiles, FollowSymbolicLinks) {
  std::filesystem::create_directory(path("d"));
  put("d/real", "old");
  std::filesystem::create_symlink("d/real", path("link"));
  std::filesystem::create_symlink("d/none_yet", path("dangling"));
  for (const char* name : {"link", "dangling"}) {
    OutputFile file(path(name));
    file.write("new");
    file.finish();
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(path(name)));
  }
  EXPECT_EQ(get("d/real"), "new");
  EXPECT_EQ(get("d/none_yet"), "new");
}

TEST_F(OutputFiles, MayHaveTheLongestNames) {
  const std::string name(255, 'n');
  EXPECT_EQ(write_error(path(name)), "no error");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(OutputFiles, KnowOtherWaysToTheirPlace) {
  std::filesystem::create_directory(path("d"));
  std::filesystem::create_symlink("d/a", path("link"));
  const OutputFile file(path("d/a"));
  EXPECT_TRUE(file.is_same_place(path("link")));
  EXPECT_TRUE(file.is_same_place(path("d/../d/a")));
  EXPECT_FALSE(file.is_same_place(path("a")));
  EXPECT_FALSE(file.is_same_place("-"));
}

TEST_F(OutputFiles, NameAMissingFolder) {
  EXPECT_EQ(write_error(path("none/a")), "cannot write " + path("none/a") + ": there is no folder " + path("none"));
  EXPECT_NE(write_error(folder_.string()).find("it is a directory"), std::string::npos);
}

TEST_F(OutputFiles, ReportAFullDevice) {
  EXPECT_EQ(write_error("/dev/full"), "cannot write /dev/full: No space left on device");
}

TEST_F(OutputFiles, LeaveNothingWhenSpaceRunsOut) {
  put("a", "old");
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 100000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = write_error(path("a"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(error, "cannot write " + path("a") + ": File too large");
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(OutputFiles, WriteToPipesDirectly) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = get("pipe"); });
  {
    OutputFile file(path("pipe"));
    file.write("through");
    file.finish();
    file.commit();
  }
  reader.join();
  EXPECT_EQ(got, "through");
}

TEST_F(OutputFiles, AllAppearOrNone) {
  MatrixWriter writer({});
  writer.open(path("a.txt"));
  writer.open(path("b.pgm"));
  writer.write(0, test::counting(ElementKind::Double, {2}), "A[n]");
  EXPECT_THROW(writer.write(1, test::counting(ElementKind::Double, {2}), "B[n]"), UserError);
  EXPECT_EQ(num_files(), 0);
}

TEST_F(OutputFiles, HoldOneMatrixEach) {
  std::filesystem::create_directory(path("d"));
  std::filesystem::create_directory_symlink("d", path("also_d"));
  MatrixWriter writer({});
  writer.open(path("d/a.txt"));
  writer.open(path("a.txt"));
  writer.open("/dev/null");
  writer.open("/dev/null");
  try {
    writer.open(path("also_d/a.txt"));
    FAIL() << "the second would replace the first";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), path("also_d/a.txt") + " is to hold two outputs: each needs a file of its own");
  }
}

TEST_F(OutputFiles, InputsReportWhatIsWrongWithTheFile) {
  const MatrixSpec spec{"M[n]", ElementKind::Double, 1};
  EXPECT_EQ(error_of("none.txt", spec), "cannot read " + path("none.txt") + ": No such file or directory");
  std::filesystem::create_directory(path("d"));
  EXPECT_EQ(error_of("d", spec), "cannot read " + path("d") + ": it is a directory");
}

}  // namespace
}  // namespace pbrt
