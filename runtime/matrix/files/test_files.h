// SPDX-License-Identifier: MIT
// Files for the tests of this folder: a fresh directory per test, bytes in and out.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/config/errors.h"
#include "runtime/matrix/files/matrix_file.h"

namespace pbrt::test {

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "pb_matrix_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] int num_files() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  /// Reads `name`; the error's text where it fails.
  [[nodiscard]] std::string error_of(const std::string& name, const MatrixSpec& spec) const {
    try {
      (void)MatrixReader().read(path(name), spec);
    } catch (const RuntimeError& error) {
      return error.what();
    }
    return "no error";
  }
  void write(const std::string& name, const AnyMatrix& matrix, const WriteOptions& options = {}) const {
    MatrixWriter writer(options);
    writer.open(path(name));
    writer.write(0, matrix, "M");
    writer.commit();
  }

  std::filesystem::path folder_;
};

/// A matrix with the elements 0, 1, 2, … times `step` in memory order.
inline AnyMatrix counting(ElementKind kind, std::initializer_list<IndexT> sizes, double step = 1) {
  AnyMatrix m = AnyMatrix::allocate(kind, static_cast<int>(sizes.size()), std::data(sizes));
  for (std::int64_t i = 0; i < m.count(); ++i) {
    const double value = static_cast<double>(i) * step;
    switch (kind) {
      case ElementKind::Double:
        static_cast<double*>(m.data())[i] = value;
        break;
      case ElementKind::Float:
        static_cast<float*>(m.data())[i] = static_cast<float>(value);
        break;
      case ElementKind::Int:
        static_cast<int*>(m.data())[i] = static_cast<int>(value);
        break;
      case ElementKind::Long:
        static_cast<long*>(m.data())[i] = static_cast<long>(value);
        break;
      case ElementKind::Short:
        static_cast<short*>(m.data())[i] = static_cast<short>(value);
        break;
      case ElementKind::UChar:
        static_cast<unsigned char*>(m.data())[i] = static_cast<unsigned char>(value);
        break;
      case ElementKind::UShort:
        static_cast<unsigned short*>(m.data())[i] = static_cast<unsigned short>(value);
        break;
    }
  }
  return m;
}

}  // namespace pbrt::test
