// SPDX-License-Identifier: MIT
// The text format of matrices (docs/reference/language.md 10): `SIZE 3 2` and the numbers, x fastest.
#pragma once

#include <string>
#include <string_view>

#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/files/byte_source.h"

namespace pbrt {

struct MatrixSpec;

/// Reads the `SIZE` line. Returns the number of sizes (up to kMaxDims).
///
/// Errors:  UserError with file, line and column
int read_text_header(ByteSource& source, IndexT* sizes);

/// Reads the numbers of a view, x fastest, and nothing behind the last one.
void read_text_elements(ByteSource& source, const RawView& view);

[[nodiscard]] AnyMatrix read_text(ByteSource& source, const MatrixSpec& spec);

/// The text after the last number, with its place, for a warning that the `SIZE` line may be wrong. Empty at the end of
/// the file, before another matrix, and if this is not a regular file.
[[nodiscard]] std::string surplus_after(ByteSource& source);

/// Receives the written text piece by piece.
class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void write(std::string_view text) = 0;
};

/// Writes `SIZE`, the sizes and the numbers with `precision` significant digits.
void write_text(const RawView& view, int precision, TextSink& sink);

}  // namespace pbrt
