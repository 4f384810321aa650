// SPDX-License-Identifier: MIT
// How a library is made of generated code and the runtime: what the compiler and the linker are told, and the archive
// of a static one. In all kinds nothing but the library's functions is visible, so that the copies of the runtime that
// some hold do not mix in one process. Used by compile_cpp.
#pragma once

#include <string>
#include <vector>

#include "frontend/driver/toolchain/home.h"

namespace pb {

/// The flags that compile code for libraries of all kinds. `compiler`: the words of its command.
[[nodiscard]] std::vector<std::string> library_compile_flags(const std::vector<std::string>& compiler);

/// The flags that link the shared library `file_name`. Writes a file to `folder` that they name.
///
/// Errors:  throws IoError
[[nodiscard]] std::vector<std::string> shared_library_flags(const std::vector<std::string>& exported,
                                                            const std::string& file_name, const std::string& folder);

/// The flags that link libpbrt.so.0, which is found beside the library, too, once both are elsewhere.
///
/// Errors:  throws IoError if this installation has none
[[nodiscard]] std::vector<std::string> shared_runtime_flags(const RuntimeHome& home);

/// The flags that link all into one object, for make_archive.
[[nodiscard]] std::vector<std::string> one_object_flags();

/// Makes a static library of an object, whose other symbols become local. Writes files to `folder`.
///
/// Errors:  throws IoError
void make_archive(const std::string& object, const std::string& archive, const std::vector<std::string>& exported,
                  const std::string& folder);

}  // namespace pb
