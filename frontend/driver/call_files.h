// SPDX-License-Identifier: MIT
// All files of one call of pbc: what it has read, and what it will write. Used by the driver.
#pragma once

#include <string>
#include <vector>

#include "frontend/driver/pbc_options.h"
#include "lang/source.h"

namespace pb {

/// Paths; empty for a file that is not written.
struct CallFiles {
  std::vector<std::string> sources;  ///< the program and what it includes
  std::string config;                ///< the configuration that was read; empty: none
  std::string target;                ///< the executable or library
  std::string beside;                ///< its training information, or the library's header
  std::string generated;             ///< the generated C++
  std::string depfile;
  std::string text;  ///< what --emit prints
  bool is_library = false;

  /// What the output was made of.
  [[nodiscard]] std::vector<std::string> inputs() const;
};

/// The files of a call with `options` that has read `sources`.
///
/// Errors:  throws IoError if a file has no name
[[nodiscard]] CallFiles files_of_call(const Options& options, const SourceManager& sources);

/// Refuses outputs that would replace what was read, each other, or a file of the user's.
///
/// Errors:  throws pbrt::IoError
void check_files(const CallFiles& files);

}  // namespace pb
