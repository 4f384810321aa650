// SPDX-License-Identifier: MIT
#include "autotuner/tune/result_file.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

namespace pbtune {
namespace {

constexpr const char* kNotFinished = ", not finished";

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "";
}

/// Adds the times for each of several cases.
void add_cases(const std::string& prefix, const SearchResult& result, pbrt::Provenance& out) {
  for (std::size_t k = 0; k < std::min(result.cases.size(), out.cases.size()); ++k) {
    const CaseResult& one = result.cases[k];
    const std::string name = prefix + out.cases[k];
    if (one.default_ns > 0) out.times_ns.emplace_back(name + ": default", one.default_ns);
    if (one.best_ns > 0) out.times_ns.emplace_back(name + ": tuned", one.best_ns);
    if (one.best_ns > 0 && !(result.is_confirmed && one.is_confirmed)) out.unconfirmed.push_back(name);
  }
}

/// Adds what the search of one target found.
void add_result(const InfoIndex& index, const Target& target, const SearchResult& result, pbrt::Provenance& out) {
  const std::string prefix = target.transform == index.info().main ? "" : target.transform + ": ";
  if (result.default_ns > 0) out.times_ns.emplace_back(prefix + "default", result.default_ns);
  out.times_ns.emplace_back(prefix + "tuned", result.best_ns);
  if (!result.is_confirmed) out.unconfirmed.push_back(target.transform);
  add_cases(prefix, result, out);
  if (target.accuracy.has_target)
    out.accuracies.emplace_back(target.transform,
                                target.accuracy.higher_is_better ? result.accuracy : -result.accuracy);
  for (const auto& loss : result.losses) out.losses.push_back(loss);
  out.device_losses.insert(out.device_losses.end(), result.device_losses.begin(), result.device_losses.end());
  for (const RanChoice& ran : result.ran) {
    const std::string name = index.site_name(ran.site);
    if (std::find(out.ran.begin(), out.ran.end(), name) == out.ran.end()) out.ran.push_back(name);
  }
}

}  // namespace

TunedMachine machine_of(const pbrt::protocol::Hello& hello, const std::string& wanted) {
  return {pbrt::detect_machine(hello.devices), hello.device,
          !hello.device.empty() || (wanted.empty() && !hello.devices.empty()), hello.num_devices};
}

pbrt::ConfigEntry entry_of(const TuneOptions& options, const TunedMachine& machine,
                           const std::vector<std::int64_t>& sizes, const InfoIndex& index,
                           const std::vector<Target>& targets, std::span<const SearchResult> results) {
  const SearchResult& last = results.back();
  pbrt::ConfigEntry entry;
  entry.machine = machine.machine;
  entry.configuration = last.best;
  for (Selector& selector : entry.configuration.sites) simplify(selector);
  pbrt::Provenance& provenance = entry.provenance;
  provenance.when = utc_now();
  provenance.tuner = kTunerVersion;
  provenance.effort = std::string(to_string(options.effort)) + (last.is_complete ? "" : kNotFinished);
  provenance.seed = options.run.seed;
  provenance.how = arguments_text(options);
  provenance.device = machine.device;
  if (options.run.cases.size() > 1) provenance.cases = case_names(options.run.cases);
  for (const std::int64_t n : sizes)
    if (n <= last.n) provenance.sizes.push_back(n);
  for (std::size_t k = 0; k < results.size(); ++k) add_result(index, targets[k], results[k], provenance);
  return entry;
}

ResultFile::ResultFile(std::string path, const InfoIndex& index)
    : path_(std::move(path)), index_(index), file_(read()), is_of_this_source_(has_its_source(file_)) {
  file_.source = index_.info().source;
}

pbrt::ConfigFile ResultFile::read() const {
  pbrt::ConfigFile out;
  out.program = index_.info().program;
  if (std::filesystem::exists(path_)) out = pbrt::read_config_file(path_, index_);
  return out;
}

bool ResultFile::has_its_source(const pbrt::ConfigFile& file) const {
  return file.source.empty() || file.source == index_.info().source;
}

std::optional<NamedConfiguration> ResultFile::starting_point(const pbrt::Machine& machine) const {
  const pbrt::ChosenEntry chosen = pbrt::choose_entry(file_, machine);
  if (chosen.entry == nullptr) return std::nullopt;
  const bool is_ours = chosen.note.empty();
  return NamedConfiguration{is_ours ? kBefore : "the configuration of another machine", chosen.entry->configuration,
                            is_ours};
}

const pbrt::ConfigEntry* ResultFile::entry_of(const pbrt::Machine& machine) const {
  if (!is_of_this_source_) return nullptr;
  const pbrt::ChosenEntry chosen = pbrt::choose_entry(file_, machine);
  return chosen.note.empty() ? chosen.entry : nullptr;
}

bool ResultFile::has_finished_entry(const pbrt::Machine& machine) const {
  const pbrt::ConfigEntry* entry = entry_of(machine);
  return entry != nullptr && entry->provenance.effort.find(kNotFinished) == std::string::npos;
}

bool ResultFile::knows_better(const pbrt::Machine& machine, std::span<const SearchResult> results) const {
  const pbrt::ConfigEntry* entry = entry_of(machine);
  if (entry == nullptr || entry->provenance.sizes.empty() || results.empty()) return false;
  const SearchResult& last = results.back();
  const bool is_kept = last.kept == Kept::Before || last.best == entry->configuration;
  if (last.is_complete && (last.is_confirmed || !is_kept)) return false;
  const std::int64_t known_n = entry->provenance.sizes.back();
  const bool is_known_well =
      has_finished_entry(machine) && (!last.is_complete || entry->provenance.unconfirmed.empty());
  return last.n < known_n || (last.n == known_n && is_known_well);
}

void ResultFile::save(pbrt::ConfigEntry entry) {
  file_ = read();
  is_of_this_source_ = true;
  file_.source = index_.info().source;
  pbrt::put_entry(file_, std::move(entry));
  pbrt::save_config_file(path_, index_, file_);
}

}  // namespace pbtune
