// SPDX-License-Identifier: MIT
#include "autotuner/migrate/migrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "autotuner/report/configuration_words.h"
#include "autotuner/space/search_space.h"

namespace pbtune {
namespace {

using pbrt::Level;
using pbrt::SiteInfo;
using pbrt::TunableInfo;
using pbrt::Version;

std::size_t at(int id) { return static_cast<std::size_t>(id); }

/// A part of a site of the old program, by its present names.
struct OldPart {
  const WrittenSite* site = nullptr;
  std::string written;  ///< its name there
  std::string name;
  bool is_used = false;
};

std::vector<OldPart> old_parts(const TransformNames& names) {
  std::vector<OldPart> out;
  for (const WrittenSite& site : names.before->sites)
    for (const std::string& part : parts_of(site)) out.push_back({&site, part, names.part_now(part)});
  return out;
}

int num_common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return static_cast<int>(std::count_if(
      a.begin(), a.end(), [&](const std::string& word) { return std::find(b.begin(), b.end(), word) != b.end(); }));
}

/// The level that the written site has for largest size `n`; null if it has none.
const WrittenLevel* level_at(const WrittenSite& site, std::int64_t n) {
  const WrittenLevel* found = nullptr;
  for (const WrittenLevel& level : site.levels)
    if (level.by.empty() && level.from <= n) found = &level;
  return found;
}

/// Where a level begins: at a value of a size variable, or of the largest size if `by` is empty.
struct Cut {
  std::int64_t from = 0;
  std::string by = {};
};

std::string size_text(const Cut& cut) {
  if (!cut.by.empty()) return fmt::format(" where {} is at least {}", cut.by, cut.from);
  return cut.from > 0 ? fmt::format(" from size {}", cut.from) : std::string();
}

class Migrator {
 public:
  Migrator(const WrittenConfiguration& before, const Names& names, const InfoIndex& index, std::int64_t n)
      : before_(before), names_(names), index_(index), n_(n) {
    out_.configuration = pbrt::default_configuration(index);
  }

  Migration run() {
    for (const WrittenTransform& transform : before_.transforms)
      if (!exists_still(transform)) out_.dropped.push_back(transform.name + ": the program has no such transform");
    for (const TransformNames& names : names_.transforms) {
      move_sites(names);
      move_values(names.now->name, names.before->values,
                  [&](const std::string& name) { return names.value_now(name); });
    }
    move_values("", before_.globals, [](const std::string& name) { return name; });
    if (pbrt::is_core_type(before_.core_type)) out_.configuration.openblas_coretype = before_.core_type;
    for (const std::string& text : before_.unread) out_.dropped.push_back(text + ": this is no choice and no value");
    note_added();
    if (pbrt::repair_forbidden(index_, out_.configuration))
      out_.changed.emplace_back("a combination of choices has no legal order any more: the default where it was used");
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool exists_still(const WrittenTransform& transform) const {
    return std::any_of(names_.transforms.begin(), names_.transforms.end(),
                       [&](const auto& names) { return names.before == &transform; });
  }

  void move_sites(const TransformNames& names) {
    std::vector<OldPart> parts = old_parts(names);
    for (int id = 0; id < index_.num_sites(); ++id)
      if (index_.site(id).transform == names.now) move_site(names, id, parts);
    std::set<const WrittenSite*> said;
    for (const OldPart& part : parts) {
      const bool is_used = std::any_of(parts.begin(), parts.end(),
                                       [&](const OldPart& other) { return other.site == part.site && other.is_used; });
      if (!is_used && said.insert(part.site).second)
        out_.dropped.push_back(names.before->name + "." + part.site->name + ": the program has no such choice to make");
    }
  }

  /// The old part of this name; else the one that shares most rules, first among those whose own part does not exist
  /// any more. Null if there is none.
  static OldPart* source_of(const TransformNames& names, const std::string& part, std::vector<OldPart>& parts) {
    std::vector<std::string> homes;
    for (const SiteInfo& site : names.now->sites)
      for (const std::string& name : parts_of(site)) homes.push_back(name);
    OldPart* best = nullptr;
    int most = 0;
    for (OldPart& old : parts) {
      if (old.name == part) return &old;
      const bool is_homeless = std::find(homes.begin(), homes.end(), old.name) == homes.end();
      const int found = 2 * num_common(rules_of_part(old.name), rules_of_part(part));
      if (found == 0 || found + (is_homeless ? 1 : 0) <= most) continue;
      most = found + (is_homeless ? 1 : 0);
      best = &old;
    }
    return best;
  }

  using Sources = std::vector<std::pair<std::string, OldPart*>>;  // for each part of now its old part; null: none
  using Chosen = std::vector<const WrittenLevel*>;                // for each source its level; null: none

  void move_site(const TransformNames& names, int id, std::vector<OldPart>& parts) {
    const SiteInfo& site = *index_.site(id).site;
    Sources sources;
    std::set<const WrittenSite*> sites;
    for (const std::string& part : parts_of(site)) {
      OldPart* source = source_of(names, part, parts);
      sources.emplace_back(part, source);
      sites.insert(source != nullptr ? source->site : nullptr);
      if (source != nullptr) source->is_used = true;
    }
    if (!site.fixed.empty()) return;  // its choice is a constant of the program
    if (sites == std::set<const WrittenSite*>{nullptr})
      return out_.added.push_back(index_.site_name(id) + ": " + default_words(id));
    note_new_name(names, id, sources);
    std::vector<Level> levels =
        sites.size() == 1 ? levels_of_one(names, id, sources, **sites.begin()) : levels_of_several(names, id, sources);
    if (levels.size() > pbrt::kMaxSelectorLevels) {
      out_.changed.push_back(index_.site_name(id) + ": more than 12 levels, those of the smallest sizes are dropped");
      levels.erase(levels.begin() + 1,
                   levels.begin() + 1 + static_cast<std::ptrdiff_t>(levels.size() - pbrt::kMaxSelectorLevels));
    }
    const int num_schedules = pbrt::num_named_schedules(levels);
    out_.configuration.sites[at(id)].levels = std::move(levels);
    pbrt::set_num_schedules(index_, out_.configuration, id, num_schedules);
  }

  /// The levels of a site that was one site before, too, one by one.
  std::vector<Level> levels_of_one(const TransformNames& names, int id, const Sources& sources,
                                   const WrittenSite& before) {
    std::vector<Level> levels;
    if (before.levels.front().from > 0) levels.push_back({0, default_choice(id)});
    bool is_kept = false;
    for (const WrittenLevel& written : before.levels) {
      const Cut cut{written.from, written.by};
      const std::optional<int> by = written.by.empty() ? 0 : names.now->find_size(written.by);
      const auto is_behind = [&](const Level& level) { return level.by == by && level.from >= written.from; };
      if (!by || (!levels.empty() && std::any_of(levels.begin(), levels.end(), is_behind))) {
        out_.changed.push_back(fmt::format("{}: the choice{} is dropped, since {} has no such size variable to test",
                                           index_.site_name(id), size_text(cut), names.now->name));
        continue;
      }
      int choice = choice_at(names, id, sources, Chosen(sources.size(), &written), cut);
      is_kept = is_kept || choice >= 0;
      if (choice < 0 && *by != 0) continue;
      if (choice < 0) choice = levels.empty() ? default_choice(id) : levels.back().alternative;
      const Level level{written.from, choice, written.schedule - 1, *by};
      if (levels.empty() || levels.back().by != level.by || !does_same(levels.back(), level)) levels.push_back(level);
    }
    out_.num_sites += is_kept ? 1 : 0;
    return levels;
  }

  /// The levels of a site whose parts come from several sites, or are new. Levels of two sites that test different size
  /// variables have no order together, so only those that test the largest size are taken.
  std::vector<Level> levels_of_several(const TransformNames& names, int id, const Sources& sources) {
    std::set<std::int64_t> cuts{0};
    bool is_simple = true;
    for (const auto& [part, source] : sources) {
      if (source == nullptr) continue;
      for (const WrittenLevel& level : source->site->levels) {
        if (level.by.empty()) cuts.insert(level.from);
        is_simple = is_simple && level.by.empty() && level.schedule == 1;
      }
    }
    if (!is_simple)
      out_.changed.push_back(index_.site_name(id) + ": it was several sites, so choices by size variables and " +
                             "schedules other than the first are dropped");
    std::vector<Level> levels;
    bool is_kept = false;
    for (const std::int64_t from : cuts) {
      Chosen chosen;
      for (const auto& [part, source] : sources)
        chosen.push_back(source != nullptr ? level_at(*source->site, from) : nullptr);
      int choice = choice_at(names, id, sources, chosen, {from});
      is_kept = is_kept || choice >= 0;
      if (choice < 0) choice = levels.empty() ? default_choice(id) : levels.back().alternative;
      if (levels.empty() || levels.back().alternative != choice) levels.push_back({from, choice});
    }
    out_.num_sites += is_kept ? 1 : 0;
    return levels;
  }

  void note_new_name(const TransformNames& names, int id, const Sources& sources) {
    for (const auto& [part, source] : sources) {
      const bool is_same = source != nullptr && source->written == part && names.before->name == names.now->name;
      const bool was_said =
          source == nullptr || source->name == part;  // only names of rules differ, or of the transform
      if (is_same || was_said) continue;
      out_.changed.push_back(names.now->name + "." + part + " takes over what was " + names.before->name + "." +
                             source->written);
    }
    if (std::any_of(sources.begin(), sources.end(), [](const auto& each) { return each.second == nullptr; }))
      out_.changed.push_back(index_.site_name(id) + ": what is new of it is as by default");
  }

  [[nodiscard]] int default_choice(int id) const { return out_.configuration.sites[at(id)].levels[0].alternative; }

  [[nodiscard]] std::string default_words(int id) const {
    const pbrt::Choice choice = index_.site(id).site->choice(default_choice(id));
    return choice.rule + " on " + to_string(choice.on);
  }

  /// The choice of chosen levels; -1 if the choice in the old file does not exist any more. A note says so where its
  /// level begins.
  int choice_at(const TransformNames& names, int id, const Sources& sources, const Chosen& chosen, const Cut& cut) {
    const SiteInfo& site = *index_.site(id).site;
    std::map<std::string, std::string> rules;
    std::string on, text;
    bool is_said_there = false;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto& [part, source] = sources[i];
      const WrittenLevel* level = chosen[i];
      const auto found =
          level != nullptr ? level->rules.find(source->written) : std::map<std::string, std::string>::const_iterator();
      if (level == nullptr || found == level->rules.end()) {
        rules[part] = default_rule(site, id, part);
        continue;
      }
      rules[part] = names.rule_now(found->second);
      on = on.empty() || on == level->on ? level->on : "cpu";
      text += (text.empty() ? "" : " and ") + found->second;
      is_said_there = is_said_there || level->from == cut.from;
    }
    if (on.empty()) return default_choice(id);
    const int choice = with_version(id, rule_of(site, rules), on, cut, is_said_there);
    if (choice < 0 && is_said_there) note_lost(id, text, cut);
    return choice;
  }

  static std::string rule_of(const SiteInfo& site, const std::map<std::string, std::string>& rules) {
    const std::string together = site.rule_of_parts(rules);
    const bool is_merged = !site.alternatives.empty() && !site.alternatives[0].parts.empty();
    return is_merged ? together : rules.begin()->second;
  }

  [[nodiscard]] std::string default_rule(const SiteInfo& site, int id, const std::string& part) const {
    const pbrt::Choice choice = site.choice(default_choice(id));
    const pbrt::AlternativeInfo* alternative = site.find_alternative(choice.rule);
    for (const auto& [name, rule] : alternative->parts)
      if (name == part) return rule;
    return choice.rule;
  }

  void note_lost(int id, const std::string& rules, const Cut& cut) {
    out_.changed.push_back(index_.site_name(id) + ": " + rules + size_text(cut) + " is gone, " +
                           (!cut.by.empty() ? "what the other sizes say is"
                            : cut.from > 0  ? "what was chosen for smaller sizes is"
                                            : "the default is") +
                           " used there");
  }

  /// The choice with this version of the rule, or with the nearest version that there is.
  int with_version(int id, const std::string& rule, const std::string& word, const Cut& cut, bool is_said) {
    const SiteInfo& site = *index_.site(id).site;
    const auto wanted = pb::find_version(word);
    if (const int choice = wanted ? site.index_of(rule, *wanted) : -1; choice >= 0) return choice;
    for (const Version on : {Version::OpenCl, Version::Cpu}) {
      const int choice = site.index_of(rule, on);
      if (choice < 0 || (on == Version::OpenCl && wanted != Version::OpenClLocal)) continue;
      if (is_said)
        out_.changed.push_back(fmt::format("{}: {}{} does not run on {} any more, but on {}", index_.site_name(id),
                                           rule, size_text(cut), word, to_string(on)));
      return choice;
    }
    return -1;
  }

  template <class Function>
  void move_values(const std::string& transform, const std::vector<WrittenValue>& values, const Function& name_now) {
    for (const WrittenValue& value : values) {
      const int id = index_.find_tunable(transform, name_now(value.name));
      const std::string written = (transform.empty() ? "" : transform + ".") + value.name + " = " + value.text;
      if (id < 0) {
        out_.dropped.push_back(written + ": the program has no such value");
        continue;
      }
      if (!index_.tunable(id).tunable->fixed.empty()) continue;  // its value is a constant of the program
      const std::optional<std::vector<double>> fitted = fit(*index_.tunable(id).tunable, value);
      if (!fitted) {
        out_.dropped.push_back(written + ": it has another number of elements now");
        continue;
      }
      named_.insert(id);
      take(id, value.schedule, *fitted, written);
    }
  }

  static std::vector<double> repeated(const std::vector<double>& values, int times) {
    std::vector<double> out;
    for (int i = 0; i < times; ++i) out.insert(out.end(), values.begin(), values.end());
    return out;
  }

  /// The numbers of a value as the program has it now: one for all sizes becomes that of each size, those of all sizes
  /// become the one of size n_. Weights of devices that are not named are the initial ones.
  [[nodiscard]] std::optional<std::vector<double>> fit(const TunableInfo& tunable, const WrittenValue& value) const {
    const std::vector<double>& all = value.numbers;
    const std::size_t count = at(tunable.count), whole = at(tunable.num_values()), buckets = pbrt::kNumSizeBuckets;
    if (pbrt::is_device_weights(tunable) && value.is_list && value.num_lists == 0 && all.size() < count) {
      std::vector<double> weights = all;
      while (weights.size() < count) weights.push_back(tunable.initial_of(static_cast<int>(weights.size())));
      return weights;
    }
    const bool has_table_shape = (value.num_lists > 0) == (count > 1 && tunable.is_size_specific);
    if (all.size() == whole && has_table_shape && value.is_list == (whole > 1)) return all;
    const bool is_plain = value.num_lists == 0 && value.is_list == (count > 1) && all.size() == count;
    if (tunable.is_size_specific && is_plain) return repeated(all, pbrt::kNumSizeBuckets);
    const bool is_table =
        all.size() == count * buckets && (count == 1 ? value.num_lists == 0 : value.num_lists == pbrt::kNumSizeBuckets);
    if (tunable.is_size_specific || !is_table) return std::nullopt;
    const auto begin = all.begin() + bucket_of(n_) * tunable.count;
    return std::vector<double>(begin, begin + tunable.count);
  }

  /// Takes the values over, in a schedule (from 1) or in all of them (0); one that is out of range takes its default.
  void take(int id, int schedule, const std::vector<double>& values, const std::string& written) {
    const TunableInfo& tunable = *index_.tunable(id).tunable;
    std::vector<double>& slots = out_.configuration.tunables[at(id)];
    if (schedule > 1 && index_.site_of(id) < 0) {
      out_.dropped.push_back(fmt::format("{}, of schedule {}: it has one value now", written, schedule));
      return;
    }
    const std::size_t size = values.size();
    const std::size_t begin = schedule > 0 ? at(schedule - 1) * size : 0;
    const std::size_t end = schedule > 0 ? std::min(begin + size, slots.size()) : slots.size();
    if (begin >= end) return;  // no level names this schedule
    std::size_t num_good = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (!pbrt::is_valid_value(tunable, values[i % size])) continue;
      slots[i] = values[i % size];
      ++num_good;
    }
    const bool is_kept = num_good > 0;
    if (is_kept) ++out_.num_values;
    if (num_good == end - begin) return;
    (is_kept ? out_.changed : out_.dropped)
        .push_back(fmt::format("{}: out of range ({} to {}), the default is used: {}", written,
                               number_text(tunable.min), number_text(tunable.max), value_words(id)));
  }

  [[nodiscard]] std::string value_words(int id) const {
    const TunableInfo& tunable = *index_.tunable(id).tunable;
    std::string out;
    for (int i = 0; i < tunable.count; ++i) out += (i > 0 ? ", " : "") + number_text(tunable.initial_of(i));
    return out;
  }

  void note_added() {
    for (int id = 0; id < index_.num_tunables(); ++id)
      if (!named_.contains(id) && index_.tunable(id).tunable->fixed.empty())
        out_.added.push_back(index_.tunable_name(id) + " = " + value_words(id));
    for (int id = 0; id < index_.num_sites(); ++id) {
      const bool is_named = std::any_of(names_.transforms.begin(), names_.transforms.end(),
                                        [&](const auto& names) { return names.now == index_.site(id).transform; });
      if (!is_named && index_.site(id).site->fixed.empty())
        out_.added.push_back(index_.site_name(id) + ": " + default_words(id));
    }
  }

  const WrittenConfiguration& before_;
  const Names& names_;
  const InfoIndex& index_;
  std::int64_t n_;
  std::set<int> named_;
  Migration out_;
};

}  // namespace

Migration migrate(const WrittenConfiguration& before, const Names& names, const InfoIndex& index, std::int64_t n) {
  return Migrator(before, names, index, n).run();
}

}  // namespace pbtune
