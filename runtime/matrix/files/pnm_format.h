// SPDX-License-Identifier: MIT
// PGM and PPM pictures, 8 and 16 bits, ASCII and binary: PGM is `M[w, h]`, PPM is `M[w, h, 3]`
// with one plane per colour. Samples are 0 … maxval. Written binary.
#pragma once

#include "runtime/matrix/any_matrix.h"
#include "runtime/matrix/files/byte_source.h"
#include "runtime/matrix/files/output_file.h"

namespace pbrt {

struct MatrixSpec;

inline constexpr int kMaxMaxval = 65535;
inline constexpr int kDefaultMaxval = 255;

/// Reads a picture. Errors: IoError (truncated, no such picture), UserError (grey or colour does not fit the matrix).
[[nodiscard]] AnyMatrix read_pnm(ByteSource& source, const MatrixSpec& spec);

/// Writes samples rounded and clamped to 0 … maxval. Returns the largest sample of the matrix, rounded.
///
/// Errors:  UserError if the matrix is not a picture of the kind that `path` names
double write_pnm(const AnyMatrix& matrix, const std::string& name, const std::string& path, int maxval,
                 OutputFile& file);

}  // namespace pbrt
