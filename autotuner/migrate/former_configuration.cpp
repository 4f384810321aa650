// SPDX-License-Identifier: MIT
#include "autotuner/migrate/former_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "autotuner/report/configuration_words.h"
#include "runtime/config/formats/former_names.h"

namespace pbtune {
namespace {

using pbrt::FormerName;
using pbrt::SiteInfo;
using pbrt::TransformInfo;
using pbrt::TunableInfo;
using Kind = FormerName::Kind;

/// Combinations of choices that are counted to find one by its number.
constexpr int kMaxCounted = 1000000;

/// The levels of one selector, as the text has them.
struct Selector {
  std::map<int, double> rules, cutoffs;  ///< by the number of the level
};

/// A level of a selector: from this size on, the choice of this number.
struct NumberedLevel {
  std::int64_t from = 0;
  int number = 0;
};

/// The levels that are used. Level k is used below the cut-off of level k + 1, so one with a cut-off that is no larger
/// than an earlier one never is.
std::vector<NumberedLevel> levels_of(const Selector& selector) {
  constexpr double kNever = std::numeric_limits<std::int32_t>::max();
  std::vector<NumberedLevel> out;
  double from = 0;
  for (int level = 1; level <= pbrt::kMaxSelectorLevels && from < kNever; ++level) {
    const auto next = selector.cutoffs.find(level + 1);
    const double end = next != selector.cutoffs.end() ? next->second : kNever;
    const auto rule = selector.rules.find(level);
    const int number = rule != selector.rules.end() ? static_cast<int>(std::clamp(rule->second, -1.0, kNever)) : 0;
    const bool is_new = out.empty() || out.back().number != number;
    if (end > from && is_new) out.push_back({static_cast<std::int64_t>(from), number});
    from = std::max(from, end);
  }
  return out;
}

/// The sites with several rules, to which PetaBricks gave numbers.
std::vector<const SiteInfo*> numbered_sites(const TransformInfo& transform) {
  std::vector<const SiteInfo*> out;
  for (const SiteInfo& site : transform.sites)
    if (site.alternatives.size() > 1) out.push_back(&site);
  return out;
}

bool is_forbidden(const TransformInfo& transform, const std::vector<const SiteInfo*>& sites,
                  const std::vector<std::size_t>& digits) {
  return std::any_of(transform.forbidden.begin(), transform.forbidden.end(), [&](const pbrt::Forbidden& forbidden) {
    std::size_t num_met = 0;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const auto found = forbidden.find(sites[i]->name);
      if (found != forbidden.end() && found->second == sites[i]->alternatives[digits[i]].rule) ++num_met;
    }
    return num_met == forbidden.size();
  });
}

/// The alternative of each site in combination `number`. The first site counts fastest, and combinations without an
/// order do not count. Empty if there are not so many.
std::vector<std::size_t> combination(const TransformInfo& transform, const std::vector<const SiteInfo*>& sites,
                                     int number) {
  std::vector<std::size_t> digits(sites.size(), 0);
  for (int counted = 0; counted < kMaxCounted; ++counted) {
    if (!is_forbidden(transform, sites, digits) && number-- == 0) return digits;
    std::size_t i = 0;
    while (i < sites.size() && ++digits[i] == sites[i]->alternatives.size()) digits[i++] = 0;
    if (i == sites.size()) break;
  }
  return {};
}

class Reader {
 public:
  explicit Reader(const pbrt::InfoIndex& index) : index_(index) {}

  FormerConfiguration run(std::string_view text) {
    for (const auto& [name, number] : pbrt::former_values(text)) read(name, number);
    for (const TransformInfo& transform : index_.info().transforms) {
      WrittenTransform written;
      written.name = transform.name;
      if (const auto found = selectors_.find(&transform); found != selectors_.end())
        read_selector(transform, found->second, written);
      for (const TunableInfo& tunable : transform.tunables)
        if (const auto found = values_.find(&tunable); found != values_.end())
          written.values.push_back(value_of(tunable, found->second));
      if (!written.sites.empty() || !written.values.empty()) out_.written.transforms.push_back(std::move(written));
    }
    return std::move(out_);
  }

 private:
  void read(const std::string& name, double number) {
    const FormerName found = pbrt::find_former_name(name, index_);
    switch (found.kind) {
      case Kind::Unknown:
        return drop(name, "the program has no such value");
      case Kind::Distributed:
        return drop(name, "a program runs on one machine");
      case Kind::Unrolled:
        return drop(name, "that is decided when the program is compiled");
      case Kind::Threads:
        return drop(name, "a run takes the CPUs that it has, or `--threads`");
      case Kind::SequentialCutoff:
        return out_.written.globals.push_back({"sequential_cutoff", {number}, 0, false, number_text(number)});
      case Kind::LevelRule:
        selectors_[found.transform].rules[found.level] = number;
        return;
      case Kind::LevelCutoff:
        selectors_[found.transform].cutoffs[found.level] = number;
        return;
      case Kind::Tunable:
        return read_value(name, found, number);
    }
  }

  void drop(const std::string& name, const char* why) { out_.dropped.push_back(name + ": " + why); }

  void read_value(const std::string& name, const FormerName& found, double number) {
    const TunableInfo& tunable = *index_.tunable(index_.find_tunable(found.transform->name, found.tunable)).tunable;
    const int num_buckets = tunable.is_size_specific ? pbrt::kNumSizeBuckets : 1;
    if (found.element >= tunable.count || found.bucket >= num_buckets)
      return drop(name, "the value has not so many parts");
    std::vector<double>& numbers = values_[&tunable];
    for (int i = 0; numbers.size() < static_cast<std::size_t>(tunable.num_values()); ++i)
      numbers.push_back(tunable.initial_of(i % tunable.count));
    for (int bucket = 0; bucket < num_buckets; ++bucket)
      for (int element = 0; element < tunable.count; ++element) {
        const bool is_meant =
            (found.bucket < 0 || found.bucket == bucket) && (found.element < 0 || found.element == element);
        const int place = bucket * tunable.count + element;
        if (is_meant) numbers[static_cast<std::size_t>(place)] = number;
      }
  }

  static WrittenValue value_of(const TunableInfo& tunable, const std::vector<double>& numbers) {
    const bool is_list = numbers.size() > 1;
    const bool is_table = tunable.is_size_specific && tunable.count > 1;
    const std::string text = is_list ? fmt::format("[{} numbers]", numbers.size()) : number_text(numbers[0]);
    return {tunable.name, numbers, is_table ? pbrt::kNumSizeBuckets : 0, is_list, text};
  }

  void read_selector(const TransformInfo& transform, const Selector& selector, WrittenTransform& out) {
    const std::vector<const SiteInfo*> sites = numbered_sites(transform);
    if (sites.empty()) return drop(transform.name + "_0", "the program has no such choice to make");
    for (const SiteInfo* site : sites) out.sites.push_back({site->name, {}});
    for (const NumberedLevel& level : levels_of(selector)) {
      const std::vector<std::size_t> digits = combination(transform, sites, level.number);
      if (digits.empty()) {
        out_.dropped.push_back(fmt::format("{}_0: {} from size {}: there are not so many choices", transform.name,
                                           level.number, level.from));
        continue;
      }
      for (std::size_t i = 0; i < sites.size(); ++i)
        out.sites[i].levels.push_back(level_of(*sites[i], digits[i], level.from));
    }
    std::erase_if(out.sites, [](const WrittenSite& site) { return site.levels.empty(); });
    if (out.sites.empty()) return;
    out_.changed.push_back(transform.name + "_0: numbers of rules are read in the order of the source" +
                           (sites.size() > 1 ? fmt::format(", as combinations of {} choices", sites.size()) : ""));
  }

  static WrittenLevel level_of(const SiteInfo& site, std::size_t alternative, std::int64_t from) {
    const pbrt::AlternativeInfo& chosen = site.alternatives[alternative];
    WrittenLevel out{from, {}, "cpu"};
    for (const auto& [part, rule] : chosen.parts) out.rules[part] = rule;
    if (chosen.parts.empty()) out.rules[site.name] = chosen.rule;
    return out;
  }

  const pbrt::InfoIndex& index_;
  std::map<const TransformInfo*, Selector> selectors_;
  std::map<const TunableInfo*, std::vector<double>> values_;
  FormerConfiguration out_;
};

}  // namespace

FormerConfiguration read_former(std::string_view text, const pbrt::InfoIndex& index) { return Reader(index).run(text); }

}  // namespace pbtune
