// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/call_storage.h"

#include <utility>

#include "clgen/cpp/context/band_flags.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/lower/tree/condition.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Returns the extent of a temporary. `touched` is the condition that a step needs the matrix whatever its size is;
/// else a temporary of negative size has no cells.
std::string extent_of_temporary(const Formula& extent, const Condition& touched) {
  std::string text = to_wide_c(extent);
  if (touched.is_always() || is_never_negative(extent)) return text;
  const std::string cut = "pbrt::index_max(0, " + text + ")";
  return touched.is_never() ? cut : "(" + selected_text(touched, "std::int64_t{" + text + "}", cut) + ")";
}

std::string uncovered_call(const CallContext& call, const UncoveredBox& box, const std::vector<std::string>& cell) {
  return "pbrt::uncovered_cell(" + quoted(call.transform.name) + ", " +
         quoted(call.transform.matrices[box.matrix].name) + ", {" + joined(cell) + "});";
}

/// Prints a search for a cell of the box that satisfies the conditions. Only small sizes get past the guards.
void emit_uncovered_search(Writer& out, const CallContext& call, const UncoveredBox& box, const Condition& guards) {
  const std::vector<std::string> dims = cell_dims(static_cast<int>(box.box.size()));
  std::vector<std::pair<std::string, IndexExpr>> names;
  std::vector<std::string> cell;
  for (const std::string& dim : dims) {
    cell.push_back("pb_cell" + std::to_string(cell.size()));
    names.emplace_back(dim, index_symbol(cell.back()));
  }
  out.open(if_text(guards));
  for (std::size_t d = dims.size(); d-- > 0;)
    out.open("for (std::int64_t " + cell[d] + " = " + to_cpp(box.box[d].lo) + "; " + cell[d] + " < " +
             to_cpp(box.box[d].hi) + "; ++" + cell[d] + ")");
  std::vector<Condition> terms;
  for (const IndexExpr& condition : box.conditions)
    terms.push_back(Condition::at_least_zero(substitute(condition, names)));
  out.line(guarded_text(Condition::all_of(std::move(terms)), uncovered_call(call, box, cell)));
  for (std::size_t d = 0; d <= dims.size(); ++d) out.close();
}

/// How many versions of the temporary have memory. Devices give each of them a place of its own.
std::string kept_versions(const CallContext& call, MatrixId id) {
  if (!is_in_place(call.plan, id)) return "2";
  return call.context.lowered.has_kernels ? call.frame + ".has_device() ? 2 : 1" : "1";
}

}  // namespace

void emit_temporaries(Writer& out, const CallContext& call, const StepConditions& conditions) {
  for (const MatrixId id : call.transform.matrices_of(MatrixRole::Through)) {
    const Matrix& matrix = call.transform.matrices[id];
    std::vector<std::string> extents;
    const Condition touched = conditions.is_touched_whole(id);
    for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
      extents.push_back(extent_of_temporary(matrix.extents[d], touched));
      out.line("pbrt::check_extent(" + quoted(call.transform.name) + ", " + quoted(matrix.name) + ", " +
               std::to_string(d) + ", " + quoted(to_string(matrix.extents[d])) + ", " + extents.back() + ");");
    }
    const std::string type = region_type(matrix, false);
    std::string storage = type + "::allocate(" + joined(extents) + ")";
    if (nest_of_versions(call.plan, id) != nullptr)
      storage = "pbrt::allocate_versions<" + type + ">(" + kept_versions(call, id) + ", " + joined(extents) + ")";
    const std::vector<std::string> flags = flags_without(lowered_of(call.context, call.id), id);
    if (!flags.empty())
      storage =
          "(" + joined(flags, " || ") + ") ? pbrt::without_memory<" + type + ">(" + joined(extents) + ") : " + storage;
    out.line("const " + type + " " + matrix.name + " = " + selected_text(conditions.is_used(id), storage, type + "()") +
             ";");
    if (call.context.lowered.has_kernels && !matrix.extents.empty() && !call.context.options.is_checked)
      out.line("pbrt::note_new(" + call.frame + ", " + matrix.name + ");");
  }
}

void emit_uncovered(Writer& out, const CallContext& call, const StepConditions* conditions) {
  for (const UncoveredBox& box : call.plan.uncovered) {
    if ((call.transform.matrices[box.matrix].role == MatrixRole::Through) != (conditions != nullptr)) continue;
    const Condition read = conditions == nullptr ? Condition::always() : conditions->is_read(box.matrix);
    std::vector<Condition> terms{read, all_at_least_zero(box.guards)};
    if (!box.conditions.empty()) {
      emit_uncovered_search(out, call, box, Condition::all_of(std::move(terms)));
      continue;
    }
    std::vector<std::string> cell;
    for (const IndexRange& range : box.box) {
      terms.push_back(Condition::non_empty(range));
      cell.push_back(to_cpp(range.lo));
    }
    out.line(guarded_text(Condition::all_of(std::move(terms)), uncovered_call(call, box, cell)));
  }
}

void emit_void_outputs(Writer& out, const CallContext& call, const StepConditions& conditions) {
  if (!call.context.lowered.has_kernels || call.context.options.is_checked) return;
  const RuleShapes& rules = lowered_of(call.context, call.id).rules;
  for (const MatrixId id : call.transform.matrices_of(MatrixRole::To)) {
    if (!is_scattered(call.plan, id)) continue;
    bool is_new = true;
    std::vector<Condition> on_device;
    for (const StepId step : call.plan.steps.ids())
      for (const RuleMatrix& use : rules[call.plan.steps[step].rule].matrices) {
        if (use.matrix != id || !use.is_output) continue;
        is_new = is_new && use.is_overwritten;
        if (conditions.has_device(step)) on_device.push_back(conditions.tries_device(step));
      }
    const Condition any = Condition::any_of(std::move(on_device));
    if (!is_new || any.is_never()) continue;
    std::vector<std::string> args{call.frame, call.transform.matrices[id].name};
    for (const MatrixId input : call.transform.matrices_of(MatrixRole::From))
      if (!call.transform.matrices[input].extents.empty()) args.push_back(call.transform.matrices[input].name);
    out.line(guarded_text(any, "pbrt::note_void(" + joined(args) + ");"));
  }
}

}  // namespace pb
