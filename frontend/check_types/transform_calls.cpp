// SPDX-License-Identifier: MIT
#include "frontend/check_types/transform_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check_types/body_context.h"
#include "frontend/check_types/constants.h"
#include "frontend/check_types/vocabulary/arithmetic.h"
#include "lang/suggest.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

std::string dims_text(int num_dims) {
  if (num_dims == 0) return "a single number";
  return std::to_string(num_dims) + "-D";
}

/// Number of dimensions of a region or a number; -1 if it is not known.
int dims_of(const BodyType& type) {
  if (type.kind == Kind::Region) return type.num_dims;
  return is_arithmetic(type) ? 0 : -1;
}

/// Whether a single-number output can be written to the expression. The value of a function in the program's own C++
/// may be a reference; only C++ knows that.
bool is_variable(const BodyContext& context, ExprId id) {
  const Expr& expr = context.body().exprs[id];
  if (std::holds_alternative<NameExpr>(expr.node) || std::holds_alternative<SubscriptExpr>(expr.node) ||
      std::holds_alternative<OpaqueExpr>(expr.node)) {
    return true;
  }
  const bool is_call = std::holds_alternative<CallExpr>(expr.node) || std::holds_alternative<MemberExpr>(expr.node);
  if (is_call && context.type_of(id).kind == Kind::Unknown) return true;
  if (const auto* either = std::get_if<ConditionalExpr>(&expr.node))
    return is_variable(context, either->if_true) && is_variable(context, either->if_false);
  if (const auto* member = std::get_if<MemberExpr>(&expr.node)) return member->name == "cell" || !member->is_call;
  if (const auto* unary = std::get_if<UnaryExpr>(&expr.node)) return unary->op == UnaryOp::Deref;
  return false;
}

struct Argument {
  ExprId id;
  Span span;
  BodyType type;
};

void check_dims(BodyContext& context, const Argument& arg, const Matrix& matrix, const Transform& callee) {
  const int found = dims_of(arg.type);
  // A cell of a region may stand for a 0-D matrix and the other way round. No other dimensions convert.
  if (found < 0 || found == matrix.num_dims()) return;
  context.diags.emit(DiagKind::CallArgumentDimensions, arg.span)
      .arg(callee.source_name)
      .arg(matrix.name)
      .arg(dims_text(found))
      .arg(dims_text(matrix.num_dims()))
      .label(matrix.span, "declared here");
}

/// The type of the elements of a matrix.
ElementType element_of(const BodyContext& context, const Matrix& matrix) {
  return matrix.is_element_t ? context.program.element : matrix.element;
}

std::string element_text(ElementType element, bool is_element_t) {
  return is_element_t ? "ElementT" : std::string(header_word(element));
}

void report_element(BodyContext& context, const Argument& arg, const Matrix& matrix, const Transform& callee,
                    const std::string& found, const char* hint = "") {
  auto diag = context.diags.emit(DiagKind::CallArgumentElement, arg.span)
                  .arg(callee.source_name)
                  .arg(matrix.name)
                  .arg(found)
                  .arg(element_text(matrix.element, matrix.is_element_t))
                  .label(matrix.span, "declared here");
  if (*hint != 0) diag.hint(hint);
}

/// Matrices are passed as they are; only single numbers convert (docs/reference/language.md 20.1).
void check_element(BodyContext& context, const Argument& arg, const Matrix& matrix, const Transform& callee) {
  if (arg.type.kind != Kind::Region || matrix.num_dims() == 0 || arg.type.num_dims != matrix.num_dims()) return;
  if (arg.type.element == element_of(context, matrix)) return;
  report_element(context, arg, matrix, callee, element_text(arg.type.element, arg.type.is_element));
}

/// Whether the result in a single-number output has to be converted to the type of the variable.
bool is_converted(const BodyContext& context, const Argument& arg, const Matrix& matrix, bool is_spawn) {
  if (matrix.num_dims() > 0) return false;
  const ElementType element = element_of(context, matrix);
  switch (arg.type.kind) {
    case Kind::Region:
      return arg.type.element != element;
    case Kind::Double:
      return element != ElementType::Double;
    case Kind::Float:
      return element != ElementType::Float;
    // Only C++ knows which of the integer types the variable has, and after a spawned call it is too late to convert.
    case Kind::Int:
      return !is_spawn || element != ElementType::Int;
    case Kind::Long:
      return !is_spawn || element != ElementType::Long;
    // The expression may be an element of the user's own array or class. With matrices of doubles it is taken for a
    // `double`, which needs no conversion.
    case Kind::Unknown:
      return !is_spawn && element != ElementType::Double;
    case Kind::Bool:
    case Kind::Char:
    case Kind::Void:
    case Kind::Pointer:
    case Kind::Array:
    case Kind::String:
      return false;
  }
  return false;
}

void check_output(BodyContext& context, const Argument& arg, const Matrix& matrix, const Transform& callee) {
  Diagnostics& diags = context.diags;
  if (arg.type.is_const) {
    diags.emit(DiagKind::CallOutputReadOnly, arg.span)
        .arg(callee.source_name)
        .arg(matrix.name)
        .label(matrix.span, "declared here in `to`")
        .hint("outputs first, then inputs");
    return;
  }
  if (matrix.num_dims() > 0 || arg.type.kind == Kind::Region) return;
  const bool is_integer = arg.type.kind == Kind::Int || arg.type.kind == Kind::Long;
  const bool is_whole = (is_integer && is_floating(element_of(context, matrix))) || arg.type.kind == Kind::Bool ||
                        arg.type.kind == Kind::Char;
  if (!is_variable(context, arg.id) || is_whole) {
    diags.emit(DiagKind::CallOutputNotVariable, arg.span)
        .arg(callee.source_name)
        .arg(matrix.name)
        .label(matrix.span, "declared here in `to`")
        .hint("pass a variable of type `" + element_text(matrix.element, matrix.is_element_t) + "`");
  }
}

std::string signature(const Transform& callee, const Template* of) {
  std::string out = callee.source_name;
  if (of != nullptr) {
    for (std::size_t i = 0; i < of->params.size(); ++i) out += (i == 0 ? "<" : ", ") + of->params[i].name;
    out += ">";
  }
  out += "(";
  bool is_first = true;
  for (const MatrixRole role : {MatrixRole::To, MatrixRole::From}) {
    for (const MatrixId id : callee.matrices_of(role)) {
      out += (is_first ? "" : ", ") + callee.matrices[id].name;
      is_first = false;
    }
  }
  return out + ")";
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// A call and the transform that it names.
struct Named {
  const TransformCallStmt& call;
  Span span;
  const Transform& callee;       ///< instance 0 if it is a template
  const Template* of = nullptr;  ///< null: it is no template
  TemplateId of_id;
  std::size_t num_matrices = 0;
};

/// The arguments of a call: those of the template, written as `T<3>(…)` or as the first arguments of `T(3, …)`, and the
/// others. Nothing after an error.
struct SplitArgs {
  std::vector<ExprId> of_template;
  std::vector<ExprId> plain;
};

std::optional<SplitArgs> split_args(BodyContext& context, const Named& named) {
  SplitArgs out{named.call.template_args, named.call.args};
  const std::size_t wanted = named.of == nullptr ? 0 : named.of->params.size();
  const std::size_t without_bin = wanted > 0 && named.of->params.back().is_bin ? wanted - 1 : wanted;
  if (named.of == nullptr && !out.of_template.empty()) {
    context.diags.emit(DiagKind::TemplateArgumentsNotTaken, named.call.callee_span)
        .arg(named.call.callee)
        .label(named.callee.span, "declared here without `template`");
    return std::nullopt;
  }
  const std::size_t extra = out.plain.size() - std::min(out.plain.size(), named.num_matrices);
  if (out.of_template.empty() && (extra == wanted || extra == without_bin)) {
    const auto end = out.plain.begin() + static_cast<std::ptrdiff_t>(extra);
    out.of_template.assign(out.plain.begin(), end);
    out.plain.erase(out.plain.begin(), end);
  }
  const std::size_t given = out.of_template.size();
  const bool fits = given == wanted || given == without_bin;
  if (fits && out.plain.size() == named.num_matrices) return out;
  const bool is_template_to_blame = !fits && (given > 0 || out.plain.size() == named.num_matrices);
  const std::size_t expected = is_template_to_blame ? wanted : named.num_matrices;
  const DiagKind kind = is_template_to_blame ? DiagKind::TemplateArgumentCount : DiagKind::CallArgumentCount;
  context.diags.emit(kind, is_template_to_blame ? named.call.callee_span : named.span)
      .arg(named.call.callee)
      .arg(expected)
      .arg(plural(expected))
      .arg(is_template_to_blame ? given : out.plain.size())
      .label(named.callee.span, "declared here")
      .hint("outputs first, then inputs: `" + signature(named.callee, named.of) + "`");
  return std::nullopt;
}

/// The bin of a call without one: inside an instance of the same transform its own bin, elsewhere the most accurate one
/// (docs/reference/language.md 7.4).
std::int64_t bin_without_argument(BodyContext& context, const Named& named) {
  const bool is_same = context.transform.source_name == named.callee.source_name;
  const bool is_last_best = !named.callee.accuracy || named.callee.accuracy->higher_is_better;
  const std::int64_t bin = is_same        ? context.transform.template_args.back()
                           : is_last_best ? named.of->params.back().hi
                                          : 0;
  context.diags.emit(DiagKind::CallWithoutBin, named.span)
      .arg(named.call.callee)
      .arg(is_same ? "the bin of the transform it stands in" : "bin " + std::to_string(bin) + ", the most accurate one")
      .hint("`" + signature(named.callee, named.of) + "`");
  return bin;
}

/// The transforms that the call may mean, from its template arguments; nothing after an error.
std::optional<TransformCall> find_targets(BodyContext& context, const Named& named,
                                          const std::vector<ExprId>& template_args) {
  TransformCall out;
  out.of_template = named.of_id;
  std::vector<std::optional<std::int64_t>> known;
  bool is_outside = false;
  for (std::size_t i = 0; i < named.of->params.size(); ++i) {
    const TemplateParam& param = named.of->params[i];
    if (i >= template_args.size()) {
      known.emplace_back(bin_without_argument(context, named));
      out.choice.push_back({ExprId(), *known.back()});
      continue;
    }
    const auto value = known_value(context, template_args[i]);
    known.push_back(value ? std::optional(value->value) : std::nullopt);
    out.choice.push_back({template_args[i], 0});
    if (!value || (value->value >= param.lo && value->value <= param.hi)) continue;
    // The value comes from the instance's own parameter; the call may never be executed, so this is an error only at
    // run time.
    is_outside = true;
    if (value->names_constant) continue;
    context.diags.emit(DiagKind::TemplateArgumentRange, context.body().exprs[template_args[i]].span)
        .arg(param.name)
        .arg(named.call.callee)
        .arg(value->value)
        .arg(param.lo)
        .arg(param.hi)
        .label(named.callee.span, "declared here");
    return std::nullopt;
  }
  const bool is_known = std::all_of(known.begin(), known.end(), [](const auto& value) { return value.has_value(); });
  for (std::size_t k = 0; !is_outside && k < named.of->num_instances(); ++k) {
    const std::vector<std::int64_t> args = named.of->args_of(k);
    const bool fits = std::equal(args.begin(), args.end(), known.begin(),
                                 [](std::int64_t arg, const auto& value) { return !value || *value == arg; });
    if (fits) out.targets.emplace_back(named.of->first.index() + k);
  }
  if (is_known && !is_outside) out.choice.clear();
  return out;
}

}  // namespace

std::optional<TransformCall> resolve_call(BodyContext& context, StmtId id, const TransformCallStmt& call) {
  const Span span = context.body().stmts[id].span;
  const auto found = context.program.find_transform(call.callee);
  if (!found) {
    auto diag = context.diags.emit(DiagKind::UnknownTransform, call.callee_span).arg(call.callee);
    if (const std::string hint = suggest(call.callee, context.program.transform_names()); !hint.empty())
      diag.hint(hint);
    return std::nullopt;
  }
  const Transform& callee = context.program.transforms[*found];
  if (const SizeVar* param = callee.param_of_run())
    context.diags.emit(DiagKind::ParamOfCallee, call.callee_span)
        .arg(param->name)
        .arg(call.callee)
        .label(param->span, "declared here")
        .hint("give it the value as a matrix of dimension 0");
  std::vector<MatrixId> matrices = callee.matrices_of(MatrixRole::To);
  const std::size_t num_outputs = matrices.size();
  const auto inputs = callee.matrices_of(MatrixRole::From);
  matrices.insert(matrices.end(), inputs.begin(), inputs.end());
  Named named{call, span, callee, nullptr, {}, matrices.size()};
  if (const auto of = context.program.find_template(call.callee)) {
    named.of = &context.program.templates[*of];
    named.of_id = *of;
  }
  const auto args = split_args(context, named);
  if (!args) return std::nullopt;
  auto resolved = named.of != nullptr ? find_targets(context, named, args->of_template)
                                      : std::optional(TransformCall{id, {*found}, {}, {}, {}, {}});
  if (!resolved) return std::nullopt;
  resolved->stmt = id;
  resolved->args = args->plain;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Matrix& matrix = callee.matrices[matrices[i]];
    const Argument arg{args->plain[i], context.body().exprs[args->plain[i]].span, context.type_of(args->plain[i])};
    check_dims(context, arg, matrix, callee);
    check_element(context, arg, matrix, callee);
    if (i >= num_outputs) continue;
    check_output(context, arg, matrix, callee);
    if (!is_converted(context, arg, matrix, call.is_spawn)) continue;
    if (call.is_spawn) {
      report_element(context, arg, matrix, callee, to_string(arg.type),
                     "a spawned call ends later: give it a variable of the output's own type");
    }
    resolved->converted.push_back(i);
  }
  return resolved;
}

}  // namespace pb::checking
