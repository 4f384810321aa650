// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_kept_cells.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "choicegraph/passes/analysis/body_formulas.h"
#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

/// A divided loop that has a range.
struct RangedLoop {
  const Phase* phase = nullptr;
  const Fold* head = nullptr;
  LoopRange range;
};

class KeptCellsFinder {
 public:
  KeptCellsFinder(const Analysis& analysis, const Rule& rule, const Computation& computation)
      : analysis_(analysis), rule_(rule), body_(rule.body), computation_(computation) {}

  KeptCells run() {
    for (const ScatterLoop& loop : computation_.scatters)
      if (loop.num_running > 0) return {};
    std::vector<RangedLoop> loops;
    for (const Phase& phase : computation_.phases) {
      if (phase.kind != PhaseKind::Divided || !phase.inner.is_none()) continue;
      // Work-items of loops with bins take turns at rounds that are not theirs alone.
      const ScatterLoop* const scatter = computation_.find_scatter(phase.stmt);
      if (scatter != nullptr && !scatter->bins.empty()) continue;
      const Fold& head = computation_.loop_of(phase.stmt);
      if (auto range = range_of(rule_, head)) loops.push_back({&phase, &head, std::move(*range)});
    }
    for (const RangedLoop& loop : loops)
      if (KeptCells found = over(loop, loops); found.any()) return found;
    return {};
  }

 private:
  /// What may be kept over the range of a loop.
  KeptCells over(const RangedLoop& loop, const std::vector<RangedLoop>& all) {
    KeptCells out;
    std::vector<const RangedLoop*> alike;
    for (const RangedLoop& other : all)
      if (is_same(loop.range, other.range)) alike.push_back(&other);
    const std::optional<std::string> length = length_of(loop.range);
    if (alike.size() < 2 || !length) return {};
    out.length = *length;
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i) add(out, {true, i, {}, {}, {}}, alike);
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) add(out, {false, i, {}, {}, {}}, alike);
    for (const RangedLoop* each : alike)
      if (accesses_any(out, each->phase->stmt)) out.loops.push_back(each->phase->stmt);
    out.bytes = bytes_of(out);
    return out;
  }

  /// Adds the region if its cells may be kept in these loops, and several of them access it.
  void add(KeptCells& to, KeptRegion region, const std::vector<const RangedLoop*>& loops) {
    const RegionAccess& access = access_of(region);
    if (access.num_body_dims() != 1 || access.may_be_outside()) return;
    const RangedLoop* first = nullptr;
    std::size_t num_loops = 0;
    for (const RangedLoop* loop : loops) {
      const std::vector<ExprId> accesses = accesses_in(*loop, region);
      region.accesses.insert(region.accesses.end(), accesses.begin(), accesses.end());
      if (accesses.empty()) continue;
      ++num_loops;
      if (first == nullptr) first = loop;
      if (stores_any(*loop, accesses)) region.last = loop->phase->stmt;
    }
    if (num_loops < 2) return;
    region.first = first->phase->stmt;
    const bool may_keep =
        region.is_output ? are_all(region) && renews(*first, region.index) : holds(access, first->range);
    if (may_keep) to.regions.push_back(std::move(region));
  }

  const RegionAccess& access_of(const KeptRegion& region) const {
    return (region.is_output ? rule_.outputs : rule_.inputs)[region.index];
  }

  bool names(ExprId id, const KeptRegion& region) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) &&
           binding.kind == (region.is_output ? NameKind::Output : NameKind::Input) && binding.index == region.index;
  }

  /// The accesses to the region at the loop's variable.
  std::vector<ExprId> accesses_in(const RangedLoop& loop, const KeptRegion& region) const {
    std::vector<ExprId> out;
    walk(
        body_, std::get<ForStmt>(body_.stmts[loop.head->loop].node).body, [](StmtId) {},
        [&](ExprId id) {
          const auto* cell = std::get_if<MemberExpr>(&body_.exprs[id].node);
          if (cell == nullptr || !is_cell_call(*cell) || cell->args.size() != 1 || !names(cell->object, region)) return;
          const NameBinding& binding = rule_.body_types.bindings[cell->args[0].index()];
          const bool is_variable = std::holds_alternative<NameExpr>(body_.exprs[cell->args[0]].node) &&
                                   binding.kind == NameKind::Local && binding.index == loop.head->local;
          if (is_variable) out.push_back(id);
        });
    return out;
  }

  /// Whether the body uses the region in no other way, apart from its size.
  bool are_all(const KeptRegion& region) const {
    std::size_t num_mentions = 0, num_sizes = 0;
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
          num_mentions += names(id, region) ? 1 : 0;
          num_sizes += member != nullptr && is_size_member(member->name) && names(member->object, region) ? 1 : 0;
        });
    return num_mentions == num_sizes + region.accesses.size();
  }

  bool renews(const RangedLoop& loop, std::size_t output) const {
    const MapLoop* map = computation_.find_map(loop.head->loop);
    return map != nullptr && std::find(map->renewed.begin(), map->renewed.end(), output) != map->renewed.end();
  }

  /// Whether the loop stores to one of these cells.
  bool stores_any(const RangedLoop& loop, const std::vector<ExprId>& accesses) const {
    const MapLoop* map = computation_.find_map(loop.head->loop);
    return map != nullptr && std::any_of(map->stores.begin(), map->stores.end(), [&](ExprId store) {
             const ExprId target = target_of(body_, store);
             return std::find(accesses.begin(), accesses.end(), target) != accesses.end();
           });
  }

  bool accesses_any(const KeptCells& kept, StmtId loop) const {
    bool found = false;
    walk(
        body_, loop, [](StmtId) {},
        [&](ExprId id) {
          for (const KeptRegion& region : kept.regions)
            found |= std::find(region.accesses.begin(), region.accesses.end(), id) != region.accesses.end();
        });
    return found;
  }

  // ---- ranges

  bool never(const Formula& lhs, RelationOp op, const Formula& rhs) const {
    return never_holds(rule_.domain, lhs, op, rhs, analysis_.scope);
  }
  bool is_equal(const Formula& a, const Formula& b) const { return are_equal(rule_.domain, a, b, analysis_.scope); }
  bool is_same(const LoopRange& a, const LoopRange& b) const {
    return a.is_up == b.is_up && is_equal(a.lowest, b.lowest) && is_equal(a.end, b.end);
  }

  /// Whether all cells of the range are in the region.
  bool holds(const RegionAccess& access, const LoopRange& range) const {
    const auto size = size_of(access, 0);
    return size && never(range.lowest, RelationOp::Less, {IntLiteral{0}, {}}) &&
           never(range.end, RelationOp::Greater, *size);
  }

  /// The size variable that is the number of rounds; if there is none, one that is never less.
  std::optional<std::string> length_of(const LoopRange& range) const {
    const Formula length = difference(range.end, range.lowest);
    std::optional<std::string> bound;
    for (const SizeVar& var : analysis_.transform.size_vars) {
      const Formula size = {SymbolRef{SymbolKind::SizeVar, var.name}, {}};
      if (never(length, RelationOp::Greater, size) && (!bound || never(length, RelationOp::Less, size)))
        bound = var.name;
    }
    return bound;
  }

  /// The most bytes that are kept between two loops.
  std::size_t bytes_of(const KeptCells& kept) const {
    std::size_t most = 0;
    for (std::size_t gap = 1; gap < kept.loops.size(); ++gap) {
      std::size_t bytes = 0;
      for (const KeptRegion& region : kept.regions) {
        const auto is_used = [&](StmtId loop) { return accesses_any({{region}, {}, {}, 0, {}}, loop); };
        const auto at = kept.loops.begin() + static_cast<std::ptrdiff_t>(gap);
        const Matrix& matrix = analysis_.matrix(access_of(region).matrix);
        const ElementType element = matrix.is_element_t ? analysis_.program.element : matrix.element;
        if (std::any_of(kept.loops.begin(), at, is_used) && std::any_of(at, kept.loops.end(), is_used))
          bytes += static_cast<std::size_t>(size_bytes(element));
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  const Analysis& analysis_;
  const Rule& rule_;
  const Body& body_;
  const Computation& computation_;
};

}  // namespace

KeptCells find_kept_cells(const Analysis& analysis, const Rule& rule, const Computation& computation) {
  return KeptCellsFinder(analysis, rule, computation).run();
}

}  // namespace pb::choices
