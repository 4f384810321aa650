// SPDX-License-Identifier: MIT
#include "autotuner/space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/loop_forms.h"
#include "runtime/config/formats/configuration_text.h"
#include "runtime/config/random_configuration.h"

namespace pbtune {
namespace {

using pbrt::SiteInfo;
using pbrt::TunableRole;
using pbrt::Version;

constexpr int kMaxSeeds = 64;

std::size_t at(int id) { return static_cast<std::size_t>(id); }

bool is_threads(const InfoIndex::TunableRef& ref) { return ref.transform == nullptr && ref.tunable->name == "threads"; }
bool is_library_threads(const InfoIndex::TunableRef& ref) {
  return ref.transform == nullptr && ref.tunable->name == pbrt::kOpenBlasThreads;
}

bool is_large_pages(const InfoIndex::TunableRef& ref) {
  return ref.transform == nullptr && ref.tunable->name == pbrt::kLargePages;
}

/// Blocks of all sizes, as one device's share of them becomes smaller than the others'.
std::vector<std::vector<double>> usual_weights(const TunableGene& gene) {
  std::vector<std::vector<double>> out;
  const std::vector<double> alike(at(gene.info->count), gene.info->max);
  for (const double part : {0.5, 0.75, 0.25, 0.0})
    for (int device = 0; device < gene.num_varied; ++device) {
      out.push_back(alike);
      out.back()[at(device)] = part * gene.info->max;
    }
  return out;
}

/// The tunable, with its range cut to values that make a difference. For example, no size is compared with values far
/// above the target.
TunableGene gene_of(int id, const InfoIndex::TunableRef& ref, const SpaceOptions& options) {
  TunableGene gene{id, ref.tunable, ref.tunable->min, ref.tunable->max};
  const bool is_size = ref.tunable->role == TunableRole::Cutoff || ref.tunable->role == TunableRole::Split;
  if (is_size) gene.max = std::clamp(2.0 * static_cast<double>(options.target_n), gene.min, gene.max);
  if (pb::is_of_launches(ref.tunable->role))
    gene.max = std::min<double>(gene.max, pbrt::max_product(ref.tunable->role));
  // 0 means all CPUs, so their number need not be a value.
  if (is_threads(ref)) gene.max = std::max(0, options.max_threads - 1);
  if (is_library_threads(ref)) gene.max = std::max(1, options.max_threads);
  if (pbrt::is_device_weights(*ref.tunable)) gene.num_varied = std::min(options.num_devices, ref.tunable->count);
  return gene;
}

int choice_near(const SiteInfo& site, const std::string& rule, Version on) {
  if (on == Version::OpenClLocal && site.index_of(rule, on) < 0) on = Version::OpenCl;
  if (site.index_of(rule, on) < 0) on = Version::Cpu;
  return std::max(0, site.index_of(rule, on));
}

/// Whether some size of two calls has another ratio than the first one has.
bool differ_in_shape(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  for (std::size_t i = 1; i < a.size(); ++i)
    if (static_cast<double>(a[i]) * static_cast<double>(b[0]) != static_cast<double>(b[i]) * static_cast<double>(a[0]))
      return true;
  return false;
}

/// Gives a tunable the values that it has in another configuration, which may have other schedules: then those of its
/// first one.
void take_values(const InfoIndex& index, const Configuration& from, int id, Configuration& to) {
  const std::vector<double>& values = from.tunables[at(id)];
  std::vector<double>& slots = to.tunables[at(id)];
  if (values.size() == slots.size()) {
    slots = values;
    return;
  }
  const std::vector<double> first(values.begin(), values.begin() + index.tunable(id).tunable->num_values());
  slots = pbrt::for_each_schedule(first, slots.size());
}

bool is_for_accuracy(const TunableGene& gene) {
  return gene.info->role == pbrt::TunableRole::Accuracy || gene.info->role == pbrt::TunableRole::ForEnough;
}

}  // namespace

Space::Space(const InfoIndex& index, const SpaceOptions& options) : index_(&index), options_(options) {
  const auto is_varied = [&](const std::string& transform) {
    return options.transforms.empty() || options.transforms.contains(transform);
  };
  for (int id = 0; id < index.num_sites(); ++id) {
    if (!is_varied(index.site(id).transform->name)) continue;
    SiteGene gene{id, {}};
    const SiteInfo& site = *index.site(id).site;
    if (!site.fixed.empty()) continue;
    for (int choice = 0; choice < site.num_choices(); ++choice)
      if (options.has_device || !pbrt::is_device(site.choice(choice).on)) gene.choices.push_back(choice);
    if (gene.choices.size() > 1) sites_.push_back(std::move(gene));
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    const bool is_open = ref.transform == nullptr ? options.has_globals : is_varied(ref.transform->name);
    if (!is_open) continue;
    const bool is_for_device = pb::is_of_launches(ref.tunable->role) || ref.tunable->role == TunableRole::DeviceShare;
    if (ref.tunable->role == TunableRole::Config || (is_for_device && !options.has_device)) continue;
    if ((is_threads(ref) && options.fixed_threads > 0) || !ref.tunable->fixed.empty()) continue;
    if (pbrt::is_device_weights(*ref.tunable) && (!options.has_device || options.num_devices < 2)) continue;
    if (is_large_pages(ref)) {
      if (options.has_large_pages) large_pages_ = id;
      continue;
    }
    const TunableGene gene = gene_of(id, ref, options);
    if (gene.min < gene.max) tunables_.push_back(gene);
  }
}

/// The values of the measured transform's size variables in each case.
std::vector<std::vector<std::int64_t>> Space::case_sizes() const {
  const auto& transforms = index_->info().transforms;
  const auto measured = std::find_if(transforms.begin(), transforms.end(),
                                     [&](const auto& transform) { return transform.name == options_.measured; });
  std::vector<std::vector<std::int64_t>> out;
  if (measured == transforms.end()) return out;
  for (const auto& fixed : options_.cases) {
    std::vector<std::int64_t> sizes;
    for (const std::string& name : measured->sizes) {
      const auto found = std::find_if(fixed.begin(), fixed.end(), [&](const auto& size) { return size.first == name; });
      sizes.push_back(found != fixed.end() ? found->second : options_.target_n);
    }
    if (!sizes.empty()) out.push_back(std::move(sizes));
  }
  return out;
}

std::vector<SizeCut> Space::size_cuts(const pbrt::TransformInfo& transform) const {
  const std::vector<std::vector<std::int64_t>> cases = case_sizes();
  std::vector<SizeCut> out;
  const auto add = [&](int by, std::int64_t lo, std::int64_t hi) {
    if (std::max<std::int64_t>(lo, 1) < hi) out.push_back({by, std::max<std::int64_t>(lo, 1), hi});
  };
  if (options_.is_recursive) {
    add(0, 1, options_.target_n);
  } else if (cases.size() > 1) {
    std::vector<std::int64_t> largest;
    for (const auto& sizes : cases) largest.push_back(*std::max_element(sizes.begin(), sizes.end()));
    add(0, *std::min_element(largest.begin(), largest.end()), *std::max_element(largest.begin(), largest.end()));
  }
  const bool differ =
      std::any_of(cases.begin(), cases.end(), [&](const auto& sizes) { return differ_in_shape(cases.front(), sizes); });
  if (!differ || transform.sizes.size() < 2) return out;
  const bool is_measured = transform.name == options_.measured;
  for (std::size_t i = 0; i < transform.sizes.size(); ++i) {
    // What the sizes of transforms inside are is not known, but they lie between those of the cases.
    std::vector<std::int64_t> values;
    for (const auto& sizes : cases)
      values.insert(values.end(), sizes.begin() + (is_measured ? static_cast<std::ptrdiff_t>(i) : 0),
                    is_measured ? sizes.begin() + static_cast<std::ptrdiff_t>(i) + 1 : sizes.end());
    add(static_cast<int>(i) + 1, *std::min_element(values.begin(), values.end()),
        *std::max_element(values.begin(), values.end()));
  }
  return out;
}

Configuration Space::default_configuration() const {
  Configuration out = options_.base ? *options_.base : pbrt::default_configuration(*index_);
  const int threads = index_->find_tunable("", "threads");
  if (threads >= 0 && options_.fixed_threads > 0) out.tunables[at(threads)][0] = options_.fixed_threads;
  return out;
}

Configuration Space::uniform(int rule, Version on) const {
  Configuration out = default_configuration();
  for (const SiteGene& gene : sites_) {
    const SiteInfo& site = *index_->site(gene.id).site;
    const std::size_t which = std::min(at(rule), site.alternatives.size() - 1);
    out.sites[at(gene.id)].levels = {{0, choice_near(site, site.alternatives[which].rule, on)}};
  }
  (void)pbrt::repair_forbidden(*index_, out);  // a seed that is forbidden becomes the nearest legal one
  return out;
}

/// The default, but each site takes a version `on`: of the default's rule, or else of the first rule that has one.
Configuration Space::wherever_possible(Version on) const {
  Configuration out = default_configuration();
  for (const SiteGene& gene : sites_) {
    const SiteInfo& site = *index_->site(gene.id).site;
    std::vector<pbrt::Level>& levels = out.sites[at(gene.id)].levels;
    std::vector<std::string> rules{site.choice(levels.back().alternative).rule};
    for (const pbrt::AlternativeInfo& alternative : site.alternatives) rules.push_back(alternative.rule);
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const std::string& rule) {
      return pbrt::is_device(site.choice(choice_near(site, rule, on)).on);
    });
    if (found != rules.end()) levels = {{0, choice_near(site, *found, on)}};
  }
  (void)pbrt::repair_forbidden(*index_, out);  // a seed that is forbidden becomes the nearest legal one
  return out;
}

NamedConfiguration Space::more_accurate(const NamedConfiguration& seed, double factor, bool is_own) const {
  NamedConfiguration out{fmt::format("{}, {}accuracy values x {:.0f}", seed.name, is_own ? "own " : "", factor),
                         seed.configuration};
  for (const TunableGene& gene : tunables_) {
    if (gene.info->role != TunableRole::Accuracy && gene.info->role != TunableRole::ForEnough) continue;
    const pbrt::TransformInfo* transform = index_->tunable(gene.id).transform;
    if (is_own && (transform == nullptr || transform->name != options_.measured)) continue;
    for (double& value : out.configuration.tunables[at(gene.id)])
      value = std::clamp(std::max(1.0, std::fabs(value)) * factor, gene.min, gene.max);
  }
  return out;
}

std::vector<NamedConfiguration> Space::device_seeds() const {
  std::vector<NamedConfiguration> out;
  if (!options_.has_device) return out;
  for (const Version on : {Version::OpenCl, Version::OpenClLocal}) {
    Configuration configuration = wherever_possible(on);
    const bool is_new = out.empty() || out[0].configuration != configuration;
    if (is_new && uses_device(configuration))
      out.push_back({std::string("the default, ") + to_string(on) + " wherever it can be", std::move(configuration)});
  }
  return out;
}

std::vector<NamedConfiguration> Space::seeds() const {
  std::vector<NamedConfiguration> out{{"the default", default_configuration()}};
  const auto add = [&](NamedConfiguration seed) {
    const auto is_same = [&](const NamedConfiguration& other) { return other.configuration == seed.configuration; };
    if (out.size() < kMaxSeeds && std::none_of(out.begin(), out.end(), is_same)) out.push_back(std::move(seed));
  };
  for (const TunableGene& gene : tunables_) {
    if (!is_library_threads(index_->tunable(gene.id)) || gene.max <= 1) continue;
    NamedConfiguration seed{"the default, OpenBLAS on " + std::to_string(std::lround(gene.max)) + " threads",
                            out[0].configuration};
    seed.configuration.tunables[at(gene.id)] = {gene.max};
    add(std::move(seed));
  }
  // How accurate a choice of the measured transform is hardly depends on the choices inside.
  if (options_.accuracy.has_target)
    for (const SiteGene& gene : sites_) {
      const auto& site = index_->site(gene.id);
      if (site.transform->name != options_.measured) continue;
      for (const int alternative : gene.choices) {
        const pbrt::Choice choice = site.site->choice(alternative);
        if (pbrt::is_device(choice.on)) continue;
        NamedConfiguration seed{"the default, " + choice.rule, out[0].configuration};
        seed.configuration.sites[at(gene.id)].levels = {{0, alternative}};
        (void)pbrt::repair_forbidden(*index_, seed.configuration);
        add(std::move(seed));
      }
    }
  for (NamedConfiguration& seed : device_seeds()) add(std::move(seed));
  std::vector<NamedConfiguration> on_cpu;
  std::size_t num_rules = 1;
  for (const SiteGene& gene : sites_) num_rules = std::max(num_rules, index_->site(gene.id).site->alternatives.size());
  for (std::size_t rule = 0; rule < num_rules; ++rule) {
    for (const Version on : {Version::Cpu, Version::OpenCl, Version::OpenClLocal}) {
      if (pbrt::is_device(on) && !options_.has_device) continue;
      NamedConfiguration seed{std::string("all ") + to_string(on), uniform(static_cast<int>(rule), on)};
      if (num_rules > 1) seed.name += ", rule " + std::to_string(rule + 1) + " of each site";
      if (on == Version::Cpu) on_cpu.push_back(seed);
      add(std::move(seed));
    }
  }
  if (!options_.accuracy.has_target) return out;
  // If a search starts too far from its target of accuracy, it first finds the fastest way to miss the target.
  constexpr double kMost = 4096;
  for (const bool is_own : {true, false})
    for (double factor = is_own ? 4 : 8; factor <= kMost; factor *= is_own ? 4 : 8)
      for (const NamedConfiguration& seed : on_cpu) add(more_accurate(seed, factor, is_own));
  return out;
}

std::optional<Configuration> Space::less_accurate(const Configuration& configuration, const TunableGene& gene,
                                                  std::int64_t n, double factor) const {
  if (!is_for_accuracy(gene) || gene.info->count != 1) return std::nullopt;
  Configuration out = configuration;
  double& value = out.tunables[at(gene.id)][gene.info->is_size_specific ? static_cast<std::size_t>(bucket_of(n)) : 0];
  const double scaled = gene.info->type == pbrt::TunableType::Real ? value * factor : std::floor(value * factor);
  const double least = std::max(gene.min, scaled);
  if (least >= value) return std::nullopt;
  value = least;
  return out;
}

std::vector<int> Space::main_choices(const Configuration& configuration, std::int64_t n) const {
  std::vector<int> out;
  for (const SiteGene& gene : sites_)
    if (index_->site(gene.id).transform->name == options_.measured)
      out.push_back(configuration.sites[at(gene.id)].select(n));
  return out;
}

bool ran_on_device(const InfoIndex& index, const std::vector<RanChoice>& ran) {
  return std::any_of(ran.begin(), ran.end(), [&](const RanChoice& each) {
    return pbrt::is_device(index.site(each.site).site->choice(each.alternative).on);
  });
}

bool Space::uses_device(const Configuration& configuration) const {
  return std::any_of(sites_.begin(), sites_.end(), [&](const SiteGene& gene) {
    const SiteInfo& site = *index_->site(gene.id).site;
    const std::vector<pbrt::Level>& levels = configuration.sites[at(gene.id)].levels;
    return std::any_of(levels.begin(), levels.end(),
                       [&](const pbrt::Level& level) { return pbrt::is_device(site.choice(level.alternative).on); });
  });
}

bool Space::is_site_relevant(int site, const std::vector<RanChoice>& ran) const {
  return ran.empty() ||
         std::any_of(ran.begin(), ran.end(), [&](const RanChoice& choice) { return choice.site == site; });
}

bool Space::is_tunable_relevant(int tunable, const std::vector<RanChoice>& ran) const {
  const InfoIndex::TunableRef& ref = index_->tunable(tunable);
  if (!ran.empty() && pbrt::is_device_weights(*ref.tunable)) return ran_on_device(*index_, ran);
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

bool Space::has_what_it_needs(int tunable, const Configuration& configuration) const {
  const int needed = index_->needed_tunable(tunable);
  return needed < 0 || configuration.tunables[at(needed)][0] != 0;
}

void Space::fit(Configuration& configuration) const {
  for (int id = 0; id < index_->num_sites(); ++id) {
    const SiteInfo& site = *index_->site(id).site;
    if (!site.fixed.empty()) continue;
    for (pbrt::Level& level : configuration.sites[at(id)].levels) {
      const pbrt::Choice choice = site.choice(level.alternative);
      if (!options_.has_device && pbrt::is_device(choice.on))
        level.alternative = choice_near(site, choice.rule, Version::Cpu);
    }
    simplify(configuration.sites[at(id)]);
  }
  const int threads = index_->find_tunable("", "threads");
  if (threads >= 0 && options_.fixed_threads > 0) configuration.tunables[at(threads)][0] = options_.fixed_threads;
  (void)pbrt::repair_forbidden(*index_, configuration);  // whether it changed something does not matter here
}

std::vector<NamedConfiguration> Space::plainer(const NamedConfiguration& configuration,
                                               const std::vector<RanChoice>& ran) const {
  const Configuration standard = default_configuration();
  std::vector<NamedConfiguration> out;
  for (const bool is_all : {true, false}) {
    NamedConfiguration plain{configuration.name + (is_all ? ", default values" : ", default threads"),
                             configuration.configuration};
    for (const TunableGene& gene : tunables_) {
      const bool is_for_accuracy =
          gene.info->role == TunableRole::Accuracy || gene.info->role == TunableRole::ForEnough;
      if (is_for_accuracy || !is_tunable_relevant(gene.id, ran)) continue;
      if (is_all || is_threads(index_->tunable(gene.id))) take_values(*index_, standard, gene.id, plain.configuration);
    }
    const bool is_new = plain.configuration != configuration.configuration &&
                        (out.empty() || plain.configuration != out[0].configuration);
    if (is_new) out.push_back(std::move(plain));
  }
  return out;
}

std::vector<std::vector<double>> Space::usual_values(const TunableGene& gene) const {
  std::vector<std::vector<double>> out;
  if (pbrt::is_device_weights(*index_->tunable(gene.id).tunable)) return usual_weights(gene);
  if (gene.info->role == TunableRole::DeviceShare) {
    const double quarter = gene.info->max / 4;
    out = {{2 * quarter}, {3 * quarter}, {quarter}};
  } else if (gene.info->role == TunableRole::Items) {
    out = {{1}, {2}, {4}, {8}};
    if (gene.info->count > 1) out = {{1, 1}, {1, 4}, {4, 1}, {1, 2}, {1, 8}, {2, 2}};
    for (std::vector<double>& shape : out) shape.resize(at(gene.info->count), 1);
  } else if (gene.info->role == TunableRole::FoldItems) {
    out = {{1}, {4}, {16}, {32}, {64}, {256}, {4096}, {65536}};
  } else if (gene.info->role == TunableRole::KeptRounds) {
    out = {{0}, {8}, {16}, {32}, {64}};
  } else if (gene.info->role == TunableRole::BlockItems) {
    out = {{0, 0}, {8, 8}, {4, 8}, {8, 4}, {4, 4}, {2, 4}, {2, 2}, {16, 4}};
  } else if (gene.info->role == TunableRole::BlockRounds) {
    out = {{16}, {8}, {32}, {0}};
  } else if (gene.info->role == TunableRole::BlockStages) {
    out = {{0}, {1}, {2}};
  } else if (gene.info->role == TunableRole::BlockParts) {
    out = {{0}, {1}, {4}, {16}, {64}, {256}};
  } else if (gene.info->role == TunableRole::MatrixUnits || gene.info->role == TunableRole::PerTile) {
    out = {{1}, {0}};
  } else if (gene.info->role == TunableRole::Bands) {
    out = {{static_cast<double>(pb::SizeRule::BySize)}, {static_cast<double>(pb::SizeRule::Never)}};
  } else if (gene.info->role == TunableRole::TimeTile) {
    out = {{3}, {5}, {7}, {1}};
  } else if (gene.info->role == TunableRole::TimeRows) {
    out = {{0}, {1}, {8}, {32}, {128}};
  } else if (gene.info->role == TunableRole::FoldOrder) {
    out = {{1}, {0}};
  } else if (gene.info->role == TunableRole::ScanChunk) {
    out = {{pb::kScanChunk}, {0}, {pb::kScanChunk / 4.0}, {pb::kScanChunk * 4}};
  } else if (gene.info->role == TunableRole::FoldChunk) {
    const double usual = gene.info->initial_of(0);
    out = {{0}, {usual / 8}, {usual}, {usual * 8}};
  } else if (gene.info->role != TunableRole::WorkGroup) {
    return {};
  } else if (gene.info->count == 1) {
    out = {{16}, {32}, {64}, {128}, {256}, {512}};
  } else {
    out = {{16, 16}, {32, 8}, {64, 4}, {32, 4}, {64, 1}, {128, 1}, {128, 2}, {256, 1}, {32, 32}, {16, 8}, {8, 8}};
    for (std::vector<double>& shape : out) shape.resize(at(gene.info->count), 1);
  }
  std::erase_if(out, [&](const std::vector<double>& shape) {
    return std::any_of(shape.begin(), shape.end(),
                       [&](double extent) { return extent > gene.max || extent < gene.min; });
  });
  return out;
}

void Space::forget_unused(Configuration& configuration) const {
  const Configuration standard = default_configuration();
  std::vector<RanChoice> chosen;
  for (int id = 0; id < index_->num_sites(); ++id)
    for (const pbrt::Level& level : configuration.sites[at(id)].levels) chosen.push_back({id, level.alternative});
  for (const TunableGene& gene : tunables_)
    if (!is_tunable_relevant(gene.id, chosen) || !has_what_it_needs(gene.id, configuration))
      take_values(*index_, standard, gene.id, configuration);
  for (int id = 0; id < index_->num_sites(); ++id) drop_unused_schedules(*index_, configuration, id);
}

int bucket_of(std::int64_t n) {
  int bucket = 0;
  while (bucket + 1 < pbrt::kNumSizeBuckets && (std::int64_t{2} << bucket) <= n) ++bucket;
  return bucket;
}

void Space::carry_up(std::int64_t n, Configuration& configuration) const {
  const int bucket = bucket_of(n);
  for (const TunableGene& gene : tunables_) {
    if (!gene.info->is_size_specific) continue;
    std::vector<double>& values = configuration.tunables[at(gene.id)];
    const int count = gene.info->count;
    for (int larger = bucket + 1; larger < pbrt::kNumSizeBuckets; ++larger)
      std::copy_n(values.begin() + bucket * count, count, values.begin() + larger * count);
  }
}

std::vector<NamedConfiguration> Space::reversions(const Configuration& configuration, std::int64_t n) const {
  const Configuration standard = default_configuration();
  std::vector<NamedConfiguration> out;
  const auto add = [&](NamedConfiguration plain) {
    const auto is_same = [&](const NamedConfiguration& other) { return other.configuration == plain.configuration; };
    if (plain.configuration != configuration && std::none_of(out.begin(), out.end(), is_same) &&
        pbrt::is_allowed(*index_, plain.configuration))
      out.push_back(std::move(plain));
  };
  for (const SiteGene& gene : sites_) {
    const auto id = static_cast<std::size_t>(gene.id);
    const Selector& selector = configuration.sites[id];
    const pbrt::TransformInfo& transform = *index_->site(gene.id).transform;
    const std::string name = transform.sites.size() == 1 ? transform.name : index_->site_name(gene.id);
    const auto level = std::find_if(selector.levels.rbegin(), selector.levels.rend(),
                                    [&](const pbrt::Level& other) { return other.by == 0 && other.from <= n; });
    NamedConfiguration plain{"the default's choice of " + name, configuration};
    if (level != selector.levels.rend())
      plain.configuration.sites[id] = graft(selector, Selector{{{0, standard.sites[id].select(n)}}}, level->from);
    add(std::move(plain));
    // In a program that calls itself, the levels below are part of the run. In other programs they serve other sizes.
    // Those that test a size variable serve one of the cases, and so do schedules of their own.
    for (std::size_t i = 0; selector.levels.size() > 1 && i < selector.levels.size(); ++i) {
      const pbrt::Level& dropped = selector.levels[i];
      const bool is_for_case = dropped.by != 0 || (i > 0 && dropped.schedule != selector.levels[i - 1].schedule);
      if (!options_.is_recursive && !is_for_case) continue;
      const std::string from = std::to_string(dropped.from);
      NamedConfiguration fewer{
          name + (i == 0 ? " without its choice below " + std::to_string(selector.levels[1].from)
                  : dropped.by == 0
                      ? " without its choice from " + from + " on"
                      : " without its choice where " + transform.sizes[at(dropped.by - 1)] + " is at least " + from),
          configuration};
      std::vector<pbrt::Level>& levels = fewer.configuration.sites[id].levels;
      levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i));
      levels[0].from = levels[0].by = 0;
      simplify(fewer.configuration.sites[id]);
      drop_unused_schedules(*index_, fewer.configuration, gene.id);
      add(std::move(fewer));
    }
  }
  for (const TunableGene& gene : tunables_) {
    if (is_for_accuracy(gene) || gene.info->is_size_specific) continue;
    NamedConfiguration plain{"the default of " + index_->tunable_name(gene.id), configuration};
    take_values(*index_, standard, gene.id, plain.configuration);
    add(std::move(plain));
  }
  return out;
}

void simplify(Selector& selector) {
  std::vector<pbrt::Level>& levels = selector.levels;
  const auto is_same = [](const pbrt::Level& a, const pbrt::Level& b) { return a.by == b.by && does_same(a, b); };
  levels.erase(std::unique(levels.begin(), levels.end(), is_same), levels.end());
}

void drop_unused_schedules(const InfoIndex& index, Configuration& configuration, int site) {
  const int count = num_schedules(index, configuration, site);
  std::vector<pbrt::Level>& levels = configuration.sites[at(site)].levels;
  int num_used = 0;
  for (int schedule = 0; schedule < count; ++schedule) {
    const auto names_it = [&](const pbrt::Level& level) { return level.schedule == schedule; };
    if (std::none_of(levels.begin(), levels.end(), names_it)) continue;
    for (pbrt::Level& level : levels)
      if (level.schedule == schedule) level.schedule = num_used;
    for (const int id : index.scheduled(site)) {
      std::vector<double>& values = configuration.tunables[at(id)];
      const int size = index.tunable(id).tunable->num_values();
      std::copy_n(values.begin() + schedule * size, size, values.begin() + num_used * size);
    }
    ++num_used;
  }
  pbrt::set_num_schedules(index, configuration, site, num_used);
}

bool insert_level(Selector& selector, const pbrt::Level& level) {
  std::vector<pbrt::Level>& levels = selector.levels;
  const auto begins_there = [&](const pbrt::Level& other) { return other.by == level.by && other.from == level.from; };
  if (levels.size() >= pbrt::kMaxSelectorLevels || std::any_of(levels.begin(), levels.end(), begins_there))
    return false;
  const auto before = std::find_if(levels.rbegin(), levels.rend(), [&](const pbrt::Level& other) {
    return other.by == level.by && other.from < level.from;
  });
  const auto after =
      std::find_if(levels.begin(), levels.end(), [&](const pbrt::Level& other) { return other.by == level.by; });
  levels.insert(before != levels.rend() ? before.base() : after, level);
  return true;
}

Selector graft(const Selector& low, const Selector& high, std::int64_t from) {
  Selector out{{}};
  for (const pbrt::Level& level : low.levels)
    if (level.by == 0 && level.from < from) out.levels.push_back(level);
  pbrt::Level at_from;
  for (const pbrt::Level& level : high.levels)
    if (level.by == 0 && level.from <= from) at_from = level;
  at_from.from = std::max<std::int64_t>(from, 0);
  out.levels.push_back(at_from);
  for (const pbrt::Level& level : high.levels)
    if (level.by != 0 || level.from > from) out.levels.push_back(level);
  simplify(out);
  return out.levels.size() <= pbrt::kMaxSelectorLevels ? out : high;
}

Configuration graft(const Configuration& low, const Configuration& high, std::int64_t from) {
  Configuration out = high;
  for (std::size_t id = 0; id < out.sites.size(); ++id) out.sites[id] = graft(low.sites[id], high.sites[id], from);
  return out;
}

void name_known_schedules(const InfoIndex& index, Configuration& configuration) {
  for (int id = 0; id < index.num_sites(); ++id)
    pbrt::set_num_schedules(index, configuration, id, num_schedules(index, configuration, id));
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
