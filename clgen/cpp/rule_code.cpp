// SPDX-License-Identifier: MIT
#include "clgen/cpp/rule_code.h"

#include "clgen/cpp/body_text.h"
#include "clgen/names.h"
#include "lang/check.h"

namespace pb {

RuleCode::RuleCode(const CppContext& context, TransformId in_transform, RuleId in_rule)
    : transform_id(in_transform),
      rule_id(in_rule),
      transform(context.program.transforms[in_transform]),
      rule(transform.rules[in_rule]),
      facts(find_rule_facts(rule)),
      matrices(matrices_of_rule(transform, rule, facts)),
      scalar_inputs(scalar_inputs_of(transform, rule)),
      stem(rule_stem(context.program, in_transform, in_rule)) {}

std::vector<std::string> scalar_params(const Transform& transform) {
  std::vector<std::string> params;
  for (const SizeVar& var : transform.size_vars) params.push_back("[[maybe_unused]] const IndexT " + var.name);
  for (const UserTunable& tunable : transform.tunables) {
    const std::string type = tunable.is_real ? "double" : "IndexT";
    const std::string array_type = tunable.is_real ? "double" : "std::int64_t";
    params.push_back("[[maybe_unused]] const " +
                     (tunable.array_extent > 0 ? array_type + "* " : type + " ") + tunable.name);
  }
  return params;
}

std::vector<std::string> scalar_args(const Transform& transform) {
  std::vector<std::string> args;
  for (const SizeVar& var : transform.size_vars) args.push_back(var.name);
  for (const UserTunable& tunable : transform.tunables) args.push_back(tunable.name);
  return args;
}

namespace {

std::vector<std::string> coordinates(const RegionAccess& access) {
  std::vector<std::string> out;
  for (const Formula& lo : access.lo) out.push_back(to_c(lo));
  if (access.kind == AccessKind::Region)
    for (const Formula& hi : access.hi) out.push_back(to_c(hi));
  return out;
}

bool is_optional(const RegionAccess& access) { return access.missing_value.has_value() || access.is_optional_marker; }

std::string element_of(const RuleCode& code, const RegionAccess& access) {
  const Matrix& matrix = code.matrix(access.matrix);
  return element_text(matrix.element, matrix.is_element_t);
}

int dims_of(const RegionAccess& access) {
  const bool is_line = access.kind == AccessKind::Row || access.kind == AccessKind::Column;
  return is_line ? 1 : static_cast<int>(access.lo.size());
}

/// Parameters of the rule function and the names of its view types.
struct Signature {
  std::vector<std::string> view_types;
  std::vector<std::string> params;
};

void add_region_param(Signature& signature, const RuleCode& code, const RegionAccess& access, const RegionUse& use,
                      bool is_const) {
  const Matrix& matrix = code.matrix(access.matrix);
  if (is_element(access)) {
    const std::string element = element_of(code, access);
    signature.params.push_back("[[maybe_unused]] " + (is_const ? "const " + element + " " : element + "& ") + access.binding);
    if (is_optional(access)) signature.params.push_back("[[maybe_unused]] const bool pb_missing_" + access.binding);
    return;
  }
  std::string type = "View_" + access.binding;
  if (use.needs_handle) {
    type = region_type(matrix.element, matrix.is_element_t, dims_of(access), is_const);
  } else {
    signature.view_types.push_back("class " + type);
  }
  signature.params.push_back("[[maybe_unused]] " + type + " " + access.binding);
}

Signature signature_of(const RuleCode& code) {
  const Rule& rule = code.rule;
  Signature signature;
  if (code.facts.has_calls) signature.params.emplace_back("pbrt::Frame& pb_parent");
  if (rule.is_return_form) {
    if (code.facts.may_fall_through)
      signature.params.push_back("const " + element_of(code, rule.outputs[0]) + "& pb_unchanged");
  } else {
    for (std::size_t i = 0; i < rule.outputs.size(); ++i)
      add_region_param(signature, code, rule.outputs[i], code.facts.outputs[i], false);
  }
  for (std::size_t i = 0; i < rule.inputs.size(); ++i)
    add_region_param(signature, code, rule.inputs[i], code.facts.inputs[i], true);
  for (const MatrixId id : code.scalar_inputs) {
    const Matrix& matrix = code.matrix(id);
    signature.params.push_back("[[maybe_unused]] const " + element_text(matrix.element, matrix.is_element_t) + " " + matrix.name);
  }
  for (const RuleVar& var : rule.vars) signature.params.push_back("[[maybe_unused]] const IndexT " + var.name);
  for (std::string& param : scalar_params(code.transform)) signature.params.push_back(std::move(param));
  return signature;
}

void emit_temporaries(Writer& out, const RuleCode& code) {
  for (const RuleTemporary& temporary : code.rule.temporaries) {
    const int num_dims = static_cast<int>(temporary.extents.size());
    const std::string type = region_type(temporary.element, temporary.is_element_t, num_dims, false);
    std::vector<std::string> extents;
    for (const Formula& extent : temporary.extents) extents.push_back(to_c(extent));
    out.line("[[maybe_unused]] " + type + " " + temporary.name + " = " + type + "::allocate(" + joined(extents) + ");");
  }
}

}  // namespace

std::string access_text(const RuleCode& code, const RegionAccess& access) {
  const std::string& name = code.matrix_name(access);
  switch (access.kind) {
    case AccessKind::Cell: return name + ".cell(" + joined(coordinates(access)) + ")";
    case AccessKind::Region: return name + ".region(" + joined(coordinates(access)) + ")";
    case AccessKind::Row: return name + ".row(" + to_c(access.lo[1]) + ")";
    case AccessKind::Column: return name + ".column(" + to_c(access.lo[0]) + ")";
    case AccessKind::All: return access.lo.empty() ? name + ".cell()" : name;
  }
  PB_CHECK(false, "every access has a text");
  return {};
}

void emit_rule_function(Writer& out, const CppContext& context, const RuleCode& code) {
  const Signature signature = signature_of(code);
  const std::string type = code.rule.is_return_form ? element_of(code, code.rule.outputs[0]) : "void";
  out.line("// rule " + code.transform.name + "." + code.rule.name + "   " + origin_of(context.sources, code.rule.span));
  if (!signature.view_types.empty()) out.line("template <" + joined(signature.view_types) + ">");
  out.open("[[maybe_unused]] static inline " + type + " rule_" + code.stem + "(" + joined(signature.params) + ")");
  if (code.facts.has_calls) out.line("[[maybe_unused]] pbrt::CallFrame pb_frame(pb_parent);");
  emit_temporaries(out, code);
  out.line("{");
  out.verbatim(body_text(context.program, code.rule, code.facts, context.sources));
  out.restore_line(context.file);
  out.line("}");
  if (code.rule.is_return_form && code.facts.may_fall_through) out.line("return pb_unchanged;");
  out.close();
}

std::string instance_call(const RuleCode& code) {
  const Rule& rule = code.rule;
  std::vector<std::string> args;
  if (code.facts.has_calls) args.emplace_back("pb_frame");
  if (rule.is_return_form) {
    if (code.facts.may_fall_through) args.push_back(access_text(code, rule.outputs[0]));
  } else {
    for (const RegionAccess& output : rule.outputs) args.push_back(access_text(code, output));
  }
  for (const RegionAccess& input : rule.inputs) {
    if (!is_optional(input)) {
      args.push_back(access_text(code, input));
      continue;
    }
    const std::string& name = code.matrix_name(input);
    const std::string inside = name + ".contains(" + joined(coordinates(input)) + ")";
    const std::string missing = input.missing_value ? to_c(*input.missing_value) : "0";
    args.push_back(inside + " ? " + access_text(code, input) + " : " + element_of(code, input) + "(" + missing + ")");
    args.push_back(input.is_optional_marker ? "!" + inside : "false");
  }
  for (const MatrixId id : code.scalar_inputs) args.push_back(code.matrix(id).name + ".cell()");
  for (const RuleVar& var : rule.vars) args.push_back(var.name);
  for (std::string& arg : scalar_args(code.transform)) args.push_back(std::move(arg));
  const std::string call = "rule_" + code.stem + "(" + joined(args) + ");";
  return rule.is_return_form ? access_text(code, rule.outputs[0]) + " = " + call : call;
}

std::string box_type(const Step& step) { return "pbrt::Box<" + std::to_string(step.loops.size()) + ">"; }

void emit_loops(Writer& out, const RuleCode& code, const Step& step, const std::string& name) {
  std::vector<std::string> types;
  std::vector<std::string> params;
  if (code.facts.has_calls) params.emplace_back("pbrt::Frame& pb_frame");
  for (const RuleMatrix& use : code.matrices) {
    const std::string& matrix = code.matrix(use.matrix).name;
    types.push_back("class View_" + matrix);
    params.push_back("[[maybe_unused]] const View_" + matrix + "& " + matrix);
  }
  for (std::string& param : scalar_params(code.transform)) params.push_back(std::move(param));
  params.push_back("const " + box_type(step) + "& pb_box");
  out.line("template <" + joined(types) + ">");
  out.open("[[maybe_unused]] static void " + name + "(" + joined(params) + ")");
  const std::size_t num_loops = step.loops.size();
  for (std::size_t i = 0; i < num_loops; ++i) {
    const LoopDim& loop = step.loops[i];
    const std::string dim = std::to_string(num_loops - 1 - i);
    const std::string lo = "static_cast<IndexT>(pb_box.lo[" + dim + "])";
    const std::string hi = "static_cast<IndexT>(pb_box.hi[" + dim + "])";
    const std::string& var = loop.var;
    const bool is_down = loop.order == LoopOrder::Decreasing;
    const std::string head = is_down ? "for (IndexT " + var + " = " + hi + " - 1; " + var + " >= pb_box.lo[" + dim + "]; --" + var + ")"
                                     : "for (IndexT " + var + " = " + lo + "; " + var + " < pb_box.hi[" + dim + "]; ++" + var + ")";
    i + 1 < num_loops ? out.line(head) : out.open(head);
    if (i + 1 < num_loops) out.indent();
  }
  out.line(instance_call(code));
  out.close();
  for (std::size_t i = 0; i + 1 < num_loops; ++i) out.outdent();
  out.close();
}

}  // namespace pb
