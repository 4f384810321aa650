// SPDX-License-Identifier: MIT
// What `pbc --debug` adds for debuggers: where the sources of the generated code lie, and printers of matrices. Used by
// compile_cpp.
#pragma once

#include <string>
#include <vector>

#include "frontend/driver/toolchain/home.h"
#include "lang/source.h"

namespace pb {

/// The names that generated code has while it is compiled, and the place where `--keep` leaves it.
struct GeneratedNames {
  std::string compiled;  ///< the file that the compiler reads
  std::string in_lines;  ///< what its `#line` directives call it
  std::string kept;      ///< `OUTPUT.cpp`
};

/// Flags with which debug information names files by their absolute paths: generated code itself names no folders.
/// GCC and clang know them.
[[nodiscard]] std::vector<std::string> source_path_flags(const SourceManager& sources, const GeneratedNames& names);

/// Writes assembler text to `folder` that puts the printers into the binary, as gdb loads them from there, and returns
/// its path.
///
/// Errors:  throws IoError if this installation has no printers, or the file cannot be written
[[nodiscard]] std::string write_printers(const RuntimeHome& home, const std::string& folder);

}  // namespace pb
