// SPDX-License-Identifier: MIT
#include "clgen/cpp/strip_code.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "clgen/cpp/instance_code.h"
#include "clgen/names.h"
#include "lang/check.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

const std::string& inner_var(const Step& step) { return step.loops.back().var; }
const std::string& outer_var(const Step& step) { return step.loops[step.loops.size() - 2].var; }

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

/// Against the rows: across them with the innermost loop.
bool is_across(const RegionAccess& access, const Step& step) { return moves(access, outer_var(step), inner_var(step)); }

/// Along a row with the innermost loop, and to another row with the next one.
bool is_along(const RegionAccess& access, const Step& step) { return moves(access, inner_var(step), outer_var(step)); }

template <class Visit>
void for_each_access(const Rule& rule, Visit visit) {
  for (const RegionAccess& access : rule.outputs) visit(access, true);
  for (const RegionAccess& access : rule.inputs) visit(access, false);
}

/// Whether the loops work on a view of its matrix, without versions.
bool has_view(const RuleCode& code, const RegionAccess& access) {
  if (access.is_slice || access.is_guest) return false;
  return std::any_of(code.matrices.begin(), code.matrices.end(),
                     [&](const RuleMatrix& use) { return use.matrix == access.matrix && !use.needs_handle; });
}

/// Statements that ask for the cells of one kind of access at the loops' variables; one per matrix, neighbours share
/// lines.
std::vector<std::string> requests(const RuleCode& code, const Step& step,
                                  bool (*is_kind)(const RegionAccess&, const Step&)) {
  std::vector<std::string> lines;
  std::set<MatrixId> seen;
  for_each_access(code.rule, [&](const RegionAccess& access, bool is_output) {
    if (!is_kind(access, step) || !has_view(code, access) || !seen.insert(access.matrix).second) return;
    std::string at;
    for (const std::string& coordinate : coordinates(access)) at += (at.empty() ? "" : ", ") + coordinate;
    lines.push_back("__builtin_prefetch(" + code.matrix_name(access) + ".line_of(" + at + ")" +
                    (is_output ? ", 1" : "") + ");");
  });
  return lines;
}

/// The matrix whose cells move across the rows, if the loops work on a view of it.
const Matrix* far_matrix(const RuleCode& code, const Step& step) {
  const Matrix* found = nullptr;
  for_each_access(code.rule, [&](const RegionAccess& access, bool) {
    if (found == nullptr && is_across(access, step) && has_view(code, access)) found = &code.matrix(access.matrix);
  });
  return found;
}

void emit_requests(Writer& out, const Step& step, const std::string& name, const std::vector<std::string>& requests) {
  const std::string type = requests.empty() ? "[[maybe_unused]] const IndexT " : "const IndexT ";
  out.open("const auto " + name + " = [&](" + type + inner_var(step) + ", " + type + outer_var(step) +
           ") PB_PREFETCHES");
  for (const std::string& request : requests) out.line(request);
  out.close(";");
}

/// Whether each instance stores one value, along the rows and nowhere else.
bool may_stream(const RuleCode& code, const Step& step) {
  const Rule& rule = code.rule;
  if (!rule.is_return_form || code.facts.may_fall_through || !code.tried.empty() || rule.is_dynamic ||
      !step.conditions.empty())
    return false;
  const auto is_plain = [](const RegionAccess& input) { return !input.may_be_outside() && input.tested_dims.empty(); };
  const RegionAccess& output = rule.outputs[0];
  return std::all_of(rule.inputs.begin(), rule.inputs.end(), is_plain) && is_along(output, step) &&
         has_view(code, output) && coefficient_of(output.lo[0], inner_var(step)) == 1;
}

void open_strips(Writer& out, const Step& step, const std::string& length) {
  const std::string& inner = inner_var(step);
  out.open("for (std::int64_t pb_strip = pb_lo_" + inner + "; pb_strip < pb_hi_" + inner + "; pb_strip += " + length +
           ")");
}

void open_rows(Writer& out, const Step& step) {
  const std::string& outer = outer_var(step);
  out.open("for (IndexT " + outer + " = pb_lo_" + outer + "; " + outer + " < pb_hi_" + outer + "; ++" + outer + ")");
}

/// Asks for cache lines that come later; `length`: of strips, if it is another one.
std::string prefetch_call(const Step& step, const std::string& length) {
  const std::string& inner = inner_var(step);
  const std::string& outer = outer_var(step);
  return "pbrt::prefetch_for_strip({pb_strip, pb_hi_" + inner + (length.empty() ? "" : ", " + length) + "}, {" + outer +
         ", pb_lo_" + outer + ", pb_hi_" + outer + "}, pb_along, pb_across);";
}

void emit_streamed_strips(Writer& out, const RuleCode& code, const Step& step) {
  const std::string& inner = inner_var(step);
  const RegionAccess& output = code.rule.outputs[0];
  const std::string view = "View_" + code.matrix_name(output);
  std::vector<std::string> along = requests(code, step, &is_along);
  std::erase_if(along, [](const std::string& request) { return request.ends_with(", 1);"); });
  emit_requests(out, step, "pb_along", along);
  open_strips(out, step, "pbrt::kStreamedStrip<" + view + ">");
  open_rows(out, step);
  out.line(prefetch_call(step, "pbrt::kStreamedStrip<" + view + ">"));
  out.open("const auto pb_begin = [&](const std::int64_t " + inner + ")");
  out.line("return static_cast<IndexT>(pbrt::line_start<" + view + ">({" + inner + ", pb_hi_" + inner + "}, pb_lo_" +
           inner + ", " + code.matrix_name(output) + ".line_of(" + joined(coordinates(output)) + ")));");
  out.close(";");
  out.line("const IndexT pb_last = pb_begin(pb_strip + pbrt::kStreamedStrip<" + view + ">);");
  out.open("for (IndexT " + inner + " = pb_begin(pb_strip); " + inner + " < pb_last; ++" + inner + ")");
  out.line("pbrt::stream(" + access_text(code, output) + ", " + value_text(code) + ");");
  for (int i = 0; i < 3; ++i) out.close();
  out.line("pbrt::end_streams();");
}

}  // namespace

bool has_strips(const RuleCode& code, const Step& step) {
  const std::size_t num_loops = step.loops.size();
  if (num_loops < 2 || !step.is_data_parallel || code.has_calls()) return false;
  const LoopDim& inner = step.loops[num_loops - 1];
  if (!inner.is_plain() || !step.loops[num_loops - 2].is_plain()) return false;
  if (index_sub(inner.range.hi, inner.range.lo).is_const(1)) return false;
  bool has = false;
  for_each_access(code.rule, [&](const RegionAccess& access, bool) { has |= is_across(access, step); });
  return has;
}

void emit_strips(Writer& out, const RuleCode& code, const Step& step, const std::function<void()>& emit_body,
                 bool has_vectors) {
  PB_CHECK(has_strips(code, step), "the loops run in strips");
  const bool is_far = far_matrix(code, step) != nullptr;
  if (is_far) {
    out.line("const bool pb_is_far = " + far_matrix(code, step)->name + ".count() > pbrt::kMaxNear;");
    emit_requests(out, step, "pb_across", requests(code, step, &is_across));
  }
  const bool is_streamed = is_far && may_stream(code, step);
  if (is_streamed) {
    const std::string& output = code.matrix_name(code.rule.outputs[0]);
    out.open("if (pbrt::is_streamed(" + output + "))");
    emit_streamed_strips(out, code, step);
    out.reopen("else");
  }
  if (is_far) emit_requests(out, step, "pb_along", requests(code, step, &is_along));
  const std::string& inner = inner_var(step);
  open_strips(out, step, "pbrt::kStrip");
  out.line("const IndexT pb_first = static_cast<IndexT>(pb_strip);");
  out.line("const IndexT pb_last = static_cast<IndexT>(pbrt::index_min(pb_hi_" + inner +
           ", pb_strip + pbrt::kStrip));");
  const auto emit_rows = [&](const std::string& end, bool has_requests) {
    open_rows(out, step);
    if (has_requests) out.line("if (pb_is_far) " + prefetch_call(step, ""));
    if (has_vectors) out.line("PB_INDEPENDENT PB_ROLLED");
    out.open("for (IndexT " + inner + " = pb_first; " + inner + " < " + end + "; ++" + inner + ")");
    emit_body();
    out.close();
    out.close();
  };
  // Near whole strips are short work: compilers know their length, and nothing is between their rows.
  out.open("if (" + std::string(is_far ? "!pb_is_far && " : "") + "pb_last == pb_first + pbrt::kStrip)");
  emit_rows("pb_first + static_cast<IndexT>(pbrt::kStrip)", false);
  out.reopen("else");
  emit_rows("pb_last", is_far);
  out.close();
  for (int i = 0; i < (is_streamed ? 2 : 1); ++i) out.close();
}

}  // namespace pb
