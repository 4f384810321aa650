// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/rule_code.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/rules/body_text.h"
#include "clgen/cpp/rules/lane_loop_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/facts/repeated_calls.h"
#include "clgen/facts/watched_args.h"
#include "clgen/lower/analysis/host_care.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

void add_names(const Formula& formula, std::set<std::string>& names);
void add_names(const Relation& relation, std::set<std::string>& names) {
  add_names(relation.lhs, names);
  add_names(relation.rhs, names);
}

bool has_device_version(const TransformPlan& plan, RuleId rule) {
  for (const Site& site : plan.sites)
    for (const Alternative& alternative : site.alternatives)
      if (alternative.versions.size() > 1 &&
          std::find(alternative.rules.begin(), alternative.rules.end(), rule) != alternative.rules.end())
        return true;
  return false;
}

std::vector<std::string> all_scalars(const Transform& transform) {
  std::vector<std::string> names;
  for (const SizeVar& var : transform.size_vars) names.push_back(var.name);
  for (const UserTunable& tunable : transform.tunables) names.push_back(tunable.name);
  return names;
}

}  // namespace

RuleCode::RuleCode(const CppContext& context, TransformId in_transform, RuleId in_rule)
    : RuleShape(lowered_of(context, in_transform).rules[in_rule]),
      scalar_inputs(scalar_inputs_of(transform, rule)),
      stem(rule_stem(context.program, in_transform, in_rule)),
      origin(context.options.checks_copies ? origin_of(context.sources, rule.span) : ""),
      checked_place(context.options.is_checked ? origin_of(context.sources, rule.span) : "") {
  for (const RuleId id : rule.tried) join_tried(RuleCode(context, transform_id, id));
  for (const Relation& relation : rule.where) add_names(relation, header_names);
  for (const Disjunction& disjunction : rule.where_any)
    for (const auto& all : disjunction.any)
      for (const Relation& relation : all) add_names(relation, header_names);
  for (const auto* list : {&rule.outputs, &rule.inputs}) {
    for (const RegionAccess& access : *list) {
      for (const Formula& bound : access.lo) add_names(bound, header_names);
      for (const Formula& bound : access.hi) add_names(bound, header_names);
      if (access.missing_value) add_names(*access.missing_value, header_names);
    }
  }
  for (const RuleTemporary& temporary : rule.temporaries)
    for (const Formula& extent : temporary.extents) add_names(extent, header_names);
  const TransformPlan& plan = context.plan.transforms[transform_id.index()];
  add_fold_names(lowered_of(context, in_transform));
  add_loop_values();
  for (const PlanTunable& tunable : plan.tunables) {
    if (!tunable.user) continue;
    if (auto text = constant_text(tunable, transform.tunables[*tunable.user]))
      constants.emplace(tunable.name, std::move(*text));
  }
  for (const Step& step : plan.steps)
    if (step.rule == rule_id) add_step_names(plan, step);
  for (const Nest& nest : plan.nests) {
    for (const NestMember& member : nest.members) {
      if (plan.steps[member.step].rule != rule_id) continue;
      for (const NestCoordinate& coordinate : member.coordinates)
        for (const std::string& name : symbols_of(coordinate.shift)) header_names.insert(name);
    }
  }
  // Kernels get all scalars of the transform.
  if (has_device_version(plan, rule_id))
    for (const std::string& name : all_scalars(transform)) step_names.insert(name);
}

void RuleCode::add_fold_names(const LoweredTransform& lowered) {
  const std::vector<LaneLoop>& lanes = lowered.lanes[rule_id];
  const std::vector<TaskLoop>& divided = lowered.task_loops[rule_id];
  const bool has_order =
      std::any_of(lanes.begin(), lanes.end(), [](const LaneLoop& loop) { return loop.rounds; }) ||
      std::any_of(divided.begin(), divided.end(), [](const TaskLoop& fold) { return fold.is_rounded; });
  if (has_order) {
    folds.any_order = fold_order_name(rule_id);
    tuned_params.push_back({rule_id, {"const bool", folds.any_order}});
  }
  if (!divided.empty()) {
    folds.chunk = fold_chunk_name(rule_id);
    tuned_params.push_back({rule_id, {"const std::int64_t", folds.chunk}});
  }
}

void RuleCode::add_loop_values() {
  for (const LoopValue& each : loop_values) {
    if (each.is_constant()) continue;
    const bool is_of_step =
        each.role == TunableRole::Packs || each.role == TunableRole::TimeRows || each.role == TunableRole::ScanChunk;
    const ScalarSet innermost = each.role == TunableRole::ReadAhead ? ScalarSet::Body
                                : is_of_step                        ? ScalarSet::Step
                                                                    : ScalarSet::Loops;
    tuned_params.push_back({rule_id, {"const std::int64_t", to_cpp(each.value)}, innermost});
  }
}

bool RuleCode::needs_frame() const {
  return has_frame() ||
         std::any_of(tried.begin(), tried.end(), [](const RuleCode& guest) { return guest.needs_frame(); });
}

void RuleCode::add_step_names(const TransformPlan& plan, const Step& step) {
  const auto add = [](const IndexExpr& bound, std::set<std::string>& names) {
    for (const std::string& name : symbols_of(bound)) names.insert(name);
  };
  const bool has_nest = std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) {
    return std::any_of(nest.members.begin(), nest.members.end(),
                       [&](const NestMember& member) { return &plan.steps[member.step] == &step; });
  });
  for (const LoopDim& loop : step.loops) {
    add(loop.offset, header_names);
    for (const IndexExpr& bound : loop.lower) add(bound, header_names);
    for (const IndexExpr& bound : loop.upper) add(bound, header_names);
    if (!has_nest) continue;
    add(loop.range.lo, header_names);
    add(loop.range.hi, header_names);
  }
  for (const IndexExpr& condition : step.conditions) add(condition, header_names);
  // The caller gives other steps the boxes that they write, so these need no names for them.
  if (!has_nest && !step.loops.empty()) return;
  for (const SegmentId segment : step.segments) {
    for (const IndexRange& range : plan.segments[segment].box) {
      add(range.lo, step_names);
      add(range.hi, step_names);
    }
  }
}

/// Joins a rule that instances try first: the functions of this rule's steps then get what `guest` needs, too.
void RuleCode::join_tried(RuleCode guest) {
  join(guest);
  tried.push_back(std::move(guest));
}

void RuleCode::join(const RuleCode& other) {
  join_matrices(other);
  for (const TunedParam& each : other.tuned_params)
    if (std::none_of(tuned_params.begin(), tuned_params.end(),
                     [&](const TunedParam& own) { return own.param.name == each.param.name; }))
      tuned_params.push_back(each);
  for (const auto* names : {&other.header_names, &other.facts.used_names, &other.facts.opaque_names})
    header_names.insert(names->begin(), names->end());
  step_names.insert(other.step_names.begin(), other.step_names.end());
}

namespace {

bool is_body_name(const RuleCode& code, const std::string& name) {
  return code.facts.used_names.contains(name) || code.facts.opaque_names.contains(name);
}

/// Whether a region of the rule hides the size variable `name` in the body.
bool is_hidden(const RuleCode& code, const std::string& name) {
  const auto has_name = [&](const RegionAccess& access) { return access.binding == name && !access.is_guest; };
  return std::any_of(code.rule.outputs.begin(), code.rule.outputs.end(), has_name) ||
         std::any_of(code.rule.inputs.begin(), code.rule.inputs.end(), has_name);
}

bool is_in(const RuleCode& code, ScalarSet set, const std::string& name) {
  if (set == ScalarSet::Body && is_hidden(code, name)) return false;
  if (is_body_name(code, name)) return true;
  if (set != ScalarSet::Body && code.header_names.contains(name)) return true;
  return set == ScalarSet::Step && code.step_names.contains(name);
}

/// Returns the values that say how loops run, and that functions of the set need: for the body the rule's own, and
/// around it those of joined rules, too.
std::vector<Parameter> tuned_params_of(const RuleCode& code, ScalarSet set) {
  std::vector<Parameter> out;
  for (const TunedParam& each : code.tuned_params)
    if (each.innermost <= set && (set != ScalarSet::Body || each.rule == code.rule_id)) out.push_back(each.param);
  return out;
}

/// Adds the names of all symbols of a formula.
void add_names(const Formula& formula, std::set<std::string>& names) {
  for (const SymbolKind kind : {SymbolKind::SizeVar, SymbolKind::Tunable, SymbolKind::Param, SymbolKind::RuleVar})
    for (const std::string& name : symbols_of(formula, kind)) names.insert(name);
}

}  // namespace

std::vector<Parameter> scalar_params(const RuleCode& code, ScalarSet set) {
  std::vector<Parameter> params;
  // Bodies and the loops around them know sizes as ints, but step functions compute boxes in 64 bits.
  const char* type = set == ScalarSet::Step ? "const std::int64_t" : "const IndexT";
  for (const SizeVar& var : code.transform.size_vars)
    if (is_in(code, set, var.name)) params.push_back({type, var.name});
  for (const UserTunable& tunable : code.transform.tunables) {
    if (!is_in(code, set, tunable.name) || code.constants.contains(tunable.name)) continue;
    params.push_back({"const " + tunable_type(tunable) + (tunable.array_extent > 0 ? "&" : ""), tunable.name});
  }
  for (Parameter& param : tuned_params_of(code, set)) params.push_back(std::move(param));
  return params;
}

std::vector<std::string> scalar_args(const RuleCode& code, ScalarSet set) {
  std::vector<std::string> args;
  for (const SizeVar& var : code.transform.size_vars)
    if (is_in(code, set, var.name)) args.push_back(var.name);
  for (const UserTunable& tunable : code.transform.tunables)
    if (is_in(code, set, tunable.name) && !code.constants.contains(tunable.name)) args.push_back(tunable.name);
  for (Parameter& param : tuned_params_of(code, set)) args.push_back(std::move(param.name));
  return args;
}

void emit_scalar_constants(Writer& out, const RuleCode& code, ScalarSet set) {
  for (const auto& [name, constant] : code.constants)
    if (is_in(code, set, name)) out.declare(constant.type, name, constant.value);
}

std::vector<std::string> used_rule_vars(const RuleCode& code) {
  std::vector<std::string> out;
  std::set<std::string> of_temporaries;
  for (const RuleTemporary& temporary : code.rule.temporaries)
    for (const Formula& extent : temporary.extents) add_names(extent, of_temporaries);
  for (const RuleVar& var : code.rule.vars)
    if (is_body_name(code, var.name) || of_temporaries.contains(var.name)) out.push_back(var.name);
  return out;
}

void open_function(Writer& out, const std::string& head, const std::vector<Parameter>& params) {
  std::vector<std::string> texts;
  for (const Parameter& param : params) texts.push_back(to_cpp(param));
  const std::string line = head + "(" + joined(texts) + ")";
  out.open(line.size() <= 118 ? line : head + "(" + joined(texts, ",\n    ") + ")");
}

void emit_function(Writer& out, const std::string& head, const std::vector<Parameter>& params, const Writer& body) {
  open_function(out, head, params);
  out.verbatim(body.text());
  out.close();
}

std::vector<std::string> coordinates(const RegionAccess& access) {
  std::vector<std::string> out;
  const std::size_t num_dims = access.lo.size() - (access.is_slice ? 1 : 0);
  const bool is_region = access.kind == AccessKind::Region;
  for (std::size_t d = 0; d < num_dims; ++d)
    out.push_back(to_index_cpp(access.lo[d], is_region ? kEndInside : kCellInside));
  if (is_region)
    for (std::size_t d = 0; d < num_dims; ++d) out.push_back(to_index_cpp(access.hi[d], kEndInside));
  return out;
}

std::string element_of(const RuleCode& code, const RegionAccess& access) {
  const Matrix& matrix = code.matrix(access.matrix);
  return element_text(matrix.element, matrix.is_element_t);
}

namespace {

/// Parameters of the rule function and the names of its view types.
struct Signature {
  std::vector<std::string> view_types;
  std::vector<Parameter> params;
};

/// Returns the type of an output's cell in the rule function.
std::string cell_type(const RuleCode& code, const RegionAccess& output) {
  return code.wide != nullptr ? "pbrt::WideSum" : element_of(code, output);
}

void add_region_param(Signature& signature, const RuleCode& code, const RegionAccess& access, const RegionUse& use,
                      bool is_const) {
  const Matrix& matrix = code.matrix(access.matrix);
  if (is_element(access)) {
    signature.params.push_back(
        {is_const ? "const " + element_of(code, access) : cell_type(code, access) + "&", access.binding});
    if (access.is_optional()) signature.params.push_back({"const bool", "pb_missing_" + access.binding});
    return;
  }
  std::string type = view_type(access.binding);
  if (use.needs_handle) {
    type = region_type(matrix.element, matrix.is_element_t, access.num_body_dims(), is_const);
  } else {
    const std::vector<BodyToken>& words = code.rule.body.tokens;
    const auto is_users = [&](const BodyToken& word) { return word.text == type; };
    while (std::any_of(words.begin(), words.end(), is_users)) type += "_";
    signature.view_types.push_back("class " + type);
  }
  signature.params.push_back({type, access.binding});
}

/// Returns the scalars that the rule function gets. Extents of temporaries may need more of them than the body.
ScalarSet body_scalars(const RuleCode& code) {
  return code.rule.temporaries.empty() ? ScalarSet::Body : ScalarSet::Loops;
}

Signature signature_of(const RuleCode& code) {
  const Rule& rule = code.rule;
  Signature signature;
  if (code.has_frame()) signature.params.push_back({"pbrt::Frame&", "pb_frame"});
  if (rule.is_return_form) {
    if (code.facts.may_fall_through)
      signature.params.push_back({"const " + element_of(code, rule.outputs[0]) + "&", "pb_unchanged"});
  } else {
    for (std::size_t i = 0; i < rule.outputs.size(); ++i)
      add_region_param(signature, code, rule.outputs[i], code.facts.outputs[i], false);
  }
  for (std::size_t i = 0; i < rule.inputs.size(); ++i)
    if (!rule.inputs[i].is_guest) add_region_param(signature, code, rule.inputs[i], code.facts.inputs[i], true);
  for (const MatrixId id : code.scalar_inputs) {
    const Matrix& matrix = code.matrix(id);
    signature.params.push_back({"const " + element_text(matrix.element, matrix.is_element_t), matrix.name});
  }
  for (const std::string& var : used_rule_vars(code)) signature.params.push_back({"const IndexT", var});
  for (Parameter& param : scalar_params(code, body_scalars(code))) signature.params.push_back(std::move(param));
  return signature;
}

/// Declares what makes `IS_MISSING` false for an input that always exists.
void emit_present(Writer& out, const RuleCode& code) {
  if (!code.facts.used_names.contains("IS_MISSING") && !code.facts.opaque_names.contains("IS_MISSING")) return;
  const auto emit = [&](const std::string& name) { out.line("constexpr bool pb_missing_" + name + " = false;"); };
  for (const RegionAccess& input : code.rule.inputs)
    if (is_element(input) && !input.is_optional() && !input.is_guest) emit(input.binding);
  for (const MatrixId id : code.scalar_inputs) emit(code.matrix(id).name);
}

/// Declares the temporaries. If the body uses only cells and sizes of one, it is a view, and compilers know that its
/// cells are dense and share no memory with others.
void emit_temporaries(Writer& out, const RuleCode& code, bool is_checked) {
  for (std::size_t i = 0; i < code.rule.temporaries.size(); ++i) {
    const RuleTemporary& temporary = code.rule.temporaries[i];
    const int num_dims = static_cast<int>(temporary.extents.size());
    const std::string type = region_type(temporary.element, temporary.is_element_t, num_dims, false);
    std::vector<std::string> extents;
    // A temporary whose size would be negative has no cells.
    for (const Formula& extent : temporary.extents)
      extents.push_back(is_never_negative(extent) ? to_wide_c(extent)
                                                  : "pbrt::index_max(0, " + to_wide_c(extent) + ")");
    const bool is_view = num_dims > 0 && !is_checked && !code.facts.temporaries[i].needs_handle;
    const std::string handle = is_view ? "pb_handle_" + temporary.name : temporary.name;
    out.line(type + " " + handle + " = " + type + "::allocate(" + joined(extents) + ");");
    if (!is_view && num_dims > 0 && code.has_kernels && code.facts.has_calls && !is_checked)
      out.line("pbrt::note_new(pb_frame, " + handle + ");");
    if (is_view) out.line("const auto " + temporary.name + " = " + handle + ".apart_view();");
  }
}

std::string real_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Declares the constants that the body's text names. Where a local has the same name, it hides the constant as usual
/// in C++.
void emit_constants(Writer& out, const Rule& rule) {
  for (const Constant& constant : rule.constants) {
    const bool is_named = std::any_of(rule.body.tokens.begin(), rule.body.tokens.end(),
                                      [&](const BodyToken& token) { return token.text == constant.name; });
    if (!is_named) continue;
    const auto* integer = std::get_if<std::int64_t>(&constant.value);
    out.line("constexpr " + std::string(integer != nullptr ? "IndexT " : "double ") + constant.name + " = " +
             (integer != nullptr ? std::to_string(*integer) : real_text(std::get<double>(constant.value))) + ";");
  }
}

/// Returns the forms of the body's loops.
BodyForms forms_of(const RuleCode& code, const LoweredTransform& lowered, const TransformPlan& plan, bool is_checked) {
  static const std::vector<ReadsAhead> kNone;
  if (code.wide != nullptr) return {kNone, {}, {}, {}, code.wide->types};
  BodyForms out{lowered.reads_ahead[code.rule_id], {}, {}};
  if (is_checked && code.rule.is_distinct) {
    const Computation& computation = plan.computations[code.rule_id.index()];
    std::set<StmtId> inside;  // of loops whose rounds all store to different cells
    for (const ScatterLoop& loop : computation.scatters) {
      if (loop.stores.empty() || inside.contains(loop.loop.loop)) continue;
      out.enclosed.push_back(distinct_loop_text(code.rule, computation, loop));
      walk(
          code.rule.body, loop.loop.loop, [&](StmtId id) { inside.insert(id); }, [](ExprId) {});
    }
  }
  for (const TaskLoop& divided : lowered.task_loops[code.rule_id]) {
    const Fold& fold = plan.computations[code.rule_id.index()].loop_of(divided.loop);
    out.task_loops.push_back(task_loop_text(code.rule, fold, divided, code.folds));
  }
  for (const LaneLoop& loop : lowered.lanes[code.rule_id]) {
    const Fold& fold = plan.computations[code.rule_id.index()].loop_of(loop.loop);
    std::optional<LoopLimits> limits;
    for (const TaskLoopText& divided : out.task_loops)
      if (divided.loop == fold.loop) limits = divided.limits;
    out.lanes.push_back(lane_loop_text(code.rule, fold, loop, code.folds.any_order, limits));
  }
  return out;
}

}  // namespace

std::string typed_matrix(const Matrix& matrix, const std::string& any) {
  return any + ".as<" + element_text(matrix.element, matrix.is_element_t) + ", " + std::to_string(matrix.num_dims()) +
         ">()";
}

std::string access_text(const RuleCode& code, const RegionAccess& access) {
  return access_text(access, code.matrix_name(access));
}

std::string access_text(const RegionAccess& access, std::string name) {
  if (access.is_slice) name += ".version(" + to_index_cpp(access.lo.back(), kCellInside) + ")";
  switch (access.kind) {
    case AccessKind::Cell:
      return name + ".cell(" + joined(coordinates(access)) + ")";
    case AccessKind::Region:
      return name + ".region(" + joined(coordinates(access)) + ")";
    case AccessKind::Row:
      return name + ".row(" + to_index_cpp(access.lo[1], kCellInside) + ")";
    case AccessKind::Column:
      return name + ".column(" + to_index_cpp(access.lo[0], kCellInside) + ")";
    case AccessKind::All:
      return access.lo.empty() ? name + ".cell()" : name;
  }
  PB_CHECK(false, "every access has a text");
  return {};
}

void open_watched(Writer& out, const RuleCode& code) {
  if (!code.origin.empty()) out.open("try");
}

void close_watched(Writer& out, const RuleCode& code) {
  if (code.origin.empty()) return;
  out.reopen("catch (const pbrt::CopyError& pb_error)");
  out.line("pbrt::copy_error_in(" + quoted(code.transform.name + "." + code.rule.name) + ", " + quoted(code.origin) +
           ", pb_error);");
  out.close();
}

void emit_rule_function(Writer& out, const CppContext& context, const RuleCode& code) {
  const Signature signature = signature_of(code);
  const std::string type = code.rule.is_return_form ? cell_type(code, code.rule.outputs[0]) : "void";
  const std::string name = code.transform.name + "." + code.rule.name;
  out.line("// rule " + name + (code.wide != nullptr ? " in wider numbers" : "") + "   " +
           origin_of(context.sources, code.rule.span));
  if (code.wide == nullptr)
    out.line("[[maybe_unused]] constexpr pbrt::RuleDesc " + rule_constant(code.stem) + " = {" + quoted(name) +
             ", \"cpu\"};");
  if (!signature.view_types.empty()) out.line("template <" + joined(signature.view_types) + ">");
  open_function(out, "static inline " + type + " rule_" + code.stem, signature.params);
  if (code.facts.has_calls) {
    out.line("const pbrt::BodyScope pb_body(pb_frame);");
    if (may_recur_by_contents(context.program, context.plan, code.transform_id, code.rule))
      out.line("pbrt::RecursiveCall::may_repeat(pb_frame);");
  }
  if (code.has_kernels && spawns_own_regions(context.program, code.rule, code.facts))
    out.line("pbrt::SpawnedRegions pb_spawned(pb_frame.context().gpu() != nullptr);");
  emit_present(out, code);
  emit_constants(out, code.rule);
  emit_scalar_constants(out, code, body_scalars(code));
  emit_temporaries(out, code, context.options.is_checked);
  const bool is_checked = context.options.is_checked;
  open_watched(out, code);
  out.line("{");
  const std::set<std::string> macros = context.macros.used_in(code.transform, code.rule);
  out.verbatim(NativeMacros::give_back(macros));
  const LoweredTransform& lowered = lowered_of(context, code.transform_id);
  const TransformPlan& plan = context.plan.transforms[code.transform_id.index()];
  const BodyForms forms = forms_of(code, lowered, plan, is_checked);
  out.verbatim(
      body_text(context.program, code.rule, code.facts, context.sources, {is_checked, code.has_kernels}, forms));
  out.verbatim(NativeMacros::take(macros));
  out.restore_line(context.file);
  out.line("}");
  close_watched(out, code);
  if (code.rule.is_return_form && code.facts.may_fall_through) out.line("return pb_unchanged;");
  out.close();
}

std::string box_type(const Step& step) { return "pbrt::Box<" + std::to_string(step.loops.size()) + ">"; }

}  // namespace pb
