// SPDX-License-Identifier: MIT
#include "choicegraph/plan/computation.h"

#include <algorithm>
#include <array>

#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {

namespace {

bool may_regroup(const std::vector<Accumulator>& accumulators) {
  return std::none_of(accumulators.begin(), accumulators.end(),
                      [](const Accumulator& each) { return each.regrouping == Regrouping::Never; });
}

bool is_exact(const std::vector<Accumulator>& accumulators) {
  return std::all_of(accumulators.begin(), accumulators.end(),
                     [](const Accumulator& each) { return each.regrouping == Regrouping::Exact; });
}

}  // namespace

const Accumulator* Fold::find(const NameBinding& binding) const {
  const auto found = std::find_if(accumulators.begin(), accumulators.end(),
                                  [&](const Accumulator& each) { return each.binding == binding; });
  return found == accumulators.end() ? nullptr : &*found;
}

bool Fold::may_regroup() const { return pb::may_regroup(accumulators); }
bool Fold::is_exact() const { return pb::is_exact(accumulators); }

bool ScatterLoop::may_regroup() const { return loop.may_regroup() && pb::may_regroup(bins); }
bool ScatterLoop::is_exact() const { return loop.is_exact() && pb::is_exact(bins); }

/// Whether every device updates such a cell, or its two halves, so that no update of another work-item is lost, and in
/// any order.
static bool has_atomic_update(const Accumulator& bins) {
  const bool is_int = bins.type.kind == BodyType::Kind::Int && bins.type.narrow_bytes == 0;
  if (!is_int && bins.type.kind != BodyType::Kind::Long) return false;
  switch (bins.op) {
    case FoldOp::Add:
    case FoldOp::BitAnd:
    case FoldOp::BitOr:
    case FoldOp::BitXor:
      return true;
    case FoldOp::Min:
    case FoldOp::Max:
      return is_int;
    case FoldOp::Mul:
    case FoldOp::And:
    case FoldOp::Or:
      return false;
  }
  return false;
}

bool ScatterLoop::has_ordered_bins() const { return !std::all_of(bins.begin(), bins.end(), has_atomic_update); }

bool counts_in_64_bits(const Fold& fold, const BodyTypes& types) {
  const auto holds = [](const BodyType& type) {
    const bool is_whole = type.kind == BodyType::Kind::Int || type.kind == BodyType::Kind::Long;
    return is_whole && !type.is_element && (!type.is_unsigned || type.narrow_bytes > 0);
  };
  return holds(fold.var_type) && holds(types.types[fold.first.index()]) && holds(types.types[fold.last.index()]);
}

namespace {

/// Returns the regions of a loop of which it stores the cells `stored`.
MapRegions regions_of_loop(const Rule& rule, StmtId loop, const std::vector<ExprId>& stored) {
  MapRegions out;
  const auto add = [&](std::vector<std::string>& names, ExprId id) {
    const auto* cell = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
    if (cell == nullptr || !is_cell_call(*cell)) return;
    const auto* region = std::get_if<NameExpr>(&rule.body.exprs[cell->object].node);
    const bool is_known = region == nullptr || std::find(names.begin(), names.end(), region->text) != names.end();
    if (!is_known) names.push_back(region->text);
  };
  for (const ExprId cell : stored) add(out.stored, cell);
  walk(
      rule.body, loop, [](StmtId) {}, [&](ExprId id) { add(out.read, id); });
  std::erase_if(out.read, [&](const std::string& name) {
    return std::find(out.stored.begin(), out.stored.end(), name) != out.stored.end();
  });
  return out;
}

}  // namespace

MapRegions regions_of(const Rule& rule, const MapLoop& map) {
  std::vector<ExprId> stored;
  for (const ExprId store : map.stores) stored.push_back(target_of(rule.body, store));
  return regions_of_loop(rule, map.loop.loop, stored);
}

MapRegions regions_of(const Rule& rule, const ScatterLoop& loop) {
  std::vector<ExprId> stored;
  for (const Accumulator& each : loop.bins) stored.push_back(each.target);
  for (const ExprId store : loop.stores) stored.push_back(target_of(rule.body, store));
  return regions_of_loop(rule, loop.loop.loop, stored);
}

std::vector<std::string> stored_by(const Rule& rule, const ScatterLoop& loop) {
  return regions_of(rule, ScatterLoop{loop.loop, {}, loop.stores}).stored;
}

const Fold* Computation::find(StmtId loop) const {
  const auto found = std::find_if(folds.begin(), folds.end(), [&](const Fold& fold) { return fold.loop == loop; });
  return found == folds.end() ? nullptr : &*found;
}

const MapLoop* Computation::find_map(StmtId loop) const {
  const auto found = std::find_if(maps.begin(), maps.end(), [&](const MapLoop& map) { return map.loop.loop == loop; });
  return found == maps.end() ? nullptr : &*found;
}

const ScatterLoop* Computation::find_scatter(StmtId loop) const {
  const auto found =
      std::find_if(scatters.begin(), scatters.end(), [&](const ScatterLoop& each) { return each.loop.loop == loop; });
  return found == scatters.end() ? nullptr : &*found;
}

const Fold& Computation::loop_of(StmtId loop) const {
  if (const MapLoop* map = find_map(loop)) return map->loop;
  if (const ScatterLoop* scatter = find_scatter(loop)) return scatter->loop;
  const Fold* fold = find(loop);
  PB_CHECK(fold != nullptr, "the loop is a fold, a map or a scatter");
  return *fold;
}

bool Computation::has_running_places(StmtId loop) const {
  const ScatterLoop* scatter = find_scatter(loop);
  return scatter != nullptr && scatter->num_running > 0;
}

bool Computation::has_ordered_bins(StmtId loop) const {
  const ScatterLoop* scatter = find_scatter(loop);
  return scatter != nullptr && scatter->has_ordered_bins();
}

bool Computation::has_parts(const Phase& phase) const {
  return phase.kind == PhaseKind::Divided && !loop_of(phase.stmt).accumulators.empty();
}

namespace {

struct FoldWords {
  FoldOp op;
  const char* spelling;
  const char* noun;
};

constexpr std::array<FoldWords, 9> kFoldWords{{
    {FoldOp::Add, "+", "sum"},
    {FoldOp::Mul, "*", "product"},
    {FoldOp::Min, "min", "smallest"},
    {FoldOp::Max, "max", "largest"},
    {FoldOp::BitAnd, "&", "`&`"},
    {FoldOp::BitOr, "|", "`|`"},
    {FoldOp::BitXor, "^", "`^`"},
    {FoldOp::And, "&&", "`&&`"},
    {FoldOp::Or, "||", "`||`"},
}};

const FoldWords& words_of(FoldOp op) {
  return *std::find_if(kFoldWords.begin(), kFoldWords.end(), [&](const FoldWords& each) { return each.op == op; });
}

}  // namespace

const char* spelling(FoldOp op) { return words_of(op).spelling; }

std::optional<FoldOp> find_fold_op(std::string_view text) {
  for (const FoldWords& each : kFoldWords)
    if (each.spelling == text) return each.op;
  return std::nullopt;
}

std::string to_words(const Accumulator& accumulator) {
  std::string out = std::string(words_of(accumulator.op).noun) + " in `" + accumulator.name + "`";
  for (std::size_t i = 0; i < accumulator.places.size(); ++i)
    out += (i == 0 ? " with its place in `" : ", `") + accumulator.places[i].name + "`";
  return out;
}

}  // namespace pb
