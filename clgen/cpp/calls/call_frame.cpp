// SPDX-License-Identifier: MIT
#include "clgen/cpp/calls/call_frame.h"

#include <algorithm>
#include <set>

#include "base/reaches_itself.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns the name if the argument of a call is only a name, else an empty text.
std::string plain_name(const Body& body, ExprId arg) {
  const auto* name = std::get_if<NameExpr>(&body.exprs[arg].node);
  return name != nullptr ? name->text : "";
}

/// Whether the transform is one rule that only calls others, each for outputs that no other call writes. If the
/// transform's outputs are results of the run, those of the calls are results, too.
bool only_makes_results(const Program& program, const Transform& transform) {
  if (transform.rules.size() != 1) return false;
  const Rule& rule = transform.rules[RuleId(0)];
  if (!rule.vars.empty() || rule.calls.empty()) return false;
  const auto is_call = [&](StmtId id) {
    const auto* call = std::get_if<TransformCallStmt>(&rule.body.stmts[id].node);
    return call != nullptr && !call->is_spawn;
  };
  const auto& stmts = std::get<BlockStmt>(rule.body.stmts[rule.body.root].node).stmts;
  if (!std::all_of(stmts.begin(), stmts.end(), is_call)) return false;
  std::set<std::string> unwritten;
  for (const RegionAccess& output : rule.outputs) unwritten.insert(output.binding);
  return std::all_of(rule.calls.begin(), rule.calls.end(), [&](const TransformCall& call) {
    if (call.targets.size() != 1) return false;
    const std::size_t num_outputs = program.transforms[call.targets.front()].matrices_of(MatrixRole::To).size();
    return std::all_of(call.args.begin(), call.args.begin() + static_cast<std::ptrdiff_t>(num_outputs),
                       [&](ExprId arg) { return unwritten.erase(plain_name(rule.body, arg)) == 1; });
  });
}

/// Whether a call of the transform may lead to another one of it.
bool calls_itself(const CallContext& call) {
  return reaches_itself(
      call.id, [&](TransformId id) -> const auto& { return call.context.plan.transforms[id.index()].calls; });
}

/// Prints `pb_call`, which stops a recursion that does not end.
void emit_recursive_call(Writer& out, const CallContext& call) {
  std::vector<std::string> numbers;
  for (const MatrixId id : call.transform.matrices_of(MatrixRole::From))
    if (call.transform.matrices[id].extents.empty())
      numbers.push_back("static_cast<double>(" + call.transform.matrices[id].name + ".cell())");
  const auto array = [&](const std::string& type, const std::string& name, const std::vector<std::string>& items) {
    if (items.empty()) return std::string("nullptr, 0");
    out.line("const " + type + " " + name + "[] = {" + joined(items) + "};");
    return name + ", " + std::to_string(items.size());
  };
  const std::string of_extents = array("std::int64_t", "pb_extents", call_extents(call.transform));
  const std::string of_numbers = array("double", "pb_numbers", numbers);
  out.line("const pbrt::RecursiveCall pb_call(pb_parent, " + std::to_string(call.id.index()) + ", " + of_extents +
           ", " + of_numbers + ");");
}

}  // namespace

void emit_frame(Writer& out, const CallContext& call) {
  const bool is_recursive = calls_itself(call);
  if (is_recursive) emit_recursive_call(out, call);
  const auto& cutoff = call.context.options.globals.sequential_cutoff;
  out.line("pbrt::CallFrame pb_frame(pb_parent, " + largest_extent(call.transform) +
           (cutoff ? ", " + std::to_string(*cutoff) : "") + ");");
  if (is_recursive) out.line("pb_call.enter(pb_frame);");
  if (call.context.lowered.has_kernels && only_makes_results(call.context.program, call.transform))
    out.line("pb_frame.pass_root(pb_parent);");
}

}  // namespace pb
