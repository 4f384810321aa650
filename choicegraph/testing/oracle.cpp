// SPDX-License-Identifier: MIT
#include "choicegraph/testing/oracle.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "choicegraph/plan/step_needs.h"
#include "lang/check.h"
#include "lang/region/affine.h"

namespace pb::testing {
namespace {

/// All points with lo <= p < hi, first coordinate slowest.
std::vector<Point> box_points(const Point& lo, const Point& hi) {
  std::vector<Point> out;
  Point at = lo;
  for (std::size_t d = 0; d < lo.size(); ++d)
    if (lo[d] >= hi[d]) return out;
  for (;;) {
    out.push_back(at);
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == hi[d - 1]) {
      at[d - 1] = lo[d - 1];
      --d;
    }
    if (d == 0) return out;
  }
}

std::int64_t must_evaluate(const IndexExpr& expr, const Values& values) {
  const auto value = evaluate(expr, {values.begin(), values.end()});
  PB_CHECK(value.has_value(), "an expression of the plan has a value");
  return *value;
}

bool holds(const std::vector<IndexExpr>& guards, const Values& sizes) {
  return std::all_of(guards.begin(), guards.end(), [&](const IndexExpr& g) { return must_evaluate(g, sizes) >= 0; });
}

/// Whether a rule writes constant versions alone, or a version that a rule variable counts
/// (docs/reference/language.md 4.15).
enum class VersionForm { Constant, Variable, Neither };

VersionForm version_form(const Transform& transform, const Rule& rule) {
  bool is_whole = false;
  for (const RegionAccess& output : rule.outputs) {
    if (!transform.matrices[output.matrix].has_versions) continue;
    const Formula& first = output.lo.back();
    const Formula& end = output.hi.back();
    if (!symbols_of(first, SymbolKind::RuleVar).empty() || !symbols_of(end, SymbolKind::RuleVar).empty())
      return VersionForm::Variable;
    const bool is_row = output.kind == AccessKind::Row && output.lo.size() == 2;
    is_whole = is_whole || !(output.kind == AccessKind::Cell || is_row || output.is_slice);
  }
  return is_whole ? VersionForm::Neither : VersionForm::Constant;
}

/// The position inside that a border gives, found step by step.
std::int64_t mapped(Border border, std::int64_t at, std::int64_t size) {
  while (at < 0 || at >= size) {
    if (border == Border::Clamp || size == 1) return at < 0 ? 0 : size - 1;
    if (border == Border::Wrap) at += at < 0 ? size : -size;
    if (border == Border::Mirror) at = at < 0 ? -at : 2 * (size - 1) - at;
  }
  return at;
}

std::string cell_text(const Transform& transform, const Cell& cell) {
  std::string out = transform.matrices[MatrixId(cell.first)].name + "(";
  for (std::size_t d = 0; d < cell.second.size(); ++d) out += (d == 0 ? "" : ",") + std::to_string(cell.second[d]);
  return out + ")";
}

}  // namespace

Oracle::Oracle(const Transform& transform, Values sizes, std::int64_t reach)
    : transform_(transform), sizes_(std::move(sizes)), reach_(reach) {
  for (const Matrix& matrix : transform_.matrices) {
    std::vector<std::int64_t>& extents = extents_.emplace_back();
    for (const Formula& formula : matrix.extents) {
      extents.push_back(value_of(formula, sizes_).value_or(-1));
      if (extents.back() < 0) possible_ = false;
    }
  }
}

std::vector<Point> Oracle::cells_of(MatrixId matrix) const {
  const Point hi = extents_[matrix.index()];
  return box_points(Point(hi.size(), 0), hi);
}

Values Oracle::with(const Rule& rule, const Point& vars) const {
  Values out = sizes_;
  for (std::size_t i = 0; i < vars.size(); ++i) out[rule.vars[i].name] = vars[i];
  return out;
}

bool Oracle::is_inside(const RegionAccess& access, const Values& values) const {
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    // 0 <= begin and end - 1 < size, exactly and as computed; without rule variables a coordinate is a value.
    const std::int64_t size = extent(access.matrix, d);
    if (access.is_mapped_dim(d) && size < 1) return false;
    if (access.is_mapped_dim(d)) continue;
    const auto begin = value_of(access.lo[d], values);
    const auto end = value_of(access.hi[d], values);
    if (!begin || !end || *begin < 0 || *end > size) return false;
    const auto lo = fraction_of(access.lo[d], values);
    const auto hi = fraction_of(access.hi[d], values);
    if (has_rule_var(access.lo[d]) && (!lo || lo->num < 0)) return false;
    if (has_rule_var(access.hi[d]) && (!hi || hi->num >= (size + 1) * hi->den)) return false;
  }
  return true;
}

bool Oracle::is_instance(const Rule& rule, const Point& vars) const {
  const Values values = with(rule, vars);
  const auto inside = [&](const RegionAccess& access) { return access.is_guest || is_inside(access, values); };
  return std::all_of(rule.outputs.begin(), rule.outputs.end(), inside) &&
         std::all_of(rule.inputs.begin(), rule.inputs.end(), inside) &&
         std::all_of(rule.where.begin(), rule.where.end(),
                     [&](const Relation& relation) { return is_dynamic(relation) || is_true(relation, values); });
}

bool Oracle::share_cells(const Rule& a, const Rule& b) const {
  std::set<Cell> of_a;
  for (const RegionAccess& output : a.outputs)
    for (const Point& vars : instances(a))
      for (Cell& cell : cells(a, output, vars)) of_a.insert(std::move(cell));
  for (const RegionAccess& output : b.outputs)
    for (const Point& vars : instances(b))
      for (const Cell& cell : cells(b, output, vars))
        if (of_a.contains(cell)) return true;
  return false;
}

const std::vector<const Rule*>& Oracle::tried_before(const Rule& rule) const {
  if (const auto known = tried_.find(&rule); known != tried_.end()) return known->second;
  std::vector<const Rule*> out;
  for (const Rule& other : transform_.rules)
    if (has_dynamic_where(other)) out.push_back(&other);
  std::stable_sort(out.begin(), out.end(), [](const Rule* a, const Rule* b) { return a->priority < b->priority; });
  if (const auto self = std::find(out.begin(), out.end(), &rule); self != out.end()) out.erase(self, out.end());
  std::erase_if(out, [&](const Rule* other) { return !share_cells(*other, rule); });
  return tried_.emplace(&rule, std::move(out)).first->second;
}

const Rule* Oracle::runs_for(const Rule& rule, const Point& vars) const {
  const auto holds_for = [&](const Rule& one) {
    const Values values = with(one, vars);
    return std::all_of(one.where.begin(), one.where.end(), [&](const Relation& each) { return is_true(each, values); });
  };
  for (const Rule* other : tried_before(rule))
    if (is_instance(*other, vars) && holds_for(*other)) return other;
  return holds_for(rule) ? &rule : nullptr;
}

const std::vector<Point>& Oracle::instances(const Rule& rule) const {
  if (const auto known = instances_.find(&rule); known != instances_.end()) return known->second;
  std::int64_t reach = 4;  // beyond every coordinate that tests write down
  for (const auto& extents : extents_)
    for (const std::int64_t size : extents) reach = std::max(reach, reach_ * size + 4);
  std::vector<Point> out;
  for (Point& vars : box_points(Point(rule.vars.size(), -reach), Point(rule.vars.size(), reach)))
    if (is_instance(rule, vars)) out.push_back(std::move(vars));
  return instances_.emplace(&rule, std::move(out)).first->second;
}

std::vector<Cell> Oracle::cells(const Rule& rule, const RegionAccess& access, const Point& vars) const {
  const Values values = with(rule, vars);
  Point lo;
  Point hi;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    lo.push_back(value_of(access.lo[d], values).value_or(0));
    hi.push_back(value_of(access.hi[d], values).value_or(0));
    if (!access.is_mapped_dim(d)) continue;
    lo.back() = mapped(access.border, lo.back(), extent(access.matrix, d));
    hi.back() = lo.back() + 1;
  }
  std::vector<Cell> out;
  for (Point& point : box_points(lo, hi)) out.emplace_back(access.matrix.value, std::move(point));
  return out;
}

std::map<Point, std::vector<RuleId>> Oracle::candidates(MatrixId matrix) const {
  std::map<Point, std::vector<RuleId>> out;
  for (Point& cell : cells_of(matrix)) out[std::move(cell)];
  for (const bool with_where : {true, false}) {
    for (const RuleId id : transform_.rules.ids()) {
      const Rule& rule = transform_.rules[id];
      if (rule.where.empty() == with_where) continue;
      std::set<Point> provided;
      for (const RegionAccess& access : rule.outputs) {
        if (access.matrix != matrix) continue;
        for (const Point& vars : instances(rule))
          for (const Cell& cell : cells(rule, access, vars)) provided.insert(cell.second);
      }
      for (const Point& cell : provided) out[cell].push_back(id);
    }
  }
  const auto is_tried = [&](RuleId id) { return has_dynamic_where(transform_.rules[id]); };
  for (auto& [cell, rules] : out) {
    if (!std::all_of(rules.begin(), rules.end(), is_tried)) {
      std::erase_if(rules, is_tried);
    } else if (!rules.empty()) {
      // The rule that is tried last takes the cell.
      std::sort(rules.begin(), rules.end());
      std::stable_sort(rules.begin(), rules.end(),
                       [&](RuleId a, RuleId b) { return transform_.rules[a].priority > transform_.rules[b].priority; });
      const int last = transform_.rules[rules.front()].priority;
      std::erase_if(rules, [&](RuleId id) { return transform_.rules[id].priority != last; });
      rules = {rules.back()};
    }
    int best = 1 << 30;
    for (const RuleId id : rules) best = std::min(best, transform_.rules[id].priority);
    std::erase_if(rules, [&](RuleId id) { return transform_.rules[id].priority != best; });
    if (!transform_.matrices[matrix].has_versions) continue;
    const auto has = [&](VersionForm form) {
      return [this, form](RuleId id) { return version_form(transform_, transform_.rules[id]) == form; };
    };
    if (std::any_of(rules.begin(), rules.end(), has(VersionForm::Constant)))
      std::erase_if(rules, has(VersionForm::Variable));
  }
  return out;
}

namespace {

bool any_in(const std::vector<Cell>& cells, const std::set<Cell>& set) {
  return std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) { return set.contains(cell); });
}

}  // namespace

std::vector<Cell> Oracle::cells_read(const Rule& rule, const Point& vars) const {
  std::vector<Cell> out;
  const auto add = [&](const Rule& reader) {
    for (const RegionAccess& input : reader.inputs)
      if (!input.is_guest && transform_.matrices[input.matrix].role != MatrixRole::From)
        for (Cell& cell : cells(reader, input, vars)) out.push_back(std::move(cell));
  };
  add(rule);
  for (const Rule* tried : tried_before(rule))
    if (is_instance(*tried, vars)) add(*tried);
  return out;
}

std::vector<Oracle::Deed> Oracle::deeds(const std::map<Cell, std::vector<RuleId>>& candidates_of,
                                        const std::set<Cell>& take_first) const {
  std::vector<Deed> out;
  for (const RuleId id : transform_.rules.ids()) {
    const Rule& rule = transform_.rules[id];
    for (const Point& vars : instances(rule)) {
      Deed& deed = out.emplace_back(Deed{{id.value, vars}, {}, {}, {}, cells_read(rule, vars)});
      for (const RegionAccess& output : rule.outputs) {
        for (Cell& cell : cells(rule, output, vars)) {
          const std::vector<RuleId>& rules = candidates_of.at(cell);
          const auto at = std::find(rules.begin(), rules.end(), id);
          if (at != rules.end()) deed.may_make.push_back(cell);
          if (at != rules.end() && (at == rules.begin() || !take_first.contains(cell))) deed.makes.push_back(cell);
          deed.writes.push_back(std::move(cell));
        }
      }
    }
  }
  return out;
}

Liveness Oracle::liveness(const TransformPlan& plan) const {
  std::map<Cell, std::vector<RuleId>> rules_of;
  Liveness out;
  for (const MatrixId matrix : transform_.matrices.ids()) {
    const MatrixRole role = transform_.matrices[matrix].role;
    if (role == MatrixRole::From) continue;
    for (auto& [point, rules] : candidates(matrix)) {
      const Cell cell{matrix.value, point};
      if (role == MatrixRole::To) out.needed.insert(cell);
      if (rules.empty()) out.uncovered.insert(cell);
      rules_of[cell] = std::move(rules);
    }
  }
  if (transform_.matrices_of(MatrixRole::Through).empty()) return out;
  std::set<Cell> take_first;
  for (const Segment& segment : plan.segments)
    if (segment.only_small_sizes || segment.candidates.size() == 1)
      for (Point& point : points_of(segment.box, segment.conditions, segment.guards, sizes_))
        take_first.insert({segment.matrix.value, std::move(point)});
  const std::vector<Deed> all = deeds(rules_of, take_first);
  for (std::size_t before = 0; before != out.needed.size();) {
    before = out.needed.size();
    for (const Deed& deed : all)
      if (any_in(deed.makes, out.needed)) out.needed.insert(deed.reads.begin(), deed.reads.end());
  }
  std::set<Cell> spoilt = out.uncovered;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const Deed& deed : all) {
      if (!any_in(deed.reads, spoilt) || any_in(deed.makes, out.needed)) continue;
      is_new = out.left_out.insert(deed.instance).second || is_new;
      spoilt.insert(deed.may_make.begin(), deed.may_make.end());
    }
  }
  for (const Deed& deed : all)
    if (!out.left_out.contains(deed.instance))
      for (const Cell& cell : deed.writes) out.makers[cell].insert(RuleId(deed.instance.first));
  return out;
}

namespace {

/// The values of loop `depth` for given values of the loops outside of it.
std::vector<std::int64_t> loop_values(const LoopDim& loop, const Values& values) {
  std::int64_t lo = must_evaluate(loop.range.lo, values);
  std::int64_t hi = must_evaluate(loop.range.hi, values);
  for (const IndexExpr& bound : loop.lower) lo = std::max(lo, must_evaluate(bound, values));
  for (const IndexExpr& bound : loop.upper) hi = std::min(hi, must_evaluate(bound, values));
  std::vector<std::int64_t> out;
  for (std::int64_t at = lo; at < hi; ++at)
    if ((at - must_evaluate(loop.offset, values)) % loop.stride == 0) out.push_back(at);
  // Parallel loops run backwards here: any order must do, and this one is unlike the natural one.
  if (loop.order != LoopOrder::Increasing) std::reverse(out.begin(), out.end());
  return out;
}

/// Runs the instances of one step in the order of its loops, from loop `depth` on.
template <class Visit>
void for_each_instance(const Step& step, const Rule& rule, std::size_t depth, Values& values, Visit visit) {
  if (depth == step.loops.size()) {
    if (!holds(step.conditions, values)) return;
    Point vars;
    for (const RuleVar& var : rule.vars) vars.push_back(values.at(var.name));
    visit(vars);
    return;
  }
  const LoopDim& loop = step.loops[depth];
  for (const std::int64_t value : loop_values(loop, values)) {
    values[loop.var] = value;
    for_each_instance(step, rule, depth + 1, values, visit);
    values.erase(loop.var);
  }
}

/// The instances of one step as a nest finds them, in the order of its loops inside.
std::vector<Point> ordered_instances(const Step& step, const Rule& rule, const std::vector<LoopDim>& order,
                                     const Values& sizes) {
  if (!holds(step.guards, sizes)) return {};
  const auto index_of = [&](const std::string& name) {
    std::size_t v = 0;
    while (rule.vars[v].name != name) ++v;
    return v;
  };
  Point lo(rule.vars.size());
  Point hi(rule.vars.size());
  for (const LoopDim& loop : step.loops) {
    lo[index_of(loop.var)] = must_evaluate(loop.range.lo, sizes);
    hi[index_of(loop.var)] = must_evaluate(loop.range.hi, sizes);
  }
  std::vector<Point> out = box_points(lo, hi);
  const std::vector<IndexExpr> conditions = instance_conditions(step);
  std::erase_if(out, [&](const Point& vars) {
    Values values = sizes;
    for (std::size_t v = 0; v < vars.size(); ++v) values[rule.vars[v].name] = vars[v];
    return !holds(conditions, values);
  });
  const auto key = [&](const Point& vars) {
    Point values;
    // Parallel loops run backwards here: any order must do, and this one is unlike the natural one.
    for (const LoopDim& loop : order)
      values.push_back(loop.order == LoopOrder::Increasing ? vars[index_of(loop.var)] : -vars[index_of(loop.var)]);
    return values;
  };
  std::stable_sort(out.begin(), out.end(), [&](const Point& a, const Point& b) { return key(a) < key(b); });
  return out;
}

/// An instance of a member of a nest, at its place in the rows.
struct Placed {
  Point rows;
  std::size_t member = 0;
  Point vars;
};

Point rows_at(const Nest& nest, const NestMember& member, const Rule& rule, const Point& vars, const Values& sizes) {
  Values values = sizes;
  for (std::size_t v = 0; v < vars.size(); ++v) values[rule.vars[v].name] = vars[v];
  Point out;
  for (const NestRow& row : nest.rows) {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < row.coefficients.size(); ++c)
      sum += row.coefficients[c] * must_evaluate(to_index_expr(member.coordinates[c]), values);
    out.push_back(sum);
  }
  return out;
}

/// Cuts what is placed into tiles and returns it tile by tile, always taking the last tile that may start.
std::vector<Placed> in_tile_order(const Nest& nest, const std::vector<Placed>& placed, std::int64_t extent) {
  if (placed.empty()) return {};
  const std::size_t num_rows = nest.rows.size();
  Point lo = placed.front().rows;
  Point hi = lo;
  for (const Placed& item : placed)
    for (std::size_t r = 0; r < num_rows; ++r) {
      lo[r] = std::min(lo[r], item.rows[r]);
      hi[r] = std::max(hi[r], item.rows[r]);
    }
  std::map<Point, std::vector<Placed>> tiles;
  Point last;
  for (std::size_t r = 0; r < num_rows; ++r) last.push_back((hi[r] - lo[r]) / extent + 1);
  for (const Point& tile : box_points(Point(num_rows, 0), last)) tiles[tile];
  for (const Placed& item : placed) {
    Point tile;
    for (std::size_t r = 0; r < num_rows; ++r) tile.push_back((item.rows[r] - lo[r]) / extent);
    tiles[tile].push_back(item);
  }
  std::vector<Placed> out;
  while (!tiles.empty()) {
    const auto may_start = [&](Point tile) {
      for (std::size_t r = 0; r < num_rows; ++r) {
        if (nest.rows[r].kind != RowKind::Carried) continue;
        --tile[r];
        if (tiles.contains(tile)) return false;
        ++tile[r];
      }
      return true;
    };
    auto next = std::prev(tiles.end());
    while (!may_start(next->first)) --next;
    out.insert(out.end(), next->second.begin(), next->second.end());
    tiles.erase(next);
  }
  return out;
}

/// One run of a plan: what is written so far, and what went wrong.
class Execution {
 public:
  Execution(const Oracle& oracle, const Transform& transform, const TransformPlan& plan, const Values& sizes,
            const std::vector<std::size_t>& choice)
      : oracle_(oracle), transform_(transform), plan_(plan), sizes_(sizes), choice_(choice) {
    for (const StepNeed& need : needs_of(plan, transform)) {
      const bool is_needed = std::any_of(need.readers.begin(), need.readers.end(), [&](StepId reader) {
        return runs(reader) && holds(plan.steps[reader].guards, sizes);
      });
      if (!is_needed) idle_.insert(need.steps.begin(), need.steps.end());
    }
    for (const Segment& segment : plan.segments)
      for (Point& point : points_of(segment.box, segment.conditions, segment.guards, sizes))
        owner_[{segment.matrix.value, std::move(point)}] = chosen(segment.site).rules[segment.part];
    for (const UncoveredBox& box : plan.uncovered)
      for (Point& point : points_of(box.box, box.conditions, box.guards, sizes))
        stops_.insert({box.matrix.value, std::move(point)});
  }

  std::string run() {
    find_units();
    std::vector<bool> is_done(units_.size(), false);
    for (std::size_t count = 0; count < units_.size(); ++count) {
      std::size_t next = units_.size();
      while (next > 0 && (is_done[next - 1] || !is_ready(next - 1, is_done))) --next;
      if (next == 0) return "steps wait for each other";
      is_done[next - 1] = true;
      run_unit(units_[next - 1]);
    }
    for (const auto& [cell, rule] : owner_)
      if (is_result(cell) && (!written_.contains(cell) || written_[cell] != rule))
        wrong_ = cell_text(transform_, cell) + " is not computed by `" + transform_.rules[rule].name + "`";
    return wrong_;
  }

 private:
  /// A nest, or a step without one.
  struct Unit {
    const Nest* nest = nullptr;
    std::vector<StepId> steps;
  };

  const Alternative& chosen(SiteId site) const { return plan_.sites[site].alternatives[choice_[site.index()]]; }
  bool runs(StepId id) const {
    return !idle_.contains(id) && pb::runs(plan_, chosen(plan_.steps[id].site), plan_.steps[id]);
  }
  bool is_result(const Cell& cell) const { return transform_.matrices[MatrixId(cell.first)].role == MatrixRole::To; }

  void find_units() {
    std::set<StepId> taken;
    for (const Nest& nest : plan_.nests) {
      Unit unit{&nest, {}};
      for (const NestMember& member : nest.members) unit.steps.push_back(member.step);
      const auto is_free = [&](StepId id) { return runs(id) && !taken.contains(id); };
      if (!std::all_of(unit.steps.begin(), unit.steps.end(), is_free)) continue;
      taken.insert(unit.steps.begin(), unit.steps.end());
      units_.push_back(std::move(unit));
    }
    for (const StepId id : plan_.steps.ids())
      if (runs(id) && !taken.contains(id)) units_.push_back({nullptr, {id}});
  }

  bool is_ready(std::size_t unit, const std::vector<bool>& is_done) const {
    const auto has = [&](std::size_t u, StepId id) {
      return std::find(units_[u].steps.begin(), units_[u].steps.end(), id) != units_[u].steps.end();
    };
    for (const StepEdge& edge : plan_.edges)
      if (has(unit, edge.after))
        for (std::size_t u = 0; u < units_.size(); ++u)
          if (u != unit && !is_done[u] && has(u, edge.before)) return false;
    return true;
  }

  void run_unit(const Unit& unit) {
    if (unit.nest == nullptr) {
      const Step& step = plan_.steps[unit.steps.front()];
      const Rule& rule = transform_.rules[step.rule];
      Values values = sizes_;
      if (holds(step.guards, sizes_))
        for_each_instance(step, rule, 0, values, [&](const Point& vars) { visit(step, rule, vars); });
      return;
    }
    const Nest& nest = *unit.nest;
    std::vector<Placed> placed;
    for (std::size_t m = 0; m < nest.members.size(); ++m) {
      const Step& step = plan_.steps[nest.members[m].step];
      const Rule& rule = transform_.rules[step.rule];
      for (Point& vars : ordered_instances(step, rule, nest.members[m].loops, sizes_)) {
        Point rows = rows_at(nest, nest.members[m], rule, vars, sizes_);
        placed.push_back({std::move(rows), m, std::move(vars)});
      }
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return std::tie(a.rows, a.member) < std::tie(b.rows, b.member);
    });
    if (nest.rows.front().kind != RowKind::Slices) {
      const auto extent = 1 + static_cast<std::int64_t>((sizes_.begin()->second + placed.size()) % 3);
      placed = in_tile_order(nest, placed, extent);
    }
    for (const Placed& item : placed) {
      const Step& step = plan_.steps[nest.members[item.member].step];
      visit(step, transform_.rules[step.rule], item.vars);
    }
  }

  void visit(const Step& step, const Rule& rule, const Point& vars) {
    if (!oracle_.is_instance(rule, vars)) wrong_ = "an instance of `" + rule.name + "` outside its domain runs";
    std::set<Cell> own;
    for (const RegionAccess& output : rule.outputs)
      for (Cell& cell : oracle_.cells(rule, output, vars)) own.insert(std::move(cell));
    const Rule* running = oracle_.runs_for(rule, vars);
    for (const RegionAccess& input : running != nullptr ? running->inputs : std::vector<RegionAccess>()) {
      if (input.is_guest || transform_.matrices[input.matrix].role == MatrixRole::From) continue;
      for (const Cell& cell : oracle_.cells(*running, input, vars)) {
        if (own.contains(cell)) continue;
        if (!owner_.contains(cell) && !stops_.contains(cell))
          wrong_ = "`" + running->name + "` reads " + cell_text(transform_, cell) + ", which nobody makes";
        if (!owner_.contains(cell)) continue;
        if (!written_.contains(cell) || written_[cell] != owner_[cell])
          wrong_ = "`" + running->name + "` reads " + cell_text(transform_, cell) + " too early";
      }
    }
    for (const Cell& cell : own) written_[cell] = step.rule;
  }

  const Oracle& oracle_;
  const Transform& transform_;
  const TransformPlan& plan_;
  const Values& sizes_;
  const std::vector<std::size_t>& choice_;
  std::set<StepId> idle_;  ///< steps that no result needs
  std::vector<Unit> units_;
  std::set<Cell> stops_;  ///< uncovered cells that end the run
  std::map<Cell, RuleId> owner_, written_;
  std::string wrong_;
};

}  // namespace

std::string Oracle::run(const TransformPlan& plan, const std::vector<std::size_t>& choice) const {
  return Execution(*this, transform_, plan, sizes_, choice).run();
}

std::vector<Point> points_of(const std::vector<IndexRange>& box, const std::vector<IndexExpr>& conditions,
                             const std::vector<IndexExpr>& guards, const Values& sizes) {
  if (!holds(guards, sizes)) return {};
  Point lo;
  Point hi;
  for (const IndexRange& range : box) {
    lo.push_back(must_evaluate(range.lo, sizes));
    hi.push_back(must_evaluate(range.hi, sizes));
  }
  std::vector<Point> out = box_points(lo, hi);
  const std::vector<std::string> names = cell_dims(static_cast<int>(box.size()));
  std::erase_if(out, [&](const Point& point) {
    Values values = sizes;
    for (std::size_t d = 0; d < point.size(); ++d) values[names[d]] = point[d];
    return !holds(conditions, values);
  });
  return out;
}

}  // namespace pb::testing
