// SPDX-License-Identifier: MIT
#include "clgen/cpp/row_block_code.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "clgen/cpp/strip_code.h"
#include "clgen/index_width.h"
#include "clgen/lower/condition.h"
#include "clgen/names.h"
#include "lang/check.h"
#include "lang/region/affine.h"
#include "lang/types.h"

namespace pb {
namespace {

constexpr int kLineBytes = 64;
/// What a block takes of the matrix with the largest elements.
constexpr int kBlockBytes = 2 * kLineBytes;

/// Where an instance touches a matrix: the first cell of a line, in the slower dimensions the last position of the
/// access. A stencil that moves to the next row finds the lines of its other positions in a cache.
struct Line {
  MatrixId matrix;
  bool is_output = false;
  std::vector<IndexExpr> at;
};

/// The position, if loops outside of the innermost one move the access and that one moves it along its rows.
std::optional<Line> line_of(const RuleCode& code, const Step& step, const RegionAccess& access, bool is_output) {
  if (access.is_slice || access.is_guest || !access.tested_dims.empty() || access.lo.empty()) return std::nullopt;
  if (access.kind != AccessKind::Cell && access.kind != AccessKind::Region) return std::nullopt;
  const bool has_view = std::any_of(code.matrices.begin(), code.matrices.end(), [&](const RuleMatrix& use) {
    return use.matrix == access.matrix && !use.needs_handle;
  });
  if (!has_view) return std::nullopt;
  Line line{access.matrix, is_output, {}};
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

/// Whether `a` is in the row of `b`, or in one that loops come to later: compared in the slowest dimension that
/// differs.
bool comes_with_or_after(const Line& a, const Line& b) {
  for (std::size_t d = a.at.size(); d-- > 1;) {
    const IndexExpr distance = index_sub(a.at[d], b.at[d]);
    if (distance.is_const(0)) continue;
    return distance.op == IndexExpr::Op::Const && distance.value > 0;
  }
  return true;
}

/// One line per matrix and row that loops come to first.
std::vector<Line> lines_of(const RuleCode& code, const Step& step) {
  std::vector<Line> lines;
  const auto add = [&](const RegionAccess& access, bool is_output) {
    const std::optional<Line> line = line_of(code, step, access, is_output);
    if (!line) return;
    for (Line& other : lines) {
      if (other.matrix != line->matrix) continue;
      if (comes_with_or_after(other, *line)) return;
      if (comes_with_or_after(*line, other)) {
        other.at = line->at;
        return;
      }
    }
    lines.push_back(*line);
  };
  for (const RegionAccess& output : code.rule.outputs) add(output, true);
  for (const RegionAccess& input : code.rule.inputs) add(input, false);
  return lines;
}

int element_bytes(const RuleCode& code, MatrixId id) {
  const Matrix& matrix = code.matrix(id);
  return size_bytes(matrix.is_element_t ? code.element : matrix.element);
}

/// Instances of a block.
int block_length(const RuleCode& code, const std::vector<Line>& lines) {
  int bytes = element_bytes(code, lines.front().matrix);
  for (const Line& line : lines) bytes = std::max(bytes, element_bytes(code, line.matrix));
  return kBlockBytes / bytes;
}

}  // namespace

bool has_row_blocks(const RuleCode& code, const Step& step) {
  if (step.loops.empty() || !step.loops.back().is_plain() || step.loops.back().order == LoopOrder::Decreasing)
    return false;
  if (!code.tried.empty() || code.rule.is_dynamic || has_strips(code, step) || !step.conditions.empty()) return false;
  const std::vector<Line> lines = lines_of(code, step);
  return std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.is_output; });
}

void emit_row_block_test(Writer& out, const RuleCode& code, const Step& step) {
  std::vector<Condition> terms;
  for (const Line& line : lines_of(code, step))
    if (line.is_output) terms.push_back(Condition::flag("pbrt::has_far_rows(" + code.matrix(line.matrix).name + ")"));
  out.line("const bool pb_is_far = " + to_cpp(Condition::any_of(std::move(terms))) + ";");
}

void emit_row_blocks(Writer& out, const RuleCode& code, const Step& step, const std::string& first,
                     const std::string& last, const std::function<void()>& instance) {
  const std::vector<Line> lines = lines_of(code, step);
  const std::string& var = step.loops.back().var;
  const int length = block_length(code, lines);
  const std::string block = std::to_string(length);
  out.line("IndexT pb_block = " + first + ";");
  out.open("for (; pb_is_far && " + last + " - pb_block >= " + block + "; pb_block += " + block + ")");
  out.open("");
  out.line("[[maybe_unused]] const std::int64_t " + var + " = pb_block + pbrt::kRowBlocksAhead * " + block + ";");
  for (const Line& line : lines) {
    std::string at;
    for (std::size_t d = 0; d < line.at.size(); ++d)
      at += (d == 0 ? "" : ", ") + to_index_cpp(line.at[d], code.transform, kCellInside);
    const int count = std::max(1, length * element_bytes(code, line.matrix) / kLineBytes);
    out.line("pbrt::request_lines<" + std::to_string(count) + ", " + (line.is_output ? "true" : "false") + ">(" +
             code.matrix(line.matrix).name + ".line_of(" + at + "));");
  }
  out.close();
  const auto loop = [&](const std::string& end, bool is_block) {
    out.line(is_block ? "PB_INDEPENDENT PB_ROLLED" : "PB_INDEPENDENT");
    out.open("for (IndexT " + var + " = pb_block; " + var + " < " + end + "; ++" + var + ")");
    instance();
    out.close();
  };
  // Rolled: unrolled before it becomes vectors, a body with choices would not become any.
  loop("pb_block + " + block, true);
  out.close();
  loop(last, false);
}

}  // namespace pb
