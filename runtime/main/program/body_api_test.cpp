// SPDX-License-Identifier: MIT
// What bodies and prefix blocks see (docs/reference/language.md 7.6, 7.7), as their text would use it.
#include <gtest/gtest.h>

#include "runtime/generated.h"
#include "runtime/main/program/failed_assertions.h"

namespace {

TEST(BodyApi, HeadersOfTheLanguageAreThere) {
  EXPECT_EQ(sqrt(4.0) + floor(1.5) + M_PI * 0 + std::max(1, 2) + INT_MAX * 0, 5);
  EXPECT_EQ(std::numeric_limits<ElementT>::digits, 53);
  static_assert(std::is_same_v<IndexT, int>);
}

TEST(BodyApi, AssertionsMayStandAnywhere) {
  if (true)
    JASSERT(1 == 1)(2)(3).Text("never");
  else
    JASSERT(false);
  for (int i = 0; i < 2; ++i) JWARNING(i < 5)(i);
  JTRACE("nothing")(1)(2);
  EXPECT_EXIT(
      {
        int n = 3;
        pbrt::end_process_on_failed_assertions();
        JASSERT(n == 4)(n)("why").Text("text");
      },
      ::testing::ExitedWithCode(1), "assertion failed: n == 4\n  n = 3\n  \"why\" = why\n  text\n");
}

TEST(BodyApi, FailedAssertionsOfLibrariesAreExceptions) {
  try {
    UNIMPLEMENTED();
    FAIL();
  } catch (const pbrt::RuntimeError& error) {
    EXPECT_NE(std::string(error.what()).find("not implemented"), std::string::npos);
  }
}

TEST(BodyApi, NotesAndWarningsGoOn) {
  ::testing::internal::CaptureStderr();
  JNOTE("hello")(7);
  JWARNING(1 == 2);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("note: hello\n  7 = 7\n"), std::string::npos);
  EXPECT_NE(text.find("warning: 1 == 2\n"), std::string::npos);
}

TEST(BodyApi, AbortThrowsRunAborted) {
  EXPECT_THROW(PetabricksRuntime::abort(), pbrt::RunAborted);
  EXPECT_THROW(PetabricksRuntime::untrained(), pbrt::RunAborted);
}

TEST(BodyApi, RandomNumbersHaveTheirDefaults) {
  for (int i = 0; i < 1000; ++i) {
    const double d = PetabricksRuntime::randDouble();
    EXPECT_TRUE(d >= 0 && d < INT_MAX);
    EXPECT_LT(PetabricksRuntime::randInt(3, 5), 5);
    EXPECT_LT(PetabricksRuntime::rand01(), 1);
  }
  EXPECT_EQ(PetabricksRuntime::randInt(3, 3), 3);
}

TEST(BodyApi, CArraysOfWholeBuffersAreTheBuffer) {
  MatrixRegion2D m = MatrixRegion2D::allocate(2, 3);
  ElementT* ptr = nullptr;
  CArrayStorage store;
  to_c_array(m, ptr, store);
  EXPECT_EQ(ptr, m.base());
  from_c_array(m, ptr, store);
}

TEST(BodyApi, CArraysOfOtherViewsAreCopies) {
  MatrixRegion2D m = MatrixRegion2D::allocate(2, 3);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 2; ++x) m.cell(x, y) = 10 * y + x;
  ElementT* ptr = nullptr;
  CArrayStorage store;
  to_c_array(m.transposed(), ptr, store);
  EXPECT_EQ(ptr[1], 10);
  EXPECT_EQ(ptr[3], 1);
  ptr[1] = 99;
  from_c_array(m.transposed(), ptr, store);
  EXPECT_EQ(m.cell(0, 1), 99);
  to_c_array(m.column(1), ptr, store);
  ptr[0] = 5;
  free_c_array(ptr, store);
  EXPECT_EQ(m.cell(1, 0), 1);
}

TEST(BodyApi, RegionsAreCopiedToAndFromPointers) {
  MatrixRegion2D m = MatrixRegion2D::allocate(2, 2);
  const ElementT values[] = {1, 2, 3, 4};
  _regioncopy(m, values);
  EXPECT_EQ(m.cell(0, 1), 3);
  ElementT back[2];
  _regioncopy(back, m.column(1));
  EXPECT_EQ(back[1], 4);
  MatrixRegion2D t = MatrixRegion2D::allocate(2, 2);
  _regioncopy(t, CONVERT_TO_LOCAL(m).transposed());
  EXPECT_EQ(t.cell(1, 0), 3);
}

TEST(BodyApi, MatrixIoReadsWhatItWrites) {
  std::string name = "/tmp/pb_matrixio_XXXXXX";
  const int fd = ::mkstemp(name.data());
  ASSERT_GE(fd, 0);
  {
    MatrixIO io(name, "w");
    MatrixRegion1D v = MatrixRegion1D::allocate(2);
    v.cell(0) = 1.5;
    v.cell(1) = -2;
    io.write(v);
    MatrixRegion0D s = MatrixRegion0D::allocate();
    s = 7;
    io.write(s);
  }
  MatrixIO io(name);
  const MatrixRegion1D v = io.read1D();
  EXPECT_EQ(v.cell(0), 1.5);
  EXPECT_EQ(v.cell(1), -2);
  EXPECT_EQ(io.read0D(), 7);
  EXPECT_THROW((void)io.read1D(), pbrt::UserError);
  ::remove(name.c_str());
  EXPECT_THROW(MatrixIO("/nonexistent/file"), pbrt::IoError);
}

TEST(BodyApi, MissingOptionalInputsAreFlags) {
  const bool pb_missing_l = true;
  EXPECT_TRUE(IS_MISSING(l));
}

}  // namespace
