// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/instance_count.h"

#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/loops/loop_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/lower/tree/condition.h"

namespace pb {
namespace {

/// Opens a loop that counts upwards, whatever the order of the step's loop is: the number of instances does not depend
/// on it.
void open_loop(Writer& out, const RuleCode& code, const LoopDim& loop, const std::string& dim) {
  std::string lo = lower_bound_text(code, loop, dim);
  const std::string hi = upper_bound_text(code, loop, dim);
  if (loop.stride > 1)
    lo = "pbrt::next_on_lattice(" + lo + ", " + std::to_string(loop.stride) + ", " +
         to_index_cpp(loop.offset, code.transform) + ")";
  const std::string end = "pb_hi_" + loop.var;
  out.line("const IndexT " + end + " = static_cast<IndexT>(" + hi + ");");
  out.open("for (IndexT " + loop.var + " = static_cast<IndexT>(" + lo + "); " + loop.var + " < " + end + "; " +
           loop.var + " += " + std::to_string(loop.stride) + ")");
}

}  // namespace

void emit_instance_count(Writer& out, const RuleCode& code, const Step& step, const std::string& stem) {
  Writer body;
  body.indent();
  for (std::size_t i = 0; i < step.loops.size(); ++i)
    open_loop(body, code, step.loops[i], std::to_string(step.loops.size() - 1 - i));
  const auto spell = [&](const IndexExpr& expr) { return to_index_cpp(expr, code.transform); };
  body.line(guarded_text(all_at_least_zero(step.conditions), "++pb_count;", {spell}));
  for (std::size_t i = 0; i < step.loops.size(); ++i) body.close();
  emit_count_function(out, code, stem, {"const " + box_type(step) + "&", "pb_box"}, body);
}

void emit_count_function(Writer& out, const RuleCode& code, const std::string& stem, const Parameter& box,
                         const Writer& body) {
  Writer statements;
  statements.indent();
  emit_scalar_constants(statements, code, ScalarSet::Loops);
  statements.line("std::int64_t pb_count = 0;");
  statements.verbatim(body.text());
  statements.line("return pb_count;");
  std::vector<Parameter> params = scalar_params(code, ScalarSet::Loops);
  params.push_back(box);
  emit_function(out, "[[maybe_unused]] PB_COLD static std::int64_t count_" + stem, params, statements);
  out.blank();
}

std::string count_call(const RuleCode& code, const std::string& stem, const std::string& box) {
  std::vector<std::string> args = scalar_args(code, ScalarSet::Loops);
  args.push_back(box);
  return "count_" + stem + "(" + joined(args) + ")";
}

std::string counted_scope(const std::string& frame, const std::string& rule, const std::vector<std::string>& counts) {
  return "const pbrt::RuleScope pb_scope(" + frame + ", " + rule + ", [&] { return " + joined(counts, " + ") + "; });";
}

}  // namespace pb
