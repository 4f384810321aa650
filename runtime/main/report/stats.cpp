// SPDX-License-Identifier: MIT
#include "runtime/main/report/stats.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace pbrt {

namespace {

struct Summary {
  double average = 0, min = 0, max = 0, median = 0, variance = 0;
};

Summary summarize(std::vector<double> values) {
  Summary s;
  if (values.empty()) return s;
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  for (const double v : values) s.average += v / count;
  for (const double v : values) s.variance += (v - s.average) * (v - s.average) / count;
  s.min = values.front();
  s.max = values.back();
  const std::size_t middle = values.size() / 2;
  s.median = values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return s;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.15g", value);
  return text;
}

/// The accuracies as printed, where more is better (docs/reference/language.md 12).
std::vector<double> printed_accuracies(const StatsInput& input) {
  std::vector<double> out = input.accuracies;
  if (!input.accuracy.higher_is_better)
    for (double& value : out) value = -value;
  return out;
}

double printed_target(const AccuracyInfo& accuracy) {
  return accuracy.higher_is_better ? accuracy.target : -accuracy.target;
}

bool is_target_met(const StatsInput& input) {
  return std::all_of(input.accuracies.begin(), input.accuracies.end(),
                     [&](double accuracy) { return input.accuracy.is_met_by(accuracy); });
}

/// `<timing count=… stddev=… />`
std::string xml_element(const char* name, const std::vector<double>& values) {
  const Summary s = summarize(values);
  return std::string("    <") + name + " count=\"" + std::to_string(values.size()) + "\" average=\"" +
         number(s.average) + "\" min=\"" + number(s.min) + "\" max=\"" + number(s.max) + "\" median=\"" +
         number(s.median) + "\" variance=\"" + number(s.variance) + "\" stddev=\"" + number(std::sqrt(s.variance)) +
         "\" />\n";
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds == std::numeric_limits<double>::max()) return "longer than --max-sec";
  const double ms = seconds * 1e3;
  char text[40];
  std::snprintf(text, sizeof(text), ms < 999.95 ? "%.4g ms" : "%.0f ms", ms);
  // Times are printed without exponents, which people read less easily.
  if (ms < 1e-4) std::snprintf(text, sizeof(text), "%.6f ms", ms);
  return text;
}

std::string hash_text(const StatsInput& input) {
  char text[40];
  std::snprintf(text, sizeof(text), "0x%016llx%016llx", static_cast<unsigned long long>(input.hash[0]),
                static_cast<unsigned long long>(input.hash[1]));
  return text;
}

std::string accuracy_text(const StatsInput& input) {
  const Summary s = summarize(printed_accuracies(input));
  std::string text = "accuracy " + number(s.median);
  if (input.accuracies.size() > 1)
    text += ", least " + number(s.min) + " over " + std::to_string(input.accuracies.size()) + " runs";
  if (input.accuracy.has_target)
    text += ", target " + number(printed_target(input.accuracy)) + (is_target_met(input) ? ": met" : ": missed");
  if (!input.accuracy.higher_is_better) text += " (the metric, negated)";
  return text + "\n";
}

namespace {

std::string percent(std::int64_t part, std::int64_t whole) {
  char text[40];
  const double value = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  std::snprintf(text, sizeof(text), "%.1f %%", value);
  return text;
}

std::string counted(std::int64_t count, const char* one, const char* more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

/// What a device is called; `i`: its place in --device.
std::string words_of_device(const RunReport& run, std::size_t i) {
  return run.devices.size() < 2 ? "the device"
                                : "device " + std::to_string(i) + " of " + std::to_string(run.devices.size());
}

void add_rule_text(std::string& text, const RuleTotals& totals, const char* one, const char* more,
                   const std::string& where = {}) {
  text += "  " + totals.rule + " on " + totals.version + where + ": " +
          duration_text(static_cast<double>(totals.time_ns) * 1e-9) + ", " + counted(totals.cells, "cell", "cells") +
          " in " + counted(totals.count, one, more);
  if (totals.is_estimated()) text += " (time estimated from " + std::to_string(totals.num_timed) + " of them)";
  text += "\n";
}

/// How busy workers were and what rules took.
std::string profile_text(const RunReport& run) {
  std::string text;
  for (std::size_t i = 0; i < run.profile.workers.size(); ++i) {
    const WorkerTimes& times = run.profile.workers[i];
    const std::int64_t whole = times.busy_ns + times.search_ns + times.idle_ns;
    text += "  worker " + std::to_string(i) + ": busy " + percent(times.busy_ns, whole) + ", looking for work " +
            percent(times.search_ns, whole) + ", idle " + percent(times.idle_ns, whole) + ", " +
            counted(times.num_steals, "steal", "steals") + "\n";
  }
  for (const RuleTotals& totals : run.profile.rules) add_rule_text(text, totals, "piece", "pieces");
  for (std::size_t i = 0; i < run.devices.size(); ++i)
    for (const RuleTotals& totals : run.devices[i].kernels)
      add_rule_text(text, totals, "kernel", "kernels", run.devices.size() < 2 ? "" : " of " + words_of_device(run, i));
  return text;
}

/// What was done because the device is short of memory.
std::string shortage_text(const DeviceReport& device, const std::string& name, bool is_one) {
  std::string cuts;
  if (device.launches_in_windows != 0) {
    cuts = "  " + counted(device.launches_in_windows, "kernel", "kernels") + " on parts of matrices" +
           (is_one ? "" : " on " + name) + ", for want of memory";
    if (device.launches_cut != 0) cuts += "; " + counted(device.launches_cut, "step", "steps") + " cut into pieces";
    cuts += "\n";
  }
  if (device.evictions == 0) return cuts;
  std::string text = cuts + "  " + counted(device.evictions, "buffer", "buffers") + " with " +
                     counted(device.bytes_evicted, "byte", "bytes") + " evicted from " + name;
  if (device.copies_before_eviction != 0)
    text += ", " + std::to_string(device.copies_before_eviction) + " after a copy to the host";
  return text + "\n";
}

/// What came of comparing results with the CPU's.
std::string check_text(const DeviceReport& device) {
  if (device.launches_verified == 0 && device.launches_not_verified == 0) return "";
  std::string text = "  " + counted(device.launches_verified, "kernel", "kernels") +
                     " verified on the CPU: " + counted(device.launches_differing, "difference", "differences");
  if (device.launches_not_verified != 0) text += "; " + std::to_string(device.launches_not_verified) + " not verified";
  return text + "\n";
}

/// What a device did: where there are several, its part of what all moved, too.
std::string device_text(const RunReport& run, std::size_t i) {
  const DeviceReport& device = run.devices[i];
  const std::string name = words_of_device(run, i);
  std::string text;
  if (run.devices.size() > 1)
    text += "  " + name + ", " + device.name + ": " + counted(device.launches, "kernel", "kernels") + ", " +
            counted(device.bytes_to_device, "byte", "bytes") + " to it, " +
            counted(device.bytes_to_host, "byte", "bytes") + " from it\n";
  text += shortage_text(device, name, run.devices.size() < 2) + check_text(device);
  if (device.kernel_ns != 0)
    text += "  kernels ran for " + duration_text(static_cast<double>(device.kernel_ns) * 1e-9) + " on " + name + "\n";
  const std::int64_t copy_ns = device.copy_in_ns + device.copy_out_ns;
  if (device.kernel_ns != 0 && copy_ns + device.start_ns != 0)
    text += "  copies took " + duration_text(static_cast<double>(copy_ns) * 1e-9) + ", starting kernels and copies " +
            duration_text(static_cast<double>(device.start_ns) * 1e-9) + " on " + name + "\n";
  return text;
}

/// Versions that did not run although they were chosen, those of calls below the cut-off as well.
std::vector<protocol::Fallback> all_fallbacks(const RunReport& run) {
  std::vector<protocol::Fallback> all = run.fallbacks;
  for (const protocol::Ran& each : run.below_cutoff)
    all.push_back({each.site, each.rule, each.on, "below the cutoff", each.count});
  return all;
}

}  // namespace

std::string stats_text(const StatsInput& input, bool with_details) {
  const Summary s = summarize(input.seconds);
  std::string text = input.transform + " at size " + std::to_string(input.n) + ": ";
  text += "median " + duration_text(s.median);
  if (input.seconds.size() > 1) {
    text += ", least " + duration_text(s.min) + ", spread " + duration_text(s.max - s.min) + " over " +
            std::to_string(input.seconds.size()) + " runs";
  }
  text += input.threads == 1 ? " (1 thread" : " (" + std::to_string(input.threads) + " threads";
  text += (input.device.empty() ? "" : ", " + input.device) + ", seed " + std::to_string(input.seed) + ")\n";
  if (!with_details) return text;
  for (const protocol::Ran& ran : input.last.ran)
    text += "  " + ran.site + ": " + ran.rule + " on " + to_string(ran.on) + ", " + std::to_string(ran.count) +
            (ran.count == 1 ? " time\n" : " times\n");
  for (const protocol::Fallback& fallback : all_fallbacks(input.last))
    text += "  " + did_not_run(fallback.site, {fallback.rule, fallback.on}) + ", " + std::to_string(fallback.count) +
            (fallback.count == 1 ? " time: " : " times: ") + fallback.reason + "\n";
  text += profile_text(input.last);
  if (input.last.bytes_moved != 0)
    text += "  " + std::to_string(input.last.bytes_moved) + " bytes to and from the device" +
            (input.last.devices.size() < 2 ? "\n" : "s\n");
  for (std::size_t i = 0; i < input.last.devices.size(); ++i) text += device_text(input.last, i);
  return text;
}

namespace {

nlohmann::ordered_json json_of(const std::vector<RuleTotals>& rules) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const RuleTotals& each : rules) {
    json.push_back({{"rule", each.rule},
                    {"version", each.version},
                    {"count", each.count},
                    {"cells", each.cells},
                    {"time_ns", each.time_ns}});
    if (each.is_estimated()) json.back()["timed"] = each.num_timed;
  }
  return json;
}

void add_profile(nlohmann::ordered_json& json, const RunReport& run) {
  nlohmann::ordered_json workers = nlohmann::ordered_json::array();
  for (const WorkerTimes& times : run.profile.workers)
    workers.push_back({{"busy_ns", times.busy_ns},
                       {"search_ns", times.search_ns},
                       {"idle_ns", times.idle_ns},
                       {"steals", times.num_steals}});
  json["workers"] = workers;
  json["rules"] = json_of(run.profile.rules);
  if (run.devices.empty()) return;
  json["devices"] = nlohmann::ordered_json::array();
  for (const DeviceReport& device : run.devices)
    json["devices"].push_back({{"name", device.name},
                               {"kernels", json_of(device.kernels)},
                               {"launches", device.launches},
                               {"kernel_ns", device.kernel_ns},
                               {"copy_in_ns", device.copy_in_ns},
                               {"copy_out_ns", device.copy_out_ns},
                               {"start_ns", device.start_ns},
                               {"launches_in_blocks", device.launches_in_blocks},
                               {"launches_in_parts", device.launches_in_parts},
                               {"launches_in_vectors", device.launches_in_vectors},
                               {"launches_on_matrix_units", device.launches_on_matrix_units},
                               {"launches_by_workers", device.launches_by_workers},
                               {"bytes_to_device", device.bytes_to_device},
                               {"bytes_to_host", device.bytes_to_host},
                               {"bytes_by_threads", device.bytes_by_threads},
                               {"bytes_locked", device.bytes_locked},
                               {"lock_ns", device.lock_ns},
                               {"evictions", device.evictions},
                               {"bytes_evicted", device.bytes_evicted},
                               {"copies_before_eviction", device.copies_before_eviction},
                               {"launches_cut", device.launches_cut},
                               {"launches_in_windows", device.launches_in_windows},
                               {"launches_verified", device.launches_verified},
                               {"launches_differing", device.launches_differing},
                               {"launches_not_verified", device.launches_not_verified}});
}

/// {site: {rule, on, count}}, or a list of these where a site ran in several ways: as in the measurement protocol.
nlohmann::ordered_json ran_json(const std::vector<protocol::Ran>& ran) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const protocol::Ran& entry : ran) {
    const nlohmann::ordered_json value = {{"rule", entry.rule}, {"on", to_string(entry.on)}, {"count", entry.count}};
    nlohmann::ordered_json& slot = json[entry.site];
    if (slot.is_null()) {
      slot = value;
    } else {
      if (slot.is_object()) slot = nlohmann::ordered_json::array({slot});
      slot.push_back(value);
    }
  }
  return json;
}

}  // namespace

std::string stats_json(const StatsInput& input) {
  const Summary s = summarize(input.seconds);
  nlohmann::ordered_json json;
  json["program"] = input.program;
  json["transform"] = input.transform;
  json["n"] = input.n;
  json["seed"] = input.seed;
  json["threads"] = input.threads;
  json["device"] = input.device.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(input.device);
  nlohmann::ordered_json times = nlohmann::ordered_json::array();
  const bool has_ended =
      std::count(input.seconds.begin(), input.seconds.end(), std::numeric_limits<double>::max()) == 0;
  const auto nanoseconds = [&](double seconds) {
    return has_ended ? nlohmann::ordered_json(std::llround(seconds * 1e9)) : nlohmann::ordered_json(nullptr);
  };
  for (const double seconds : input.seconds) times.push_back(nanoseconds(seconds));
  json["times_ns"] = times;
  json["median_ns"] = nanoseconds(s.median);
  json["min_ns"] = nanoseconds(s.min);
  json["max_ns"] = nanoseconds(s.max);
  if (!input.accuracies.empty()) {
    json["accuracies"] = printed_accuracies(input);
    if (input.accuracy.has_target) {
      json["accuracy_target"] = printed_target(input.accuracy);
      json["is_accuracy_met"] = is_target_met(input);
    }
  }
  json["ran"] = ran_json(input.last.ran);
  nlohmann::ordered_json fallbacks = nlohmann::ordered_json::array();
  for (const protocol::Fallback& entry : input.last.fallbacks)
    fallbacks.push_back({{"site", entry.site},
                         {"rule", entry.rule},
                         {"on", to_string(entry.on)},
                         {"reason", entry.reason},
                         {"count", entry.count}});
  json["fallbacks"] = fallbacks;
  // Calls below the cut-off stand apart from the fallbacks, because the configuration says so.
  nlohmann::ordered_json below_cutoff = nlohmann::ordered_json::array();
  for (const protocol::Ran& entry : input.last.below_cutoff)
    below_cutoff.push_back(
        {{"site", entry.site}, {"rule", entry.rule}, {"on", to_string(entry.on)}, {"count", entry.count}});
  json["below_cutoff"] = below_cutoff;
  json["bytes_moved"] = input.last.bytes_moved;
  if (input.last.kernel_ns != 0) json["kernel_ns"] = input.last.kernel_ns;
  add_profile(json, input.last);
  if (input.has_hash) json["output_hash"] = hash_text(input);
  // The text is one line. Names and reasons may hold bytes that are not UTF-8; these are replaced.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

namespace {

std::string xml_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace

std::string stats_xml(const StatsInput& input) {
  std::string text = "<root>\n  <stats>\n";
  if (!input.accuracies.empty()) text += xml_element("accuracy", printed_accuracies(input));
  text += xml_element("timing", input.seconds);
  for (const protocol::Fallback& each : all_fallbacks(input.last))
    text += "    <fallback site=" + xml_quoted(each.site) + " rule=" + xml_quoted(each.rule) + " on=\"" +
            to_string(each.on) + "\" count=\"" + std::to_string(each.count) + "\" reason=" + xml_quoted(each.reason) +
            " />\n";
  if (input.has_hash) text += "    <outputhash value=\"" + hash_text(input) + "\" />\n";
  return text + "  </stats>\n</root>\n";
}

}  // namespace pbrt
