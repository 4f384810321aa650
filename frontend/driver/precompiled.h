// SPDX-License-Identifier: MIT
// The runtime's headers, precompiled and kept in the user's cache folder: they are a good
// part of the time of compiling a program. Without a cache everything works, slower.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/driver/process.h"
#include "frontend/driver/temporary.h"

namespace pb {

/// The leading lines of generated files (`#define PB_ELEMENT …` and the includes), precompiled
/// for one compiler, one set of flags and one state of the headers.
class PrecompiledPrefix {
 public:
  /// Looks up the prefix of `generated`; if it is not in the cache, starts making it beside
  /// the compilation that goes on meanwhile. `command`: compiler and flags without files.
  PrecompiledPrefix(const std::vector<std::string>& command, const std::string& include_folder,
                    const std::string& generated);

  /// Flags that use it; empty if it is not there (yet).
  [[nodiscard]] std::vector<std::string> flags() const;
  /// Puts what was made into the cache, for the next time. A failure is nobody's business.
  void finish();

 private:
  void start(const std::vector<std::string>& command, const std::string& cache, const std::string& prefix);

  std::string entry_;  ///< folder of the cache entry; empty: no cache
  bool is_ready_ = false;
  std::unique_ptr<TemporaryPath> folder_;  ///< where it is being made
  std::unique_ptr<RunningProcess> process_;
};

}  // namespace pb
