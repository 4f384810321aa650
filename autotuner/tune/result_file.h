// SPDX-License-Identifier: MIT
// The configuration file that a run of pbtune writes: what it had before for this machine and for others, and the entry
// that says what was found and how.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autotuner/search/search_result.h"
#include "autotuner/space/tuning_targets.h"
#include "autotuner/tune/tune_options.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/config/formats/protocol.h"

namespace pbtune {

/// The machine that the program is tuned for.
struct TunedMachine {
  pbrt::Machine machine;
  std::string device;       ///< name of the OpenCL device in use; empty: none
  bool has_device = false;  ///< choices on a device may be tried
  int num_devices = 0;      ///< in use
};
/// This machine as the program sees it. `wanted` is the device that the person names; empty: none.
[[nodiscard]] TunedMachine machine_of(const pbrt::protocol::Hello& hello, const std::string& wanted);

/// The entry for the last of `results`, which are those of the first targets, with the times of all.
///
/// Pre:     `results` is not empty
[[nodiscard]] pbrt::ConfigEntry entry_of(const TuneOptions& options, const TunedMachine& machine,
                                         const std::vector<std::int64_t>& sizes, const InfoIndex& index,
                                         const std::vector<Target>& targets, std::span<const SearchResult> results);

class ResultFile {
 public:
  /// The file at `path`, with what it has if it exists. Keeps a reference to `index`.
  ///
  /// Errors:  throws IoError, ConfigError for a file that cannot be used
  ResultFile(std::string path, const InfoIndex& index);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// What is odd about the file as it was, one line each.
  [[nodiscard]] std::vector<std::string> warnings() const { return file_.warnings.lines(path_); }
  /// What the file has for this machine, else for the most similar one, as a starting point of a search.
  [[nodiscard]] std::optional<NamedConfiguration> starting_point(const pbrt::Machine& machine) const;
  /// Whether the file has a result for this machine and this source that was compared with the default at its size.
  /// What an interrupted search knows was not.
  [[nodiscard]] bool has_finished_entry(const pbrt::Machine& machine) const;
  /// Whether the file's entry for this machine and this source says more than `results`: their search ended before its
  /// target or kept the entry's choices without proof, at a smaller size than the entry's, or at its size where the
  /// entry is finished and proven.
  [[nodiscard]] bool knows_better(const pbrt::Machine& machine, std::span<const SearchResult> results) const;
  /// Writes the entry in place of the machine's former one. Entries of other machines stay, also those that others have
  /// written since the file was read.
  ///
  /// Errors:  throws IoError, and ConfigError if others have made of the file what cannot be used; it is as before then
  void save(pbrt::ConfigEntry entry);

 private:
  [[nodiscard]] pbrt::ConfigFile read() const;
  /// Whether the file is of this state of the program's source, or does not say.
  [[nodiscard]] bool has_its_source(const pbrt::ConfigFile& file) const;
  /// The entry for this machine itself and this source; null if there is none.
  [[nodiscard]] const pbrt::ConfigEntry* entry_of(const pbrt::Machine& machine) const;

  std::string path_;
  const InfoIndex& index_;
  pbrt::ConfigFile file_;
  bool is_of_this_source_;  ///< what the file knows is of the program as it is now
};

/// The name of the starting point that the file has for this machine.
inline constexpr const char* kBefore = "the configuration of before";

}  // namespace pbtune
