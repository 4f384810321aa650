// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/pnm_format.h"

#include "runtime/matrix/files/test_files.h"

namespace pbrt {
namespace {

using test::counting;
using namespace std::string_literals;

class PnmFormat : public test::FileTest {};

const MatrixSpec kGrey{"In[w, h]", ElementKind::Double, 2};
const MatrixSpec kColour{"In[w, h, 3]", ElementKind::Double, 3};

TEST_F(PnmFormat, ReadsGreyPicturesInAllFourForms) {
  put("ascii8.pgm", "P2 # comment\n3 2\n# another\n255\n0 1 2\n3 4 5\n");
  put("ascii16.pgm", "P2\n3 2\n65535\n0 1 2 3 4 5");
  put("binary8.pgm", "P5\n3 2\n255\n\0\1\2\3\4\5"s);
  put("binary16.pgm", "P5 3 2 65535\n\0\0\0\1\0\2\0\3\0\4\0\5"s);
  for (const char* name : {"ascii8.pgm", "ascii16.pgm", "binary8.pgm", "binary16.pgm"}) {
    const AnyMatrix m = MatrixReader().read(path(name), kGrey);
    EXPECT_EQ(m.size(0), 3) << name;
    EXPECT_EQ(m.size(1), 2) << name;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(m.number_at(i), i) << name;
  }
}

TEST_F(PnmFormat, ReadsHeadersWhoseLinesEndWithTwoBytes) {
  put("ascii.pgm", "P2\r\n3 2\r\n255\r\n0 1 2\r\n3 4 5\r\n");
  put("mark.pgm", "P2 3 2 255# the largest\n0 1 2 3 4 5");
  put("binary.pgm", "P5\r\n3 2\r\n255\r\n\0\1\2\3\4\5"s);
  for (const char* name : {"ascii.pgm", "mark.pgm", "binary.pgm"}) {
    const AnyMatrix m = MatrixReader().read(path(name), kGrey);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(m.number_at(i), i) << name;
  }
  // The format has one blank behind the header, so the next byte is the first sample.
  put("sample.pgm", "P5 3 1 255\r\n\1\2"s);
  const AnyMatrix m = MatrixReader().read(path("sample.pgm"), kGrey);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(m.number_at(i), i == 0 ? 10 : i);
}

TEST_F(PnmFormat, ReadsColourAsPlanes) {
  put("m.ppm", "P6\n2 1\n255\n\1\2\3\4\5\6"s);
  const AnyMatrix m = MatrixReader().read(path("m.ppm"), kColour);
  const double expected[] = {1, 4, 2, 5, 3, 6};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(m.number_at(i), expected[i]);
}

TEST_F(PnmFormat, ReadsSixteenBitsBigEndian) {
  put("m.pgm", "P5\n1 1\n1000\n\3\xe8"s);
  EXPECT_EQ(MatrixReader().read(path("m.pgm"), kGrey).number_at(0), 1000);
}

TEST_F(PnmFormat, APictureWithoutRowsTakesNoMemoryHoweverWideItIs) {
  put("m.ppm", "P3 2000000000 0 255\n");
  const AnyMatrix m = MatrixReader().read(path("m.ppm"), kColour);
  EXPECT_EQ(m.size(0), 2000000000);
  EXPECT_EQ(m.size(1), 0);
}

TEST_F(PnmFormat, RoundsAndClampsWhenWriting) {
  const IndexT sizes[] = {5, 1};
  AnyMatrix m = AnyMatrix::allocate(ElementKind::Double, 2, sizes);
  const double values[] = {-3, 0.5, 1.49, 254.7, 1e9};
  for (int i = 0; i < 5; ++i) static_cast<double*>(m.data())[i] = values[i];
  write("m.pgm", m);
  EXPECT_EQ(get("m.pgm"), "P5\n5 1\n255\n\0\1\1\xff\xff"s);
  write("w.pgm", m, {8, 1000});
  EXPECT_EQ(get("w.pgm"), "P5\n5 1\n1000\n\0\0\0\1\0\1\0\xff\3\xe8"s);
}

TEST_F(PnmFormat, WarnsOfSamplesThatAreCutOffUnlessTheLargestIsGiven) {
  const IndexT sizes[] = {2, 1};
  AnyMatrix m = AnyMatrix::allocate(ElementKind::Double, 2, sizes);
  static_cast<double*>(m.data())[0] = 255.4;
  static_cast<double*>(m.data())[1] = 0;
  const auto warning_of = [&](int maxval) {
    testing::internal::CaptureStderr();
    write("m.pgm", m, {8, maxval});
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning_of(0), "");
  static_cast<double*>(m.data())[1] = 40000;
  EXPECT_EQ(warning_of(0),
            "warning: " + path("m.pgm") +
                ": samples up to 40000 were cut off at 255; --maxval sets the largest (at most 65535)\n");
  EXPECT_EQ(warning_of(255), "");
}

TEST_F(PnmFormat, ReadsTheColoursItWrites) {
  const AnyMatrix m = counting(ElementKind::UChar, {4, 3, 3});
  write("m.ppm", m);
  const AnyMatrix back = MatrixReader().read(path("m.ppm"), {"In", ElementKind::UChar, 3});
  for (int i = 0; i < 36; ++i) EXPECT_EQ(back.number_at(i), i);
}

TEST_F(PnmFormat, GivesAHintWhereKindsDoNotMatch) {
  put("m.ppm", "P6\n2 1\n255\n\1\2\3\4\5\6");
  EXPECT_NE(error_of("m.ppm", kGrey).find("convert it to a PGM picture first"), std::string::npos);
  put("m.pgm", "P2 1 1 255 1");
  EXPECT_NE(error_of("m.pgm", kColour).find("a PPM picture fits `M[w, h, 3]`"), std::string::npos);
  MatrixWriter writer({});
  writer.open(path("o.ppm"));
  EXPECT_THROW(writer.write(0, counting(ElementKind::Double, {2, 2}), "Out[w, h]"), UserError);
}

TEST_F(PnmFormat, RefusesDamagedPictures) {
  const std::string whole = "P5\n3 2\n255\n\0\1\2\3\4\5"s;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    put("m.pgm", whole.substr(0, length));
    EXPECT_NE(error_of("m.pgm", kGrey), "no error") << length;
  }
  put("t.pgm", "P2\n3 2\n255\n1 2 3 4");
  EXPECT_NE(error_of("t.pgm", kGrey), "no error");
  put("s.pgm", "P2\n2 1\n15\n1 16");
  EXPECT_EQ(error_of("s.pgm", kGrey), path("s.pgm") + ":4:3: 16 is larger than 15");
  put("x.pgm", "P2\n2 1\n15\n1 x       ");
  EXPECT_EQ(error_of("x.pgm", kGrey), path("x.pgm") + ":4:3: expected a number");
  put("h.pgm", "P5\n2000000000 2000000000\n255\n");
  EXPECT_NE(error_of("h.pgm", kGrey).find("too short"), std::string::npos);
  put("v.pgm", "P5\n1 1\n70000\n11");
  EXPECT_NE(error_of("v.pgm", kGrey), "no error");
  put("z.pgm", "P5\n1 1\n0\n1");
  EXPECT_NE(error_of("z.pgm", kGrey), "no error");
  put("b.pgm", "P4\n8 1\n\xff");
  EXPECT_NE(error_of("b.pgm", kGrey).find("bitmap"), std::string::npos);
}

}  // namespace
}  // namespace pbrt
