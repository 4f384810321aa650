// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/piece_code.h"

#include <algorithm>

#include "clgen/cpp/context/condition_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// Returns the matrices as arguments of a loop function: handles where the loops need them, else views, which are those
/// of `fast` unless it is null.
std::vector<std::string> matrix_args(const RuleCode& code, const FastViews* fast) {
  std::vector<std::string> args;
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    if (use.needs_handle) {
      args.push_back(matrix.name);
    } else if (fast == nullptr || matrix.num_dims() == 0) {
      args.push_back(matrix.name + ".view()");
    } else {
      const bool is_apart = std::find(fast->apart.begin(), fast->apart.end(), use.matrix) != fast->apart.end();
      args.push_back(matrix.name + (is_apart ? ".apart_view()" : ".unit_view()"));
    }
  }
  return args;
}

}  // namespace

std::vector<Parameter> step_params(const RuleCode& code) {
  std::vector<Parameter> params = {{"pbrt::Frame&", "pb_frame"}};
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    params.push_back({"const " + region_type(matrix, matrix.role == MatrixRole::From) + "&", matrix.name});
  }
  for (Parameter& param : scalar_params(code, ScalarSet::Step)) params.push_back(std::move(param));
  return params;
}

std::vector<std::string> step_args(const RuleCode& code, const std::string& frame) {
  std::vector<std::string> args = {frame};
  for (const RuleMatrix& use : code.matrices) args.push_back(code.matrix(use.matrix).name);
  for (std::string& arg : scalar_args(code, ScalarSet::Step)) args.push_back(std::move(arg));
  return args;
}

std::vector<std::string> versioned_step_args(const TransformPlan& plan, const RuleCode& code,
                                             const std::string& frame) {
  std::vector<std::string> args = step_args(code, frame);
  for (std::size_t i = 0; i < code.matrices.size(); ++i) {
    const MatrixId id = code.matrices[i].matrix;
    const Nest* nest = nest_of_versions(plan, id);
    if (nest == nullptr) continue;
    const bool is_in_nest = std::any_of(nest->members.begin(), nest->members.end(), [&](const NestMember& member) {
      return plan.steps[member.step].rule == code.rule_id;
    });
    if (is_in_nest) continue;
    std::string version;
    for (const auto* accesses : {&code.rule.outputs, &code.rule.inputs})
      for (const RegionAccess& access : *accesses)
        if (access.matrix == id) version = to_wide_c(access.lo.back());
    std::string& arg = args[i + 1];
    arg = "pbrt::at_version(" + arg + ", " + version + ")";
  }
  return args;
}

std::optional<DeclaredViews> declare_views(Writer& out, const RuleCode& code, const std::optional<FastViews>& views,
                                           const std::string& name) {
  if (!views) return std::nullopt;
  const auto view = [&](MatrixId matrix) { return code.matrix(matrix).name + ".view()"; };
  out.line("const bool " + name + " = " + to_cpp(views->condition, {.view = view}) + ";");
  return DeclaredViews{*views, name};
}

std::string loops_call(const RuleCode& code, const std::string& function, const FastViews* fast,
                       const std::string& box) {
  std::vector<std::string> args;
  if (code.needs_frame()) args.emplace_back("pb_inner");
  for (std::string& arg : matrix_args(code, fast)) args.push_back(std::move(arg));
  for (std::string& arg : scalar_args(code, ScalarSet::Loops)) args.push_back(std::move(arg));
  if (!box.empty()) args.push_back(box);
  return function + "(" + joined(args) + ");";
}

void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, const Condition& in_packs,
                const std::optional<DeclaredViews>& fast, const std::string& box) {
  const std::string plain = loops_call(code, "loops_" + stem, nullptr, box);
  if (!fast) return out.line(plain);
  const Condition has_fast = Condition::named(fast->variable);
  if (!in_packs.is_never()) {
    out.open(if_text(Condition::all_of({has_fast, in_packs})));
    out.line(loops_call(code, "lanes_" + stem, &fast->views, box));
  }
  if (!in_packs.is_always()) {
    in_packs.is_never() ? out.open(if_text(has_fast)) : out.reopen("else " + if_text(has_fast));
    out.line(loops_call(code, "loops_" + stem, &fast->views, box));
  }
  out.reopen("else");
  out.line(plain);
  out.close();
}

}  // namespace pb
