// SPDX-License-Identifier: MIT
#include "clgen/cpp/template_code.h"

#include <set>

#include "clgen/cpp/calls/call_context.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

std::set<TemplateId> chosen_at_run_time(const Program& program) {
  std::set<TemplateId> out;
  for (const Transform& transform : program.transforms)
    for (const Rule& rule : transform.rules)
      for (const TransformCall& call : rule.calls)
        if (!call.choice.empty()) out.insert(call.of_template);
  return out;
}

void emit_choice(Writer& out, const CppContext& context, TemplateId id, const std::string& verb) {
  const Template& which = context.program.templates[id];
  const Transform& first = context.program.transforms[which.first];
  std::vector<Parameter> params = {{"pbrt::Frame&", "pb_frame"}};
  std::vector<std::string> checks;
  for (const TemplateParam& param : which.params) {
    const std::string name = "pb_param_" + param.name;
    params.push_back({"const std::int64_t", name});
    checks.push_back("{" + quoted(param.name) + ", " + name + ", " + std::to_string(param.lo) + ", " +
                     std::to_string(param.hi) + "}");
  }
  for (Parameter& param : call_params(first)) params.push_back(std::move(param));
  std::string args = "pb_frame";
  for (const MatrixId matrix : call_matrices(first)) args += ", " + first.matrices[matrix].name;
  open_function(out, "[[maybe_unused]] static void " + verb + "_any_" + identifier_of(context.program, id), params);
  out.open("switch (pbrt::template_instance(" + quoted(which.name) + ", {" + joined(checks) + "}))");
  for (std::size_t i = 0; i < which.num_instances(); ++i)
    out.line("case " + std::to_string(i) + ": return " + verb + "_" +
             identifier_of(context.program, TransformId(which.first.index() + i)) + "(" + args + ");");
  out.close();
  out.close();
}

}  // namespace

void emit_template_calls(Writer& out, const CppContext& context) {
  for (const TemplateId id : chosen_at_run_time(context.program)) {
    out.line("// template " + context.program.templates[id].name + ": the instance is chosen at run time");
    emit_choice(out, context, id, "call");
    if (context.spawned_templates.contains(id)) emit_choice(out, context, id, "spawn");
    out.blank();
  }
}

}  // namespace pb
