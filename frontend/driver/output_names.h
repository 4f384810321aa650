// SPDX-License-Identifier: MIT
// The names of the files that pbc makes of a program. Used by the driver.
#pragma once

#include <string>

#include "frontend/driver/pbc_options.h"

namespace pb {

/// `dir/prog` for `dir/prog.pbcc`, or what -o says.
///
/// Errors:  throws IoError if the input has no such name
[[nodiscard]] std::string binary_path(const Options& options);

/// `dir/libprog.so` for `dir/prog.pbcc`, or what -o says of a library.
///
/// Errors:  throws IoError if the input has no such name
[[nodiscard]] std::string library_path(const Options& options);

/// `prog` for `dir/libprog.so`: the beginning of the names of the library's functions.
///
/// Errors:  throws IoError if `path` ends neither in `.so` nor in `.a`, or if the name is no C identifier
[[nodiscard]] std::string library_name(const std::string& path);

/// Whether `library_path` ends in `.a`.
[[nodiscard]] bool is_static_library(const std::string& library_path);

/// `dir/prog.h` for `dir/libprog.so`.
[[nodiscard]] std::string header_path(const std::string& library_path);

}  // namespace pb
