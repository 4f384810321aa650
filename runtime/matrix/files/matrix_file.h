// SPDX-License-Identifier: MIT
// Matrices in files (docs/reference/language.md 10, docs/reference/formats.md 5): text, .npy, PGM and PPM, by the
// file's ending. Used by program_main; the formats themselves are in *_format.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/files/byte_source.h"
#include "runtime/matrix/files/matrix_spec.h"
#include "runtime/matrix/files/output_file.h"

namespace pbrt {

struct WriteOptions {
  int precision = 8;  ///< significant digits of text
  int maxval = 0;     ///< of pictures: 1 … 65535; 0 is 255, with a warning for larger samples
};

enum class FileFormat : std::uint8_t { Text, Npy, Picture };
[[nodiscard]] FileFormat format_of(const std::string& path);

/// Reads input files. Several may be `-`: they follow one another on standard input.
class MatrixReader {
 public:
  /// Errors:  IoError (missing, unreadable, truncated), UserError (wrong shape, not a number: file:line:column)
  [[nodiscard]] AnyMatrix read(const std::string& path, const MatrixSpec& spec);

 private:
  std::unique_ptr<ByteSource> standard_input_;
};

/// Writes output files: all of them, or none of the regular ones.
class MatrixWriter {
 public:
  explicit MatrixWriter(const WriteOptions& options) : options_(options) {}
  /// Opens the file, so that a missing folder is found before the work is done.
  void open(const std::string& path);
  /// Writes to the file opened as number `index`.
  void write(std::size_t index, const AnyMatrix& matrix, const std::string& name);
  /// Puts all files in place.
  void commit();

 private:
  struct Target {
    std::string path;
    std::unique_ptr<OutputFile> file;  ///< null for /dev/null
  };
  void write_picture(const AnyMatrix& matrix, const std::string& name, const Target& target) const;

  WriteOptions options_;
  std::vector<Target> targets_;
};

}  // namespace pbrt
