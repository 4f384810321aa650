// SPDX-License-Identifier: MIT
// Text form of the Program, for --emit=program and golden tests.
#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/ast.h"
#include "lang/program.h"
#include "lang/source.h"

namespace pb {
namespace {

std::string number_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

template <class T, class F>
std::string join(const T& items, std::string_view separator, F&& text) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += separator;
    out += text(item);
  }
  return out;
}

/// Prints `float A[n]`, with the type only if it is not ElementT.
template <class T>
std::string declaration(const T& matrix) {
  return (matrix.is_element_t ? "" : std::string(header_word(matrix.element)) + " ") +
         header_of(matrix.name, matrix.extents);
}

std::string_view word(MatrixRole role) {
  switch (role) {
    case MatrixRole::From:
      return "from";
    case MatrixRole::To:
      return "to";
    case MatrixRole::Through:
      return "through";
  }
  return "";
}

/// The clause that declares such a tunable, or the loop that implies it.
std::string_view clause_of(TunableRole role) {
  if (role == TunableRole::Accuracy) return "accuracy_variable";
  return role == TunableRole::User ? "tunable" : to_string(role);
}

std::string_view word(AccessKind kind) {
  switch (kind) {
    case AccessKind::Cell:
      return "cell";
    case AccessKind::Row:
      return "row";
    case AccessKind::Column:
      return "column";
    case AccessKind::Region:
      return "region";
    case AccessKind::All:
      return "all";
  }
  return "";
}

/// `[x, x+KWIDTH) x [y, y+1)`; a single number has no dimensions: `scalar`.
std::string box_text(const RegionAccess& access) {
  if (access.lo.empty()) return "scalar";
  std::string out;
  for (std::size_t dim = 0; dim < access.lo.size(); ++dim) {
    out += (dim == 0 ? "[" : " x [") + to_string(access.lo[dim]) + ", " + to_string(access.hi[dim]) + ")";
  }
  return out;
}

void print_access(std::string& out, std::string_view clause, const RegionAccess& access, const Transform& transform) {
  out += "    " + std::string(clause) + " " + transform.matrices[access.matrix].name + " " +
         std::string(word(access.kind));
  if (access.is_slice) out += " of a version";
  if (!access.binding.empty()) out += " as " + access.binding;
  if (access.missing_value) out += " or " + to_string(*access.missing_value);
  if (access.border == Border::Optional) out += " or OPTIONAL";
  if (maps_cells(access.border)) out += " = " + std::string(word_of(access.border));
  out += ": " + box_text(access);
  for (const std::size_t dim : access.tested_dims) out += ", dimension " + std::to_string(dim) + " tested";
  out += "\n";
  if (access.cells.is_known()) out += "      cells " + access.cells.to_string() + "\n";
}

/// Prints the body's text, moved left by the common indentation of all its lines but the first.
void print_body(std::string& out, const Body& body) {
  const std::string text = text_of(body, {0, static_cast<std::uint32_t>(body.tokens.size())});
  const auto lines = lines_of(text);
  std::size_t indent = std::string_view::npos;
  for (std::size_t i = 1; i < lines.size(); ++i) indent = std::min(indent, lines[i].find_first_not_of(" \t\r"));
  out += "    body\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t last = lines[i].find_last_not_of(" \t\r");
    if (last == std::string_view::npos) continue;
    const std::size_t begin = i == 0 ? 0 : std::min(indent, lines[i].size());
    out += "      " + std::string(lines[i].substr(begin, last + 1 - begin)) + "\n";
  }
}

std::string_view word(NameKind kind) {
  switch (kind) {
    case NameKind::Unknown:
      return "unknown";
    case NameKind::Local:
      return "local";
    case NameKind::Output:
      return "output";
    case NameKind::Input:
      return "input";
    case NameKind::Temporary:
      return "temporary";
    case NameKind::SizeVar:
      return "size";
    case NameKind::RuleVar:
      return "var";
    case NameKind::Tunable:
      return "tunable";
    case NameKind::Param:
      return "param";
    case NameKind::ScalarInput:
      return "scalar input";
    case NameKind::BuiltIn:
      return "built in";
    case NameKind::Constant:
      return "constant";
  }
  return "";
}

/// Prints what each name of the body means, once each, in order of appearance: `in: input 0 region<ElementT, 2>`.
void print_names(std::string& out, const Rule& rule) {
  if (rule.body_types.types.empty()) return;
  std::set<std::string> seen;
  for (const ExprId id : rule.body.exprs.ids()) {
    const auto* name = std::get_if<NameExpr>(&rule.body.exprs[id].node);
    if (!name) continue;
    const NameBinding& binding = rule.body_types.bindings[id.index()];
    std::string line = name->text + ": " + std::string(word(binding.kind));
    if (binding.kind != NameKind::Unknown) line += " " + std::to_string(binding.index);
    line += " " + to_string(rule.body_types.types[id.index()]);
    if (seen.insert(line).second) out += "    name " + line + "\n";
  }
}

std::string value_text(const Constant& constant) {
  if (const auto* integer = std::get_if<std::int64_t>(&constant.value)) return std::to_string(*integer);
  return number_text(std::get<double>(constant.value));
}

/// Prints `call Power<3>`, or, for a choice at run time, the template and the instances that may be chosen.
void print_calls(std::string& out, const Rule& rule, const Program& program) {
  for (const TransformCall& call : rule.calls) {
    out += "    call";
    if (!call.choice.empty()) out += " chooses " + program.templates[call.of_template].name + ":";
    for (const TransformId target : call.targets) out += " " + program.transforms[target].name;
    out += "\n";
  }
}

std::string text(const Relation& relation) {
  return to_string(relation.lhs) + " " + spelling(relation.op) + " " + to_string(relation.rhs);
}

void print_rule(std::string& out, const Program& program, const Rule& rule, const Transform& transform) {
  out += "  rule " + rule.name + ", priority " + std::to_string(rule.priority);
  if (rule.is_return_form) out += ", returns its value";
  out += "\n";
  for (const RegionAccess& output : rule.outputs) print_access(out, "to", output, transform);
  for (const RegionAccess& input : rule.inputs) print_access(out, input.is_guest ? "guest" : "from", input, transform);
  for (const RuleTemporary& temporary : rule.temporaries) {
    out += "    using " + declaration(temporary) + "\n";
  }
  for (const Relation& relation : rule.where) out += "    where " + text(relation) + "\n";
  for (const Disjunction& disjunction : rule.where_any) {
    out += "    where " +
           join(disjunction.any, " or ",
                [](const std::vector<Relation>& all) {
                  return join(all, " and ", [](const Relation& relation) { return text(relation); });
                }) +
           "\n";
  }
  if (rule.is_dynamic) out += "    where is dynamic\n";
  for (const RuleId id : rule.tried) out += "    tries " + transform.rules[id].name + "\n";
  if (!rule.vars.empty()) {
    out += "    vars " + join(rule.vars, ", ", [](const RuleVar& var) { return var.name; }) + "\n";
  }
  if (rule.domain.is_known()) out += "    domain " + rule.domain.to_string() + "\n";
  for (const Constant& constant : rule.constants)
    out += "    constant " + constant.name + " = " + value_text(constant) + "\n";
  print_names(out, rule);
  print_calls(out, rule, program);
  print_body(out, rule.body);
}

void print_tunable(std::string& out, const UserTunable& tunable) {
  out += "  " + std::string(clause_of(tunable.role));
  if (tunable.is_real) out += " double";
  if (tunable.is_size_specific) out += " sizespecific";
  if (tunable.array_extent > 0) out += " array(" + std::to_string(tunable.array_extent) + ")";
  out += " " + tunable.name + "(" + number_text(tunable.initial) + ", " + number_text(tunable.min) + ", " +
         number_text(tunable.max) + ")\n";
}

void print_accuracy(std::string& out, const Program& program, const Accuracy& accuracy) {
  out += "  accuracy";
  if (accuracy.metric) out += " by " + program.transforms[*accuracy.metric].name;
  if (accuracy.target)
    out += (accuracy.higher_is_better ? ", at least " : ", at most ") + number_text(*accuracy.target);
  out += "\n";
}

std::string size_line(const Transform& transform, const SizeVar& var) {
  const std::string equation =
      var.is_searched ? " where " + to_string(var.solution) + " = " + kActualSize : " = " + to_string(var.solution);
  return "size " + var.name + equation + ", from dimension " + std::to_string(var.dim) + " of " +
         transform.matrices[var.matrix].name + "\n";
}

void print_header(std::string& out, const Program& program, const Transform& transform) {
  if (transform.spliced) {
    const Transform& caller = program.transforms[transform.spliced->caller];
    out += "  calls of " + caller.name + "." + caller.rules[transform.spliced->rule].name + "\n";
  }
  for (const MatrixRole role : {MatrixRole::From, MatrixRole::To, MatrixRole::Through}) {
    const auto ids = transform.matrices_of(role);
    if (ids.empty()) continue;
    out += "  " + std::string(word(role)) + " " +
           join(ids, ", ",
                [&](MatrixId id) {
                  const Matrix& matrix = transform.matrices[id];
                  return declaration(matrix) + (matrix.range ? " in " + to_string(*matrix.range) : "");
                }) +
           "\n";
  }
  if (!transform.params.empty()) {
    out += "  param " + join(transform.params, ", ", [](const Formula& param) { return to_string(param); }) + "\n";
  }
  for (const SizeVar& var : transform.size_vars) {
    if (var.is_given_by_run()) {
      out += std::string(var.is_size ? "  size " : "  number ") + var.name + ", given by the run\n";
      continue;
    }
    out += "  " + size_line(transform, var);
  }
  for (const SizeVar& var : transform.sizes_from_inputs) out += "  without outputs: " + size_line(transform, var);
  for (const UserTunable& tunable : transform.tunables) print_tunable(out, tunable);
  if (transform.generator) out += "  generator " + program.transforms[*transform.generator].name + "\n";
  if (transform.accuracy) print_accuracy(out, program, *transform.accuracy);
  if (transform.verifier) out += "  verify " + program.transforms[*transform.verifier].name + "\n";
  for (const std::string& feature : transform.input_features) out += "  input_feature " + feature + "\n";
  if (transform.is_memoized) out += "  memoized\n";
  if (transform.tolerance.rel) {
    out += "  tolerance " + number_text(*transform.tolerance.rel);
    if (transform.tolerance.abs) out += ", " + number_text(*transform.tolerance.abs);
    out += "\n";
  }
}

}  // namespace

std::string to_string(const ValueRange& range) { return to_string(range.lo) + ".." + to_string(range.hi); }

std::string header_of(const std::string& name, const std::vector<Formula>& extents) {
  if (extents.empty()) return name;
  return name + "[" + join(extents, ", ", [](const Formula& extent) { return to_string(extent); }) + "]";
}

std::string to_string(const Program& program) {
  std::string out = "program " + program.name + "\nelement " + std::string(spell(program.element)) + "\nmain " +
                    program.transforms[program.main].name + "\n";
  for (const Transform& transform : program.transforms) {
    out += "\ntransform " + transform.name + "\n";
    print_header(out, program, transform);
    for (const Rule& rule : transform.rules) print_rule(out, program, rule, transform);
  }
  return out;
}

}  // namespace pb
