// SPDX-License-Identifier: MIT
#include "autotuner/report/configuration_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "autotuner/report/progress.h"
#include "autotuner/space/tuning_targets.h"
#include "base/loop_forms.h"

namespace pbtune {
namespace {

using pbrt::TunableInfo;
using pbrt::TunableRole;
using pbrt::Version;

std::size_t at(int id) { return static_cast<std::size_t>(id); }

/// The values of a tunable for size `n` (size-specific ones: of its bucket) in a schedule (those that schedules have).
std::vector<double> values_at(const TunableInfo& tunable, const std::vector<double>& values, std::int64_t n,
                              int schedule = 0) {
  if (!tunable.is_size_specific) {
    const std::size_t size = at(tunable.count), begin = at(schedule) * size;
    if (tunable.site.empty() || begin + size > values.size()) return {values.begin(), values.begin() + tunable.count};
    return {values.begin() + static_cast<std::ptrdiff_t>(begin),
            values.begin() + static_cast<std::ptrdiff_t>(begin + size)};
  }
  const int bucket = std::clamp(static_cast<int>(std::log2(static_cast<double>(std::max<std::int64_t>(n, 1)))), 0,
                                pbrt::kNumSizeBuckets - 1);
  const auto begin = values.begin() + bucket * tunable.count;
  return {begin, begin + tunable.count};
}

std::string values_text(const std::vector<double>& values, const char* separator) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : separator) + number_text(value);
  return out;
}

bool is_used_by(const TunableInfo& tunable, const std::vector<std::string>& users) {
  return std::find_first_of(tunable.used_by.begin(), tunable.used_by.end(), users.begin(), users.end()) !=
         tunable.used_by.end();
}

/// Returns the chosen rule; at a merged site, each part with its rule: `C#1 for C#1|C#3 and C#3 for C#2|C#3`.
std::string rule_words(const pbrt::SiteInfo& site, const pbrt::Choice& choice) {
  const pbrt::AlternativeInfo* alternative = site.find_alternative(choice.rule);
  if (alternative == nullptr || alternative->parts.empty()) return choice.rule;
  std::string out;
  for (const auto& [part, rule] : alternative->parts) out += (out.empty() ? "" : " and ") + rule + " for " + part;
  return out;
}

/// Returns what the values of a tunable of launches say.
std::string shape_words(TunableRole role, const std::vector<double>& values) {
  const std::string text = values_text(values, " x ");
  if (role == TunableRole::Items) return text + (text == "1" ? " instance" : " instances") + " per work-item";
  if (role == TunableRole::FoldItems) return text + (text == "1" ? " work-item" : " work-items") + " per instance";
  if (role == TunableRole::KeptRounds)
    return "at most " + text + (text == "1" ? " round" : " rounds") + " kept per work-item";
  if (role == TunableRole::BlockItems) return text + " instances per work-item in blocks";
  if (role == TunableRole::BlockRounds) return "blocks of at most " + text + " rounds";
  if (role == TunableRole::BlockStages) return text == "1" ? "blocks copied at once" : "blocks copied ahead";
  if (role == TunableRole::BlockParts)
    return text == "1" ? "rounds of a tile in one work-group"
                       : "rounds of a tile divided among " + text + " work-groups";
  if (role == TunableRole::MatrixUnits) return "matrix units where the device has them";
  if (role == TunableRole::PerTile) return text == "1" ? "temporaries computed in work-groups" : "temporaries stored";
  if (role == TunableRole::TimeTile && text == "0") return "as many versions per launch as suit the device";
  if (role == TunableRole::TimeTile) return text + (text == "1" ? " version" : " versions") + " per launch";
  return "work-groups of " + text;
}

/// Whether the tunable that gives this one a say is not 0, if there is one.
bool has_what_it_needs(const InfoIndex& index, const Configuration& configuration, int tunable, std::int64_t n,
                       int schedule) {
  const int needed = index.needed_tunable(tunable);
  return needed < 0 ||
         values_at(*index.tunable(needed).tunable, configuration.tunables[at(needed)], n, schedule)[0] != 0;
}

std::string chunk_words(double rounds) {
  return rounds == 0 ? "folds in one task" : "folds in chunks of " + number_text(rounds) + " rounds";
}

std::string scan_words(double instances) {
  return instances == 0 ? "in the order of the source" : "in chunks of " + number_text(instances);
}

std::string time_rows_words(double rows) {
  if (rows == 0) return "as suits the caches";
  return rows == 1 ? "none" : number_text(rows) + " rows";
}

/// The device's part of a step, which `users` stand for.
std::string share_words(const TunableInfo& tunable, double value, const std::vector<std::string>& users) {
  const std::string share = number_text(value) + "/" + number_text(tunable.max);
  const bool is_divided = std::any_of(users.begin(), users.end(), [&](const std::string& user) {
    return std::find(tunable.undivided.begin(), tunable.undivided.end(), user) == tunable.undivided.end();
  });
  if (is_divided) return share + " of it there and the rest on the CPU";
  return "which cannot be divided: with " + share + " all of it " + (2 * value >= tunable.max ? "there" : "on the CPU");
}

/// What the compiler's own tunables say about a version: work-groups, pieces, the device's share.
std::string detail_words(const InfoIndex& index, const Configuration& configuration, const InfoIndex::SiteRef& site,
                         const pbrt::Level& level, std::int64_t n) {
  std::string out;
  const pbrt::Choice choice = site.site->choice(level.alternative);
  const std::vector<std::string> users = site.site->users_of(choice);
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    if (ref.transform != site.transform) continue;
    const TunableInfo& tunable = *ref.tunable;
    const bool is_open = tunable.used_by.empty();
    const std::vector<double> values = values_at(tunable, configuration.tunables[at(id)], n, level.schedule);
    // Else the runtime chooses, or no cells are kept.
    const bool is_chosen = std::find(values.begin(), values.end(), 0) == values.end();
    const bool is_shape = pb::is_of_launches(tunable.role) && is_used_by(tunable, users) && is_chosen;
    if (is_shape) out += ", " + shape_words(tunable.role, values);
    const bool is_split =
        tunable.role == TunableRole::Split && choice.on == Version::Cpu && (is_open || is_used_by(tunable, users));
    if (is_split) out += ", in pieces of " + values_text(values, ", ");
    if (tunable.role == TunableRole::FoldOrder && is_used_by(tunable, users) && values[0] != 0)
      out += ", folds in any order";
    if (tunable.role == TunableRole::FoldChunk && is_used_by(tunable, users) &&
        has_what_it_needs(index, configuration, id, n, level.schedule))
      out += ", " + chunk_words(values[0]);
    const bool is_shared =
        tunable.role == TunableRole::DeviceShare && pbrt::is_device(choice.on) && values[0] < tunable.max;
    if (is_shared) out += ", " + share_words(tunable, values[0], users);
  }
  return out;
}

std::string size_name(const pbrt::TransformInfo& transform, const pbrt::Level& level) {
  return transform.sizes[at(level.by - 1)];
}

/// Returns words for where a level that is not the first one holds.
std::string condition_words(const pbrt::TransformInfo& transform, const pbrt::Level& level) {
  if (level.by == 0) return fmt::format("from size {}", level.from);
  return fmt::format("where {} is at least {}", size_name(transform, level), level.from);
}

std::string selector_words(const InfoIndex& index, const Configuration& configuration, int site,
                           const std::string& device) {
  std::string out;
  for (const pbrt::Level& level : configuration.sites[at(site)].levels) {
    if (!out.empty()) out += "; " + condition_words(*index.site(site).transform, level) + ": ";
    out += choice_words(index, configuration, site, level, device, std::max<std::int64_t>(level.from, 1));
  }
  return out;
}

/// Returns words for the levels that test size variables.
std::string variable_words(const InfoIndex& index, const Configuration& configuration, int site,
                           const std::string& device, std::int64_t n) {
  std::string out;
  for (const pbrt::Level& level : configuration.sites[at(site)].levels)
    if (level.by != 0)
      out += "; " + condition_words(*index.site(site).transform, level) + ": " +
             choice_words(index, configuration, site, level, device, n);
  return out;
}

/// Returns the level that counts at size `n` by the largest size alone.
pbrt::Level level_by_largest(const Selector& selector, std::int64_t n) {
  pbrt::Level out;
  for (const pbrt::Level& level : selector.levels)
    if (level.by == 0 && level.from <= n) out = level;
  return out;
}

/// Returns words for the choice at size `n` and those at the smaller sizes of its recursion.
std::string recursive_words(const InfoIndex& index, const Configuration& configuration, int site,
                            const std::string& device, std::int64_t n) {
  std::string out;
  const std::vector<pbrt::Level> levels = pbrt::levels_by_largest(configuration.sites[at(site)].levels);
  for (std::size_t i = levels.size(); i-- > 0;) {
    if (i > 0 && levels[i].from > n) continue;
    if (!out.empty()) out += fmt::format("; below size {}: ", levels[i + 1].from);
    const std::int64_t size = out.empty() ? n : levels[i + 1].from - 1;
    out += choice_words(index, configuration, site, levels[i], device, std::max<std::int64_t>(size, 1));
  }
  return out + variable_words(index, configuration, site, device, n);
}

bool is_of_folds(TunableRole role) { return role == TunableRole::FoldOrder || role == TunableRole::FoldChunk; }

/// Whether a site chooses a rule that uses the tunable. A rule that is no choice has no site.
bool is_of_a_choice(const InfoIndex& index, const InfoIndex::TunableRef& ref) {
  for (int id = 0; id < index.num_sites(); ++id) {
    const pbrt::SiteInfo& site = *index.site(id).site;
    for (int choice = 0; index.site(id).transform == ref.transform && choice < site.num_choices(); ++choice)
      if (is_used_by(*ref.tunable, site.users_of(site.choice(choice)))) return true;
  }
  return false;
}

/// Whether the line of a choice says what the tunable is set to.
bool is_said_by_choice(const InfoIndex& index, const InfoIndex::TunableRef& ref) {
  const TunableRole role = ref.tunable->role;
  if (pb::is_of_launches(role) || role == TunableRole::Split || role == TunableRole::DeviceShare) return true;
  return is_of_folds(role) && is_of_a_choice(index, ref);
}

/// Returns words for the values of a tunable. Where 0 is no number, but leaves the value to the program, they say so.
std::string value_words(TunableRole role, const std::vector<double>& values, const char* separator) {
  const bool is_open = std::find(values.begin(), values.end(), 0) != values.end();
  if (role == TunableRole::FoldOrder) return values[0] != 0 ? "any" : "as in the source";
  if (role == TunableRole::FoldChunk) return chunk_words(values[0]);
  if (role == TunableRole::ScanChunk) return scan_words(values[0]);
  if (role == TunableRole::KeptRounds || role == TunableRole::BlockRounds)
    return values[0] != 0 ? values_text(values, separator) : "none";
  if (role == TunableRole::MatrixUnits) return values[0] != 0 ? "where the device has them" : "none";
  if (pb::is_of_launches(role)) return is_open ? "as the program chooses" : values_text(values, " x ");
  if (role == TunableRole::Packs) return values[0] != 0 ? "on packs" : "one instance after the other";
  if (role == TunableRole::TimeRows) return time_rows_words(values[0]);
  if (role == TunableRole::Stores || role == TunableRole::RowBlock || role == TunableRole::Blocks ||
      role == TunableRole::Bands)
    return pb::to_string(static_cast<pb::SizeRule>(values[0]));
  const std::string text = values_text(values, separator);
  if (role == TunableRole::Strip) return text + " columns";
  return role == TunableRole::RowAhead || role == TunableRole::ReadAhead ? text + " lines" : text;
}

/// Returns words for the values of a tunable, with commas between those of several schedules.
std::string schedules_text(const TunableInfo& tunable, const std::vector<double>& values) {
  const auto size = static_cast<std::ptrdiff_t>(tunable.num_values());
  std::string out;
  for (auto begin = values.begin(); begin < values.end(); begin += size)
    out += (out.empty() ? "" : ", ") + value_words(tunable.role, {begin, begin + size}, " ");
  return out;
}

/// Whether two values of a tunable are the same; where one has fewer schedules, they take its last one.
bool is_same_in_schedules(const TunableInfo& tunable, const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t size = std::max(a.size(), b.size());
  const auto num = static_cast<std::size_t>(tunable.num_values());
  const auto at_index = [&](const std::vector<double>& values, std::size_t i) {
    return values[i < values.size() ? i : values.size() - num + i % num];
  };
  for (std::size_t i = 0; i < size; ++i)
    if (at_index(a, i) != at_index(b, i)) return false;
  return true;
}

/// Whether one of the rules that use the tunable is chosen at this size. The answer is yes without a size, without such
/// rules, or in a recursion.
bool is_used_at(const InfoIndex& index, const Configuration& configuration, int tunable, std::int64_t n) {
  const InfoIndex::TunableRef& ref = index.tunable(tunable);
  const TunableRole role = ref.tunable->role;
  const bool always_runs = is_of_folds(role) || (pb::is_of_loop_forms(role) && !is_of_a_choice(index, ref));
  if (n < 0 || ref.tunable->used_by.empty() || always_runs) return true;
  if (ref.transform != nullptr && calls_itself(index.info(), ref.transform->name)) return true;
  for (int id = 0; id < index.num_sites(); ++id) {
    if (index.site(id).transform != ref.transform) continue;
    const pbrt::Choice choice = index.site(id).site->choice(configuration.sites[at(id)].select(n));
    if (is_used_by(*ref.tunable, index.site(id).site->users_of(choice))) return true;
  }
  return false;
}

/// Adds a line for each of the program's own tunables whose value is not the initial one.
void add_tunable_lines(const InfoIndex& index, const Configuration& configuration, std::int64_t n,
                       const std::set<std::string>& transforms, std::vector<std::string>& out) {
  const Configuration standard = pbrt::default_configuration(index);
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    if (is_said_by_choice(index, ref)) continue;
    if (!transforms.empty() && ref.transform != nullptr && !transforms.contains(ref.transform->name)) continue;
    if (!is_used_at(index, configuration, id, n)) continue;
    const std::vector<double>& all = configuration.tunables[at(id)];
    if (!ref.tunable->site.empty() && all.size() > at(ref.tunable->num_values())) {
      out.push_back(index.tunable_name(id) + " by schedule: " + schedules_text(*ref.tunable, all));
      continue;
    }
    const std::vector<double> values = values_at(*ref.tunable, all, std::max<std::int64_t>(n, 1));
    if (values == values_at(*ref.tunable, standard.tunables[at(id)], std::max<std::int64_t>(n, 1))) continue;
    if (!has_what_it_needs(index, configuration, id, std::max<std::int64_t>(n, 1), 0)) continue;
    out.push_back(index.tunable_name(id) + ": " + value_words(ref.tunable->role, values, ", "));
  }
}

}  // namespace

std::string number_text(double value) {
  return std::floor(value) == value && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                               : fmt::format("{:.6g}", value);
}

std::string choice_words(const InfoIndex& index, const Configuration& configuration, int site, const pbrt::Level& level,
                         const std::string& device, std::int64_t n) {
  const InfoIndex::SiteRef& ref = index.site(site);
  const pbrt::Choice choice = ref.site->choice(level.alternative);
  const bool has_one_rule = ref.site->alternatives.size() == 1;
  bool has_versions = false;
  for (const pbrt::AlternativeInfo& rule : ref.site->alternatives) has_versions = has_versions || rule.on.size() > 1;
  std::string out = has_one_rule ? "" : rule_words(*ref.site, choice);
  if (has_versions || has_one_rule) {
    if (!out.empty()) out += " ";
    switch (choice.on) {
      case Version::Cpu:
        out += "on the CPU";
        break;
      case Version::OpenCl:
        out += "on " + device;
        break;
      case Version::OpenClLocal:
        out += "on " + device + " with local memory";
        break;
    }
  }
  return out + detail_words(index, configuration, ref, level, n);
}

std::vector<std::string> explain(const InfoIndex& index, const Configuration& configuration, std::int64_t n,
                                 const std::string& device, const std::vector<std::string>& only,
                                 const std::set<std::string>& transforms) {
  std::vector<std::string> out;
  std::vector<int> ids;
  for (int id = 0; id < index.num_sites(); ++id) ids.push_back(id);
  const auto is_main = [&](int id) { return index.site(id).transform->name == index.info().main; };
  std::stable_partition(ids.begin(), ids.end(), is_main);
  for (const int id : ids) {
    const InfoIndex::SiteRef& ref = index.site(id);
    if (ref.site->num_choices() < 2) continue;
    if (!transforms.empty() && !transforms.contains(ref.transform->name)) continue;
    if (!only.empty() && std::find(only.begin(), only.end(), index.site_name(id)) == only.end()) continue;
    const std::string name = ref.transform->sites.size() == 1 ? ref.transform->name : index.site_name(id);
    std::string words;
    if (n < 0)
      words = selector_words(index, configuration, id, device);
    else if (calls_itself(index.info(), ref.transform->name))
      words = recursive_words(index, configuration, id, device, n);
    else
      words = choice_words(index, configuration, id, level_by_largest(configuration.sites[at(id)], n), device, n) +
              variable_words(index, configuration, id, device, n);
    out.push_back(name + ": " + words);
  }
  add_tunable_lines(index, configuration, n, transforms, out);
  return out;
}

std::vector<std::string> differences(const InfoIndex& index, const Configuration& a, const Configuration& b) {
  const auto selector_text = [&](int id, const Selector& selector) {
    std::string out;
    for (const pbrt::Level& level : selector.levels) {
      const pbrt::Choice choice = index.site(id).site->choice(level.alternative);
      if (level.from > 0)
        out += ", from " + (level.by > 0 ? size_name(*index.site(id).transform, level) + " = " : "") +
               std::to_string(level.from) + " ";
      out += choice.rule + " on " + to_string(choice.on);
      if (level.schedule > 0) out += " with schedule " + std::to_string(level.schedule + 1);
    }
    return out;
  };
  std::vector<std::string> out;
  for (int id = 0; id < index.num_sites(); ++id) {
    if (a.sites[at(id)] == b.sites[at(id)]) continue;
    out.push_back(index.site_name(id) + ": " + selector_text(id, a.sites[at(id)]) + " -> " +
                  selector_text(id, b.sites[at(id)]));
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    if (is_same_in_schedules(*index.tunable(id).tunable, a.tunables[at(id)], b.tunables[at(id)])) continue;
    out.push_back(index.tunable_name(id) + ": " + schedules_text(*index.tunable(id).tunable, a.tunables[at(id)]) +
                  " -> " + schedules_text(*index.tunable(id).tunable, b.tunables[at(id)]));
  }
  return out;
}

std::string gain_text(const pbrt::Provenance& provenance, const std::string& prefix) {
  double standard = 0, tuned = 0;
  for (const auto& [name, time] : provenance.times_ns) {
    if (name == prefix + "default") standard = time;
    if (name == prefix + "tuned") tuned = time;
  }
  if (!(tuned > 0)) return "";
  if (tuned == standard) return time_text(tuned) + ", as the default: nothing was found to be faster";
  return standard > 0
             ? fmt::format("{} instead of {}: {}", time_text(tuned), time_text(standard), ratio_text(standard, tuned))
             : time_text(tuned);
}

std::string origin_text(const pbrt::Provenance& provenance) {
  if (provenance.tuner.empty())
    return provenance.when.empty() && provenance.how.empty()
               ? "written by hand"
               : "written " + provenance.when + (provenance.how.empty() ? "" : " by " + provenance.how);
  return fmt::format("tuned {} by {}, effort {}, seed {}{}{}", provenance.when, provenance.tuner, provenance.effort,
                     provenance.seed, provenance.how.empty() ? "" : ", ", provenance.how);
}

std::vector<std::string> loss_lines(std::vector<std::pair<std::string, double>> losses) {
  constexpr double kMuch = 4;  // a run that is slower than this is stopped, so its time is not known
  std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (const auto& [what, loss] : losses)
    out.push_back(
        fmt::format("{} would be {} slower", what, loss >= kMuch ? "more than 4x" : fmt::format("{:.2f}x", loss)));
  return out;
}

/// Returns `, unconfirmed` for a transform or case whose times are so, else empty text.
static std::string confirmation_text(const std::string& name, const pbrt::Provenance& provenance) {
  const std::vector<std::string>& names = provenance.unconfirmed;
  return std::find(names.begin(), names.end(), name) != names.end() ? kUnconfirmed : "";
}

/// Adds the gain for each of several cases. `prefix`: of the transform.
static void add_case_lines(const pbrt::Provenance& provenance, const std::string& prefix,
                           std::vector<std::string>& out) {
  for (const std::string& one : provenance.cases)
    if (const std::string gain = gain_text(provenance, prefix + one + ": "); !gain.empty())
      out.push_back(prefix + one + ": " + gain + confirmation_text(prefix + one, provenance));
}

/// Returns `, accuracy 1.03, target 1.25` for an instance of an accuracy bin, else empty text.
static std::string accuracy_text(const pbrt::TransformInfo& transform, const pbrt::Provenance& provenance) {
  for (const auto& [name, accuracy] : provenance.accuracies)
    if (name == transform.name)
      return fmt::format(", accuracy {:.6g}, target {}", accuracy, number_text(transform.accuracy.target));
  return "";
}

std::vector<std::string> gain_lines(const pbrt::TrainingInfo& info, const pbrt::Provenance& provenance) {
  std::vector<std::string> out;
  const pbrt::TransformInfo* main = find_transform(info, info.main);
  if (const std::string gain = gain_text(provenance, ""); !gain.empty() && main != nullptr)
    out.push_back((main->accuracy.has_target ? main->name + ": " : "") + gain +
                  confirmation_text(main->name, provenance) + accuracy_text(*main, provenance));
  add_case_lines(provenance, "", out);
  for (const pbrt::TransformInfo& transform : info.transforms) {
    const std::string prefix = transform.name + ": ";
    if (const std::string gain = gain_text(provenance, prefix); !gain.empty())
      out.push_back(prefix + gain + confirmation_text(transform.name, provenance) +
                    accuracy_text(transform, provenance));
    add_case_lines(provenance, prefix, out);
  }
  return out;
}

std::string device_name(const std::string& name) {
  if (name.empty()) return "the OpenCL device";
  const bool is_pocl =
      name.rfind("pthread-", 0) == 0 || name.rfind("cpu-", 0) == 0 || name == "pthread" || name == "basic";
  return is_pocl ? "PoCL" : name;
}

}  // namespace pbtune
