// SPDX-License-Identifier: MIT
// Configurations as JSON (docs/reference/formats.md 1): what is missing takes its default, what is unknown or out of
// range is set aside with one warning each, what is no configuration at all is an error.
#include "runtime/config/formats/configuration_json.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/config/formats/former_names.h"
#include "runtime/config/index_of_id.h"
#include "runtime/config/nearest_word.h"

namespace pbrt {

using json::Json;
using json::Node;

namespace {

Json selector_to_value(const InfoIndex::SiteRef& ref, const Selector& selector) {
  const SiteInfo& site = *ref.site;
  Json list = Json::array();
  for (const Level& level : selector.levels) {
    const Choice choice = site.choice(level.alternative);
    Json out;
    if (level.from > 0) out["from"] = level.from;
    if (level.by > 0) out["by"] = ref.transform->sizes[at(level.by - 1)];
    const AlternativeInfo* alternative = site.find_alternative(choice.rule);
    if (alternative == nullptr || alternative->parts.empty()) {
      out["rule"] = choice.rule;
    } else {
      for (const auto& [part, rule] : alternative->parts) out["rules"][part] = rule;
    }
    out["on"] = to_string(choice.on);
    if (level.schedule > 0) out["schedule"] = level.schedule + 1;
    list.push_back(std::move(out));
  }
  return list;
}

/// The value of a tunable; of one that schedules have, the value in the schedule whose numbers begin at `first`.
Json tunable_to_value(const TunableInfo& tunable, const std::vector<double>& values, std::size_t first = 0) {
  const auto element_list = [&](std::size_t begin) {
    if (tunable.count == 1) return json::number_to_json(values[begin]);
    Json list = Json::array();
    for (int i = 0; i < tunable.count; ++i) list.push_back(json::number_to_json(values[begin + at(i)]));
    return list;
  };
  if (!tunable.is_size_specific) return element_list(first);
  Json list = Json::array();
  for (int bucket = 0; bucket < kNumSizeBuckets; ++bucket) list.push_back(element_list(at(bucket * tunable.count)));
  return list;
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> out;
  for (const T& item : items) out.push_back(item.name);
  return out;
}

std::string limit_text(double limit) { return json::dump_line(json::number_to_json(limit)); }

std::string range_text(const TunableInfo& tunable) {
  return "(" + limit_text(tunable.min) + " to " + limit_text(tunable.max) + ")";
}

/// Reads the values of one configuration; keeps what it meets in `warnings`.
class Reader {
 public:
  Reader(const InfoIndex& index, ConfigWarnings& warnings, NamedParts& named)
      : index_(index), warnings_(warnings), named_(named) {}

  Configuration read(const Node& root) {
    out_ = default_configuration(index_);
    expect_members(root, "", {"format", "program", "source", "machine", "provenance", "global", "transforms"});
    if (root.has("global")) read_tunables("", index_.info().global, root.at("global"), "global.");
    if (root.has("transforms")) {
      root.at("transforms").each_member([&](const std::string& name, const Node& node) { read_transform(name, node); });
    }
    if (repair_forbidden(index_, out_)) bad(root, "a combination of choices without a legal order");
    return std::move(out_);
  }

 private:
  /// Notes an unknown name. `known` are the names that may stand in its place.
  void unknown(const Node& node, const std::string& prefix, const std::string& name,
               const std::vector<std::string>& known) {
    warnings_.unknown_names.push_back(prefix + name);
    warnings_.places[prefix + name] = node.place();
    const std::string now = former_name_now(name, index_);
    const std::string nearest = now.empty() ? nearest_word(name, known) : "";
    if (!now.empty()) warnings_.hints[prefix + name] = "that is " + now;
    if (!nearest.empty()) warnings_.hints[prefix + name] = "did you mean `" + nearest + "`?";
  }
  void expect_members(const Node& node, const std::string& prefix, const std::vector<std::string>& known) {
    node.each_member([&](const std::string& name, const Node& value) {
      if (std::find(known.begin(), known.end(), name) == known.end()) unknown(value, prefix, name, known);
    });
  }
  void bad(const Node& node, const std::string& what) {
    warnings_.bad_values.push_back(what);
    warnings_.places[what] = node.place();
  }
  void wrong_kind(const Node& node, const std::string& name, const std::string& expected) {
    const Json& json = node.json();
    const std::string found =
        json.is_array() && json.size() > 1 ? "a list of " + std::to_string(json.size()) : json::found_words(json);
    const std::string what = name + ": expected " + expected + ", found " + found;
    warnings_.wrong_kinds.push_back(what);
    warnings_.places[what] = node.place();
  }

  void read_transform(const std::string& name, const Node& node) {
    const auto& transforms = index_.info().transforms;
    const auto found = std::find_if(transforms.begin(), transforms.end(),
                                    [&](const TransformInfo& transform) { return transform.name == name; });
    node.expect_object();
    if (found == transforms.end()) return unknown(node, "transforms.", name, names_of(transforms));
    const std::string prefix = "transforms." + name + ".";
    expect_members(node, prefix, {"sites", "schedules", "tunables"});
    // Schedules may change values of all of them, and levels name schedules.
    if (node.has("tunables")) read_tunables(name, found->tunables, node.at("tunables"), prefix + "tunables.");
    if (node.has("schedules")) {
      node.at("schedules").each_member([&](const std::string& site, const Node& schedules) {
        const int id = index_.find_site(name, site);
        if (id < 0) return unknown(schedules, prefix + "schedules.", site, names_of(found->sites));
        read_schedules(id, schedules);
      });
    }
    if (node.has("sites")) {
      node.at("sites").each_member([&](const std::string& site, const Node& levels) {
        const int id = index_.find_site(name, site);
        if (id < 0) return unknown(levels, prefix + "sites.", site, names_of(found->sites));
        read_selector(id, levels);
      });
    }
  }

  /// Reads the schedules of a site. What one of them does not name is as in `tunables`, else the default.
  void read_schedules(int id, const Node& node) {
    std::vector<Node> schedules;
    node.each_item([&](const Node& item) { schedules.push_back(item); });
    if (schedules.empty() || schedules.size() > at(kMaxSchedules))
      return bad(node, index_.site_name(id) + ": " + std::to_string(schedules.size()) + " schedules (1 to " +
                           std::to_string(kMaxSchedules) + ")");
    set_num_schedules(index_, out_, id, static_cast<int>(schedules.size()));
    if (schedules.size() > 1) {  // which one counts is decided together with what they say
      named_.sites.insert(id);
      named_.tunables.insert(index_.scheduled(id).begin(), index_.scheduled(id).end());
    }
    const TransformInfo& transform = *index_.site(id).transform;
    std::vector<std::string> known;
    for (const TunableInfo& tunable : transform.tunables)
      if (tunable.site == index_.site(id).site->name) known.push_back(tunable.name);
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      schedules[i].each_member([&](const std::string& name, const Node& value) {
        const int tunable = index_.find_tunable(transform.name, name);
        if (tunable < 0 || index_.site_of(tunable) != id)
          return unknown(value, index_.site_name(id) + ": ", name, known);
        read_values(tunable, value, i);
      });
    }
  }

  void differs(const std::string& name, const Node& node) {
    warnings_.differences.push_back(node.place() + ": `" + name +
                                    "` was fixed to something else when the program was compiled (pbc --config)");
  }

  /// Compares the text with a selector that is a constant of the program. Both must agree.
  void compare_selector(int id, const Node& node) {
    const SiteInfo& site = *index_.site(id).site;
    std::vector<Level> levels;
    node.each_item([&](const Node& item) {
      const auto on = pb::find_version(item.string_or("on", "cpu"));
      const int choice = on ? site.index_of(rule_of(site, item), *on) : -1;
      // What the text names and the program does not have was set aside when the program was compiled, too.
      const auto by = item.has("by") ? index_.site(id).transform->find_size(item.at("by").string()) : 0;
      const double schedule = item.number_or("schedule", 1);
      const bool is_known = schedule >= 1 && schedule <= num_schedules(index_, out_, id);
      if (!by) return;
      const Level level{static_cast<std::int64_t>(item.number_or("from", 0)), choice,
                        is_known ? static_cast<int>(schedule) - 1 : 0, *by};
      if (levels.empty() && level.from > 0) levels.push_back(site.fixed.front());
      if (levels.empty() || levels.back().by != level.by || !does_same(levels.back(), level)) levels.push_back(level);
    });
    if (!levels.empty() && levels != site.fixed) differs(index_.site_name(id), node);
  }

  /// Reads the choice that a level names; -1, and a warning, if the site has none such.
  int read_choice(int id, const Node& item) {
    const SiteInfo& site = *index_.site(id).site;
    const std::string rule = rule_of(site, item);
    if (!item.has("rules") && site.find_alternative(rule) == nullptr) fail_unknown_rule(site, item.at("rule"), rule);
    const std::string word = item.string_or("on", "cpu");
    const auto on = pb::find_version(word);
    const int choice = on ? site.index_of(rule, *on) : -1;
    if (choice >= 0) return choice;
    std::vector<std::string> choices;
    for (int i = 0; i < site.num_choices(); ++i)
      choices.push_back(site.choice(i).rule + " on " + to_string(site.choice(i).on));
    unknown(item, index_.site_name(id) + ": ", rule + " on " + word, choices);
    return -1;
  }

  /// Reads the schedule that a level names; the first one, and a warning, if the site has no such schedule.
  int read_schedule(int id, const Node& item) {
    if (!item.has("schedule")) return 0;
    const double number = item.at("schedule").number();
    const int count = num_schedules(index_, out_, id);
    if (number >= 1 && number <= count && std::floor(number) == number) return static_cast<int>(number) - 1;
    bad(item.at("schedule"), index_.site_name(id) + ": schedule " + json::dump_line(item.at("schedule").json()) +
                                 " of " + std::to_string(count));
    return 0;
  }

  void read_selector(int id, const Node& node) {
    const SiteInfo& site = *index_.site(id).site;
    named_.sites.insert(id);
    if (!site.fixed.empty()) return compare_selector(id, node);
    if (node.json().is_array() && node.json().empty()) bad(node, index_.site_name(id) + ": no levels");
    const int fallback = out_.sites[at(id)].levels[0].alternative;
    std::vector<Level> levels;
    bool is_ordered = true, are_sizes = true;
    std::map<int, std::int64_t> last;  // by what levels test
    node.each_item([&](const Node& item) {
      const double from_value = item.number_or("from", 0);
      const bool is_size = from_value >= 0 && from_value <= 4e18 && std::floor(from_value) == from_value;
      are_sizes = are_sizes && is_size;
      const std::int64_t from = is_size ? static_cast<std::int64_t>(from_value) : -1;
      const std::string by = item.string_or("by", "");
      const int size = by.empty() ? 0 : index_.site(id).transform->find_size(by).value_or(-1);
      const std::int64_t least = last.empty() && by.empty() ? 0 : 1;  // the first one alone may be without `from`
      is_ordered = is_ordered && from >= least && (size < 0 || !last.contains(size) || from > last[size]);
      last[size] = from;
      expect_members(item, index_.site_name(id) + ": ", {"from", "by", "rule", "rules", "on", "schedule"});
      const int choice = read_choice(id, item);
      if (size < 0)
        unknown(item.at("by"), index_.site_name(id) + ": size variable ", by, index_.site(id).transform->sizes);
      if (choice >= 0 && size >= 0) levels.push_back({from, choice, read_schedule(id, item), size});
    });
    if (!are_sizes) return bad(node, index_.site_name(id) + ": `from` is a whole number from 0");
    if (!is_ordered) return bad(node, index_.site_name(id) + ": sizes must increase from level to level");
    if (levels.size() > kMaxSelectorLevels) return bad(node, index_.site_name(id) + ": more than 12 levels");
    if (levels.empty() || levels[0].from != 0) levels.insert(levels.begin(), Level{0, fallback});
    if (levels.size() > kMaxSelectorLevels) levels.erase(levels.begin() + 1);
    out_.sites[at(id)].levels = std::move(levels);
  }

  /// Reports an unknown rule. A site is named after its rules, so a program that still has the site has its rules.
  [[noreturn]] static void fail_unknown_rule(const SiteInfo& site, const Node& node, const std::string& rule) {
    std::vector<std::string> rules;
    for (const AlternativeInfo& alternative : site.alternatives) rules.push_back(alternative.rule);
    const std::string nearest = nearest_word(rule, rules);
    std::string all;
    for (const std::string& name : rules) all += (all.empty() ? "`" : ", `") + name + "`";
    node.fail("site `" + site.name + "` has no rule `" + rule + "`; " +
              (nearest.empty() ? "its rules are " + all : "did you mean `" + nearest + "`?"));
  }

  /// `"rule": NAME`, or `"rules": {PART: RULE, …}` at a merged site.
  static std::string rule_of(const SiteInfo& site, const Node& item) {
    if (!item.has("rules")) return item.at("rule").string();
    std::map<std::string, std::string> rules;
    std::string text;
    item.at("rules").each_member([&](const std::string& part, const Node& rule) {
      rules[part] = rule.string();
      text += (text.empty() ? "" : "&") + rules[part];
    });
    const std::string name = site.rule_of_parts(rules);
    return name.empty() ? text + " together" : name;
  }

  void read_core_type(const Node& node) {
    const Json& value = node.json();
    if (value.is_string() && is_core_type(value.get_ref<const std::string&>()))
      out_.openblas_coretype = value.get<std::string>();
    else
      bad(node, std::string(kOpenBlasCoreType) + " = " + json::dump_line(value) + " (\"auto\" or a name of OpenBLAS)");
  }

  void read_tunables(const std::string& transform, const std::vector<TunableInfo>& known, const Node& node,
                     const std::string& prefix) {
    node.each_member([&](const std::string& name, const Node& value) {
      if (transform.empty() && name == kOpenBlasCoreType) return read_core_type(value);
      const int id = index_.find_tunable(transform, name);
      if (id < 0) return unknown(value, prefix, name, names_of(known));
      read_values(id, value);
    });
  }

  static void flatten(const Json& value, std::vector<double>& out) {
    if (!value.is_array()) return out.push_back(value.is_number() ? value.get<double>() : std::nan(""));
    for (const Json& item : value) flatten(item, out);
  }

  /// Compares the text with values that are constants of the program: in one of the site's schedules, or in all of
  /// them. Text that is no value stands for the initial one, as in a program without constants.
  void compare_values(int id, const Node& node, std::optional<std::size_t> schedule) {
    const TunableInfo& tunable = *index_.tunable(id).tunable;
    const std::size_t count = at(tunable.num_values());
    std::vector<double> values;
    flatten(node.json(), values);
    values.resize(count, std::nan(""));
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!is_valid_value(tunable, values[i])) values[i] = tunable.initial_of(static_cast<int>(i % at(tunable.count)));
    const bool is_alike = tunable.fixed.size() == count;  // in all schedules
    for (std::size_t begin = 0; begin < tunable.fixed.size(); begin += count) {
      const bool is_meant = is_alike || !schedule || *schedule * count == begin;
      if (is_meant &&
          !std::equal(values.begin(), values.end(), tunable.fixed.begin() + static_cast<std::ptrdiff_t>(begin)))
        return differs(index_.tunable_name(id), node);
    }
  }

  /// Reads the values of a tunable: in one of the site's schedules, if that is given.
  void read_values(int id, const Node& node, std::optional<std::size_t> schedule = std::nullopt) {
    const TunableInfo& tunable = *index_.tunable(id).tunable;
    named_.tunables.insert(id);
    if (!tunable.fixed.empty()) return compare_values(id, node, schedule);
    const std::size_t count = at(tunable.count), begin = schedule.value_or(0) * at(tunable.num_values());
    if (!tunable.is_size_specific) return read_elements(id, node, node.json(), begin);
    if (!node.json().is_array() || node.json().size() != at(kNumSizeBuckets))
      return wrong_kind(node, index_.tunable_name(id), "a list of 32 values, one per power of two of the size");
    for (std::size_t bucket = 0; bucket < at(kNumSizeBuckets); ++bucket)
      read_elements(id, node, node.json()[bucket], begin + bucket * count);
  }

  /// Reads the elements of a value. Messages point to `node`.
  void read_elements(int id, const Node& node, const Json& value, std::size_t begin) {
    const TunableInfo& tunable = *index_.tunable(id).tunable;
    if (tunable.count == 1) return read_value(id, node, value, begin);
    const bool may_be_shorter = is_device_weights(tunable);
    const std::string up_to = may_be_shorter ? "up to " : "";
    if (!value.is_array() || value.size() > at(tunable.count) || (!may_be_shorter && value.size() != at(tunable.count)))
      return wrong_kind(node, index_.tunable_name(id),
                        "a list of " + up_to + std::to_string(tunable.count) + " values");
    for (std::size_t i = 0; i < value.size(); ++i) read_value(id, node, value[i], begin + i);
  }

  void read_value(int id, const Node& node, const Json& value, std::size_t slot) {
    const TunableInfo& tunable = *index_.tunable(id).tunable;
    const bool is_good = value.is_number() && is_valid_value(tunable, value.get<double>());
    if (is_good) {
      out_.tunables[at(id)][slot] = value.get<double>();
    } else if (!value.is_number()) {
      wrong_kind(node, index_.tunable_name(id),
                 "a number from " + limit_text(tunable.min) + " to " + limit_text(tunable.max));
    } else {
      const std::string text = index_.tunable_name(id) + " = " + json::dump_line(value) + " " + range_text(tunable);
      bad(node, text);
      if (tunable.role == TunableRole::DeviceShare && value.get<double>() == 0)
        warnings_.hints[text] = "a share of nothing is `\"on\": \"cpu\"` at the sites";
    }
  }

  const InfoIndex& index_;
  ConfigWarnings& warnings_;
  NamedParts& named_;
  Configuration out_;
};

/// `7` of `prog.cfg:7:30`.
std::string line_of(const std::string& place) {
  const std::size_t column = place.rfind(':');
  const std::size_t line = place.rfind(':', column - 1);
  return place.substr(line + 1, column - line - 1);
}

/// Joins the items, with the lines of all but the first one, and with guesses of what was meant.
std::string joined(const std::vector<std::string>& items, const ConfigWarnings& warnings) {
  constexpr std::size_t kMaxShown = 5;
  std::string out;
  for (std::size_t i = 0; i < items.size() && i < kMaxShown; ++i) {
    out += (i > 0 ? ", `" : "`") + items[i] + "`";
    const auto place = warnings.places.find(items[i]);
    const auto hint = warnings.hints.find(items[i]);
    std::string more = i > 0 && place != warnings.places.end() ? "line " + line_of(place->second) : "";
    if (hint != warnings.hints.end()) more += (more.empty() ? "" : "; ") + hint->second;
    if (!more.empty()) out += " (" + more + ")";
  }
  if (items.size() > kMaxShown) out += " and " + std::to_string(items.size() - kMaxShown) + " more";
  return out;
}

}  // namespace

std::vector<std::string> ConfigWarnings::lines(const std::string& file) const {
  std::vector<std::string> out;
  const auto add = [&](const std::vector<std::string>& items, const char* before, const char* after) {
    if (items.empty()) return;
    const auto place = places.find(items.front());
    out.push_back((place != places.end() ? place->second : file) + before + joined(items, *this) + after);
  };
  add(unknown_names, ": the program has no ", "; ignored");
  add(bad_values, ": out of range, the default is used: ", "");
  add(wrong_kinds, ": the default is used instead of what stands there: ", "");
  return out;
}

Json configuration_to_value(const InfoIndex& index, const Configuration& configuration) {
  Json out;
  out["global"] = Json::object();
  out["transforms"] = Json::object();
  for (const TransformInfo& transform : index.info().transforms) {
    if (transform.sites.empty() && transform.tunables.empty()) continue;
    out["transforms"][transform.name] = {
        {"sites", Json::object()}, {"schedules", Json::object()}, {"tunables", Json::object()}};
  }
  for (int id = 0; id < index.num_sites(); ++id) {
    const InfoIndex::SiteRef& ref = index.site(id);
    out["transforms"][ref.transform->name]["sites"][ref.site->name] =
        selector_to_value(ref, configuration.sites[at(id)]);
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    const TunableInfo& tunable = *ref.tunable;
    const std::vector<double>& values = configuration.tunables[at(id)];
    if (tunable.site.empty()) {
      Json& owner = ref.transform == nullptr ? out["global"] : out["transforms"][ref.transform->name]["tunables"];
      owner[tunable.name] = tunable_to_value(tunable, values);
      continue;
    }
    Json& schedules = out["transforms"][ref.transform->name]["schedules"][tunable.site];
    const int count = num_schedules(index, configuration, index.site_of(id));
    for (int i = 0; i < count; ++i) {
      const std::size_t begin = at(i * tunable.num_values());  // a constant has one value for all schedules, perhaps
      schedules[at(i)][tunable.name] = tunable_to_value(tunable, values, begin < values.size() ? begin : 0);
    }
  }
  for (auto& [name, transform] : out["transforms"].items())
    if (transform["schedules"].empty()) transform.erase("schedules");
  if (configuration.openblas_coretype != index.info().openblas_coretype)
    out["global"][kOpenBlasCoreType] = configuration.openblas_coretype;
  return out;
}

Configuration configuration_of(const Node& node, const InfoIndex& index, ConfigWarnings& warnings, NamedParts* named) {
  NamedParts ignored;
  return Reader(index, warnings, named != nullptr ? *named : ignored).read(node);
}

std::string to_json(const InfoIndex& index, const Configuration& configuration, int indent) {
  const Json value = configuration_to_value(index, configuration);
  return indent < 0 ? json::dump_line(value) : json::dump_pretty(value);
}

Configuration parse_configuration(std::string_view text, const std::string& name, const InfoIndex& index,
                                  ConfigWarnings& warnings) {
  const json::Document document(text, name);
  return configuration_of(Node(document), index, warnings, nullptr);
}

}  // namespace pbrt
