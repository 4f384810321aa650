// SPDX-License-Identifier: MIT
// Any bytes as a matrix file: the reader ends with a matrix or with one line that says what is wrong. The first byte
// chooses the format, the second the element type and the dimensions.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "runtime/config/errors.h"
#include "runtime/config/runtime_check.h"
#include "runtime/matrix/files/matrix_file.h"

namespace {

/// A folder of this process for the files to read, removed at its end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("matrix_fuzz." + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void put(const std::string& path, const std::uint8_t* data, std::size_t size) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  PBRT_CHECK(file != nullptr, "the temporary folder can be written");
  PBRT_CHECK(std::fwrite(data, 1, size, file) == size, "the temporary folder has room");
  PBRT_CHECK(std::fclose(file) == 0, "the temporary folder has room");
}

constexpr pbrt::ElementKind kElements[] = {pbrt::ElementKind::Double, pbrt::ElementKind::Float, pbrt::ElementKind::Int,
                                           pbrt::ElementKind::UChar};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  static constexpr const char* kNames[] = {"m.txt", "m.npy", "m.pgm", "m.ppm"};
  if (size < 2) return 0;
  const std::string path = folder.file(kNames[data[0] % 4]);
  put(path, data + 2, size - 2);
  const pbrt::MatrixSpec spec{"M", kElements[data[1] / 4 % 4], data[1] % 4};
  try {
    const pbrt::AnyMatrix matrix = pbrt::MatrixReader().read(path, spec);
    PBRT_CHECK(matrix.num_dims() == spec.num_dims && matrix.kind() == spec.element,
               "what was read is what was asked for");
    for (std::int64_t i = 0; i < matrix.count(); ++i) (void)matrix.number_at(i);
  } catch (const pbrt::RuntimeError& error) {
    PBRT_CHECK(std::string(error.what()).find('\n') == std::string::npos, "messages are one line");
  }
  return 0;
}
