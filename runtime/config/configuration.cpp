// SPDX-License-Identifier: MIT
#include "runtime/config/configuration.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/seeded_fault.h"
#include "runtime/config/index_of_id.h"
#include "runtime/config/runtime_check.h"

namespace pbrt {
namespace {

constexpr int kMaxAssignments = 4096;  // at most so many are examined (docs/architecture.md 6.6)

/// Ids of the sites of `transform`: they are consecutive.
std::vector<int> sites_of(const InfoIndex& index, const TransformInfo& transform) {
  std::vector<int> ids;
  for (int id = 0; id < index.num_sites(); ++id)
    if (index.site(id).transform == &transform) ids.push_back(id);
  return ids;
}

/// Whether the choices (one per site of `ids`) contain a forbidden assignment.
bool is_forbidden(const InfoIndex& index, const TransformInfo& transform, const std::vector<int>& ids,
                  const std::vector<int>& choices) {
  const auto holds = [&](const std::pair<const std::string, std::string>& item) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (index.site(ids[i]).site->name == item.first)
        return index.site(ids[i]).site->choice(choices[i]).rule == item.second;
    return false;
  };
  return std::any_of(transform.forbidden.begin(), transform.forbidden.end(), [&](const Forbidden& forbidden) {
    return !forbidden.empty() && std::all_of(forbidden.begin(), forbidden.end(), holds);
  });
}

/// First legal assignment, in the order in which the last site varies fastest.
std::vector<int> default_choices(const InfoIndex& index, const TransformInfo& transform, const std::vector<int>& ids) {
  std::vector<int> choices(ids.size(), 0);
  for (int count = 0; count < kMaxAssignments && is_forbidden(index, transform, ids, choices); ++count) {
    std::size_t i = ids.size();
    while (i > 0 && choices[i - 1] + 1 == index.site(ids[i - 1]).site->num_choices()) choices[--i] = 0;
    if (i == 0) break;
    ++choices[i - 1];
  }
  return choices;
}

std::set<std::int64_t> cut_offs(const Configuration& configuration, const std::vector<int>& ids) {
  std::set<std::int64_t> cuts;
  for (const int id : ids)
    for (const Level& level : configuration.sites[at(id)].levels) cuts.insert(level.from);
  return cuts;
}

/// What each of the sites takes where the largest size is `n`.
std::vector<Level> levels_at(const Configuration& configuration, const std::vector<int>& ids, std::int64_t n) {
  std::vector<Level> levels;
  for (const int id : ids) levels.push_back(configuration.sites[at(id)].level_at(n));
  return levels;
}

std::vector<int> choices_of(const std::vector<Level>& levels) {
  std::vector<int> choices;
  for (const Level& level : levels) choices.push_back(level.alternative);
  return choices;
}

std::string selector_fault(const InfoIndex::SiteRef& ref, const Selector& selector, int num_schedules) {
  if (selector.levels.empty()) return "has no level";
  if (selector.levels.size() > kMaxSelectorLevels) return "has more than 12 levels";
  if (selector.levels[0].from != 0 || selector.levels[0].by != 0) return "does not start at size 0";
  std::vector<std::int64_t> last(ref.transform->sizes.size() + 1, 0);
  for (std::size_t i = 0; i < selector.levels.size(); ++i) {
    const Level& level = selector.levels[i];
    if (level.alternative < 0 || level.alternative >= ref.site->num_choices())
      return "names a choice that does not exist";
    if (level.schedule < 0 || level.schedule >= num_schedules) return "names a schedule that does not exist";
    if (level.by < 0 || at(level.by) >= last.size()) return "tests a size variable that does not exist";
    if (i > 0 && level.from <= last[at(level.by)]) return "has levels out of order";
    last[at(level.by)] = level.from;
  }
  return "";
}

bool holds(const Level& level, std::int64_t size) {
  return size > level.from || (size == level.from && !PB_FAULT(level_starts_late));
}

/// Whether levels of the sites might together choose a forbidden assignment at some sizes, whatever each level tests.
bool may_be_forbidden(const InfoIndex& index, const TransformInfo& transform, const Configuration& configuration) {
  const auto may_hold = [&](const std::pair<const std::string, std::string>& item) {
    const int id = index.find_site(transform.name, item.first);
    if (id < 0) return false;
    const std::vector<Level>& levels = configuration.sites[at(id)].levels;
    return std::any_of(levels.begin(), levels.end(), [&](const Level& level) {
      return index.site(id).site->choice(level.alternative).rule == item.second;
    });
  };
  return std::any_of(transform.forbidden.begin(), transform.forbidden.end(), [&](const Forbidden& forbidden) {
    return !forbidden.empty() && std::all_of(forbidden.begin(), forbidden.end(), may_hold);
  });
}

}  // namespace

const Level& Selector::level_for(std::span<const std::int64_t> sizes) const {
  std::size_t i = levels.size() - 1;
  while (i > 0 && !holds(levels[i], sizes[at(levels[i].by)])) --i;
  return levels[i];
}

const Level& Selector::level_at(std::int64_t n) const {
  std::size_t i = levels.size() - 1;
  while (i > 0 && !holds(levels[i], n)) --i;
  return levels[i];
}

bool Selector::tests_variables() const {
  return std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.by != 0; });
}

int num_schedules(const InfoIndex& index, const Configuration& configuration, int site) {
  const std::vector<int>& scheduled = index.scheduled(site);
  if (!scheduled.empty()) {
    const int id = scheduled.front();
    return static_cast<int>(configuration.tunables[at(id)].size()) / index.tunable(id).tunable->num_values();
  }
  return num_named_schedules(configuration.sites[at(site)].levels);  // all values are constants, and so is their number
}

void set_num_schedules(const InfoIndex& index, Configuration& configuration, int site, int count) {
  for (const int id : index.scheduled(site)) {
    std::vector<double>& values = configuration.tunables[at(id)];
    const std::vector<double> first(values.begin(), values.begin() + index.tunable(id).tunable->num_values());
    while (values.size() < first.size() * at(count)) values.insert(values.end(), first.begin(), first.end());
    values.resize(first.size() * at(count));
  }
  for (Level& level : configuration.sites[at(site)].levels)
    if (level.schedule >= count) level.schedule = 0;
}

std::vector<double> for_each_schedule(const std::vector<double>& values, std::size_t num_values) {
  std::vector<double> out;
  while (out.size() < num_values) out.insert(out.end(), values.begin(), values.end());
  return out;
}

namespace {

std::vector<double> initial_values(const TunableInfo& tunable) {
  std::vector<double> values;
  for (int i = 0; i < tunable.num_values(); ++i) values.push_back(tunable.initial_of(i % tunable.count));
  return values;
}

}  // namespace

Configuration default_configuration(const InfoIndex& index) {
  Configuration out;
  out.sites.resize(at(index.num_sites()));
  for (const TransformInfo& transform : index.info().transforms) {
    if (transform.forbidden.empty()) continue;
    const std::vector<int> ids = sites_of(index, transform);
    const std::vector<int> choices = default_choices(index, transform, ids);
    for (std::size_t i = 0; i < ids.size(); ++i) out.sites[at(ids[i])].levels[0].alternative = choices[i];
  }
  out.openblas_coretype = index.info().openblas_coretype;
  for (int id = 0; id < index.num_sites(); ++id)
    if (const SiteInfo& site = *index.site(id).site; !site.fixed.empty()) out.sites[at(id)].levels = site.fixed;
  for (int id = 0; id < index.num_tunables(); ++id) {
    const TunableInfo& tunable = *index.tunable(id).tunable;
    out.tunables.push_back(tunable.fixed.empty() ? initial_values(tunable) : tunable.fixed);
  }
  for (int id = 0; id < index.num_sites(); ++id) {
    const int count = num_named_schedules(index.site(id).site->fixed);
    if (count > 1) set_num_schedules(index, out, id, count);
  }
  return out;
}

bool is_core_type(std::string_view word) {
  constexpr std::size_t kMaxLength = 20;
  return !word.empty() && word.size() <= kMaxLength && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

bool is_valid_value(const TunableInfo& tunable, double value) {
  if (!(value >= tunable.min && value <= tunable.max)) return false;
  return tunable.type == TunableType::Real || std::floor(value) == value;
}

std::string find_fault(const InfoIndex& index, const Configuration& configuration) {
  if (configuration.sites.size() != at(index.num_sites())) return "wrong number of sites";
  if (configuration.tunables.size() != at(index.num_tunables())) return "wrong number of tunables";
  for (int id = 0; id < index.num_sites(); ++id) {
    const std::string fault =
        selector_fault(index.site(id), configuration.sites[at(id)], num_schedules(index, configuration, id));
    if (!fault.empty()) return "`" + index.site_name(id) + "` " + fault;
    const std::vector<Level>& fixed = index.site(id).site->fixed;
    if (!fixed.empty() && configuration.sites[at(id)].levels != fixed)
      return "`" + index.site_name(id) + "` was fixed when the program was compiled";
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const TunableInfo& tunable = *index.tunable(id).tunable;
    const std::vector<double>& values = configuration.tunables[at(id)];
    const bool is_scheduled = index.site_of(id) >= 0 && tunable.fixed.empty();
    const int num_sets = is_scheduled ? num_schedules(index, configuration, index.site_of(id)) : 1;
    const std::size_t num_values = tunable.fixed.empty() ? at(tunable.num_values() * num_sets) : tunable.fixed.size();
    if (values.size() != num_values || num_sets < 1 || num_sets > kMaxSchedules)
      return "`" + index.tunable_name(id) + "` has a wrong number of values";
    for (const double value : values)
      if (!is_valid_value(tunable, value)) return "`" + index.tunable_name(id) + "` has a value that is out of range";
    if (!tunable.fixed.empty() && values != tunable.fixed)
      return "`" + index.tunable_name(id) + "` was fixed when the program was compiled";
  }
  return is_allowed(index, configuration) ? "" : "a combination of choices has no legal order";
}

bool is_allowed(const InfoIndex& index, const Configuration& configuration) {
  Configuration copy = configuration;
  return !repair_forbidden(index, copy);
}

bool uses_device(const InfoIndex& index, const Configuration& configuration) {
  for (int site = 0; site < index.num_sites(); ++site)
    for (const Level& level : configuration.sites[static_cast<std::size_t>(site)].levels)
      if (is_device(index.site(site).site->choice(level.alternative).on)) return true;
  return false;
}

bool repair_forbidden(const InfoIndex& index, Configuration& configuration) {
  bool has_changed = false;
  for (const TransformInfo& transform : index.info().transforms) {
    if (transform.forbidden.empty() || PB_FAULT(forbidden_choices_pass)) continue;
    const std::vector<int> ids = sites_of(index, transform);
    const std::vector<int> fallback = default_choices(index, transform, ids);
    const auto tests_variables = [&](int id) { return configuration.sites[at(id)].tests_variables(); };
    if (std::any_of(ids.begin(), ids.end(), tests_variables)) {
      if (!may_be_forbidden(index, transform, configuration)) continue;
      has_changed = true;
      for (std::size_t i = 0; i < ids.size(); ++i) configuration.sites[at(ids[i])] = Selector{{Level{0, fallback[i]}}};
      continue;
    }
    std::vector<Selector> fixed(ids.size());
    bool is_bad = false;
    for (Selector& selector : fixed) selector.levels.clear();
    for (const std::int64_t from : cut_offs(configuration, ids)) {
      std::vector<Level> chosen = levels_at(configuration, ids, from);
      if (is_forbidden(index, transform, ids, choices_of(chosen))) {
        for (std::size_t i = 0; i < ids.size(); ++i) chosen[i] = Level{0, fallback[i]};
        is_bad = true;
      }
      for (std::size_t i = 0; i < ids.size(); ++i) {
        std::vector<Level>& levels = fixed[i].levels;
        if (levels.empty() || !does_same(levels.back(), chosen[i]))
          levels.push_back({from, chosen[i].alternative, chosen[i].schedule});
      }
    }
    if (!is_bad) continue;
    has_changed = true;
    for (std::size_t i = 0; i < ids.size(); ++i) is_bad = is_bad && fixed[i].levels.size() <= kMaxSelectorLevels;
    for (std::size_t i = 0; i < ids.size(); ++i)
      configuration.sites[at(ids[i])] = is_bad ? fixed[i] : Selector{{Level{0, fallback[i]}}};
  }
  return has_changed;
}

}  // namespace pbrt
