// SPDX-License-Identifier: MIT
// What a library has in place of a program's `main`: a C function for each transform, and the C header that declares
// them (runtime/embed/polybricks.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clgen/cpp/context/cpp_context.h"
#include "clgen/writer/writer.h"

namespace pb {

/// How the headers of libraries begin, by which pbc knows its own.
inline constexpr std::string_view kLibraryHeaderBegin = "/* Made by pbc from";

/// Prints the tables and functions of the library that `context.options` names. `name_space` holds `kProgram`.
void emit_library(Writer& out, const CppContext& context, const std::string& name_space);

/// Returns the C header of a library.
[[nodiscard]] std::string emit_library_header(const Program& program, const SourceManager& sources,
                                              const std::string& library);

/// The names that a library exports, first that of the function which returns its tables.
[[nodiscard]] std::vector<std::string> exported_names(const Program& program, const std::string& library);

}  // namespace pb
