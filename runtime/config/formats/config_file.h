// SPDX-License-Identifier: MIT
// Configuration files (`prog.cfg`, docs/reference/formats.md 1): entries per machine, choice of the nearest one, atomic
// save. What a file says about other machines is kept untouched when it is rewritten.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/config/configuration.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/formats/device_costs.h"
#include "runtime/config/machine.h"

namespace pbrt {

inline constexpr int kConfigFormat = 2;  ///< format 1 has neither schedules nor `by`; what it says means the same

/// What was tried on a device and lost against the CPU.
struct DeviceLoss {
  std::vector<std::string> sites;  ///< that had versions on a device, `Conv.Out#1`
  double time_ns = 0;              ///< with them, the least
  double cpu_ns = 0;               ///< with what was chosen
  double profiled_ns = 0;          ///< of a run of its own that measured `costs`; 0: there was none
  DeviceCosts costs;
  bool operator==(const DeviceLoss&) const = default;
};

/// How an entry was made: free text and numbers, which never decide anything.
struct Provenance {
  std::string when, tuner, effort;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::pair<std::string, double>> times_ns;  ///< `default`, `tuned`, …
  /// The cases that were tuned for together, if there were several: `times_ns` also has `K = 3: default` and so on.
  std::vector<std::string> cases;
  /// Transforms, and cases, whose times were not measured in turns after the search.
  std::vector<std::string> unconfirmed;
  /// Per instance for an accuracy bin: the accuracy it reached.
  std::vector<std::pair<std::string, double>> accuracies;
  /// Each change back to the default that would cost time, and how many times slower the program would be.
  std::vector<std::pair<std::string, double>> losses;
  std::vector<DeviceLoss> device_losses;
  std::string how;               ///< the arguments, in words
  std::string device;            ///< name of the OpenCL device in use; empty: none
  std::vector<std::string> ran;  ///< sites that took part at the last size, `Conv.Out#1`
};

struct ConfigEntry {
  Machine machine;
  Provenance provenance;
  Configuration configuration;
  std::string raw;                            ///< JSON as read; entries not touched are written back from it
  NamedParts named = {};                      ///< the parts that the entry says something about
  std::vector<std::string> differences = {};  ///< see ConfigWarnings; only those of the entry in use matter
};

struct ConfigFile {
  std::string program;
  std::string source;
  std::vector<ConfigEntry> entries;
  ConfigWarnings warnings;
  std::vector<std::string> notes;  ///< compiled from other source text, …
  bool is_short = false;           ///< one configuration, without entries
  int format = kConfigFormat;      ///< of the text; what is written has the newest
};

/// Whether the file must belong to the same program. Code that carries a configuration over to a renamed program reads
/// files of any program.
enum class OfProgram : std::uint8_t { Same, Any };

/// Reads and validates against the program. A file may also be one configuration, without entries: an object with
/// `global`, `transforms` or both, and `program` if it should not be taken for another one's. Throws IoError;
/// ConfigError for another program's file, for a newer format, and for text that is no such file (file:line:column:
/// reason).
[[nodiscard]] ConfigFile parse_config_file(std::string_view text, const std::string& path, const InfoIndex& index,
                                           OfProgram whose = OfProgram::Same);
[[nodiscard]] ConfigFile read_config_file(const std::string& path, const InfoIndex& index);

[[nodiscard]] std::string to_json(const InfoIndex& index, const ConfigFile& file);
/// The text of a file of one configuration without entries, in one line without its end.
[[nodiscard]] std::string to_short_file(const InfoIndex& index, const Configuration& configuration);
/// Replaces the entry of the same machine or adds one.
void put_entry(ConfigFile& file, ConfigEntry entry);
/// Writes the file beside the old one and renames it: readers see the old or the new file, whole. Throws IoError.
void save_config_file(const std::string& path, const InfoIndex& index, const ConfigFile& file);

/// The entry for `machine`: its own, else the nearest with a note. Null if there is no entry.
struct ChosenEntry {
  const ConfigEntry* entry = nullptr;
  std::string note;  ///< empty if the entry is for this machine
};
[[nodiscard]] ChosenEntry choose_entry(const ConfigFile& file, const Machine& machine);

}  // namespace pbrt
