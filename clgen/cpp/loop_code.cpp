// SPDX-License-Identifier: MIT
#include "clgen/cpp/loop_code.h"

#include <algorithm>
#include <utility>

#include "clgen/cpp/host_care.h"
#include "clgen/cpp/independence.h"
#include "clgen/cpp/instance_code.h"
#include "clgen/cpp/optional_ranges.h"
#include "clgen/cpp/packs.h"
#include "clgen/cpp/row_block_code.h"
#include "clgen/cpp/strip_code.h"
#include "clgen/cpp/uniformity.h"
#include "clgen/index_width.h"
#include "clgen/names.h"
namespace pb {

std::string box_type(const Step& step) { return "pbrt::Box<" + std::to_string(step.loops.size()) + ">"; }

namespace {

/// A bound of the box with others: inside the box, which an int holds, also where those are beyond.
std::string bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim, bool is_lower) {
  const std::vector<IndexExpr>& others = is_lower ? loop.lower : loop.upper;
  const std::string lo = "pb_box.lo[" + dim + "]";
  const std::string hi = "pb_box.hi[" + dim + "]";
  std::vector<std::string> terms = {is_lower ? lo : hi};
  bool may_be_beyond = false;
  for (const IndexExpr& bound : others) {
    terms.push_back("std::int64_t{" + to_index_cpp(bound, code.transform) + "}");
    may_be_beyond = may_be_beyond || !fits_int(bound, code.transform);
  }
  if (others.empty()) return terms[0];
  const std::string text = (is_lower ? "pbrt::index_max(" : "pbrt::index_min(") + joined(terms) + ")";
  if (!may_be_beyond) return text;
  return is_lower ? "pbrt::index_min(" + hi + ", " + text + ")" : "pbrt::index_max(" + lo + ", " + text + ")";
}

}  // namespace

std::string lower_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim) {
  return bound_text(code, loop, dim, true);
}

std::string upper_bound_text(const RuleCode& code, const LoopDim& loop, const std::string& dim) {
  return bound_text(code, loop, dim, false);
}

namespace {

/// Bounds of a loop that depend on nothing but the box, as constants before all loops.
void emit_plain_bounds(Writer& out, const LoopDim& loop, const std::string& dim, bool has_end) {
  out.line("const IndexT pb_lo_" + loop.var + " = static_cast<IndexT>(pb_box.lo[" + dim + "]);");
  if (has_end) out.line("const IndexT pb_hi_" + loop.var + " = static_cast<IndexT>(pb_box.hi[" + dim + "]);");
}

/// Bounds and stride that depend on the loops outside.
void emit_inner_bounds(Writer& out, const RuleCode& code, const LoopDim& loop, const std::string& dim) {
  std::string lo = lower_bound_text(code, loop, dim);
  std::string hi = upper_bound_text(code, loop, dim);
  const std::string lattice = std::to_string(loop.stride) + ", " + to_index_cpp(loop.offset, code.transform) + ")";
  if (loop.stride > 1 && loop.order == LoopOrder::Decreasing) {
    hi = "pbrt::last_on_lattice(" + hi + " - 1, " + lattice + " + 1";
  } else if (loop.stride > 1) {
    lo = "pbrt::next_on_lattice(" + lo + ", " + lattice;
  }
  out.line("const IndexT pb_lo_" + loop.var + " = static_cast<IndexT>(" + lo + ");");
  out.line("const IndexT pb_hi_" + loop.var + " = static_cast<IndexT>(" + hi + ");");
}

/// Whether the innermost loop has one iteration whatever the sizes are: along a border of the slower dimensions.
bool is_thin(const Step& step) {
  const LoopDim& loop = step.loops.back();
  return step.loops.size() > 1 && loop.is_plain() && index_sub(loop.range.hi, loop.range.lo).is_const(1);
}

std::string loop_head(const LoopDim& loop) {
  const std::string& var = loop.var;
  const auto moved = [&](const std::string& sign) {
    return loop.stride > 1 ? var + " " + sign + "= " + std::to_string(loop.stride) : sign + sign + var;
  };
  return loop.order == LoopOrder::Decreasing
             ? "for (IndexT " + var + " = pb_hi_" + var + " - 1; " + var + " >= pb_lo_" + var + "; " + moved("-") + ")"
             : "for (IndexT " + var + " = pb_lo_" + var + "; " + var + " < pb_hi_" + var + "; " + moved("+") + ")";
}

/// Whether compilers may run the instances of the innermost loop side by side: straight-line code, and what becomes it.
bool may_run_in_vectors(const RuleCode& code, const Step& step, bool all_exist) {
  if (step.loops.empty() || code.has_calls()) return false;
  const auto facts = find_pack_facts(code.rule, step, code.element, all_exist);
  if (facts) return is_left_to_compilers(code, *facts);
  // Of cells across the rows alone vectors would be gathered; beside others they pay.
  const auto is_plain = [](const RegionAccess& input) {
    return is_element(input) && !input.may_be_outside() && input.tested_dims.empty();
  };
  const bool may_cross_rows = has_strips(code, step) && step.is_data_parallel && code.rule.inputs.size() > 1 &&
                              code.tried.empty() && !code.rule.is_dynamic &&
                              std::all_of(code.rule.inputs.begin(), code.rule.inputs.end(), is_plain);
  return has_independent_instances(code.rule, step, all_exist) || (may_cross_rows && has_independent_body(code.rule));
}

void emit_conditional_instance(Writer& out, const RuleCode& code, const Step& step, const InstancePlace& place) {
  const Condition is_instance = all_at_least_zero(step.conditions);
  const auto spell = [&](const IndexExpr& expr) { return to_index_cpp(expr, code.transform); };
  if (!is_instance.is_always()) out.open(if_text(is_instance, spell));
  emit_with_care(out, code, step, care_of(code, step), [&] { emit_instance(out, code, place); });
  if (!is_instance.is_always()) out.close();
}

/// The innermost loop in three parts: before and behind those instances whose cells all lie inside each is tested.
void emit_optional_loops(Writer& out, const RuleCode& code, const Step& step) {
  const std::string& var = step.loops.back().var;
  const auto head = [&](const std::string& first, const std::string& last) {
    return "for (IndexT " + var + " = pb_" + first + "_" + var + "; " + var + " < pb_" + last + "_" + var + "; ++" +
           var + ")";
  };
  const std::vector<RowCoordinate> rows = row_coordinates(code, var);
  emit_row_coordinates(out, rows);
  emit_optional_range(out, code, step);
  out.open("const auto pb_tested = [&](const IndexT " + var + ")");
  emit_conditional_instance(out, code, step, {false, false, rows});
  out.close(";");
  out.line(head("lo", "first") + " pb_tested(" + var + ");");
  const bool has_vectors = may_run_in_vectors(code, step, true);
  const auto instance = [&] { emit_conditional_instance(out, code, step, {true, false, rows}); };
  if (has_vectors && has_row_blocks(code, step)) {
    emit_row_blocks(out, code, step, "pb_first_" + var, "pb_last_" + var, instance);
  } else {
    if (has_vectors) out.line("PB_INDEPENDENT");
    out.open(head("first", "last"));
    instance();
    out.close();
  }
  out.line(head("last", "hi") + " pb_tested(" + var + ");");
}

}  // namespace

void emit_loops_function(Writer& out, const RuleCode& code, const std::string& head, const std::string& box_param,
                         const Writer& body) {
  std::vector<std::string> types;
  std::vector<std::string> params;
  if (code.has_calls()) params.emplace_back("pbrt::Frame& pb_frame");
  for (const RuleMatrix& use : code.matrices) {
    const std::string& matrix = code.matrix(use.matrix).name;
    types.push_back("class View_" + matrix);
    params.push_back("const View_" + matrix + " " + matrix);
  }
  for (std::string& param : scalar_params(code, ScalarSet::Loops)) params.push_back(std::move(param));
  if (!box_param.empty()) params.push_back(box_param);
  out.line("template <" + joined(types) + ">");
  Writer statements;
  statements.indent();
  emit_scalar_constants(statements, code, ScalarSet::Loops);
  open_watched(statements, code);
  statements.verbatim(body.text());
  close_watched(statements, code);
  emit_function(out, head, std::move(params), statements);
}

void emit_loops(Writer& to, const RuleCode& code, const Step& step, const std::string& name) {
  const std::size_t num_loops = step.loops.size();
  Writer out;
  out.indent();
  const std::size_t num_open = num_loops > 0 && is_thin(step) ? num_loops - 1 : num_loops;
  const bool is_striped = has_strips(code, step);
  const bool has_ranges = num_open == num_loops && has_optional_ranges(code, step);
  const bool has_vectors = may_run_in_vectors(code, step, has_ranges);
  const bool has_blocks = num_open == num_loops && has_vectors && has_row_blocks(code, step);
  const auto dim = [&](std::size_t i) { return std::to_string(num_loops - 1 - i); };
  for (std::size_t i = 0; i < num_loops; ++i)
    if (step.loops[i].is_plain()) emit_plain_bounds(out, step.loops[i], dim(i), i < num_open);
  if (has_blocks) emit_row_block_test(out, code, step);
  // Loops that are opened here; the innermost one or two are others' in some cases.
  const std::size_t num_own = num_loops - (is_striped ? 2 : has_ranges || has_blocks ? 1 : 0);
  for (std::size_t i = 0; i < num_loops; ++i) {
    const LoopDim& loop = step.loops[i];
    if (!loop.is_plain()) emit_inner_bounds(out, code, loop, dim(i));
    if (i >= num_own) continue;
    if (i + 1 == num_open && has_vectors) out.line("PB_INDEPENDENT");
    if (i < num_open) {
      out.open(loop_head(loop));
    } else {
      out.line("const IndexT " + loop.var + " = pb_lo_" + loop.var + ";");
    }
  }
  const auto instance = [&] { emit_conditional_instance(out, code, step, {}); };
  if (is_striped) {
    emit_strips(out, code, step, instance, has_vectors);
  } else if (has_ranges) {
    emit_optional_loops(out, code, step);
  } else if (has_blocks) {
    const std::string& var = step.loops.back().var;
    emit_row_blocks(out, code, step, "pb_lo_" + var, "pb_hi_" + var, instance);
  } else {
    instance();
  }
  for (std::size_t i = 0; i < std::min(num_open, num_own); ++i) out.close();
  emit_loops_function(to, code, "PB_LOOPS void " + name, num_loops == 0 ? "" : "const " + box_type(step) + "& pb_box",
                      out);
}

}  // namespace pb
