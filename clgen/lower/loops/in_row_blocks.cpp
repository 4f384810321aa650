// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/in_row_blocks.h"

#include <algorithm>
#include <cstdint>

#include "base/loop_forms.h"
#include "clgen/lower/loops/strip_loops.h"
#include "lang/region/affine.h"
#include "lang/types.h"

namespace pb {
namespace {

constexpr int kLineBytes = 64;
/// Bytes that a block covers of the matrix with the largest elements.
constexpr int kBlockBytes = kBlockLines * kLineBytes;

/// Returns the cache line to request for an access, by its first cell. Returns none unless the innermost loop moves the
/// access along its rows, and loops outside of it, if there are any, move it to other rows. In the slower dimensions
/// the line is at the last position of the access. A stencil that moves to the next row finds the lines of its other
/// positions in a cache.
std::optional<LineRequest> line_of(const RuleShape& rule, const Step& step, const RegionAccess& access,
                                   bool is_output) {
  if (access.is_slice || access.is_guest || !access.tested_dims.empty() || access.lo.empty()) return std::nullopt;
  if (access.kind != AccessKind::Cell && access.kind != AccessKind::Region) return std::nullopt;
  const bool has_view = std::any_of(rule.matrices.begin(), rule.matrices.end(), [&](const RuleMatrix& use) {
    return use.matrix == access.matrix && !use.needs_handle;
  });
  if (!has_view) return std::nullopt;
  LineRequest line{access.matrix, is_output, {}};
  bool is_moved = step.loops.size() == 1;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto along = coefficient_of(access.lo[d], step.loops.back().var);
    if (along != (d == 0 ? 1 : 0)) return std::nullopt;
    const bool is_last = d > 0 && access.kind == AccessKind::Region;
    const auto at = to_rational(is_last ? access.hi[d] : access.lo[d], {});
    if (!at || at->denominator != 1) return std::nullopt;
    line.at.push_back(is_last ? index_sub(at->numerator, index_const(1)) : at->numerator);
    is_moved = is_moved || (d > 0 && has_rule_var(access.lo[d]));
  }
  return is_moved ? std::optional(line) : std::nullopt;
}

/// Whether `a` is in the same row as `b`, or in a row that loops reach later. The slowest dimension in which they
/// differ decides.
bool comes_with_or_after(const LineRequest& a, const LineRequest& b) {
  for (std::size_t d = a.at.size(); d-- > 1;) {
    const IndexExpr distance = index_sub(a.at[d], b.at[d]);
    if (distance.is_const(0)) continue;
    return distance.op == IndexExpr::Op::Const && distance.value > 0;
  }
  return true;
}

/// Returns one line per matrix, in the row of its accesses that loops reach first. Rows whose order is not known have a
/// line each.
std::vector<LineRequest> lines_of(const RuleShape& rule, const Step& step) {
  std::vector<LineRequest> lines;
  const auto add = [&](const RegionAccess& access, bool is_output) {
    const std::optional<LineRequest> line = line_of(rule, step, access, is_output);
    if (!line) return;
    for (LineRequest& other : lines) {
      if (other.matrix != line->matrix) continue;
      if (comes_with_or_after(other, *line)) return;
      if (comes_with_or_after(*line, other)) {
        other.at = line->at;
        return;
      }
    }
    lines.push_back(*line);
  };
  for (const RegionAccess& output : rule.rule.outputs) add(output, true);
  for (const RegionAccess& input : rule.rule.inputs) add(input, false);
  return lines;
}

int element_bytes(const RuleShape& rule, MatrixId id) {
  const Matrix& matrix = rule.matrix(id);
  return size_bytes(matrix.is_element_t ? rule.element : matrix.element);
}

/// Whether each instance is a value and tests nothing, blocks are whole lines of these values, and no instance reads
/// the matrix. Lines that are read anyway need not be fetched for writing.
bool may_stream(const RuleShape& shape, const RowBlocks& blocks) {
  const Rule& rule = shape.rule;
  if (!rule.is_return_form || shape.facts.may_fall_through || blocks.lines[0].matrix != rule.outputs[0].matrix)
    return false;
  const MatrixId output = rule.outputs[0].matrix;
  const auto is_in_the_way = [&](const RegionAccess& input) {
    return input.matrix == output || input.is_guest || !input.tested_dims.empty();
  };
  return blocks.lines[0].is_output && std::none_of(rule.inputs.begin(), rule.inputs.end(), is_in_the_way) &&
         blocks.length * element_bytes(shape, output) % kLineBytes == 0;
}

}  // namespace

std::optional<RowBlocks> find_row_blocks(const RuleShape& rule, const Step& step) {
  if (step.loops.empty() || !step.loops.back().is_plain() || step.loops.back().order == LoopOrder::Decreasing)
    return std::nullopt;
  if (!rule.rule.tried.empty() || rule.rule.is_dynamic || find_strips(rule, step) || !step.conditions.empty())
    return std::nullopt;
  RowBlocks out;
  out.var = step.loops.back().var;
  out.size_rule = rule.loop_value(TunableRole::RowBlock, static_cast<std::int64_t>(SizeRule::BySize));
  out.lines_ahead = rule.loop_value(TunableRole::RowAhead, kRowLinesAhead);
  out.lines = lines_of(rule, step);
  const auto is_output = [](const LineRequest& line) { return line.is_output; };
  if (std::none_of(out.lines.begin(), out.lines.end(), is_output)) return std::nullopt;
  int bytes = 1;
  for (const LineRequest& line : out.lines) bytes = std::max(bytes, element_bytes(rule, line.matrix));
  out.length = kBlockBytes / bytes;
  for (LineRequest& line : out.lines)
    line.count = std::max(1, out.length * element_bytes(rule, line.matrix) / kLineBytes);
  if (may_stream(rule, out))
    out.stores = rule.loop_value(TunableRole::Stores, static_cast<std::int64_t>(SizeRule::BySize));
  return out;
}

}  // namespace pb
