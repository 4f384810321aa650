// SPDX-License-Identifier: MIT
// Carries a configuration of an older state of a program over to its present one: what still applies is kept, also
// under another name or where sites were split or joined; a message names everything else. No files here
// (migrate_command.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autotuner/migrate/name_matching.h"
#include "runtime/config/configuration.h"

namespace pbtune {

struct Migration {
  pbrt::Configuration configuration;  ///< valid
  int num_sites = 0, num_values = 0;  ///< how many were carried over, at least in part
  std::vector<std::string> changed;   ///< carried over, but not as it was
  std::vector<std::string> dropped;
  std::vector<std::string> added;  ///< what the old file says nothing about, with the default that it got
};

/// Carries a configuration over. `n` is the size at which size-specific values are read where the program now wants one
/// for all sizes.
[[nodiscard]] Migration migrate(const WrittenConfiguration& before, const Names& names, const pbrt::InfoIndex& index,
                                std::int64_t n);

struct MigrateOptions {
  std::string program;
  std::string config;  ///< empty: beside the program
  std::string output;  ///< empty: the configuration itself
  std::vector<std::string> renames;
  bool may_guess = true;
  bool is_dry = false;
};

/// `pbtune migrate`: carries over all entries of a file. What was at the place of the output is kept beside it. Returns
/// 0, or 1 if nothing of the file applies to the program: then nothing is written.
int migrate_command(const MigrateOptions& options);

}  // namespace pbtune
