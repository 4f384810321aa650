// SPDX-License-Identifier: MIT
#include "autotuner/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "autotuner/measure/interruption.h"
#include "autotuner/measure/journal.h"
#include "autotuner/report/configuration_words.h"
#include "autotuner/report/device_words.h"
#include "autotuner/report/html_report.h"
#include "autotuner/report/progress.h"
#include "runtime/config/atomic_file.h"
#include "runtime/config/command_files.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {
namespace {

std::string config_path(const LookOptions& options) {
  return options.config.empty() ? options.run.program + ".cfg" : options.config;
}

pbrt::ConfigFile read_config(const LookOptions& options, const InfoIndex& index) {
  const std::string path = config_path(options);
  if (options.config.empty() && !std::filesystem::exists(path))
    throw pbrt::IoError("`" + path + "` is missing: nothing was tuned yet (pbtune " + options.run.program +
                        " --n N), or --config FILE says where it is");
  return pbrt::read_config_file(path, index);
}

/// Describes this machine with the devices that the program sees. There are none if the program cannot start here.
pbrt::Machine this_machine(const InfoIndex& index, const ProgramOptions& options) {
  try {
    Measurement measurement(index, measure_options(options, false), throw_if_interrupted);
    return pbrt::detect_machine(measurement.start().devices);
  } catch (const pbrt::RuntimeError&) {
    return pbrt::detect_machine({});
  }
}

void print_journal(const std::string& path, const InfoIndex& index) {
  if (!std::filesystem::exists(path)) return;
  const JournalContents journal = read_journal(path, index);
  if (journal.header.source != index.info().source) {
    fmt::print("last search: of another state of the program's source\n");
    return;
  }
  std::map<std::string, int> outcomes;
  std::map<std::string, int> configurations;
  for (const JournalEntry& entry : journal.entries) {
    if (entry.is_prepare) continue;
    ++outcomes[to_string(entry.outcome.kind)];
    ++configurations[entry.fingerprint];
  }
  fmt::print("last search: {} configurations, {}\n", configurations.size(),
             journal.is_done ? "over" : "not over: the same command goes on with it");
  for (const auto& [kind, count] : outcomes) fmt::print("  {:>6} x {}\n", count, kind);
  for (const std::string& note : journal.notes) fmt::print("  {}\n", note);
}

/// The entry of a file for a machine; ConfigError if the file has none.
pbrt::ChosenEntry entry_for(const pbrt::ConfigFile& file, const std::string& path, const pbrt::Machine& machine) {
  pbrt::ChosenEntry chosen = pbrt::choose_entry(file, machine);
  if (chosen.entry == nullptr) throw pbrt::ConfigError(path + ": the file has no entry");
  return chosen;
}

}  // namespace

pbrt::ConfigEntry entry_named(const std::string& path, const InfoIndex& index, const pbrt::Machine& machine) {
  if (path == kNoConfig) {
    pbrt::ConfigEntry out;
    out.configuration = pbrt::default_configuration(index);
    return out;
  }
  const pbrt::ConfigFile file = pbrt::read_config_file(path, index);
  (void)print_warnings(file, path);
  const pbrt::ChosenEntry chosen = entry_for(file, path, machine);
  if (!chosen.note.empty()) fmt::print(stderr, "note: {}: {}\n", path, chosen.note);
  return *chosen.entry;
}

int print_warnings(const pbrt::ConfigFile& file, const std::string& path) {
  for (const std::string& note : file.notes) fmt::print(stderr, "note: {}\n", note);
  std::vector<std::string> lines = file.warnings.lines(path);
  for (const pbrt::ConfigEntry& entry : file.entries)
    lines.insert(lines.end(), entry.differences.begin(), entry.differences.end());
  for (const std::string& line : lines) fmt::print(stderr, "warning: {}\n", line);
  return lines.empty() ? 0 : 1;
}

namespace {

/// The journal beside the configuration, if it is one of this state of the program.
void read_history(const std::string& path, const InfoIndex& index, ReportData& data) {
  if (!std::filesystem::exists(path)) return;
  JournalContents journal = read_journal(path, index);
  if (journal.header.source != index.info().source) return;
  data.history = history_of(journal, index);
  data.notes = std::move(journal.notes);
  data.arguments = std::move(journal.header.arguments);
}

int write_html(const LookOptions& options, const InfoIndex& index, const pbrt::ConfigFile& file) {
  const std::string config = config_path(options);
  pbrt::check_outputs({{{"the program", options.run.program},
                        {"the training information", options.run.program + ".info"},
                        {"the configuration", config},
                        {"the journal of the search", config + ".journal"}},
                       {{"the page", options.html, is_report_page}}},
                      "pbtune");
  ReportData data;
  data.index = &index;
  data.file = &file;
  read_history(config + ".journal", index, data);
  pbrt::write_file_atomically(options.html, html_report(data));
  fmt::print("written to {}\n", options.html);
  return 0;
}

}  // namespace

int report(const LookOptions& options) {
  const pbrt::TrainingInfo info = info_of(options.run.program);
  const InfoIndex index(info);
  const std::string path = config_path(options);
  const pbrt::ConfigFile file = read_config(options, index);
  (void)print_warnings(file, path);  // a report succeeds whatever the file's warnings are
  if (!options.html.empty()) return write_html(options, index, file);
  for (const pbrt::ConfigEntry& entry : file.entries) {
    const pbrt::Provenance& provenance = entry.provenance;
    fmt::print("{}\n", describe(entry.machine));
    fmt::print("  {}\n", origin_text(provenance));
    std::string sizes;
    for (const std::int64_t n : provenance.sizes) sizes += (sizes.empty() ? "" : ", ") + std::to_string(n);
    if (!sizes.empty()) fmt::print("  sizes {}\n", sizes);
    for (const std::string& gain : gain_lines(info, provenance)) fmt::print("  {}\n", gain);
    for (const std::string& line : explain(index, entry.configuration, -1, device_name(entry.provenance.device), {}))
      fmt::print("  {}\n", line);
    for (const std::string& line : loss_lines(provenance.losses)) fmt::print("  {}\n", line);
    for (const std::string& line : device_loss_lines(provenance.device_losses, device_name(provenance.device)))
      fmt::print("  {}\n", line);
  }
  print_journal(path + ".journal", index);
  return 0;
}

int explain_command(const LookOptions& options) {
  const pbrt::TrainingInfo info = info_of(options.run.program);
  const InfoIndex index(info);
  const std::string path = config_path(options);
  const pbrt::ConfigFile file = read_config(options, index);
  (void)print_warnings(file, path);  // warnings do not matter: the entry is explained as it is used
  const pbrt::ChosenEntry chosen = entry_for(file, path, this_machine(index, options.run));
  if (!chosen.note.empty()) fmt::print("note: {}\n", chosen.note);
  const pbrt::Provenance& provenance = chosen.entry->provenance;
  const std::string device = device_name(chosen.entry->provenance.device);
  const std::int64_t tuned_n = provenance.sizes.empty() ? -1 : provenance.sizes.back();
  const std::int64_t n = options.run.n >= 0 ? options.run.n : tuned_n;
  // Which choices ran is known only for the size that was tuned for. At other sizes all choices are named.
  const bool is_tuned_size = n == tuned_n;
  std::string head = n >= 0 ? fmt::format("at size {}", n) : std::string("at all sizes");
  if (!provenance.how.empty()) head += " (tuned with " + provenance.how + ")";
  const std::vector<std::string> gains = is_tuned_size ? gain_lines(info, provenance) : std::vector<std::string>{};
  if (gains.size() == 1) head += ": " + gains[0];
  fmt::print("{}\n", head);
  if (gains.size() > 1)
    for (const std::string& gain : gains) fmt::print("  {}\n", gain);
  for (const std::string& line : explain(index, chosen.entry->configuration, n, device,
                                         is_tuned_size ? provenance.ran : std::vector<std::string>{}))
    fmt::print("  {}\n", line);
  if (!is_tuned_size) return 0;
  for (const std::string& line : loss_lines(provenance.losses)) fmt::print("  {}\n", line);
  for (const std::string& line : device_loss_lines(provenance.device_losses, device)) fmt::print("  {}\n", line);
  return 0;
}

int check(const LookOptions& options) {
  const pbrt::TrainingInfo info = info_of(options.run.program);
  const InfoIndex index(info);
  const std::string path = config_path(options);
  const pbrt::ConfigFile file = read_config(options, index);
  const int status = print_warnings(file, path);
  if (status == 0)
    fmt::print("{}: valid, {} {}\n", path, file.entries.size(), file.entries.size() == 1 ? "entry" : "entries");
  return status;
}

int sample(const SampleOptions& options) {
  const pbrt::TrainingInfo info = info_of(options.run.program);
  const InfoIndex index(info);
  pbrt::RandomOptions random;
  random.max_n = std::max<std::int64_t>(2, options.max_n);
  random.allow_devices = options.run.device != "none";
  random.max_threads = options.max_threads;
  for (int i = 0; i < options.num_configurations; ++i) {
    const std::uint64_t seed = options.run.seed + static_cast<std::uint64_t>(i);
    fmt::print("{}\n", pbrt::to_short_file(index, pbrt::random_configuration(index, seed, random)));
  }
  return 0;
}

int diff(const std::string& program, const std::string& first, const std::string& second) {
  const pbrt::TrainingInfo info = info_of(program);
  const InfoIndex index(info);
  ProgramOptions run;
  run.program = program;
  const pbrt::Machine machine = this_machine(index, run);
  const pbrt::ConfigEntry a = entry_named(first, index, machine), b = entry_named(second, index, machine);
  if (first != kNoConfig && second != kNoConfig && a.machine != b.machine)
    fmt::print("machine: {} -> {}\n", describe(a.machine), describe(b.machine));
  const std::vector<std::string> lines = differences(index, a.configuration, b.configuration);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (lines.empty()) fmt::print("no difference\n");
  return lines.empty() ? 0 : 1;
}

}  // namespace pbtune
