// SPDX-License-Identifier: MIT
#include "autotuner/migrate/written_configuration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "runtime/config/configuration.h"
#include "runtime/config/formats/json_reader.h"

namespace pbtune {
namespace {

using pbrt::json::Json;
using pbrt::json::Node;

constexpr double kMaxFrom = 4e18;  // the largest size

bool is_number(const Json& value) { return value.is_number(); }

bool is_number_list(const Json& value) {
  if (!value.is_array() || value.empty()) return false;
  for (const Json& item : value)
    if (!is_number(item)) return false;
  return true;
}

bool is_table(const Json& value) {
  if (!value.is_array() || value.empty()) return false;
  for (const Json& item : value)
    if (!is_number_list(item) || item.size() != value[0].size()) return false;
  return true;
}

/// Reads a value; false if it is neither a number nor a list or table of numbers.
bool read_value(const Json& value, WrittenValue& out) {
  constexpr std::size_t kMaxShown = 60;
  out.text = pbrt::json::dump_line(value);
  if (out.text.size() > kMaxShown) out.text = out.text.substr(0, kMaxShown) + " ...";
  if (is_number(value)) {
    out.numbers.push_back(value.get<double>());
    return true;
  }
  out.is_list = true;
  if (is_number_list(value)) {
    for (const Json& item : value) out.numbers.push_back(item.get<double>());
    return true;
  }
  if (!is_table(value)) return false;
  out.num_lists = static_cast<int>(value.size());
  for (const Json& list : value)
    for (const Json& item : list) out.numbers.push_back(item.get<double>());
  return true;
}

void read_values(const Node& node, const std::string& prefix, int schedule, std::vector<WrittenValue>& out,
                 std::vector<std::string>& unread) {
  node.each_member([&](const std::string& name, const Node& item) {
    WrittenValue value;
    value.name = name;
    value.schedule = schedule;
    if (read_value(item.json(), value))
      out.push_back(std::move(value));
    else
      unread.push_back(prefix + name + " = " + value.text);
  });
}

/// Reads a level of a selector. Returns false if `node` is no such level.
bool read_level(const Node& node, const std::string& site, WrittenLevel& out) {
  const Json& json = node.json();
  if (!json.is_object()) return false;
  if (node.has("from") && !is_number(json["from"])) return false;
  const double from = node.number_or("from", 0);
  if (!(from >= 0 && from <= kMaxFrom) || std::floor(from) != from) return false;
  out.from = static_cast<std::int64_t>(from);
  if (node.has("by") && !json["by"].is_string()) return false;
  out.by = node.string_or("by", "");
  if (node.has("schedule") && !is_number(json["schedule"])) return false;
  const double schedule = node.number_or("schedule", 1);
  if (!(schedule >= 1 && schedule <= pbrt::kMaxSchedules) || std::floor(schedule) != schedule) return false;
  out.schedule = static_cast<int>(schedule);
  if (node.has("on") && !json["on"].is_string()) return false;
  out.on = node.string_or("on", "cpu");
  if (node.has("rule") && json["rule"].is_string()) {
    out.rules[site] = node.at("rule").string();
    return true;
  }
  if (!node.has("rules") || !json["rules"].is_object()) return false;
  for (const auto& item : json["rules"].items())
    if (item.value().is_string()) out.rules[item.key()] = item.value().get<std::string>();
  return !out.rules.empty() && out.rules.size() == json["rules"].size();
}

/// Reads a site; false if something in it is no level, or levels do not increase.
bool read_site(const Node& node, WrittenSite& out) {
  if (!node.json().is_array() || node.json().empty()) return false;
  bool is_good = true;
  std::map<std::string, std::int64_t> last;  // by what levels test
  node.each_item([&](const Node& item) {
    WrittenLevel level;
    is_good = is_good && read_level(item, out.name, level) && (!last.contains(level.by) || level.from > last[level.by]);
    last[level.by] = level.from;
    out.levels.push_back(std::move(level));
  });
  return is_good;
}

WrittenTransform read_transform(const std::string& name, const Node& node, std::vector<std::string>& unread) {
  WrittenTransform out;
  out.name = name;
  if (node.has("sites")) {
    node.at("sites").each_member([&](const std::string& site_name, const Node& levels) {
      WrittenSite site;
      site.name = site_name;
      if (read_site(levels, site))
        out.sites.push_back(std::move(site));
      else
        unread.push_back(name + "." + site_name);
    });
  }
  if (node.has("tunables")) read_values(node.at("tunables"), name + ".", 0, out.values, unread);
  if (!node.has("schedules")) return out;
  node.at("schedules").each_member([&](const std::string& site, const Node& schedules) {
    const Json& list = schedules.json();
    const bool is_list = list.is_array() && !list.empty() && list.size() <= pbrt::kMaxSchedules &&
                         std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_object(); });
    if (!is_list) return unread.push_back(name + ".schedules." + site);
    int schedule = 0;
    schedules.each_item([&](const Node& item) { read_values(item, name + ".", ++schedule, out.values, unread); });
  });
  return out;
}

}  // namespace

WrittenConfiguration read_written(const std::string& entry, const std::string& file) {
  const pbrt::json::Document document(entry, file);
  const Node root(document);
  WrittenConfiguration out;
  if (root.has("global")) {
    const Node global = root.at("global");
    read_values(global, "", 0, out.globals, out.unread);
    const std::string core_type = pbrt::kOpenBlasCoreType;
    if (global.has(pbrt::kOpenBlasCoreType) && global.at(pbrt::kOpenBlasCoreType).json().is_string()) {
      out.core_type = global.at(pbrt::kOpenBlasCoreType).string();
      std::erase_if(out.unread, [&](const std::string& text) { return text.starts_with(core_type + " = "); });
    }
  }
  if (root.has("transforms"))
    root.at("transforms").each_member([&](const std::string& name, const Node& node) {
      out.transforms.push_back(read_transform(name, node, out.unread));
    });
  return out;
}

}  // namespace pbtune
