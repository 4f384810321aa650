// SPDX-License-Identifier: MIT
#include "runtime/matrix/files/npy_format.h"

#include <cstring>

#include "runtime/matrix/files/test_files.h"

namespace pbrt {
namespace {

using test::counting;
using namespace std::string_literals;

class NpyFormat : public test::FileTest {};

const MatrixSpec kM2{"M[w, h]", ElementKind::Double, 2};

/// The header as NumPy writes it: version 1, padded to 64 bytes.
std::string header(const std::string& descr, const char* order, const std::string& shape) {
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  while ((10 + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  return "\x93NUMPY\x01\0"s + static_cast<char>(dict.size()) + '\0' + dict;
}

template <class T>
std::string bytes(std::initializer_list<T> values, bool swapped = false) {
  std::string text;
  for (T value : values) {
    std::string raw(sizeof(T), '\0');
    std::memcpy(raw.data(), &value, sizeof(T));
    text += swapped ? std::string(raw.rbegin(), raw.rend()) : raw;
  }
  return text;
}

// np.save of np.array([[1, 2, 3], [4, 5, 6]], dtype='<i2'), byte by byte.
TEST_F(NpyFormat, ReadsAFileOfNumPy) {
  put("m.npy",
      "\x93NUMPY\x01\0v\0{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"
      "                                                          \n"
      "\1\0\2\0\3\0\4\0\5\0\6\0"s);
  const AnyMatrix m = MatrixReader().read(path("m.npy"), kM2);
  EXPECT_EQ(m.size(0), 3);  // w
  EXPECT_EQ(m.size(1), 2);  // h
  for (int i = 0; i < 6; ++i) EXPECT_EQ(m.number_at(i), i + 1);
}

TEST_F(NpyFormat, ReadsFortranOrder) {
  put("m.npy", header("<f8", "True", "(2, 3)") + bytes<double>({1, 4, 2, 5, 3, 6}));
  const AnyMatrix m = MatrixReader().read(path("m.npy"), kM2);
  EXPECT_EQ(m.size(0), 3);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(m.number_at(i), i + 1);
}

TEST_F(NpyFormat, ReadsAllTypesInBothByteOrders) {
  const struct {
    const char* descr;
    std::string data;
  } samples[] = {{"<f8", bytes<double>({7, 8})},
                 {">f8", bytes<double>({7, 8}, true)},
                 {"<f4", bytes<float>({7, 8})},
                 {">f4", bytes<float>({7, 8}, true)},
                 {"<i8", bytes<std::int64_t>({7, 8})},
                 {">i4", bytes<std::int32_t>({7, 8}, true)},
                 {"<i4", bytes<std::int32_t>({7, 8})},
                 {">i2", bytes<std::int16_t>({7, 8}, true)},
                 {"|u1", "\x07\x08"},
                 {"<u2", bytes<std::uint16_t>({7, 8})},
                 {"|i1", "\x07\x08"},
                 {"<u4", bytes<std::uint32_t>({7, 8})}};
  for (const auto& sample : samples) {
    put("m.npy", header(sample.descr, "False", "(2,)") + sample.data);
    for (const ElementKind kind : {ElementKind::Double, ElementKind::Float, ElementKind::Long, ElementKind::UChar}) {
      const AnyMatrix m = MatrixReader().read(path("m.npy"), {"M[n]", kind, 1});
      EXPECT_EQ(m.number_at(0), 7) << sample.descr;
      EXPECT_EQ(m.number_at(1), 8) << sample.descr;
    }
  }
}

TEST_F(NpyFormat, WritesWhatNumPyReads) {
  write("m.npy", counting(ElementKind::UShort, {3, 2}));
  EXPECT_EQ(get("m.npy"), header("<u2", "False", "(2, 3)") + bytes<std::uint16_t>({0, 1, 2, 3, 4, 5}));
  write("s.npy", counting(ElementKind::Float, {}));
  EXPECT_EQ(get("s.npy"), header("<f4", "False", "()") + bytes<float>({0}));
  write("v.npy", counting(ElementKind::UChar, {2}));
  EXPECT_EQ(get("v.npy"), header("|u1", "False", "(2,)") + "\0\1"s);
}

TEST_F(NpyFormat, ReadsWhatItWritesInEveryType) {
  for (const ElementKind kind : {ElementKind::Double, ElementKind::Float, ElementKind::Int, ElementKind::Long,
                                 ElementKind::Short, ElementKind::UChar, ElementKind::UShort}) {
    const AnyMatrix m = counting(kind, {4, 3, 2});
    write("m.npy", m);
    const AnyMatrix back = MatrixReader().read(path("m.npy"), {"M", kind, 3});
    ASSERT_TRUE(back.has_same_shape(m));
    EXPECT_EQ(std::memcmp(back.data(), m.data(), static_cast<std::size_t>(m.bytes())), 0);
  }
}

TEST_F(NpyFormat, ReadsSingleNumbersAndEmptyMatrices) {
  put("s.npy", header("<f8", "False", "()") + bytes<double>({2.5}));
  EXPECT_EQ(MatrixReader().read(path("s.npy"), {"M", ElementKind::Double, 0}).number_at(0), 2.5);
  put("e.npy", header("<f8", "False", "(0, 5)"));
  EXPECT_EQ(MatrixReader().read(path("e.npy"), kM2).size(0), 5);
}

TEST_F(NpyFormat, RefusesDamagedFiles) {
  const std::string whole = header("<f8", "False", "(2, 3)") + bytes<double>({1, 2, 3, 4, 5, 6});
  for (const std::size_t length : {0, 3, 8, 9, 40, 128, 135, 175}) {
    put("m.npy", whole.substr(0, length));
    EXPECT_NE(error_of("m.npy", kM2), "no error") << length;
  }
  put("t.npy", whole.substr(0, 128 + 20));
  EXPECT_EQ(error_of("t.npy", kM2), path("t.npy") + ": the file ends after 2 of 6 numbers");
  for (const char* dict :
       {"{", "{'descr': '<f8'}", "{'descr': '<f8', 'shape': (2, -3)}", "{'descr': 'f8', 'shape': (2,)}", "{'shape': (}",
        "{'other': 1}", "{'descr': '<f8', 'fortran_order': Maybe, 'shape': ()}", "{'descr': '<f8', 'shape': (1"}) {
    std::string text(dict);
    put("d.npy", "\x93NUMPY\x01\0"s + static_cast<char>(text.size()) + '\0' + text);
    EXPECT_NE(error_of("d.npy", kM2), "no error") << dict;
  }
}

TEST_F(NpyFormat, RefusesTypesAndShapesThatDoNotFit) {
  put("c.npy", header("<c16", "False", "(2,)"));
  EXPECT_NE(error_of("c.npy", kM2).find("its type '<c16' is none of"), std::string::npos);
  put("o.npy", header("|O", "False", "(2,)"));
  EXPECT_NE(error_of("o.npy", kM2).find("its type '|O' is none of"), std::string::npos);
  put("l.npy", header("<f4\nx", "False", "(2,)"));
  EXPECT_EQ(error_of("l.npy", kM2), path("l.npy") + ": its .npy header is damaged") << "messages are one line";
  put("r.npy", header("<f8", "False", "(1, 2, 3)"));
  EXPECT_EQ(error_of("r.npy", kM2), path("r.npy") + ": has shape (1, 2, 3), `M[w, h]` has 2 dimensions");
  put("h.npy", header("<f8", "False", "(2000000000, 2000000000)"));
  EXPECT_NE(error_of("h.npy", kM2), "no error");
  put("i.npy", header("<f8", "False", "(1,)") + bytes<double>({0.5}));
  EXPECT_NE(error_of("i.npy", {"M[n]", ElementKind::Int, 1}).find("it is not an integer"), std::string::npos);
}

}  // namespace
}  // namespace pbrt
