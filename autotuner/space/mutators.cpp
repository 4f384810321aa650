// SPDX-License-Identifier: MIT
#include "autotuner/space/mutators.h"

#include <algorithm>
#include <cmath>

#include "runtime/config/random_configuration.h"

namespace pbtune {
namespace {

using pbrt::Level;
using pbrt::Rng;
using pbrt::TunableRole;
using pbrt::TunableType;

constexpr double kSigma = 0.6931471805599453;  // ln 2
constexpr int kMaxDraws = 16;

std::size_t index_of(int id) { return static_cast<std::size_t>(id); }

template <class T>
const T& pick(const std::vector<T>& items, Rng& rng) {
  return items[static_cast<std::size_t>(rng.uniform_int(0, static_cast<std::int64_t>(items.size()) - 1))];
}

int pick_other(const std::vector<int>& choices, int current, Rng& rng) {
  std::vector<int> others;
  for (const int choice : choices)
    if (choice != current) others.push_back(choice);
  return others.empty() ? current : pick(others, rng);
}

std::size_t pick_level(const Selector& selector, std::int64_t first, Rng& rng) {
  return static_cast<std::size_t>(rng.uniform_int(first, static_cast<std::int64_t>(selector.levels.size()) - 1));
}

double nudged_real(double value, const TunableGene& gene, Rng& rng) {
  const double width = gene.max - gene.min;
  const bool is_bounded = width < 1e9;
  if (is_bounded && rng.chance(0.25)) return gene.min + rng.uniform() * width;
  const double step = is_bounded ? 0.1 * width : std::max(1e-3, 0.3 * std::fabs(value));
  return std::clamp(value + step * rng.normal(), gene.min, gene.max);
}

/// Two or four times the value, or a half or a quarter of it: so strips keep whole cache lines.
double doubled_or_halved(double value, const TunableGene& gene, Rng& rng) {
  constexpr std::int64_t kMostBits = 2;
  const double factor = std::exp2(static_cast<double>(rng.uniform_int(1, kMostBits)));
  const bool is_up = value * 2 <= gene.max && (value < 2 * gene.min || rng.chance(0.5));
  return std::clamp(std::floor(is_up ? value * factor : value / factor), gene.min, gene.max);
}

/// A new value of one element, by the role of its tunable.
double changed_value(double value, const TunableGene& gene, Rng& rng) {
  if (gene.info->type == TunableType::Real) return nudged_real(value, gene, rng);
  const std::int64_t lo = std::llround(gene.min), hi = std::llround(gene.max);
  const auto uniform_other = [&] {
    if (value < gene.min || value > gene.max) return static_cast<double>(rng.uniform_int(lo, hi));
    const std::int64_t drawn = rng.uniform_int(lo, hi - 1);
    return static_cast<double>(drawn >= std::llround(value) ? drawn + 1 : drawn);
  };
  constexpr std::int64_t kFew = 16;
  switch (gene.info->role) {
    case TunableRole::DeviceShare:
    case TunableRole::Flag:
    case TunableRole::FoldOrder:
    case TunableRole::Packs:
    case TunableRole::Stores:
    case TunableRole::RowBlock:
      return uniform_other();
    case TunableRole::Strip:
    case TunableRole::RowAhead:
    case TunableRole::ReadAhead:
      return doubled_or_halved(value, gene, rng);
    case TunableRole::FoldChunk: {
      // Whether folds are divided is a step of its own; lengths differ by factors.
      constexpr double kWhole = 0.25;
      if (value == 0) return gene.info->initial_of(0);
      return rng.chance(kWhole) ? 0 : scaled_log_normal(value, 1, gene.max, rng);
    }
    case TunableRole::User:
    case TunableRole::Accuracy:
    case TunableRole::ForEnough:
      return hi - lo < kFew ? uniform_other() : scaled_log_normal(value, gene.min, gene.max, rng);
    case TunableRole::Cutoff:
    case TunableRole::Split:
    case TunableRole::Tile:
    case TunableRole::WorkGroup:
    case TunableRole::Items:
    case TunableRole::FoldItems:
    case TunableRole::Config:
      break;
  }
  return scaled_log_normal(value, gene.min, gene.max, rng);
}

/// Changes one element (of the bucket of `n`, and with `is_range` of all larger ones by the same rule).
bool change_tunable(std::vector<double>& values, const TunableGene& gene, std::int64_t n, bool is_range, Rng& rng) {
  const std::vector<double> before = values;
  const int count = gene.info->count;
  const int first = gene.info->is_size_specific ? bucket_of(n) : 0;
  const int lowest = is_range ? std::max(0, first - static_cast<int>(rng.uniform_int(0, 4))) : first;
  const int last = is_range ? pbrt::kNumSizeBuckets - 1 : first;
  if (pb::is_of_launches(gene.info->role)) {
    std::vector<double> shape(values.begin() + first * count, values.begin() + (first + 1) * count);
    if (!change_shape(shape, gene, rng)) return false;
    for (int bucket = lowest; bucket <= last; ++bucket)
      std::copy(shape.begin(), shape.end(), values.begin() + bucket * count);
  } else {
    const int element = static_cast<int>(rng.uniform_int(0, count - 1));
    const double value = changed_value(values[index_of(first * count + element)], gene, rng);
    for (int bucket = lowest; bucket <= last; ++bucket) values[index_of(bucket * count + element)] = value;
  }
  return values != before;
}

/// Moves every site of the program to one uniform choice from a random size on.
bool graft_seed(Configuration& configuration, const std::vector<NamedConfiguration>& seeds, std::int64_t n, Rng& rng) {
  const Configuration before = configuration;
  const std::int64_t from =
      std::llround(rng.log_uniform(std::max(1.0, static_cast<double>(n) / 16), std::max(1.0, static_cast<double>(n))));
  const Configuration& seed = pick(seeds, rng).configuration;
  for (std::size_t id = 0; id < configuration.sites.size(); ++id)
    configuration.sites[id] = graft(configuration.sites[id], seed.sites[id], from);
  return configuration != before;
}

/// Gives other sites of the transform of `changed` other choices, until those of `changed` have an order with them.
bool make_allowed(const Space& space, const SiteGene& changed, Configuration& configuration, Rng& rng) {
  const Configuration before = configuration;
  const pbrt::TransformInfo* transform = space.index().site(changed.id).transform;
  std::vector<const SiteGene*> others;
  for (const SiteGene& gene : space.sites())
    if (gene.id != changed.id && space.index().site(gene.id).transform == transform) others.push_back(&gene);
  if (others.empty()) return false;
  for (int i = 0; i < kMaxDraws; ++i) {
    if (i % 4 == 0) configuration = before;
    const SiteGene& other = *pick(others, rng);
    const std::int64_t from = pick(configuration.sites[index_of(changed.id)].levels, rng).from;
    Selector& selector = configuration.sites[index_of(other.id)];
    selector = graft(selector, Selector{{Level{0, pick_other(other.choices, selector.select(from), rng)}}}, from);
    if (pbrt::is_allowed(space.index(), configuration)) return true;
  }
  return false;
}

/// Draws `change` until what it leads to is allowed, perhaps with changes at other sites.
std::function<bool(Configuration&, Rng&, std::int64_t)> allowed(
    const Space& space, const SiteGene& gene, std::function<bool(Configuration&, Rng&, std::int64_t)> change) {
  if (space.index().site(gene.id).transform->forbidden.empty()) return change;
  return [&space, gene, change = std::move(change)](Configuration& configuration, Rng& rng, std::int64_t n) {
    const Configuration before = configuration;
    for (int i = 0; i < kMaxDraws; ++i) {
      configuration = before;
      if (!change(configuration, rng, n)) continue;
      if (pbrt::is_allowed(space.index(), configuration) || make_allowed(space, gene, configuration, rng)) return true;
    }
    configuration = before;
    return false;
  };
}

void add_site_mutators(const Space& space, const SiteGene& gene, std::vector<Mutator>& out) {
  const std::size_t first = out.size();
  const std::string name = space.index().site_name(gene.id);
  const std::size_t id = index_of(gene.id);
  const std::vector<int> choices = gene.choices;
  out.push_back({"add a level to " + name, gene.id, -1, [id, choices](Configuration& c, Rng& rng, std::int64_t n) {
                   return add_level(c.sites[id], choices, n, rng);
                 }});
  if (space.options().is_recursive)
    out.push_back({"split a level of " + name, gene.id, -1, [id, choices](Configuration& c, Rng& rng, std::int64_t n) {
                     return split_level(c.sites[id], choices, n, rng);
                   }});
  out.push_back({"remove a level of " + name, gene.id, -1,
                 [id](Configuration& c, Rng& rng, std::int64_t) { return remove_level(c.sites[id], rng); }});
  out.push_back({"change a choice of " + name, gene.id, -1, [id, choices](Configuration& c, Rng& rng, std::int64_t) {
                   return change_level(c.sites[id], choices, rng);
                 }});
  out.push_back({"move a cut-off of " + name, gene.id, -1,
                 [id](Configuration& c, Rng& rng, std::int64_t) { return move_cut_off(c.sites[id], rng); }});
  out.push_back(
      {"change a range of sizes of " + name, gene.id, -1, [id, choices](Configuration& c, Rng& rng, std::int64_t n) {
         return change_range(c.sites[id], choices, n, rng);
       }});
  for (std::size_t i = first; i < out.size(); ++i) out[i].apply = allowed(space, gene, std::move(out[i].apply));
}

}  // namespace

double scaled_log_normal(double value, double min, double max, Rng& rng) {
  const double base = std::max(1.0, std::fabs(value));
  double drawn = value;
  for (int i = 0; i < kMaxDraws && drawn == value; ++i)
    drawn =
        std::clamp(std::round(base * std::exp(kSigma * rng.normal())) + (base > value ? value - base : 0), min, max);
  if (drawn == value) drawn = value < max ? value + 1 : std::max(min, value - 1);
  return std::clamp(drawn, min, max);
}

bool add_level(Selector& selector, const std::vector<int>& choices, std::int64_t n, Rng& rng) {
  if (selector.levels.size() >= pbrt::kMaxSelectorLevels) return false;
  // The change begins around three quarters of the size at hand: sizes below keep what they had, this one gets the new
  // choice more often than not.
  const double from =
      std::round(0.75 * static_cast<double>(std::max<std::int64_t>(n, 2)) * std::exp(kSigma * rng.normal()));
  const Level level{std::max<std::int64_t>(1, std::llround(from)),
                    pick_other(choices, selector.select(std::llround(from)), rng)};
  const auto place = std::find_if(selector.levels.begin(), selector.levels.end(),
                                  [&](const Level& other) { return other.from >= level.from; });
  if (place != selector.levels.end() && place->from == level.from) return false;
  selector.levels.insert(place, level);
  return true;
}

bool split_level(Selector& selector, const std::vector<int>& choices, std::int64_t n, Rng& rng) {
  if (selector.levels.size() >= pbrt::kMaxSelectorLevels) return false;
  const std::int64_t from = std::llround(rng.log_uniform(2, static_cast<double>(std::max<std::int64_t>(n, 2))));
  const auto next = std::find_if(selector.levels.begin(), selector.levels.end(),
                                 [&](const Level& other) { return other.from > from; });
  const auto whole = next - 1;
  if (whole->from == from) return false;
  Level upper{from, whole->alternative};
  (rng.chance(0.5) ? upper : *whole).alternative = pick_other(choices, whole->alternative, rng);
  selector.levels.insert(next, upper);
  return true;
}

bool remove_level(Selector& selector, Rng& rng) {
  if (selector.levels.size() < 2) return false;
  selector.levels.erase(selector.levels.begin() + static_cast<std::ptrdiff_t>(pick_level(selector, 0, rng)));
  selector.levels[0].from = 0;
  return true;
}

bool change_level(Selector& selector, const std::vector<int>& choices, Rng& rng) {
  Level& level = selector.levels[pick_level(selector, 0, rng)];
  const int before = level.alternative;
  level.alternative = pick_other(choices, before, rng);
  return level.alternative != before;
}

bool move_cut_off(Selector& selector, Rng& rng) {
  if (selector.levels.size() < 2) return false;
  const std::size_t i = pick_level(selector, 1, rng);
  Level& level = selector.levels[i];
  const double lo = static_cast<double>(selector.levels[i - 1].from) + 1;
  const bool is_last = i + 1 == selector.levels.size();
  const double hi = is_last ? 0x1.0p62 : static_cast<double>(selector.levels[i + 1].from) - 1;
  const std::int64_t before = level.from;
  level.from = std::llround(scaled_log_normal(static_cast<double>(before), lo, std::max(lo, hi), rng));
  return level.from != before;
}

bool change_range(Selector& selector, const std::vector<int>& choices, std::int64_t n, Rng& rng) {
  const Selector before = selector;
  const double top = static_cast<double>(std::max<std::int64_t>(n, 1));
  const std::int64_t from = std::llround(rng.log_uniform(std::max(1.0, top / 16), top));
  selector = graft(selector, Selector{{Level{0, pick_other(choices, selector.select(n), rng)}}}, from);
  return selector != before;
}

bool change_shape(std::vector<double>& shape, const TunableGene& gene, Rng& rng) {
  const std::vector<double> before = shape;
  // The program's choice of a shape is not known here, so there is nothing to change by a factor.
  const bool is_open = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (double& extent : shape) extent = std::exp2(std::floor(std::log2(std::max(1.0, extent))));
  const int last = static_cast<int>(shape.size()) - 1;
  const std::size_t a = index_of(static_cast<int>(rng.uniform_int(0, last))),
                    b = index_of(static_cast<int>(rng.uniform_int(0, last)));
  const std::int64_t way = is_open ? 4 : rng.uniform_int(0, 3);
  if (way == 0) {
    shape[a] *= 2;
  } else if (way == 1) {
    shape[a] /= 2;
  } else if (way == 2 && a != b) {
    shape[a] *= 2;
    shape[b] /= 2;
  } else {
    shape = pbrt::random_shape(*gene.info, rng);
    shape.resize(before.size(), 1);
  }
  double product = 1;
  bool is_valid = true;
  for (const double extent : shape) {
    product *= extent;
    is_valid = is_valid && extent >= gene.min && extent <= gene.max && (extent >= 1 || extent == 0);
  }
  if (is_valid && product <= pbrt::max_product(gene.info->role) && shape != before) return true;
  shape = before;
  return false;
}

std::vector<Mutator> make_mutators(const Space& space) {
  std::vector<Mutator> out;
  for (const SiteGene& gene : space.sites()) add_site_mutators(space, gene, out);
  for (const TunableGene& gene : space.tunables()) {
    const std::string name = space.index().tunable_name(gene.id);
    for (const bool is_range : {false, true}) {
      if (is_range && !gene.info->is_size_specific) continue;
      out.push_back({(is_range ? "change a range of " : "change ") + name, -1, gene.id,
                     [gene, is_range](Configuration& c, Rng& rng, std::int64_t n) {
                       return change_tunable(c.tunables[index_of(gene.id)], gene, n, is_range, rng);
                     }});
    }
  }
  const std::vector<NamedConfiguration> seeds = space.seeds();
  if (seeds.size() > 1 && space.sites().size() > 1) {
    out.push_back(
        {"change a range of sizes of all sites", -1, -1, [&space, seeds](Configuration& c, Rng& rng, std::int64_t n) {
           return graft_seed(c, seeds, n, rng) && pbrt::is_allowed(space.index(), c);
         }});
  }
  return out;
}

}  // namespace pbtune
