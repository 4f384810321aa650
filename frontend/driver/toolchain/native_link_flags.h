// SPDX-License-Identifier: MIT
// The libraries of docs/reference/language.md 7.8 that generated programs may use without options: BLAS, LAPACK,
// LAPACKE, FFTW. Only those that the machine has are linked.
#pragma once

#include <string>
#include <vector>

namespace pb {

/// The flags for linking. A program that uses nothing of a library does not need the library when it runs.
///
/// Errors:  none: without a list of folders from the compiler no library is found
[[nodiscard]] std::vector<std::string> native_link_flags(const std::vector<std::string>& compiler);

/// Folders of `c++ -print-search-dirs`.
[[nodiscard]] std::vector<std::string> library_folders(const std::string& search_dirs);

}  // namespace pb
