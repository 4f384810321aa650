// SPDX-License-Identifier: MIT
#include "runtime/main/command_line/config_lookup.h"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <ctime>
#include <utility>

namespace pbrt {

namespace {

void print_lines(const char* kind, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::fprintf(stderr, "%s: %s\n", kind, line.c_str());
}

/// Describes this machine for the choice of an entry. Devices are listed only if an entry uses one.
Machine this_machine(const ConfigFile& file, const Engine& engine, Devices& devices) {
  bool needs_devices = false;
  for (const ConfigEntry& entry : file.entries)
    needs_devices = needs_devices || engine.uses_device(entry.configuration);
  if (needs_devices) return detect_machine(devices.ids());
  return detect_machine(file.entries.empty() ? std::vector<DeviceId>() : file.entries.front().machine.devices);
}

/// Refuses a file that was given for this run and disagrees with constants of the program. A file that only lies beside
/// the program may disagree.
void check_differences(const std::vector<std::string>& differences, bool is_given) {
  if (differences.empty()) return;
  if (is_given) refuse_differences(differences);
  print_lines("warning", {differences.front() + "; the program keeps its own"});
}

std::string now_text() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  struct tm utc = {};
  ::gmtime_r(&now, &utc);
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace

void refuse_differences(const std::vector<std::string>& differences) {
  if (!differences.empty())
    throw ConfigError(differences.front() + "; compile the program again, with this configuration or without --config");
}

MachineConfiguration configuration_for_this_machine(const ConfigFile& file, const Engine& engine, Devices& devices) {
  const ChosenEntry chosen = choose_entry(file, this_machine(file, engine, devices));
  if (chosen.entry == nullptr)
    return {default_configuration(engine.index()), engine.index().info().device, chosen.note, {}};
  return {chosen.entry->configuration, chosen.entry->provenance.device, chosen.note, chosen.entry->differences};
}

std::string default_config_path(const char* argv0) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) return std::string(argv0) + ".cfg";
  return std::string(path, static_cast<std::size_t>(length)) + ".cfg";
}

FoundConfiguration find_configuration(const Options& options, const char* argv0, const Engine& engine,
                                      Devices& devices) {
  FoundConfiguration found;
  found.file = options.config;
  if (found.file == "none") {
    found.file.clear();
  } else if (found.file.empty()) {
    const std::string beside = default_config_path(argv0);
    if (::access(beside.c_str(), F_OK) == 0) found.file = beside;
  }
  if (found.file.empty()) {
    found.configuration = default_configuration(engine.index());
    found.device = engine.index().info().device;
    return found;
  }
  const ConfigFile file = read_config_file(found.file, engine.index());
  print_lines("warning", file.warnings.lines(found.file));
  print_lines("note", file.notes);
  MachineConfiguration chosen = configuration_for_this_machine(file, engine, devices);
  if (!chosen.note.empty()) std::fprintf(stderr, "note: %s: %s\n", found.file.c_str(), chosen.note.c_str());
  check_differences(chosen.differences, found.file == options.config);
  found.device = std::move(chosen.device);
  found.configuration = std::move(chosen.configuration);
  return found;
}

void save_configuration(const std::string& path, const Configuration& configuration, const Engine& engine,
                        Devices& devices, const std::string& how) {
  ConfigFile file;
  if (::access(path.c_str(), F_OK) == 0) {
    try {
      file = read_config_file(path, engine.index());
    } catch (const ConfigError& error) {
      throw ConfigError(
          std::string(error.what()) + "; " + how +
          " keeps what a file has for other machines: remove this file, or name another one with --config");
    }
  } else {
    file.program = engine.index().info().program;
    file.source = engine.index().info().source;
  }
  ConfigEntry entry;
  entry.machine = detect_machine(devices.ids());
  entry.provenance.when = now_text();
  entry.provenance.how = how;
  entry.configuration = configuration;
  put_entry(file, std::move(entry));
  save_config_file(path, engine.index(), file);
}

}  // namespace pbrt
