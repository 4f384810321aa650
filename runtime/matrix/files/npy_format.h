// SPDX-License-Identifier: MIT
// NumPy's .npy files: `M[w, h]` is shape (h, w), 0-D is shape (). Read in C and Fortran
// order, either byte order; written in C order, little-endian, in the matrix's own type.
#pragma once

#include <string>

#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/files/byte_source.h"
#include "runtime/matrix/files/output_file.h"

namespace pbrt {

struct MatrixSpec;

/// Reads a matrix. Errors: IoError (truncated, no .npy), UserError (type, shape or numbers do not fit).
[[nodiscard]] AnyMatrix read_npy(ByteSource& source, const MatrixSpec& spec);
void write_npy(const AnyMatrix& matrix, OutputFile& file);

}  // namespace pbrt
