// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/lane_accesses.h"

#include <cstddef>
#include <string_view>

#include "clgen/facts/rule_facts.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Whether the extents of a region stay the same when `symbol` advances.
bool keeps_extents(const RegionAccess& access, std::string_view symbol) {
  if (access.kind != AccessKind::Region) return true;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto lo = coefficient_of(access.lo[d], symbol);
    if (!lo || lo != coefficient_of(access.hi[d], symbol)) return false;
  }
  return true;
}

/// Whether the access is a row of a plane, and neighbouring instances have neighbouring rows.
bool is_own_row(const RegionAccess& access, std::string_view lane_var) {
  if (access.kind != AccessKind::Row || access.num_body_dims() != 1) return false;
  for (std::size_t d = 0; d < access.lo.size(); ++d)
    if (coefficient_of(access.lo[d], lane_var) != (d == 1 ? 1 : 0)) return false;
  return true;
}

/// Finds how an access moves. Returns false if packs cannot follow it. `rows_fit` becomes false if only one row at a
/// time can.
bool find_lane_access(const RegionAccess& access, std::string_view lane_var, std::string_view row_var,
                      LaneAccess& result, bool& rows_fit) {
  const bool is_row = access.kind == AccessKind::Row;
  if (!keeps_extents(access, lane_var)) return false;
  rows_fit = rows_fit && (row_var.empty() || keeps_extents(access, row_var));
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto along = coefficient_of(access.lo[d], lane_var);
    if (!along || *along < 0 || *along > 1) return false;
    if (*along == 1 && (d != 0 || is_row)) return false;
    if (*along == 1) result.moves_along_row = true;
    if (row_var.empty()) continue;
    const auto across = coefficient_of(access.lo[d], row_var);
    if (!across || *across == 0) {
      rows_fit = rows_fit && across.has_value();
      continue;
    }
    // Rows and columns lose a dimension, so their other dimension has another number than in the matrix.
    const bool is_line = access.kind == AccessKind::Row || access.kind == AccessKind::Column;
    const bool is_hidden = access.is_slice && d + 1 == access.lo.size();
    const bool fits = *across == 1 && result.row_dim < 0 && !is_line && !is_hidden;
    rows_fit = rows_fit && fits;
    result.row_dim = static_cast<int>(d);
  }
  return true;
}

/// Whether the access is a column, or a region like one, so that neighbouring instances have neighbouring columns.
bool is_one_wide(const RegionAccess& access) {
  if (access.kind != AccessKind::Region) return access.kind == AccessKind::Column;
  const auto lo = to_rational(access.lo[0], {});
  const auto hi = to_rational(access.hi[0], {});
  return lo && hi && lo->denominator == 1 && hi->denominator == 1 &&
         index_sub(hi->numerator, lo->numerator).is_const(1);
}

/// Whether neighbouring rows read cells in common.
bool rows_share_reads(const Rule& rule, const Step& step, const PackFacts& facts) {
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    const LaneAccess& lanes = facts.inputs[i];
    if (!lanes.moves_along_row) continue;
    for (std::size_t k = 0; k < i; ++k)
      if (lanes.row_dim >= 0 && rule.inputs[k].matrix == rule.inputs[i].matrix &&
          facts.inputs[k].row_dim == lanes.row_dim)
        return true;
    for (const InputBox& box : step.input_boxes)
      if (box.input == i && box.extent_is_uniform && lanes.row_dim >= 0 &&
          !box.extent[static_cast<std::size_t>(lanes.row_dim)].is_const(1))
        return true;
  }
  return false;
}

}  // namespace

std::optional<PackFacts> find_lane_accesses(const Rule& rule, const Step& step, bool all_exist) {
  PackFacts facts;
  if (rule.is_dynamic || !rule.tried.empty()) return std::nullopt;
  if (!step.is_data_parallel || !rule.temporaries.empty()) return std::nullopt;
  facts.lane_var = step.loops.back().var;
  // Rows of a triangle have lanes of their own, so a pack covers one of them.
  if (step.loops.size() > 1 && step.loops.back().is_plain()) facts.row_var = step.loops[step.loops.size() - 2].var;
  bool rows_fit = !facts.row_var.empty();
  for (const RegionAccess& output : rule.outputs) {
    LaneAccess lanes;
    if (!find_lane_access(output, facts.lane_var, facts.row_var, lanes, rows_fit) || !lanes.moves_along_row)
      return std::nullopt;
    if (!is_element(output)) {
      if (!is_one_wide(output)) return std::nullopt;
      facts.writes_regions = true;
      rows_fit = false;
    }
    rows_fit = rows_fit && lanes.row_dim >= 0;
    facts.outputs.push_back(lanes);
  }
  for (const RegionAccess& input : rule.inputs) {
    LaneAccess lanes;
    if ((input.may_be_outside() && !all_exist) || !input.tested_dims.empty()) return std::nullopt;
    lanes.reads_own_row = !facts.writes_regions && is_own_row(input, facts.lane_var);
    if (!lanes.reads_own_row && !find_lane_access(input, facts.lane_var, facts.row_var, lanes, rows_fit))
      return std::nullopt;
    facts.inputs.push_back(lanes);
  }
  facts.is_tall = rows_fit && !facts.has_own_rows() && rows_share_reads(rule, step, facts);
  // If packs cover one row, the row variable is the same for all lanes.
  if (!facts.is_tall)
    for (auto* list : {&facts.inputs, &facts.outputs})
      for (LaneAccess& lanes : *list) lanes.row_dim = -1;
  return facts;
}

std::optional<std::vector<std::int64_t>> steps_along(const RegionAccess& access, std::string_view symbol) {
  if (!keeps_extents(access, symbol)) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const Formula& begin : access.lo) {
    const auto step = coefficient_of(begin, symbol);
    if (!step || *step != static_cast<std::int64_t>(*step)) return std::nullopt;
    out.push_back(static_cast<std::int64_t>(*step));
  }
  return out;
}

std::optional<PackFacts> find_tile_accesses(const Rule& rule, const Step& step, const std::string& row_var,
                                            const std::vector<PanelOf>& panels) {
  PackFacts facts;
  facts.lane_var = step.loops.back().var;
  facts.row_var = row_var;
  facts.is_tall = true;
  bool rows_fit = true;
  for (const RegionAccess& output : rule.outputs) {
    LaneAccess lanes;
    if (!find_lane_access(output, facts.lane_var, row_var, lanes, rows_fit) || !lanes.moves_along_row ||
        lanes.row_dim < 0)
      return std::nullopt;
    facts.outputs.push_back(lanes);
  }
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    LaneAccess lanes;
    if (panels[i] != PanelOf::None) {
      lanes.moves_along_row = panels[i] == PanelOf::Lanes;
      lanes.row_dim = panels[i] == PanelOf::Rows ? 0 : -1;
    } else if (!find_lane_access(rule.inputs[i], facts.lane_var, row_var, lanes, rows_fit)) {
      return std::nullopt;
    }
    facts.inputs.push_back(lanes);
  }
  return rows_fit ? std::optional(std::move(facts)) : std::nullopt;
}

}  // namespace pb
