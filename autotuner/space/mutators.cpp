// SPDX-License-Identifier: MIT
#include "autotuner/space/mutators.h"

#include <algorithm>
#include <cmath>

#include "base/loop_forms.h"
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
    case TunableRole::Blocks:
    case TunableRole::TimeTile:
    case TunableRole::PerTile:
    case TunableRole::Bands:
      return uniform_other();
    case TunableRole::Strip:
    case TunableRole::RowAhead:
    case TunableRole::ReadAhead:
      return doubled_or_halved(value, gene, rng);
    case TunableRole::TimeRows: {
      // 0 and 1 are no numbers of rows.
      constexpr double kOther = 0.3, kUsual = 16;
      if (rng.chance(kOther)) return static_cast<double>(rng.uniform_int(0, 1));
      return std::max(2.0, scaled_log_normal(std::max(value, kUsual), 2, gene.max, rng));
    }
    case TunableRole::ScanChunk:
    case TunableRole::FoldChunk: {
      // Whether folds and scans are divided is a step of its own; lengths differ by factors.
      constexpr double kWhole = 0.25;
      const double usual = gene.info->initial_of(0);
      if (value == 0) return usual == 0 ? pb::kScanChunk : usual;
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
    case TunableRole::KeptRounds:
    case TunableRole::BlockItems:
    case TunableRole::BlockRounds:
    case TunableRole::BlockStages:
    case TunableRole::BlockParts:
    case TunableRole::MatrixUnits:
    case TunableRole::Config:
      break;
  }
  return scaled_log_normal(value, gene.min, gene.max, rng);
}

/// Where the values of one of the schedules begin. There is one set of values for tunables that schedules do not have.
std::size_t pick_schedule(const std::vector<double>& values, const TunableGene& gene, Rng& rng) {
  const auto size = static_cast<std::size_t>(gene.info->num_values());
  if (values.size() <= size) return 0;
  return size * static_cast<std::size_t>(rng.uniform_int(0, static_cast<std::int64_t>(values.size() / size) - 1));
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

/// The sites at which several sizes may have choices or schedules of their own.
std::vector<ScheduleGene> schedule_genes(const Space& space) {
  std::vector<ScheduleGene> out;
  for (int id = 0; id < space.index().num_sites(); ++id) {
    const pbrt::TransformInfo& transform = *space.index().site(id).transform;
    ScheduleGene gene{id, {}, {}, space.size_cuts(transform)};
    for (const SiteGene& site : space.sites())
      if (site.id == id) gene.choices = site.choices;
    for (const TunableGene& value : space.tunables())
      if (space.index().site_of(value.id) == id) gene.values.push_back(value);
    if (!gene.cuts.empty() && (gene.choices.size() > 1 || !gene.values.empty())) out.push_back(std::move(gene));
  }
  return out;
}

/// Adds mutators that tell sizes apart at a site by what else the cases differ in, or by schedules.
void add_schedule_mutators(const Space& space, const ScheduleGene& gene, std::vector<Mutator>& out) {
  const std::size_t first = out.size();
  const std::string name = space.index().site_name(gene.site);
  const std::size_t id = index_of(gene.site);
  const bool has_variables =
      std::any_of(gene.cuts.begin(), gene.cuts.end(), [](const SizeCut& cut) { return cut.by > 0; });
  if (has_variables && gene.choices.size() > 1)
    out.push_back({"tell sizes apart at " + name, gene.site, -1, [id, gene](Configuration& c, Rng& rng, std::int64_t) {
                     return add_case_level(c.sites[id], gene, rng);
                   }});
  if (has_variables)
    out.push_back({"test another size at " + name, gene.site, -1, [id, gene](Configuration& c, Rng& rng, std::int64_t) {
                     return move_to_other_size(c.sites[id], gene.cuts, rng);
                   }});
  if (!gene.values.empty())
    out.push_back(
        {"give some sizes a schedule of their own at " + name, gene.site, -1,
         [&space, gene](Configuration& c, Rng& rng, std::int64_t n) { return add_schedule(space, c, gene, n, rng); }});
  for (std::size_t i = first; i < out.size(); ++i)
    out[i].apply = allowed(space, {gene.site, gene.choices}, std::move(out[i].apply));
}

/// Lets a mutator of a site leave no schedule behind that no level names.
void forget_schedules(const Space& space, Mutator& mutator) {
  if (mutator.site < 0 || space.index().scheduled(mutator.site).empty()) return;
  mutator.apply = [&space, site = mutator.site, change = std::move(mutator.apply)](Configuration& c, Rng& rng,
                                                                                   std::int64_t n) {
    if (!change(c, rng, n)) return false;
    drop_unused_schedules(space.index(), c, site);
    return true;
  };
}

}  // namespace

bool change_values(std::vector<double>& values, const TunableGene& gene, std::size_t first, std::int64_t n,
                   bool is_range, Rng& rng) {
  const std::vector<double> before = values;
  const int count = gene.info->count;
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  const int here = gene.info->is_size_specific ? bucket_of(n) : 0;
  const int lowest = is_range ? std::max(0, here - static_cast<int>(rng.uniform_int(0, 4))) : here;
  const int last = is_range ? pbrt::kNumSizeBuckets - 1 : here;
  if (pb::is_of_launches(gene.info->role)) {
    std::vector<double> shape(begin + here * count, begin + (here + 1) * count);
    if (!change_shape(shape, gene, rng)) return false;
    for (int bucket = lowest; bucket <= last; ++bucket) std::copy(shape.begin(), shape.end(), begin + bucket * count);
  } else {
    const int num_varied = gene.num_varied > 0 ? gene.num_varied : count;
    const int element = static_cast<int>(rng.uniform_int(0, num_varied - 1));
    const double value = changed_value(begin[here * count + element], gene, rng);
    for (int bucket = lowest; bucket <= last; ++bucket) begin[bucket * count + element] = value;
  }
  return values != before;
}

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
  const Level& before = selector.level_at(std::llround(from));
  return insert_level(selector, {std::max<std::int64_t>(1, std::llround(from)),
                                 pick_other(choices, before.alternative, rng), before.schedule});
}

bool split_level(Selector& selector, const std::vector<int>& choices, std::int64_t n, Rng& rng) {
  if (selector.levels.size() >= pbrt::kMaxSelectorLevels) return false;
  const std::int64_t from = std::llround(rng.log_uniform(2, static_cast<double>(std::max<std::int64_t>(n, 2))));
  const auto whole = std::find_if(selector.levels.rbegin(), selector.levels.rend(),
                                  [&](const Level& other) { return other.by == 0 && other.from <= from; });
  if (whole->from == from) return false;
  Level upper{from, whole->alternative, whole->schedule};
  (rng.chance(0.5) ? upper : *whole).alternative = pick_other(choices, whole->alternative, rng);
  return insert_level(selector, upper);
}

/// Draws where a level begins that tells values of a size apart.
std::int64_t draw_from(const SizeCut& cut, Rng& rng) {
  return std::llround(rng.log_uniform(static_cast<double>(cut.lo) + 1, static_cast<double>(cut.hi)));
}

bool add_case_level(Selector& selector, const ScheduleGene& gene, Rng& rng) {
  const SizeCut& cut = pick(gene.cuts, rng);
  Level& whole = selector.levels[pick_level(selector, 0, rng)];
  const Level before = whole;
  Level upper{draw_from(cut, rng), before.alternative, before.schedule, cut.by};
  (rng.chance(0.5) ? upper : whole).alternative = pick_other(gene.choices, before.alternative, rng);
  return insert_level(selector, upper);
}

bool move_to_other_size(Selector& selector, const std::vector<SizeCut>& cuts, Rng& rng) {
  if (selector.levels.size() < 2 || cuts.size() < 2) return false;
  const auto moved = selector.levels.begin() + static_cast<std::ptrdiff_t>(pick_level(selector, 1, rng));
  Level level = *moved;
  const SizeCut& cut = pick(cuts, rng);
  if (cut.by == level.by) return false;
  level.by = cut.by;
  level.from = draw_from(cut, rng);
  selector.levels.erase(moved);
  return insert_level(selector, level);
}

bool add_schedule(const Space& space, Configuration& configuration, const ScheduleGene& gene, std::int64_t n,
                  Rng& rng) {
  constexpr double kUsual = 0.5;
  const InfoIndex& index = space.index();
  Selector& selector = configuration.sites[index_of(gene.site)];
  const int count = num_schedules(index, configuration, gene.site);
  Level& whole = selector.levels[pick_level(selector, 0, rng)];
  const Level before = whole;
  std::vector<TunableGene> used;
  for (const TunableGene& value : gene.values)
    if (space.is_tunable_relevant(value.id, {{gene.site, before.alternative}})) used.push_back(value);
  if (count >= pbrt::kMaxSchedules || used.empty()) return false;
  const SizeCut& cut = pick(gene.cuts, rng);
  Level upper{draw_from(cut, rng), before.alternative, before.schedule, cut.by};
  (rng.chance(0.5) ? upper : whole).schedule = count;
  if (!insert_level(selector, upper)) return false;
  pbrt::set_num_schedules(index, configuration, gene.site, count + 1);
  for (const int id : index.scheduled(gene.site)) {
    std::vector<double>& values = configuration.tunables[index_of(id)];
    const int size = index.tunable(id).tunable->num_values();
    std::copy_n(values.begin() + before.schedule * size, size, values.begin() + count * size);
  }
  const TunableGene& changed = pick(used, rng);
  std::vector<double>& values = configuration.tunables[index_of(changed.id)];
  const std::vector<std::vector<double>> usual = space.usual_values(changed);
  const auto first = index_of(count * changed.info->num_values());
  if (usual.empty() || !rng.chance(kUsual)) return change_values(values, changed, first, n, false, rng);
  const std::vector<double> former = values;
  std::copy_n(pick(usual, rng).begin(), changed.info->num_values(),
              values.begin() + static_cast<std::ptrdiff_t>(first));
  return values != former;
}

bool remove_level(Selector& selector, Rng& rng) {
  if (selector.levels.size() < 2) return false;
  selector.levels.erase(selector.levels.begin() + static_cast<std::ptrdiff_t>(pick_level(selector, 0, rng)));
  selector.levels[0].from = selector.levels[0].by = 0;
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
  double lo = 1, hi = 0x1.0p62;
  for (const Level& other : selector.levels) {
    if (other.by != level.by || other.from == level.from) continue;
    if (other.from < level.from) lo = std::max(lo, static_cast<double>(other.from) + 1);
    if (other.from > level.from) hi = std::min(hi, static_cast<double>(other.from) - 1);
  }
  const std::int64_t before = level.from;
  level.from = std::llround(scaled_log_normal(static_cast<double>(before), lo, std::max(lo, hi), rng));
  return level.from != before;
}

bool change_range(Selector& selector, const std::vector<int>& choices, std::int64_t n, Rng& rng) {
  const Selector before = selector;
  const double top = static_cast<double>(std::max<std::int64_t>(n, 1));
  const std::int64_t from = std::llround(rng.log_uniform(std::max(1.0, top / 16), top));
  const Level& level = selector.level_at(n);
  selector = graft(selector, Selector{{Level{0, pick_other(choices, level.alternative, rng), level.schedule}}}, from);
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
  // What changes a site stands together, since a site is drawn first, then what to do with it.
  std::vector<ScheduleGene> schedules = schedule_genes(space);
  for (const SiteGene& gene : space.sites()) {
    add_site_mutators(space, gene, out);
    for (const ScheduleGene& each : schedules)
      if (each.site == gene.id) add_schedule_mutators(space, each, out);
  }
  for (const ScheduleGene& each : schedules)
    if (each.choices.size() < 2) add_schedule_mutators(space, each, out);
  for (Mutator& mutator : out) forget_schedules(space, mutator);
  for (const TunableGene& gene : space.tunables()) {
    const std::string name = space.index().tunable_name(gene.id);
    for (const bool is_range : {false, true}) {
      if (is_range && !gene.info->is_size_specific) continue;
      out.push_back({(is_range ? "change a range of " : "change ") + name, -1, gene.id,
                     [gene, is_range](Configuration& c, Rng& rng, std::int64_t n) {
                       std::vector<double>& values = c.tunables[index_of(gene.id)];
                       return change_values(values, gene, pick_schedule(values, gene, rng), n, is_range, rng);
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
