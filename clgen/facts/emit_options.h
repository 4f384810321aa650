// SPDX-License-Identifier: MIT
// What the driver tells the code generators beside Program and Plan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pb {

/// What `pbc --config` says about the whole program. Without that option nothing is set.
struct FixedGlobals {
  std::optional<std::int64_t> sequential_cutoff;
  std::optional<int> threads;  ///< the default of a run, which `--threads` overrides
  std::optional<int> openblas_threads;
  std::optional<bool> large_pages;
  std::vector<double> device_weights = {};  ///< empty: not set
  std::string openblas_coretype = "auto";
  std::string device;  ///< name of the OpenCL device that the configuration is for
};

struct EmitOptions {
  std::string source_hash;           ///< identity of the program (source_fingerprint.h), for the training information
  std::string fp_mode = "contract";  ///< `strict`, `contract` or `reassociate`
  bool is_checked = false;           ///< the CPU tests every index, and that arguments of calls do not overlap
  FixedGlobals globals = {};
  bool checks_copies = false;  ///< the program checks that the host announces its accesses to data that devices use

  bool is_debug = false;     ///< the program says that it is not compiled for speed
  std::string library = {};  ///< name of the library that is made; empty: a program

  [[nodiscard]] bool is_strict() const { return fp_mode == "strict"; }
};

}  // namespace pb
