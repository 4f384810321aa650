// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/text_format.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <vector>

#include "runtime/matrix/files/test_files.h"

namespace pbrt {
namespace {

using test::counting;

class TextFormat : public test::FileTest {};

const MatrixSpec kM0{"M", ElementKind::Double, 0};
const MatrixSpec kM1{"M[n]", ElementKind::Double, 1};
const MatrixSpec kM2{"M[w, h]", ElementKind::Double, 2};

TEST_F(TextFormat, WritesTheExampleOfTheLanguageToTheByte) {
  AnyMatrix m = counting(ElementKind::Double, {3, 2});
  for (int i = 0; i < 6; ++i) static_cast<double*>(m.data())[i] += 1;
  write("m.txt", m);
  EXPECT_EQ(get("m.txt"), "SIZE 3 2\n   1    2    3 \n   4    5    6 \n\n");
}

TEST_F(TextFormat, SeparatesPlanesWithAnEmptyLine) {
  write("m.txt", counting(ElementKind::Double, {2, 2, 2}));
  EXPECT_EQ(get("m.txt"), "SIZE 2 2 2\n   0    1 \n   2    3 \n\n   4    5 \n   6    7 \n\n");
}

TEST_F(TextFormat, WarnsOfNumbersBehindTheLastOne) {
  const auto warning_of = [&](const std::string& text) {
    put("m.txt", text);
    ::testing::internal::CaptureStderr();
    (void)MatrixReader().read(path("m.txt"), kM1);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning_of("SIZE 2\n1 2 # two\n\n"), "");
  EXPECT_EQ(warning_of("SIZE 2\n1 2\n\nsize 1\n3\n"), "") << "another matrix";
  EXPECT_EQ(warning_of("SIZE 2\n1 2\n 3 4"),
            "warning: " + path("m.txt") +
                ":3:2: `3` follows the last number that `SIZE` promises; the rest of the file is not read\n");
}

TEST_F(TextFormat, WarnsWhereANamePromisesAnotherFormat) {
  const auto warning_of = [&](const std::string& name) {
    ::testing::internal::CaptureStderr();
    write(name, counting(ElementKind::Double, {2}));
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning_of("m.PNG"),
            "warning: " + path("m.PNG") + " will hold text: the endings of other formats are .npy, .pgm, .ppm\n");
  EXPECT_EQ(warning_of("m.txt") + warning_of("m.dat") + warning_of("m"), "");
}

TEST_F(TextFormat, EndsOneDimensionWithTwoNewlines) {
  write("m.txt", counting(ElementKind::Double, {2}));
  EXPECT_EQ(get("m.txt"), "SIZE 2\n   0    1 \n\n");
}

TEST_F(TextFormat, WritesASingleNumberWithoutTrailingBlank) {
  write("m.txt", counting(ElementKind::Double, {}));
  EXPECT_EQ(get("m.txt"), "SIZE\n   0\n");
}

TEST_F(TextFormat, WritesOnlyTheSizeLineOfAnEmptyMatrix) {
  write("m.txt", counting(ElementKind::Double, {0, 3}));
  EXPECT_EQ(get("m.txt"), "SIZE 0 3\n");
}

TEST_F(TextFormat, WritesNumbersLikePrintf) {
  const double values[] = {1.0 / 3,  -1e-7, 123456789.0, 1e300, -0.0, 0.0001, std::numeric_limits<double>::infinity(),
                           12345.678};
  const IndexT size = 8;
  AnyMatrix m = AnyMatrix::allocate(ElementKind::Double, 1, &size);
  std::string expected = "SIZE 8\n";
  for (int i = 0; i < 8; ++i) {
    static_cast<double*>(m.data())[i] = values[i];
    char text[40];
    std::snprintf(text, sizeof(text), "%4.8g ", values[i]);
    expected += text;
  }
  write("m.txt", m);
  EXPECT_EQ(get("m.txt"), expected + "\n\n");
}

TEST_F(TextFormat, WritesEdgesOfTheFormatToTheByte) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {0,
                           -0.0,
                           1e-300,
                           -1e-300,
                           5e-324,
                           1.7976931348623157e308,
                           12345678,
                           123456789,
                           -12345678.5,
                           99999999.5,
                           1e8,
                           1e-5,
                           0.0001234,
                           1234.56789,
                           100000.00001,
                           0.1 + 0.2,
                           2.0 / 3.0,
                           -7,
                           -kInf,
                           kInf,
                           kNan,
                           std::copysign(kNan, -1.0)};
  const IndexT size = std::size(values);
  AnyMatrix m = AnyMatrix::allocate(ElementKind::Double, 1, &size);
  std::copy(std::begin(values), std::end(values), static_cast<double*>(m.data()));
  std::string expected = "SIZE " + std::to_string(size) + "\n";
  for (const double value : values) {
    char text[40];
    std::snprintf(text, sizeof(text), "%4.8g ", value);
    expected += text;
  }
  write("m.txt", m);
  EXPECT_EQ(get("m.txt"), expected + "\n\n");
  for (const double value : values) {
    AnyMatrix number = AnyMatrix::allocate(ElementKind::Double, 0, nullptr);
    *static_cast<double*>(number.data()) = value;
    char text[40];
    std::snprintf(text, sizeof(text), "SIZE\n%4.8g\n", value);
    write("n.txt", number);
    EXPECT_EQ(get("n.txt"), text);
  }
}

TEST_F(TextFormat, WritesZeroSizesInAnyDimensionAsTheSizeLine) {
  for (const std::vector<IndexT>& sizes : {std::vector<IndexT>{0}, {2, 0}, {0, 0}, {3, 0, 2}, {1, 2, 0}}) {
    write("m.txt", AnyMatrix::allocate(ElementKind::Double, static_cast<int>(sizes.size()), sizes.data()));
    std::string expected = "SIZE";
    for (const IndexT size : sizes) expected += " " + std::to_string(size);
    EXPECT_EQ(get("m.txt"), expected + "\n");
  }
  write("m.txt", counting(ElementKind::Double, {1, 1, 1, 2}));
  EXPECT_EQ(get("m.txt"), "SIZE 1 1 1 2\n   0 \n\n\n   1 \n\n");
}

TEST_F(TextFormat, KeepsTheFormatAcrossBuffers) {
  write("m.txt", counting(ElementKind::Double, {100, 50}, 0.125));
  std::string expected = "SIZE 100 50\n";
  for (int i = 0; i < 5000; ++i) {
    char text[40];
    std::snprintf(text, sizeof(text), "%4.8g %s", i * 0.125, i % 100 == 99 ? "\n" : "");
    expected += text;
  }
  EXPECT_EQ(get("m.txt"), expected + "\n");
}

TEST_F(TextFormat, KeepsAllDigitsWithPrecision17AndOfIntegers) {
  const IndexT size = 1;
  AnyMatrix m = AnyMatrix::allocate(ElementKind::Double, 1, &size);
  *static_cast<double*>(m.data()) = 0.1;
  write("d.txt", m, {17, 255});
  EXPECT_EQ(get("d.txt"), "SIZE 1\n0.10000000000000001 \n\n");
  AnyMatrix l = AnyMatrix::allocate(ElementKind::Long, 1, &size);
  *static_cast<long*>(l.data()) = 9007199254740993L;
  write("l.txt", l);
  EXPECT_EQ(get("l.txt"), "SIZE 1\n9007199254740993 \n\n");
  const AnyMatrix back = MatrixReader().read(path("l.txt"), {"L[n]", ElementKind::Long, 1});
  EXPECT_EQ(*static_cast<long*>(back.data()), 9007199254740993L);
}

TEST_F(TextFormat, ReadsAnyLayoutCommentsAndSpellings) {
  put("m.txt", "# made by hand\nsize 3x2 # two rows\n 1\t-12.5e-3\n\n.5 # half\n+4 nan\ninf");
  const AnyMatrix m = MatrixReader().read(path("m.txt"), kM2);
  EXPECT_EQ(m.size(0), 3);
  EXPECT_EQ(m.size(1), 2);
  EXPECT_EQ(m.number_at(1), -0.0125);
  EXPECT_EQ(m.number_at(2), 0.5);
  EXPECT_EQ(m.number_at(3), 4);
  EXPECT_TRUE(std::isnan(m.number_at(4)));
  EXPECT_TRUE(std::isinf(m.number_at(5)));
}

TEST_F(TextFormat, ReadsWhatItWrites) {
  const AnyMatrix m = counting(ElementKind::Float, {3, 4, 2}, 0.1);
  write("m.txt", m, {9, 255});
  const AnyMatrix back = MatrixReader().read(path("m.txt"), {"M", ElementKind::Float, 3});
  ASSERT_TRUE(back.has_same_shape(m));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(back.number_at(i), m.number_at(i));
}

TEST_F(TextFormat, ReadsZeroDimensionsAndZeroSizes) {
  put("a.txt", "SIZE\n42\n");
  EXPECT_EQ(MatrixReader().read(path("a.txt"), kM0).number_at(0), 42);
  put("b.txt", "SIZE 0 7\n");
  EXPECT_EQ(MatrixReader().read(path("b.txt"), kM2).count(), 0);
}

TEST_F(TextFormat, ReadsSeveralMatricesFromOneStream) {
  put("m.txt", "SIZE 2\n1 2\nSIZE\n3 SIZE 1\n4\n");
  const auto source = ByteSource::open(path("m.txt"));
  EXPECT_EQ(read_text(*source, kM1).number_at(1), 2);
  EXPECT_EQ(read_text(*source, kM0).number_at(0), 3);
  EXPECT_EQ(read_text(*source, kM1).number_at(0), 4);
}

TEST_F(TextFormat, LeavesACStreamBehindTheLastNumber) {
  put("m.txt", "SIZE 2\n1 2 rest");
  std::FILE* file = std::fopen(path("m.txt").c_str(), "r");
  EXPECT_EQ(read_text(*ByteSource::over(file, "m.txt"), kM1).number_at(1), 2);
  char rest[8] = {};
  EXPECT_EQ(std::fscanf(file, "%7s", rest), 1);
  EXPECT_STREQ(rest, "rest");
  std::fclose(file);
}

TEST_F(TextFormat, NamesLineAndColumnOfWhatIsNoNumber) {
  put("m.txt", "SIZE 2 2\n1 2\n  3 x4\n");
  EXPECT_EQ(error_of("m.txt", kM2), path("m.txt") + ":3:5: `x4` is not a number");
  put("c.txt", "SIZE 2\n1 2,5\n");
  EXPECT_EQ(error_of("c.txt", kM1), path("c.txt") + ":2:3: `2,5` is not a number");
}

TEST_F(TextFormat, NamesBothNumbersOfDimensions) {
  put("m.txt", "SIZE 2 2\n1 2 3 4\n");
  EXPECT_EQ(error_of("m.txt", kM1), path("m.txt") + ":1:1: the file has 2 dimensions, `M[n]` has 1");
}

TEST_F(TextFormat, SaysWhereATruncatedFileEnds) {
  put("m.txt", "SIZE 3\n10 20 ");
  EXPECT_EQ(error_of("m.txt", kM1), path("m.txt") + ":2:7: the file ends after 2 of 3 numbers");
}

TEST_F(TextFormat, RefusesAbsurdSizesWithoutAllocating) {
  put("m.txt", "SIZE 2000000000 2000000000\n1 2 3");
  EXPECT_NE(error_of("m.txt", kM2).find("too short for the 4000000000000000000 numbers"), std::string::npos);
  put("o.txt", "SIZE 99999999999\n1");
  EXPECT_EQ(error_of("o.txt", kM1), path("o.txt") + ":1:6: the size is larger than 2147483647");
  put("p.txt", "SIZE 2000000000 2000000000 2000000000 2000000000\n1 2 3");
  EXPECT_NE(error_of("p.txt", {"M", ElementKind::Double, 4}).find("too short"), std::string::npos);
}

TEST_F(TextFormat, RefusesFilesOfAnotherKind) {
  put("e.txt", "");
  EXPECT_NE(error_of("e.txt", kM1).find("the file ends where `SIZE` is expected"), std::string::npos);
  put("p.txt", "P5\n1 1\n255\nx");
  EXPECT_NE(error_of("p.txt", kM1).find(".pgm"), std::string::npos);
  put("n.txt", "SIZE -3\n");
  EXPECT_EQ(error_of("n.txt", kM1), path("n.txt") + ":1:6: expected the sizes of the matrix, non-negative integers");
  put("ten.txt", "SIZE 1 1 1 1 1 1 1 1 1 1\n");
  EXPECT_NE(error_of("ten.txt", kM1).find("at most 9"), std::string::npos);
}

TEST_F(TextFormat, SkipsTheMarkBeforeUtf8Text) {
  put("m.txt", "\xef\xbb\xbfSIZE 2\r\n7 8\r\n");
  EXPECT_EQ(MatrixReader().read(path("m.txt"), kM1).number_at(1), 8);
  put("n.txt",
      "SIZE 2\n7 \xef\xbb\xbf"
      "8\n");
  EXPECT_NE(error_of("n.txt", kM1), "");
}

TEST_F(TextFormat, IntegersAreExactInEverySpelling) {
  const MatrixSpec kLong{"M", ElementKind::Long, 0};
  const auto read_long = [&](const std::string& number) {
    const AnyMatrix matrix = MatrixReader().read(put("l.txt", "SIZE\n" + number + "\n"), kLong);
    return *static_cast<const long*>(matrix.data());
  };
  EXPECT_EQ(read_long("9007199254740993.0"), 9007199254740993);
  EXPECT_EQ(read_long("+9007199254740993e0"), 9007199254740993);
  EXPECT_EQ(read_long("-90071992547409930e-1"), -9007199254740993);
  EXPECT_EQ(read_long("922337203685477580.7E+1"), INT64_MAX);
  EXPECT_EQ(read_long("-9223372036854775808."), INT64_MIN);
  EXPECT_EQ(read_long("0.0012e4"), 12);
  EXPECT_EQ(read_long("-.0e-99999999999999999999"), 0);
  for (const char* number :
       {"9007199254740993.5", "1e-400", "0.99999999999999999999", "-1e-99999999999999999999", "nan"}) {
    put("l.txt", "SIZE\n" + std::string(number) + "\n");
    EXPECT_NE(error_of("l.txt", kLong).find("long: it is not an integer"), std::string::npos) << number;
  }
  for (const char* number : {"9223372036854775808.0", "1e19", "1e99999999999999999999", "inf"}) {
    put("l.txt", "SIZE\n" + std::string(number) + "\n");
    EXPECT_NE(error_of("l.txt", kLong).find("long: it is too large"), std::string::npos) << number;
  }
  put("l.txt", "SIZE\n-9223372036854775809.0\n");
  EXPECT_NE(error_of("l.txt", kLong).find("long: it is too small"), std::string::npos);
}

TEST_F(TextFormat, FloatsAreTheNearestOnes) {
  const auto read_float = [&](const std::string& number) {
    const AnyMatrix matrix = MatrixReader().read(put("f.txt", "SIZE\n" + number + "\n"), {"M", ElementKind::Float, 0});
    return *static_cast<const float*>(matrix.data());
  };
  for (const char* number : {"1.00000005960464477540", "1.00000017881393432617187499", "1e-45", "1e-60", "-1e-60"})
    EXPECT_EQ(read_float(number), std::strtof(number, nullptr)) << number;
  EXPECT_TRUE(std::isnan(read_float("nan")));
  EXPECT_TRUE(std::isinf(read_float("-inf")));
}

TEST_F(TextFormat, RefusesNumbersThatDoNotFitTheType) {
  put("m.txt", "SIZE 1\n0.5\n");
  EXPECT_EQ(error_of("m.txt", {"M[n]", ElementKind::Int, 1}),
            path("m.txt") + ":2:1: `0.5` does not fit into an element of type int: it is not an integer");
  put("b.txt", "SIZE 1\n256\n");
  EXPECT_NE(error_of("b.txt", {"M[n]", ElementKind::UChar, 1}).find("uchar: it is too large"), std::string::npos);
  for (const char* number : {"-1", "-1.0", "-1e400"}) {
    put("b.txt", "SIZE 1\n" + std::string(number) + "\n");
    EXPECT_NE(error_of("b.txt", {"M[n]", ElementKind::UChar, 1}).find("uchar: it is too small"), std::string::npos)
        << number;
  }
  put("f.txt", "SIZE 1\n1e39\n");
  EXPECT_NE(error_of("f.txt", {"M[n]", ElementKind::Float, 1}).find("too large"), std::string::npos);
  put("d.txt", "SIZE 2\n1e-400 1e400\n");
  EXPECT_NE(error_of("d.txt", kM1).find("`1e400` does not fit"), std::string::npos);
}

}  // namespace
}  // namespace pbrt
