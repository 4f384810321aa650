// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/instance_code.h"

#include <algorithm>

#include "clgen/cpp/rules/border_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "lang/operators.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Adds `(i) != 0` for each divisor that may be 0 for some instances. Inner divisions come first.
void add_divisors(const Formula& formula, std::vector<std::string>& terms) {
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) return add_divisors(negated->operand[0], terms);
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (binary == nullptr) return;
  for (const Formula& operand : binary->operands) add_divisors(operand, terms);
  if (binary->op == FormulaOp::Div && has_rule_var(binary->operands[1]))
    terms.push_back("(" + to_wide_cpp(binary->operands[1]) + ") != 0");
}

/// Returns the condition that coordinate `dim` of the access has a value and, unless a border maps it, lies inside its
/// matrix. The condition may be empty.
std::string inside_text(const RuleCode& code, const RegionAccess& access, std::size_t dim) {
  std::vector<std::string> terms;
  add_divisors(access.lo[dim], terms);
  if (access.is_mapped_dim(dim)) return joined(terms, " && ");
  terms.push_back("(" + to_wide_cpp(access.lo[dim]) + ") >= 0");
  const std::string size = code.matrix_name(access) + ".size(" + std::to_string(dim) + ")";
  if (access.is_fixed_dim(dim)) {
    terms.push_back("(" + to_wide_cpp(access.lo[dim]) + ") < " + size);
  } else {
    add_divisors(access.hi[dim], terms);
    terms.push_back("(" + to_wide_cpp(access.hi[dim]) + ") <= " + size);
  }
  return joined(terms, " && ");
}

/// Adds the conditions that dimension `dim` of the access lies inside its matrix as fractions.
void add_fractions(const RuleCode& code, const RegionAccess& access, std::size_t dim, std::vector<std::string>& terms) {
  const auto values = inside_terms(access, dim, view_extent(code.matrix(access.matrix), dim), {});
  if (!values) return;  // such a bound is tested where the rule runs
  for (const IndexExpr& value : *values)
    if (value.op != IndexExpr::Op::Const || value.value < 0)
      terms.push_back("(" + to_index_cpp(value, code.transform) + ") >= 0");
}

/// Returns the condition that the cell of an optional input exists, as an operand of `!`.
std::string inside_text(const RuleCode& code, const RegionAccess& access) {
  std::vector<std::string> terms;
  if (access.tested_dims.empty()) {
    std::vector<std::string> at;
    for (const Formula& lo : access.lo) at.push_back(to_index_cpp(lo));
    terms.push_back(code.matrix_name(access) + ".contains(" + joined(at) + ")");
  } else {
    for (std::size_t dim = 0; dim < access.lo.size(); ++dim) terms.push_back(inside_text(code, access, dim));
  }
  for (std::size_t dim = 0; dim < access.lo.size(); ++dim)
    if (may_be_cut_off(access.lo[dim])) add_fractions(code, access, dim, terms);
  const bool is_call = terms.size() == 1 && access.tested_dims.empty();
  return is_call ? terms[0] : "(" + joined(terms, " && ") + ")";
}

bool has_handle(const RuleCode& code, const RegionAccess& access) {
  return std::any_of(code.matrices.begin(), code.matrices.end(),
                     [&](const RuleMatrix& use) { return use.matrix == access.matrix && use.needs_handle; });
}

/// Returns the access as an argument of the rule function. The argument is a borrowed handle, which counts no
/// reference, because the matrix's own handle outlives the call.
std::string argument_text(const RuleCode& code, const RegionAccess& access, const InstancePlace& place) {
  const std::string& name = code.matrix_name(access);
  if (is_element(access)) return access_text(code, access);
  if (!has_handle(code, access)) return access_text(access, place.has_handles ? name + ".view()" : name);
  if (access.is_slice) return access_text(code, access);
  if (access.kind == AccessKind::All) return access_text(code, access) + ".borrowed()";
  return access_text(access, name + ".lent()") + ".borrowed()";
}

/// Returns `call`. In a checked program it is wrapped in a scope from which error messages know the instance.
std::string announced(const RuleCode& code, const std::string& call) {
  if (code.checked_place.empty()) return call;
  std::vector<std::string> vars;
  for (const RuleVar& var : code.rule.vars) vars.push_back("{" + quoted(var.name) + ", " + var.name + "}");
  return "[&] { const pbrt::InstanceScope pb_instance(" + quoted(code.transform.name + "." + code.rule.name) + ", " +
         quoted(code.checked_place) + ", {" + joined(vars) + "}); return " + call + "; }()";
}

/// Returns the call of the rule function.
std::string instance_value(const RuleCode& code, const InstancePlace& place) {
  const Rule& rule = code.rule;
  std::vector<std::string> args;
  if (code.has_frame()) args.emplace_back("pb_frame");
  if (rule.is_return_form) {
    if (code.facts.may_fall_through) args.push_back(access_text(code, rule.outputs[0]));
  } else {
    for (const RegionAccess& output : rule.outputs)
      args.push_back(code.wide != nullptr ? kWideCell : argument_text(code, output, place));
  }
  for (const RegionAccess& input : rule.inputs) {
    if (input.is_guest) continue;
    if (!input.is_optional()) {
      args.push_back(input.num_mapped_dims > 0 ? mapped_cell_text(code, input, place.rows, place.all_exist)
                                               : argument_text(code, input, place));
      continue;
    }
    if (place.all_exist) {
      args.push_back(access_text(code, input));
      args.emplace_back("false");
      continue;
    }
    args.push_back(optional_cell_text(code, input));
    args.push_back(input.border == Border::Optional ? "!" + inside_text(code, input) : "false");
  }
  for (const MatrixId id : code.scalar_inputs) args.push_back(code.matrix(id).name + ".cell()");
  for (const std::string& var : used_rule_vars(code)) args.push_back(var);
  const ScalarSet set = rule.temporaries.empty() ? ScalarSet::Body : ScalarSet::Loops;
  for (std::string& arg : scalar_args(code, set)) args.push_back(std::move(arg));
  return announced(code, "rule_" + code.stem + "(" + joined(args) + ")");
}

/// Returns the statement that calls the rule function and assigns its value.
std::string instance_call(const RuleCode& code, const InstancePlace& place) {
  const std::string call = instance_value(code, place) + ";";
  return code.rule.is_return_form ? access_text(code, code.rule.outputs[0]) + " = " + call : call;
}

/// Returns the access as it is written in the rule: `V<2>.row(i*i)`.
std::string written_text(const RuleCode& code, const RegionAccess& access) {
  const std::size_t num_dims = access.lo.size() - (access.is_slice ? 1 : 0);
  std::string name = code.matrix_name(access) + (access.is_slice ? "<" + to_c(access.lo.back()) + ">" : "");
  std::vector<std::string> at;
  for (std::size_t d = 0; d < num_dims; ++d) at.push_back(to_c(access.lo[d]));
  switch (access.kind) {
    case AccessKind::Cell:
      return name + ".cell(" + joined(at) + ")";
    case AccessKind::Region:
      for (std::size_t d = 0; d < num_dims; ++d) at.push_back(to_c(access.hi[d]));
      return name + ".region(" + joined(at) + ")";
    case AccessKind::Row:
      return name + ".row(" + at[1] + ")";
    case AccessKind::Column:
      return name + ".column(" + at[0] + ")";
    case AccessKind::All:
      return name;
  }
  return name;
}

/// Prints tests of coordinates that are not affine. Only the instance can test their bounds (docs/architecture.md 5.1).
void emit_tests(Writer& out, const RuleCode& code) {
  for (const RegionAccess& input : code.rule.inputs) {
    if (input.is_optional() || input.is_guest) continue;
    for (const std::size_t dim : input.tested_dims) {
      const std::string inside = inside_text(code, input, dim);
      if (inside.empty()) continue;
      std::vector<std::string> instance;
      for (const RuleVar& var : code.rule.vars) instance.push_back("{" + quoted(var.name) + ", " + var.name + "}");
      out.line("if (!(" + inside + ")) [[unlikely]] pbrt::outside_matrix(" +
               quoted(code.transform.name + "." + code.rule.name) + ", " + quoted(written_text(code, input)) + ", " +
               std::to_string(dim) + ", " + code.matrix_name(input) + ".size(" + std::to_string(dim) + "), {" +
               joined(instance) + "});");
    }
  }
}

/// The operator, with a blank on either side.
std::string operator_text(RelationOp op) { return std::string(" ") + spelling(op) + " "; }

/// Returns the relation as C++. An affine relation is computed exactly. Another one uses C's arithmetic and is false
/// where it divides by 0.
std::string relation_text(const Transform& transform, const Relation& relation) {
  if (const auto exact = to_rational(difference_of(relation), {}))
    return "(" + to_index_cpp(exact->numerator, transform) + ")" + operator_text(relation.op) + "0";
  std::vector<std::string> terms;
  add_divisors(relation.lhs, terms);
  add_divisors(relation.rhs, terms);
  terms.push_back("(" + to_wide_cpp(relation.lhs) + ")" + operator_text(relation.op) + "(" + to_wide_cpp(relation.rhs) +
                  ")");
  return joined(terms, " && ");
}

std::string disjunction_text(const Transform& transform, const Disjunction& disjunction) {
  std::vector<std::string> out;
  for (const auto& all : disjunction.any) {
    std::vector<std::string> terms;
    for (const Relation& relation : all) terms.push_back(relation_text(transform, relation));
    out.push_back("(" + joined(terms, " && ") + ")");
  }
  return "(" + joined(out, " || ") + ")";
}

/// Adds the conditions of a rule's `where`. If `is_own`, the instance comes from the rule's own domain, which implies
/// the affine conditions already: these are left out.
void add_where(const Transform& transform, const Rule& rule, bool is_own, std::vector<std::string>& terms) {
  for (const Relation& relation : rule.where)
    if (!is_own || !is_affine(relation)) terms.push_back(relation_text(transform, relation));
  for (const Disjunction& disjunction : rule.where_any) {
    bool is_static = true;
    for (const auto& all : disjunction.any) is_static = is_static && std::all_of(all.begin(), all.end(), is_affine);
    if (!is_own || !is_static) terms.push_back(disjunction_text(transform, disjunction));
  }
}

/// Adds the conditions that `access` lies inside its matrix, as fractions and as computed (docs/reference/language.md
/// 5.4).
void add_inside(const RuleCode& code, const RegionAccess& access, std::vector<std::string>& terms) {
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    if (access.is_mapped_dim(d)) terms.push_back(code.matrix_name(access) + ".size(" + std::to_string(d) + ") > 0");
    if (access.is_mapped_dim(d)) continue;
    add_fractions(code, access, d, terms);
    if (may_be_cut_off(access.lo[d]) || may_be_cut_off(access.hi[d])) terms.push_back(inside_text(code, access, d));
  }
}

/// Returns the condition that an instance of `guest` exists and its `where` holds.
std::string applies_text(const RuleCode& guest) {
  std::vector<std::string> terms;
  for (const RegionAccess& output : guest.rule.outputs) add_inside(guest, output, terms);
  for (const RegionAccess& input : guest.rule.inputs)
    if (!input.is_guest && !input.is_optional()) add_inside(guest, input, terms);
  add_where(guest.transform, guest.rule, false, terms);
  return joined(terms, " && ");
}

/// Prints a block that computes the instance by the rule `guest`, in that rule's variables, if it applies. The block
/// then leaves the `do` around it.
void emit_try(Writer& out, const RuleCode& code, const RuleCode& guest, bool has_handles) {
  out.open("");
  std::vector<std::size_t> other;
  for (std::size_t i = 0; i < guest.rule.vars.size(); ++i)
    if (guest.rule.vars[i].name != code.rule.vars[i].name) other.push_back(i);
  for (const std::size_t i : other)
    out.line("const IndexT pb_var" + std::to_string(i) + " = " + code.rule.vars[i].name + ";");
  for (const std::size_t i : other) out.declare("const IndexT", guest.rule.vars[i].name, "pb_var" + std::to_string(i));
  out.open("if (" + applies_text(guest) + ")");
  emit_tests(out, guest);
  out.line(instance_call(guest, {false, has_handles}));
  out.line("break;");
  out.close();
  out.close();
}

void emit_own_where(Writer& out, const RuleCode& code) {
  std::vector<std::string> terms;
  add_where(code.transform, code.rule, true, terms);
  const RegionAccess& output = code.rule.outputs.front();
  std::vector<std::string> cell;
  for (const Formula& lo : output.lo) cell.push_back(to_index_cpp(lo, kCellInside));
  out.line("if (!(" + joined(terms, " && ") + ")) pbrt::no_rule_holds(" + quoted(code.transform.name) + ", " +
           quoted(code.matrix_name(output)) + ", {" + joined(cell) + "});");
}

}  // namespace

std::string optional_cell_text(const RuleCode& code, const RegionAccess& input) {
  const std::string element = element_of(code, input);
  const std::string missing = input.missing_value ? "static_cast<" + element + ">(" + to_c(*input.missing_value) + ")"
                                                  : "pbrt::missing_value<" + element + ">()";
  return inside_text(code, input) + " ? " + access_text(code, input) + " : " + missing;
}

std::string value_text(const RuleCode& code, const InstancePlace& place) { return instance_value(code, place); }

void emit_instance(Writer& out, const RuleCode& code, const InstancePlace& place) {
  const bool tries = !code.tried.empty();
  if (tries) out.open("do");
  for (const RuleCode& guest : code.tried) emit_try(out, code, guest, place.has_handles);
  if (code.rule.is_dynamic) emit_own_where(out, code);
  emit_tests(out, code);
  out.line(instance_call(code, place));
  if (tries) out.close(" while (false);");
}

}  // namespace pb
