// SPDX-License-Identifier: MIT
// Precompiles the runtime's headers, which take a good part of the time of compiling a program. Those for the default
// options stand beside the runtime's library and are made when it is built. Others are kept in the user's cache folder.
// Without either, compiling works but takes longer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/driver/process.h"
#include "frontend/driver/temporary.h"
#include "frontend/driver/toolchain/home.h"

namespace pb {

/// The leading lines of generated files (`#define PB_ELEMENT …` and the includes), precompiled
/// for one compiler, one set of flags and one state of the headers.
class PrecompiledPrefix {
 public:
  /// Looks up the prefix of `generated` in the runtime's folder, then in the cache; if it is in neither, starts making
  /// it beside the compilation that goes on meanwhile. `command`: compiler and flags without files.
  PrecompiledPrefix(const std::vector<std::string>& command, const RuntimeHome& home, const std::string& generated);

  /// Flags that use the precompiled prefix; empty if it is not there (yet).
  [[nodiscard]] std::vector<std::string> flags() const;
  /// Puts what was made into the cache, for the next time. If that fails, nothing is said, since only time is lost.
  void finish();

 private:
  void start(const std::vector<std::string>& command, const std::string& cache, const std::string& prefix);

  std::string entry_;  ///< folder of the cache entry; empty: no cache
  bool is_ready_ = false;
  std::unique_ptr<TemporaryPath> folder_;  ///< the folder in which the prefix is being made
  std::unique_ptr<RunningProcess> process_;
};

/// Makes the prefix of `generated` in the runtime's folder, in place of what is there; nothing if it is there already,
/// or if the compiler reads none.
///
/// Errors:  throws IoError if the folder cannot be written or the compiler fails
void precompile_for_all(const std::vector<std::string>& command, const RuntimeHome& home, const std::string& generated);

}  // namespace pb
