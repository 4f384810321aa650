// SPDX-License-Identifier: MIT
#include "autotuner/space.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/config/random_configuration.h"

namespace pbtune {
namespace {

using pbrt::On;
using pbrt::SiteInfo;
using pbrt::TunableInfo;
using pbrt::TunableRole;

constexpr int kMaxSeeds = 64;

std::size_t at(int id) { return static_cast<std::size_t>(id); }

bool is_threads(const InfoIndex::TunableRef& ref) { return ref.transform == nullptr && ref.tunable->name == "threads"; }

/// The range in which a value makes a difference: nothing is compared with sizes far above the target.
TunableGene gene_of(int id, const InfoIndex::TunableRef& ref, const SpaceOptions& options) {
  TunableGene gene{id, ref.tunable, ref.tunable->min, ref.tunable->max};
  const bool is_size = ref.tunable->role == TunableRole::Cutoff || ref.tunable->role == TunableRole::Split;
  if (is_size) gene.max = std::clamp(2.0 * static_cast<double>(options.target_n), gene.min, gene.max);
  if (ref.tunable->role == TunableRole::WorkGroup) gene.max = std::min<double>(gene.max, pbrt::kMaxWorkGroupItems);
  if (is_threads(ref)) gene.max = std::max(0, options.max_threads - 1);  // 0 says all, so all need no number
  return gene;
}

int choice_near(const SiteInfo& site, const std::string& rule, On on) {
  if (on == On::OpenClLocal && site.index_of(rule, on) < 0) on = On::OpenCl;
  if (site.index_of(rule, on) < 0) on = On::Cpu;
  return std::max(0, site.index_of(rule, on));
}

}  // namespace

Space::Space(const InfoIndex& index, const SpaceOptions& options) : index_(&index), options_(options) {
  for (int id = 0; id < index.num_sites(); ++id) {
    SiteGene gene{id, {}};
    const SiteInfo& site = *index.site(id).site;
    for (int choice = 0; choice < site.num_choices(); ++choice)
      if (options.has_device || !pbrt::is_device(site.choice(choice).on)) gene.choices.push_back(choice);
    if (gene.choices.size() > 1) sites_.push_back(std::move(gene));
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    const bool is_for_device = ref.tunable->role == TunableRole::WorkGroup || ref.tunable->role == TunableRole::Ratio;
    if (ref.tunable->role == TunableRole::Config || (is_for_device && !options.has_device)) continue;
    if (is_threads(ref) && options.fixed_threads > 0) continue;
    const TunableGene gene = gene_of(id, ref, options);
    if (gene.min < gene.max) tunables_.push_back(gene);
  }
}

Configuration Space::default_configuration() const {
  Configuration out = pbrt::default_configuration(*index_);
  const int threads = index_->find_tunable("", "threads");
  if (threads >= 0 && options_.fixed_threads > 0) out.tunables[at(threads)][0] = options_.fixed_threads;
  return out;
}

Configuration Space::uniform(int rule, On on) const {
  Configuration out = default_configuration();
  for (const SiteGene& gene : sites_) {
    const SiteInfo& site = *index_->site(gene.id).site;
    const std::size_t which = std::min(at(rule), site.alternatives.size() - 1);
    out.sites[at(gene.id)].levels = {{0, choice_near(site, site.alternatives[which].rule, on)}};
  }
  (void)pbrt::repair_forbidden(*index_, out);  // a seed that is forbidden becomes the nearest legal one
  return out;
}

std::vector<NamedConfiguration> Space::seeds() const {
  std::vector<NamedConfiguration> out{{"the default", default_configuration()}};
  std::size_t num_rules = 1;
  for (const SiteGene& gene : sites_) num_rules = std::max(num_rules, index_->site(gene.id).site->alternatives.size());
  for (std::size_t rule = 0; rule < num_rules; ++rule) {
    for (const On on : {On::Cpu, On::OpenCl, On::OpenClLocal}) {
      if (pbrt::is_device(on) && !options_.has_device) continue;
      NamedConfiguration seed{std::string("all ") + to_string(on), uniform(static_cast<int>(rule), on)};
      if (num_rules > 1) seed.name += ", rule " + std::to_string(rule + 1) + " of each site";
      const auto is_same = [&](const NamedConfiguration& other) { return other.configuration == seed.configuration; };
      const bool is_new = std::none_of(out.begin(), out.end(), is_same);
      if (is_new && out.size() < kMaxSeeds) out.push_back(std::move(seed));
    }
  }
  return out;
}

bool Space::is_site_relevant(int site, const std::vector<RanChoice>& ran) const {
  return ran.empty() ||
         std::any_of(ran.begin(), ran.end(), [&](const RanChoice& choice) { return choice.site == site; });
}

bool Space::is_tunable_relevant(int tunable, const std::vector<RanChoice>& ran) const {
  const InfoIndex::TunableRef& ref = index_->tunable(tunable);
  if (ran.empty() || ref.transform == nullptr || ref.transform->sites.empty()) return true;
  const auto uses = [&](const RanChoice& item) {
    if (index_->site(item.site).transform != ref.transform) return false;
    const SiteInfo& site = *index_->site(item.site).site;
    const std::vector<std::string> names = site.users_of(site.choice(item.alternative));
    const std::vector<std::string>& users = ref.tunable->used_by;
    return users.empty() || std::find_first_of(users.begin(), users.end(), names.begin(), names.end()) != users.end();
  };
  return std::any_of(ran.begin(), ran.end(), uses);
}

void Space::fit(Configuration& configuration) const {
  for (int id = 0; id < index_->num_sites(); ++id) {
    const SiteInfo& site = *index_->site(id).site;
    for (pbrt::Level& level : configuration.sites[at(id)].levels) {
      const pbrt::Choice choice = site.choice(level.alternative);
      if (!options_.has_device && pbrt::is_device(choice.on))
        level.alternative = choice_near(site, choice.rule, On::Cpu);
    }
    simplify(configuration.sites[at(id)]);
  }
  const int threads = index_->find_tunable("", "threads");
  if (threads >= 0 && options_.fixed_threads > 0) configuration.tunables[at(threads)][0] = options_.fixed_threads;
  (void)pbrt::repair_forbidden(*index_, configuration);  // whether it changed something does not matter here
}

void simplify(Selector& selector) {
  std::vector<pbrt::Level>& levels = selector.levels;
  const auto is_same = [](const pbrt::Level& a, const pbrt::Level& b) { return a.alternative == b.alternative; };
  levels.erase(std::unique(levels.begin(), levels.end(), is_same), levels.end());
}

Selector graft(const Selector& low, const Selector& high, std::int64_t from) {
  Selector out{{}};
  for (const pbrt::Level& level : low.levels)
    if (level.from < from) out.levels.push_back(level);
  out.levels.push_back({std::max<std::int64_t>(from, 0), high.select(from)});
  for (const pbrt::Level& level : high.levels)
    if (level.from > from) out.levels.push_back(level);
  simplify(out);
  return out.levels.size() <= pbrt::kMaxSelectorLevels ? out : high;
}

Configuration graft(const Configuration& low, const Configuration& high, std::int64_t from) {
  Configuration out = high;
  for (std::size_t id = 0; id < out.sites.size(); ++id) out.sites[id] = graft(low.sites[id], high.sites[id], from);
  return out;
}

int num_differences(const Configuration& a, const Configuration& b) {
  int count = 0;
  for (std::size_t id = 0; id < a.sites.size(); ++id)
    if (a.sites[id] != b.sites[id])
      count += static_cast<int>(std::max(a.sites[id].levels.size(), b.sites[id].levels.size()));
  for (std::size_t id = 0; id < a.tunables.size(); ++id) count += a.tunables[id] != b.tunables[id] ? 1 : 0;
  return count;
}

std::string fingerprint(const InfoIndex& index, const Configuration& configuration) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : pbrt::to_json(index, configuration, -1))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  char text[24];
  std::snprintf(text, sizeof text, "%012llx", static_cast<unsigned long long>(hash & 0xffffffffffffULL));
  return text;
}

}  // namespace pbtune
