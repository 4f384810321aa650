// SPDX-License-Identifier: MIT
#include "runtime/config/formats/config_file.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/config/atomic_file.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/configuration_json.h"
#include "runtime/config/formats/device_costs_json.h"
#include "runtime/config/formats/devices_json.h"
#include "runtime/config/formats/former_names.h"

namespace pbrt {
namespace {

using json::Json;
using json::Node;

constexpr std::int64_t kMaxSize = std::int64_t{1} << 60;

Json to_value(const Machine& machine) {
  Json out;
  out["cpu"] = machine.cpu;
  out["cpus"] = machine.cpus;
  out["cores"] = machine.cores;
  out["caches"] = Json::array();
  for (const CacheInfo& cache : machine.caches)
    out["caches"].push_back({{"level", cache.level}, {"bytes", cache.size_bytes}});
  out["devices"] = json::devices_to_json(machine.devices);
  return out;
}

Machine machine_of(const Node& node) {
  Machine out;
  out.cpu = node.string_or("cpu", "");
  out.cpus = static_cast<int>(node.integer_or("cpus", 1, 1000000, 1));
  out.cores = static_cast<int>(node.integer_or("cores", 1, 1000000, out.cpus));
  if (node.has("caches")) {
    node.at("caches").each_item([&](const Node& item) {
      out.caches.push_back({static_cast<int>(item.at("level").integer(1, 16)), item.at("bytes").integer(0, kMaxSize)});
    });
  }
  if (node.has("devices")) out.devices = json::devices_of(node.at("devices"));
  return out;
}

Json to_value(const DeviceLoss& loss) {
  Json out;
  out["sites"] = loss.sites;
  out["time_ns"] = json::number_to_json(loss.time_ns);
  out["cpu_ns"] = json::number_to_json(loss.cpu_ns);
  if (!(loss.profiled_ns > 0)) return out;
  out["profiled_ns"] = json::number_to_json(loss.profiled_ns);
  out["device"] = json::device_costs_to_json(loss.costs);
  return out;
}

DeviceLoss device_loss_of(const Node& node) {
  DeviceLoss out;
  out.sites = node.at("sites").strings();
  out.time_ns = node.number_or("time_ns", 0);
  out.cpu_ns = node.number_or("cpu_ns", 0);
  out.profiled_ns = node.number_or("profiled_ns", 0);
  if (node.has("device")) out.costs = json::device_costs_of(node.at("device"));
  return out;
}

Json to_value(const Provenance& provenance) {
  Json out;
  out["when"] = provenance.when;
  out["tuner"] = provenance.tuner;
  out["effort"] = provenance.effort;
  out["seed"] = provenance.seed;
  out["how"] = provenance.how;
  out["device"] = provenance.device;
  out["sizes"] = provenance.sizes;
  out["times_ns"] = Json::object();
  for (const auto& [name, time] : provenance.times_ns) out["times_ns"][name] = json::number_to_json(time);
  if (!provenance.cases.empty()) out["cases"] = provenance.cases;
  if (!provenance.unconfirmed.empty()) out["unconfirmed"] = provenance.unconfirmed;
  for (const auto& [name, accuracy] : provenance.accuracies) out["accuracy"][name] = json::number_to_json(accuracy);
  for (const auto& [name, loss] : provenance.losses) out["losses"][name] = json::number_to_json(loss);
  for (const DeviceLoss& loss : provenance.device_losses) out["device_losses"].push_back(to_value(loss));
  out["ran"] = provenance.ran;
  return out;
}

Provenance provenance_of(const Node& node) {
  Provenance out;
  out.when = node.string_or("when", "");
  out.tuner = node.string_or("tuner", "");
  out.effort = node.string_or("effort", "");
  out.how = node.string_or("how", "");
  out.device = node.string_or("device", "");
  out.seed = node.natural_or("seed", 0);
  if (node.has("sizes"))
    node.at("sizes").each_item([&](const Node& item) { out.sizes.push_back(item.integer(0, kMaxSize)); });
  const auto read_numbers = [&](const char* key, std::vector<std::pair<std::string, double>>& numbers) {
    if (!node.has(key)) return;
    node.at(key).each_member(
        [&](const std::string& name, const Node& item) { numbers.emplace_back(name, item.number()); });
  };
  read_numbers("times_ns", out.times_ns);
  read_numbers("accuracy", out.accuracies);
  read_numbers("losses", out.losses);
  if (node.has("cases")) out.cases = node.at("cases").strings();
  if (node.has("unconfirmed")) out.unconfirmed = node.at("unconfirmed").strings();
  if (node.has("device_losses"))
    node.at("device_losses").each_item([&](const Node& item) { out.device_losses.push_back(device_loss_of(item)); });
  if (node.has("ran")) out.ran = node.at("ran").strings();
  return out;
}

ConfigEntry entry_of(const Node& node, const InfoIndex& index, ConfigWarnings& warnings) {
  ConfigEntry out;
  node.expect_object();
  if (node.has("machine")) out.machine = machine_of(node.at("machine"));
  if (node.has("provenance")) out.provenance = provenance_of(node.at("provenance"));
  out.configuration = configuration_of(node, index, warnings, &out.named);
  out.differences = std::exchange(warnings.differences, {});
  out.raw = json::dump_line(node.json());
  return out;
}

Json to_value(const InfoIndex& index, const ConfigEntry& entry) {
  if (!entry.raw.empty()) return Json::parse(entry.raw);
  Json out;
  out["machine"] = to_value(entry.machine);
  out["provenance"] = to_value(entry.provenance);
  out.update(configuration_to_value(index, entry.configuration));
  return out;
}

/// The text as JSON. What does not even begin like that is another file, such as a source.
json::Document document_of(std::string_view text, const std::string& path) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && std::string_view("{[\"").find(text[first]) == std::string_view::npos)
    throw ConfigError(path + ": this is no configuration, which is an object of JSON");
  return {text, path};
}

/// Names that several entries lack or break are reported once.
void keep_first_of_each(std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (std::string& item : items)
    if (std::find(out.begin(), out.end(), item) == out.end()) out.push_back(std::move(item));
  items = std::move(out);
}

}  // namespace

ConfigFile parse_config_file(std::string_view text, const std::string& path, const InfoIndex& index, OfProgram whose) {
  if (is_former_configuration(text)) throw ConfigError(about_former_configuration(text, path, index));
  const json::Document document = document_of(text, path);
  const Node root(document);
  root.expect_object();
  if (root.has("main") && root.has("transforms"))
    root.fail("this is the training information of a program, which says what may be chosen, and no configuration");
  const bool is_short = !root.has("entries") && (root.has("global") || root.has("transforms"));
  for (const char* name : {"format", "entries"})
    if (!is_short && !root.has(name)) root.fail(std::string("this is no configuration: `") + name + "` is missing");
  const std::int64_t format = root.integer_or("format", 0, 1000000, kConfigFormat);
  if (format > kConfigFormat)
    root.at("format").fail("format " + std::to_string(format) + " is newer than the newest that this program reads, " +
                           std::to_string(kConfigFormat));
  ConfigFile out;
  const TrainingInfo& info = index.info();
  out.program = is_short ? root.string_or("program", info.program.c_str()) : root.at("program").string();
  out.source = root.string_or("source", "");
  out.is_short = is_short;
  out.format = static_cast<int>(format);
  if (out.program != info.program && whose == OfProgram::Same)
    root.at("program").fail("this configuration belongs to program `" + out.program + "`, not to `" + info.program +
                            "`; if the program was renamed, `pbtune migrate` carries it over");
  const auto add = [&](const Node& item) { out.entries.push_back(entry_of(item, index, out.warnings)); };
  if (is_short)
    add(root);
  else
    root.at("entries").each_item(add);
  keep_first_of_each(out.warnings.unknown_names);
  keep_first_of_each(out.warnings.bad_values);
  keep_first_of_each(out.warnings.wrong_kinds);
  if (!out.source.empty() && out.source != info.source)
    out.notes.push_back(path + ": tuned for another state of the program's source, or for other options of pbc; " +
                        (out.warnings.unknown_names.empty()
                             ? "tune again to be sure that it is the best"
                             : "`pbtune migrate` carries over what was renamed or moved, then tune again"));
  return out;
}

ConfigFile read_config_file(const std::string& path, const InfoIndex& index) {
  return parse_config_file(json::read_bounded_file(path), path, index);
}

std::string to_json(const InfoIndex& index, const ConfigFile& file) {
  Json out;
  out["format"] = kConfigFormat;
  out["program"] = file.program;
  out["source"] = file.source;
  out["entries"] = Json::array();
  for (const ConfigEntry& entry : file.entries) out["entries"].push_back(to_value(index, entry));
  return json::dump_pretty(out) + "\n";
}

std::string to_short_file(const InfoIndex& index, const Configuration& configuration) {
  Json out;
  out["format"] = kConfigFormat;
  out["program"] = index.info().program;
  out["source"] = index.info().source;
  out.update(configuration_to_value(index, configuration));
  return json::dump_line(out);
}

void put_entry(ConfigFile& file, ConfigEntry entry) {
  entry.raw.clear();
  const auto is_same = [&](const ConfigEntry& other) { return other.machine == entry.machine; };
  const auto found = std::find_if(file.entries.begin(), file.entries.end(), is_same);
  if (found == file.entries.end())
    file.entries.push_back(std::move(entry));
  else
    *found = std::move(entry);
}

void save_config_file(const std::string& path, const InfoIndex& index, const ConfigFile& file) {
  write_file_atomically(path, to_json(index, file));
}

ChosenEntry choose_entry(const ConfigFile& file, const Machine& machine) {
  ChosenEntry out;
  double least = std::numeric_limits<double>::infinity();
  for (const ConfigEntry& entry : file.entries) {
    const double distance = machine_distance(entry.machine, machine);
    if (!(distance < least)) continue;
    least = distance;
    out.entry = &entry;
  }
  // An entry written by hand need not say which machine it is for.
  const bool says_machine = out.entry != nullptr && !(out.entry->machine == Machine{});
  if (says_machine && least > 0) out.note = "tuned on another machine: " + describe(out.entry->machine);
  return out;
}

}  // namespace pbrt
