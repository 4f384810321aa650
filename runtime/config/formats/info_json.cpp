// SPDX-License-Identifier: MIT
#include "runtime/config/formats/info_json.h"

#include <algorithm>
#include <map>

#include "runtime/config/formats/json_reader.h"

namespace pbrt {
namespace {

using json::Json;
using json::Node;

constexpr std::int64_t kMaxCount = 1024;

Json to_value(const std::vector<std::string>& words) {
  Json list = Json::array();
  for (const std::string& word : words) list.push_back(word);
  return list;
}

Json to_list(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json::number_to_json(value));
  return list;
}

Json to_value(const TunableInfo& tunable) {
  Json out;
  out["type"] = to_string(tunable.type);
  out["min"] = json::number_to_json(tunable.min);
  out["max"] = json::number_to_json(tunable.max);
  if (tunable.initial.size() == 1) {
    out["initial"] = json::number_to_json(tunable.initial[0]);
  } else {
    out["initial"] = to_list(tunable.initial);
  }
  out["role"] = to_string(tunable.role);
  if (tunable.is_size_specific) out["size_specific"] = true;
  if (tunable.count != 1) out["count"] = tunable.count;
  if (!tunable.used_by.empty()) out["used_by"] = to_value(tunable.used_by);
  if (!tunable.needs.empty()) out["needs"] = tunable.needs;
  if (!tunable.site.empty()) out["site"] = tunable.site;
  if (!tunable.fixed.empty()) out["fixed"] = to_list(tunable.fixed);
  if (!tunable.undivided.empty()) out["undivided"] = to_value(tunable.undivided);
  return out;
}

Json to_value(const std::vector<TunableInfo>& tunables) {
  Json out = Json::object();
  for (const TunableInfo& tunable : tunables) out[tunable.name] = to_value(tunable);
  return out;
}

Json to_value(const SiteInfo& site, const std::vector<std::string>& sizes) {
  Json list = Json::array();
  for (const AlternativeInfo& alternative : site.alternatives) {
    Json out;
    out["rule"] = alternative.rule;
    for (const auto& [part, rule] : alternative.parts) out["rules"][part] = rule;
    out["on"] = Json::array();
    for (const Version on : alternative.on) out["on"].push_back(to_string(on));
    out["line"] = alternative.line;
    if (!alternative.why_not_device.empty()) out["why_not_device"] = alternative.why_not_device;
    list.push_back(out);
  }
  Json out;
  out["alternatives"] = list;
  for (const Level& level : site.fixed) {
    const Choice choice = site.choice(level.alternative);
    Json item;
    if (level.from > 0) item["from"] = level.from;
    if (level.by > 0) item["by"] = sizes[static_cast<std::size_t>(level.by) - 1];
    item["rule"] = choice.rule;
    item["on"] = to_string(choice.on);
    if (level.schedule > 0) item["schedule"] = level.schedule + 1;
    out["fixed"].push_back(std::move(item));
  }
  return out;
}

Json to_value(const AccuracyInfo& accuracy) {
  Json out;
  if (accuracy.has_target) out["target"] = json::number_to_json(accuracy.target);
  if (!accuracy.metric.empty()) out["metric"] = accuracy.metric;
  out["higher_is_better"] = accuracy.higher_is_better;
  return out;
}

Json to_value(const ToleranceInfo& tolerance) {
  Json out;
  out["rel"] = tolerance.rel;
  if (tolerance.abs >= 0) out["abs"] = tolerance.abs;
  return out;
}

Json to_value(const TransformInfo& transform) {
  Json out;
  if (transform.template_name != transform.name) out["template"] = transform.template_name;
  if (transform.accuracy.is_given) out["accuracy"] = to_value(transform.accuracy);
  if (transform.tolerance.is_given) out["tolerance"] = to_value(transform.tolerance);
  out["sizes"] = to_value(transform.sizes);
  if (!transform.numbers.empty()) out["numbers"] = to_value(transform.numbers);
  for (const auto& [input, range] : transform.ranges) out["ranges"][input] = range;
  out["calls"] = to_value(transform.calls);
  if (!transform.input_features.empty()) out["input_features"] = to_value(transform.input_features);
  out["sites"] = Json::object();
  for (const SiteInfo& site : transform.sites) out["sites"][site.name] = to_value(site, transform.sizes);
  if (!transform.forbidden.empty()) {
    out["forbidden"] = Json::array();
    for (const Forbidden& forbidden : transform.forbidden) {
      Json assignment = Json::object();
      for (const auto& [site, rule] : forbidden) assignment[site] = rule;
      out["forbidden"].push_back(assignment);
    }
  }
  out["tunables"] = to_value(transform.tunables);
  return out;
}

TunableType type_of(const Node& node) {
  const std::string word = node.string();
  for (const TunableType type : {TunableType::Int, TunableType::Real, TunableType::Shape})
    if (word == to_string(type)) return type;
  node.fail("`" + word + "` is no type of a tunable: int, real or shape");
}

TunableRole role_of(const Node& node) {
  const std::string word = node.string();
  const auto role = pb::find_tunable_role(word);
  if (role && *role != TunableRole::Tile) return *role;
  node.fail("`" + word + "` is no role of a tunable");
}

TunableInfo tunable_of(const std::string& name, const Node& node) {
  TunableInfo out;
  out.name = name;
  out.type = type_of(node.at("type"));
  out.min = node.at("min").number();
  out.max = node.at("max").number();
  if (!(out.min <= out.max)) node.fail("`min` is greater than `max`");
  out.role = role_of(node.at("role"));
  out.is_size_specific = node.boolean_or("size_specific", false);
  out.count = static_cast<int>(node.integer_or("count", 1, kMaxCount, 1));
  const Node initial = node.at("initial");
  if (initial.json().is_array())
    out.initial = initial.numbers();
  else
    out.initial.push_back(initial.number());
  if (out.initial.size() != 1 && out.initial.size() != static_cast<std::size_t>(out.count))
    initial.fail("expected one value or as many as `count` says");
  for (const double value : out.initial)
    if (!(value >= out.min && value <= out.max)) initial.fail("the initial value is outside `min` to `max`");
  if (node.has("used_by")) out.used_by = node.at("used_by").strings();
  if (node.has("undivided")) out.undivided = node.at("undivided").strings();
  if (node.has("needs")) out.needs = node.at("needs").string();
  if (node.has("site")) out.site = node.at("site").string();
  if (node.has("fixed")) {
    const Node fixed = node.at("fixed");
    out.fixed = fixed.numbers();
    const auto num_values = static_cast<std::size_t>(out.num_values());
    const std::size_t most = num_values * (out.site.empty() ? 1 : kMaxSchedules);
    if (out.fixed.empty() || out.fixed.size() % num_values != 0 || out.fixed.size() > most)
      fixed.fail("expected " + std::to_string(num_values) + " values" +
                 (out.site.empty() ? "" : ", or as many for each of up to 4 schedules"));
    for (const double value : out.fixed)
      if (!(value >= out.min && value <= out.max)) fixed.fail("a fixed value is outside `min` to `max`");
  }
  return out;
}

std::vector<TunableInfo> tunables_of(const Node& node) {
  std::vector<TunableInfo> out;
  node.each_member([&](const std::string& name, const Node& value) { out.push_back(tunable_of(name, value)); });
  return out;
}

std::vector<Level> fixed_levels_of(const SiteInfo& site, const std::vector<std::string>& sizes, const Node& node) {
  std::vector<Level> out;
  std::map<int, std::int64_t> last;  // by what levels test
  node.each_item([&](const Node& item) {
    const std::int64_t from = item.integer_or("from", 0, std::int64_t{4000000000000000000}, 0);
    const auto on = pb::find_version(item.at("on").string());
    const int choice = on ? site.index_of(item.at("rule").string(), *on) : -1;
    if (choice < 0) item.fail("the site has no such alternative");
    int by = 0;
    if (item.has("by")) {
      const auto found = std::find(sizes.begin(), sizes.end(), item.at("by").string());
      if (found == sizes.end()) item.at("by").fail("the transform has no such size variable");
      by = static_cast<int>(found - sizes.begin()) + 1;
    }
    const bool is_ordered = out.empty() ? from == 0 && by == 0 : from > last[by];
    if (!is_ordered) item.fail("`from` must start at 0 and increase");
    last[by] = from;
    out.push_back({from, choice, static_cast<int>(item.integer_or("schedule", 1, kMaxSchedules, 1)) - 1, by});
  });
  if (out.empty() || out.size() > kMaxSelectorLevels) node.fail("expected 1 to 12 levels");
  return out;
}

SiteInfo site_of(const std::string& name, const std::vector<std::string>& sizes, const Node& node) {
  SiteInfo out;
  out.name = name;
  node.at("alternatives").each_item([&](const Node& item) {
    AlternativeInfo alternative;
    alternative.rule = item.at("rule").string();
    item.at("on").each_item([&](const Node& word) {
      const auto on = pb::find_version(word.string());
      if (!on) word.fail("`" + word.string() + "` is no version of a rule");
      alternative.on.push_back(*on);
    });
    if (alternative.on.empty()) item.fail("`on` is empty");
    alternative.line = static_cast<int>(item.integer_or("line", 0, 2147483647, 0));
    alternative.why_not_device = item.string_or("why_not_device", "");
    if (item.has("rules")) {
      item.at("rules").each_member(
          [&](const std::string& part, const Node& rule) { alternative.parts.emplace_back(part, rule.string()); });
    }
    out.alternatives.push_back(std::move(alternative));
  });
  if (out.alternatives.empty()) node.fail("the site has no alternatives");
  if (node.has("fixed")) out.fixed = fixed_levels_of(out, sizes, node.at("fixed"));
  return out;
}

AccuracyInfo accuracy_of(const Node& node) {
  AccuracyInfo out;
  out.is_given = true;
  out.has_target = node.has("target");
  if (out.has_target) out.target = node.at("target").number();
  out.metric = node.string_or("metric", "");
  out.higher_is_better = node.boolean_or("higher_is_better", true);
  return out;
}

ToleranceInfo tolerance_of(const Node& node) {
  ToleranceInfo out;
  out.is_given = true;
  out.rel = node.at("rel").number();
  out.abs = node.number_or("abs", -1);
  return out;
}

TransformInfo transform_of(const std::string& name, const Node& node) {
  TransformInfo out;
  out.name = name;
  out.template_name = node.string_or("template", name.c_str());
  if (node.has("accuracy")) out.accuracy = accuracy_of(node.at("accuracy"));
  if (node.has("tolerance")) out.tolerance = tolerance_of(node.at("tolerance"));
  if (node.has("sizes")) out.sizes = node.at("sizes").strings();
  if (node.has("calls")) out.calls = node.at("calls").strings();
  if (node.has("numbers")) out.numbers = node.at("numbers").strings();
  if (node.has("ranges"))
    node.at("ranges").each_member(
        [&](const std::string& input, const Node& range) { out.ranges.emplace_back(input, range.string()); });
  if (node.has("input_features")) out.input_features = node.at("input_features").strings();
  node.at("sites").each_member(
      [&](const std::string& site, const Node& value) { out.sites.push_back(site_of(site, out.sizes, value)); });
  if (node.has("forbidden")) {
    node.at("forbidden").each_item([&](const Node& item) {
      Forbidden forbidden;
      item.each_member([&](const std::string& site, const Node& rule) { forbidden[site] = rule.string(); });
      if (forbidden.empty()) item.fail("a forbidden assignment names no site");
      out.forbidden.push_back(std::move(forbidden));
    });
  }
  out.tunables = tunables_of(node.at("tunables"));
  for (const TunableInfo& tunable : out.tunables) {
    const auto is_its_site = [&](const SiteInfo& site) { return site.name == tunable.site; };
    if (!tunable.site.empty() && std::none_of(out.sites.begin(), out.sites.end(), is_its_site))
      node.at("tunables").at(tunable.name.c_str()).at("site").fail("the transform has no such site");
  }
  return out;
}

}  // namespace

std::string to_json(const TrainingInfo& info) {
  Json out;
  out["format"] = info.format;
  out["program"] = info.program;
  out["source"] = info.source;
  out["element"] = info.element;
  out["fp"] = info.fp;
  out["main"] = info.main;
  if (!info.device.empty()) out["device"] = info.device;
  if (info.openblas_coretype != "auto") out["openblas_coretype"] = info.openblas_coretype;
  out["transforms"] = Json::object();
  for (const TransformInfo& transform : info.transforms) out["transforms"][transform.name] = to_value(transform);
  out["global"] = to_value(info.global);
  return json::dump_pretty(out) + "\n";
}

TrainingInfo parse_training_info(std::string_view text, const std::string& name) {
  const json::Document document(text, name);
  const Node root(document);
  TrainingInfo out;
  root.expect_object();
  if (!root.has("format") || !root.has("transforms"))
    root.fail("this is no training information: `format` or `transforms` is missing");
  out.format = static_cast<int>(root.at("format").integer(0, 1000000));
  if (out.format > kInfoFormat)
    root.at("format").fail("format " + std::to_string(out.format) +
                           " is newer than the newest that this program reads, " + std::to_string(kInfoFormat));
  out.format = kInfoFormat;
  out.program = root.at("program").string();
  out.source = root.string_or("source", "");
  out.element = root.string_or("element", "double");
  out.fp = root.string_or("fp", "contract");
  out.main = root.string_or("main", "");
  out.device = root.string_or("device", "");
  out.openblas_coretype = root.string_or("openblas_coretype", "auto");
  root.at("transforms").each_member([&](const std::string& transform, const Node& value) {
    out.transforms.push_back(transform_of(transform, value));
  });
  out.global = tunables_of(root.at("global"));
  for (const TunableInfo& tunable : out.global)
    if (!tunable.site.empty()) root.at("global").at(tunable.name.c_str()).fail("a global tunable has no site");
  return out;
}

TrainingInfo read_training_info(const std::string& path) {
  return parse_training_info(json::read_bounded_file(path), path);
}

}  // namespace pbrt
