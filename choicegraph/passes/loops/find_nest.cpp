// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/find_nest.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "choicegraph/passes/analysis/connected_parts.h"
#include "choicegraph/passes/loops/dependences.h"
#include "choicegraph/passes/loops/tile_rows.h"

namespace pb::choices {
namespace {

using Coordinates = std::vector<NestCoordinate>;

/// Which factors coordinates may have beside 1 and -1.
enum class Factors { None, Any };

bool has_factor(const NestCoordinate& coordinate) { return coordinate.factor != 1 && coordinate.factor != -1; }

/// The coordinates of the instances of `step` in its output with the most dimensions, one per dimension.
/// Those with factors, as `2*i`, lie in slices only.
std::vector<std::optional<NestCoordinate>> coordinates_of(const Analysis& analysis, StepId step, Factors factors) {
  const Rule& rule = analysis.rule(analysis.plan.steps[step].rule);
  const RegionAccess* centre = &rule.outputs.front();
  for (const RegionAccess& output : rule.outputs)
    if (output.lo.size() > centre->lo.size()) centre = &output;
  std::vector<std::optional<NestCoordinate>> out;
  for (std::size_t d = 0; d < centre->lo.size(); ++d) {
    const auto lo = to_index_expr(centre->lo[d], analysis.scope);
    const auto hi = to_index_expr(centre->hi[d], analysis.scope);
    const bool is_one = lo && hi && index_sub(*hi, *lo).is_const(1);
    out.push_back(is_one ? to_nest_coordinate(*lo, rule) : std::nullopt);
    if (factors == Factors::None && out.back() && has_factor(*out.back())) out.back().reset();
  }
  // Two coordinates that come from one variable (a diagonal) need only one loop.
  for (std::size_t d = 0; d < out.size(); ++d)
    for (std::size_t e = 0; e < d; ++e)
      if (out[d] && out[e] && !out[d]->var.empty() && out[d]->var == out[e]->var) out[d].reset();
  return out;
}

/// `sign` times the dimension `name`.
IndexExpr signed_symbol(const std::string& name, int sign) { return index_mul(index_const(sign), index_symbol(name)); }

/// The greatest difference along the dimension `name` in direction `sign`; none if there is no constant one.
std::optional<std::int64_t> greatest_along(const Region& needs, const std::string& name, int sign) {
  const IndexExpr delta = signed_symbol(name, sign);
  const auto reaches = [&](std::int64_t value) {
    return !needs.where_nonnegative(index_sub(delta, index_const(value))).is_empty();
  };
  constexpr std::int64_t kMaxDistance = 1024;
  if (reaches(kMaxDistance + 1)) return std::nullopt;
  if (!reaches(-kMaxDistance)) return -kMaxDistance;
  std::int64_t reached = -kMaxDistance;
  for (std::int64_t beyond = kMaxDistance + 1; beyond - reached > 1;) {
    const std::int64_t value = (reached + beyond) / 2;
    (reaches(value) ? reached : beyond) = value;
  }
  return reached;
}

/// Looks for an order of `steps` with their coordinates in some dimensions that all have.
class Search {
 public:
  Search(const Analysis& analysis, const std::vector<StepId>& steps, const std::vector<Coordinates>& coordinates,
         const std::vector<StepOrder>& orders)
      : analysis_(analysis), orders_(orders), names_(coordinate_names(coordinates.front().size())) {
    for (std::size_t i = 0; i < steps.size(); ++i) members_.push_back({steps[i], coordinates[i], {}});
    for (std::size_t r = 0; r < members_.size(); ++r)
      for (std::size_t w = 0; w < members_.size(); ++w) {
        Region needs = coordinate_distances(analysis_, members_[r], members_[w], names_);
        if (!needs.is_empty()) needs_.emplace(std::pair(r, w), std::move(needs));
      }
  }

  /// Slices along `dim` only, in the direction and with the shifts that keep the dependences.
  std::optional<Nest> slices_along(std::size_t dim) { return slices(needs_, {}, dim, 1); }
  /// A nest of slices inside of slices; none if there is no order.
  std::optional<Nest> nested_slices() {
    for (std::size_t dim = names_.size(); dim-- > 0;)
      if (auto nest = slices(needs_, {}, dim, names_.size())) return nest;
    return std::nullopt;
  }

  /// A nest of tiles over all dimensions; none if there is no order.
  std::optional<Nest> tiles() const {
    for (const NestMember& member : members_)
      if (std::any_of(member.coordinates.begin(), member.coordinates.end(), has_factor)) return std::nullopt;
    Region all = Region::nothing(analysis_.context, names_);
    Needs level;
    for (const auto& [pair, needs] : needs_) {
      all = all.unite(needs);
      Region same = needs;
      for (const std::string& name : names_) same = same.where_zero(index_symbol(name));
      if (!same.is_empty()) level.emplace(pair, std::move(same));
    }
    std::vector<NestRow> rows = find_tile_rows(all.coalesce());
    if (rows.empty()) return std::nullopt;
    return finished(members_, std::move(rows), level);
  }

 private:
  /// Differences (writer - reader) by pairs (reader, writer) of members.
  using Needs = std::map<std::pair<std::size_t, std::size_t>, Region>;
  /// Dimensions with their directions, outermost first.
  using Rows = std::vector<std::pair<std::size_t, int>>;

  /// Shifts of the members along `dim` after which no difference in direction `sign` is positive.
  std::optional<std::vector<std::int64_t>> shifts(const Needs& needs, std::size_t dim, int sign) const {
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> limits;
    for (const auto& [pair, region] : needs) {
      const auto limit = greatest_along(region, names_[dim], sign);
      if (!limit) return std::nullopt;
      limits.emplace(pair, *limit);
    }
    std::vector<std::int64_t> out(members_.size(), 0);
    // The longest paths of a graph without positive cycles are found after as many rounds as it has nodes.
    for (std::size_t round = 0; round <= members_.size(); ++round) {
      bool has_changed = false;
      for (const auto& [pair, limit] : limits) {
        const auto [reader, writer] = pair;
        if (out[reader] >= out[writer] + limit) continue;
        if (reader == writer) return std::nullopt;
        out[reader] = out[writer] + limit;
        has_changed = true;
      }
      if (!has_changed) return out;
    }
    return std::nullopt;
  }

  /// The part of `needs` that remains within one slice.
  Needs level_needs(const Needs& needs, std::size_t dim, int sign, const std::vector<std::int64_t>& shift) const {
    Needs out;
    for (const auto& [pair, region] : needs) {
      const std::int64_t by = shift[pair.second] - shift[pair.first];
      Region level = region.where_zero(index_add(signed_symbol(names_[dim], sign), index_const(by)));
      if (!level.is_empty()) out.emplace(pair, std::move(level));
    }
    return out;
  }

  std::optional<Nest> slices(const Needs& needs, const Rows& outside, std::size_t dim, std::size_t max_depth) {
    for (const int sign : {1, -1}) {
      const auto shift = shifts(needs, dim, sign);
      if (!shift) continue;
      const Needs level = level_needs(needs, dim, sign, *shift);
      Rows rows = outside;
      rows.emplace_back(dim, sign);
      const std::vector<NestMember> saved = members_;
      for (std::size_t m = 0; m < members_.size(); ++m) {
        IndexExpr& at = members_[m].coordinates[dim].shift;
        at = index_add(at, index_const(sign * (*shift)[m]));
      }
      if (auto nest = finished(chosen_members(rows), slice_rows(rows), level)) return nest;
      if (rows.size() < max_depth)
        for (std::size_t next = names_.size(); next-- > 0;) {
          const bool is_used =
              std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.first == next; });
          if (is_used) continue;
          if (auto nest = slices(level, rows, next, max_depth)) return nest;
        }
      members_ = saved;
    }
    return std::nullopt;
  }

  /// The members with the coordinates that `rows` use, in their order.
  std::vector<NestMember> chosen_members(const Rows& rows) const {
    std::vector<NestMember> out = members_;
    for (std::size_t m = 0; m < out.size(); ++m) {
      out[m].coordinates.clear();
      for (const auto& [dim, sign] : rows) out[m].coordinates.push_back(members_[m].coordinates[dim]);
    }
    return out;
  }
  static std::vector<NestRow> slice_rows(const Rows& rows) {
    std::vector<NestRow> out;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      out.push_back({std::vector<int>(rows.size(), 0), RowKind::Slices});
      out.back().coefficients[r] = rows[r].second;
    }
    return out;
  }

  /// Returns the nest if the members, and the loops inside of each, have an order at each point of its rows.
  std::optional<Nest> finished(std::vector<NestMember> members, std::vector<NestRow> rows, const Needs& level) const {
    const auto edge = [&](std::size_t before, std::size_t after) {
      const StepOrder pair{members[before].step, members[after].step};
      return level.contains({after, before}) || std::find(orders_.begin(), orders_.end(), pair) != orders_.end();
    };
    const auto parts = connected_parts(members.size(), edge);
    if (parts.size() != members.size()) return std::nullopt;
    Nest out;
    out.rows = std::move(rows);
    for (const std::vector<std::size_t>& part : parts) {
      NestMember& member = members[part.front()];
      if (!order_inner_loops(member)) return std::nullopt;
      const bool has_tiles = out.rows.front().kind != RowKind::Slices;
      if (has_tiles && has_overlaps(member)) return std::nullopt;
      out.members.push_back(std::move(member));
    }
    return out;
  }

  bool has_overlaps(const NestMember& member) const {
    const Step& step = analysis_.plan.steps[member.step];
    return !find_self_dependence(analysis_, step, analysis_.step_sets[member.step.index()].instances)
                .overlaps.is_empty();
  }

  bool order_inner_loops(NestMember& member) const {
    const Step& step = analysis_.plan.steps[member.step];
    SelfDependence own = find_self_dependence(analysis_, step, analysis_.step_sets[member.step.index()].instances);
    member.loops.clear();
    for (const LoopDim& of_step : step.loops) {
      LoopDim loop{of_step.var, of_step.range};
      const auto names = [&](const NestCoordinate& coordinate) { return coordinate.var == loop.var; };
      if (std::any_of(member.coordinates.begin(), member.coordinates.end(), names)) {
        own.needs = own.needs.where_zero(index_symbol(loop.var));
        own.overlaps = own.overlaps.where_zero(index_symbol(loop.var));
      } else {
        member.loops.push_back(std::move(loop));
      }
    }
    if (!own.needs.is_empty() && !orient_any(member.loops, own.needs)) return false;
    if (!own.overlaps.is_empty()) separate_overlaps(member.loops, own.overlaps);
    return true;
  }

  const Analysis& analysis_;
  const std::vector<StepOrder>& orders_;
  std::vector<std::string> names_;
  std::vector<NestMember> members_;
  Needs needs_;
};

/// Coordinates of each step in the dimensions that all have, counted from the last or from the first one.
std::vector<Coordinates> shared_coordinates(const Analysis& analysis, const std::vector<StepId>& steps, bool from_last,
                                            Factors factors) {
  std::vector<std::vector<std::optional<NestCoordinate>>> all;
  std::size_t num_dims = SIZE_MAX;
  for (const StepId id : steps) {
    all.push_back(coordinates_of(analysis, id, factors));
    num_dims = std::min(num_dims, all.back().size());
  }
  std::vector<Coordinates> out(steps.size());
  for (std::size_t d = 0; d < num_dims; ++d) {
    const auto of = [&](const auto& dims) { return from_last ? dims[dims.size() - num_dims + d] : dims[d]; };
    if (!std::all_of(all.begin(), all.end(), [&](const auto& dims) { return of(dims).has_value(); })) continue;
    for (std::size_t i = 0; i < steps.size(); ++i) out[i].push_back(*of(all[i]));
  }
  return out;
}

bool have_same_rank(const Analysis& analysis, const std::vector<StepId>& steps) {
  const auto rank = [&](StepId id) { return coordinates_of(analysis, id, Factors::Any).size(); };
  return std::all_of(steps.begin(), steps.end(), [&](StepId id) { return rank(id) == rank(steps.front()); });
}

bool have_factors(const Analysis& analysis, const std::vector<StepId>& steps) {
  return std::any_of(steps.begin(), steps.end(), [&](StepId id) {
    const auto coordinates = coordinates_of(analysis, id, Factors::Any);
    return std::any_of(coordinates.begin(), coordinates.end(), [](const auto& at) { return at && has_factor(*at); });
  });
}

/// Looks for slices along one dimension of each step, which may be a different one for each. For example,
/// `Q.cell(k,i)`, `R.cell(j,k)` and `W.cell(j,i,k)` run in the order of `k`.
class MixedSlices {
 public:
  MixedSlices(const Analysis& analysis, const std::vector<StepId>& steps, const std::vector<StepOrder>& orders,
              int sign, Factors factors)
      : analysis_(analysis), steps_(steps), orders_(orders), sign_(sign), name_(coordinate_names(1)) {
    for (const StepId id : steps) {
      options_.emplace_back();
      for (const auto& coordinate : coordinates_of(analysis, id, factors))
        if (coordinate) options_.back().push_back(*coordinate);
    }
  }

  std::optional<Nest> find() {
    const std::size_t step = taken_.size();
    if (step == steps_.size()) return search();
    for (std::size_t option = 0; option < options_[step].size() && num_left_ > 0; ++option) {
      --num_left_;
      taken_.push_back(option);
      if (fits())
        if (auto nest = find()) return nest;
      taken_.pop_back();
    }
    return std::nullopt;
  }

 private:
  NestMember member(std::size_t step) const { return {steps_[step], {options_[step][taken_[step]]}, {}}; }

  std::optional<Nest> search() const {
    std::vector<Coordinates> coordinates;
    for (std::size_t step = 0; step < steps_.size(); ++step) coordinates.push_back(member(step).coordinates);
    return Search(analysis_, steps_, coordinates, orders_).slices_along(0);
  }

  /// Whether the dimension taken last may go with those before it.
  bool fits() {
    const std::size_t last = taken_.size() - 1;
    for (std::size_t other = 0; other <= last; ++other)
      if (!is_bounded(last, other) || !is_bounded(other, last)) return false;
    return true;
  }

  /// Whether `reader` needs from `writer` only cells of earlier slices, or of slices that are later by at most a
  /// constant number.
  bool is_bounded(std::size_t reader, std::size_t writer) {
    const auto [entry, is_new] = bounded_.try_emplace({reader, taken_[reader], writer, taken_[writer]}, true);
    if (!is_new) return entry->second;
    const Region needs = coordinate_distances(analysis_, member(reader), member(writer), name_);
    if (needs.is_empty()) return true;
    const auto limit = greatest_along(needs, name_[0], sign_);
    return entry->second = limit && (reader != writer || *limit <= 0);
  }

  const Analysis& analysis_;
  const std::vector<StepId>& steps_;
  const std::vector<StepOrder>& orders_;
  const int sign_;
  const std::vector<std::string> name_;
  std::vector<Coordinates> options_;  ///< the coordinates of each step
  std::vector<std::size_t> taken_;    ///< options that the first steps took
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>, bool> bounded_;
  std::size_t num_left_ = 500;  ///< dimensions that may still be tried; the limit bounds the time for many steps
};

std::optional<Nest> find_nest_with(const Analysis& analysis, const std::vector<StepId>& steps,
                                   const std::vector<StepOrder>& orders, Factors factors) {
  for (const bool from_last : {true, false}) {
    if (!from_last && have_same_rank(analysis, steps)) break;
    const std::vector<Coordinates> coordinates = shared_coordinates(analysis, steps, from_last, factors);
    const std::size_t num_dims = coordinates.front().size();
    if (num_dims == 0) continue;
    Search search(analysis, steps, coordinates, orders);
    for (std::size_t dim = num_dims; dim-- > 0;)
      if (auto nest = search.slices_along(dim)) return nest;
    if (num_dims < 2) continue;
    if (auto nest = search.tiles()) return nest;
    if (auto nest = search.nested_slices()) return nest;
  }
  for (const int sign : {1, -1})
    if (auto nest = MixedSlices(analysis, steps, orders, sign, factors).find()) return nest;
  return std::nullopt;
}

}  // namespace

std::optional<Nest> find_nest(const Analysis& analysis, const std::vector<StepId>& steps,
                              const std::vector<StepOrder>& orders) {
  auto nest = find_nest_with(analysis, steps, orders, Factors::None);
  if (!nest && have_factors(analysis, steps)) nest = find_nest_with(analysis, steps, orders, Factors::Any);
  return nest;
}

}  // namespace pb::choices
