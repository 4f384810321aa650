// SPDX-License-Identifier: MIT
// Which configuration a run uses: --config, else the file beside the program, else the default.
// Warnings and notes go to standard error.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/configuration.h"
#include "runtime/config/formats/config_file.h"
#include "runtime/main/command_line/options.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/machine/devices.h"

namespace pbrt {

struct FoundConfiguration {
  Configuration configuration;
  std::string file;    ///< empty: the default
  std::string device;  ///< name of the OpenCL device that it was tuned on; empty: none
};

/// What a configuration file says for this machine.
struct MachineConfiguration {
  Configuration configuration;
  std::string device;                    ///< as FoundConfiguration::device
  std::string note;                      ///< why the entry is another machine's; empty: it is not
  std::vector<std::string> differences;  ///< as ConfigWarnings::differences, of this entry
};
/// Chooses the entry for this machine, else the default. Lists devices only if an entry uses one.
[[nodiscard]] MachineConfiguration configuration_for_this_machine(const ConfigFile& file, const Engine& engine,
                                                                  Devices& devices);
/// Refuses constants of the program that a file given for this run contradicts.
///
/// Errors:  ConfigError
void refuse_differences(const std::vector<std::string>& differences);

/// `<program path>.cfg`
[[nodiscard]] std::string default_config_path(const char* argv0);

/// Errors:  IoError, ConfigError for a file that cannot be used
[[nodiscard]] FoundConfiguration find_configuration(const Options& options, const char* argv0, const Engine& engine,
                                                    Devices& devices);

/// Writes the configuration as this machine's entry of the file.
void save_configuration(const std::string& path, const Configuration& configuration, const Engine& engine,
                        Devices& devices, const std::string& how);

}  // namespace pbrt
