// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/strip_loops.h"

#include <algorithm>
#include <set>

#include "base/loop_forms.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

bool has_var(const Formula& at, const std::string& var) {
  const auto vars = symbols_of(at, SymbolKind::RuleVar);
  return std::find(vars.begin(), vars.end(), var) != vars.end();
}

/// Whether a cell moves along the contiguous dimension with `along` alone, and in another one with `across`.
bool moves(const RegionAccess& access, const std::string& along, const std::string& across) {
  return access.kind == AccessKind::Cell && access.lo.size() > 1 && has_var(access.lo[0], along) &&
         !has_var(access.lo[0], across) &&
         std::any_of(access.lo.begin() + 1, access.lo.end(), [&](const Formula& at) { return has_var(at, across); });
}

class StripFinder {
 public:
  StripFinder(const RuleShape& shape, const Step& step)
      : shape_(shape), inner_(step.loops.back().var), outer_(step.loops[step.loops.size() - 2].var) {}

  std::optional<Strips> run(const Step& step) const {
    Strips out;
    out.inner = inner_;
    out.outer = outer_;
    bool has_any = false;
    for_each_access([&](const RegionAccess& access, AccessRef) {
      if (!is_across(access)) return;
      has_any = true;
      if (!out.across && has_view(access)) out.across = access.matrix;
    });
    if (!has_any) return std::nullopt;
    out.requests_across = requests([this](const RegionAccess& access) { return is_across(access); });
    out.requests_along = requests([this](const RegionAccess& access) { return is_along(access); });
    out.length = shape_.loop_value(TunableRole::Strip, kStripColumns);
    if (out.across && may_stream(step))
      out.stores = shape_.loop_value(TunableRole::Stores, static_cast<std::int64_t>(SizeRule::BySize));
    return out;
  }

 private:
  /// Whether the innermost loop moves the access across the rows.
  bool is_across(const RegionAccess& access) const { return moves(access, outer_, inner_); }
  /// Whether the innermost loop moves the access along a row, and the next loop moves it to another row.
  bool is_along(const RegionAccess& access) const { return moves(access, inner_, outer_); }

  template <class Visit>
  void for_each_access(Visit visit) const {
    for (std::size_t i = 0; i < shape_.rule.outputs.size(); ++i) visit(shape_.rule.outputs[i], AccessRef{true, i});
    for (std::size_t i = 0; i < shape_.rule.inputs.size(); ++i) visit(shape_.rule.inputs[i], AccessRef{false, i});
  }

  /// Whether the loops reach the access's matrix through a view, and the access names no version.
  bool has_view(const RegionAccess& access) const {
    if (access.is_slice || access.is_guest) return false;
    return std::any_of(shape_.matrices.begin(), shape_.matrices.end(),
                       [&](const RuleMatrix& use) { return use.matrix == access.matrix && !use.needs_handle; });
  }

  /// Returns the accesses of one kind whose cells are prefetched. One per matrix is enough, because neighbours share
  /// cache lines.
  template <class IsKind>
  std::vector<AccessRef> requests(IsKind is_kind) const {
    std::vector<AccessRef> out;
    std::set<MatrixId> seen;
    for_each_access([&](const RegionAccess& access, AccessRef ref) {
      if (is_kind(access) && has_view(access) && seen.insert(access.matrix).second) out.push_back(ref);
    });
    return out;
  }

  /// Whether each instance stores one value, and the stores go along the rows and nowhere else.
  bool may_stream(const Step& step) const {
    const Rule& rule = shape_.rule;
    if (!rule.is_return_form || shape_.facts.may_fall_through || !rule.tried.empty() || rule.is_dynamic ||
        !step.conditions.empty())
      return false;
    const auto is_plain = [](const RegionAccess& input) {
      return !input.may_be_outside() && input.tested_dims.empty();
    };
    const RegionAccess& output = rule.outputs[0];
    return std::all_of(rule.inputs.begin(), rule.inputs.end(), is_plain) && is_along(output) && has_view(output) &&
           coefficient_of(output.lo[0], inner_) == 1;
  }

  const RuleShape& shape_;
  std::string inner_, outer_;
};

}  // namespace

std::optional<Strips> find_strips(const RuleShape& rule, const Step& step) {
  const std::size_t num_loops = step.loops.size();
  if (num_loops < 2 || !step.is_data_parallel || rule.has_calls()) return std::nullopt;
  const LoopDim& inner = step.loops[num_loops - 1];
  if (!inner.is_plain() || !step.loops[num_loops - 2].is_plain()) return std::nullopt;
  if (index_sub(inner.range.hi, inner.range.lo).is_const(1)) return std::nullopt;
  return StripFinder(rule, step).run(step);
}

}  // namespace pb
