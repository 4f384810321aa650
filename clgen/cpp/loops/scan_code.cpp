// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/scan_code.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/loops/loop_code.h"
#include "clgen/cpp/loops/packs.h"
#include "clgen/cpp/rules/instance_code.h"
#include "clgen/cpp/rules/pack_dialect.h"
#include "clgen/facts/names.h"
#include "clgen/scan_factor.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

const char* operator_name(ScanOp op) {
  switch (op) {
    case ScanOp::Add:
      return "pbrt::folds::Sum";
    case ScanOp::Mul:
      return "pbrt::folds::Product";
    case ScanOp::Min:
      return "pbrt::folds::Smallest";
    case ScanOp::Max:
      return "pbrt::folds::Largest";
    case ScanOp::BitAnd:
      return "pbrt::folds::BitAnd";
    case ScanOp::BitOr:
      return "pbrt::folds::BitOr";
    case ScanOp::BitXor:
      return "pbrt::folds::BitXor";
    case ScanOp::Linear:
      return "pbrt::simd::Linear";
  }
  return "?";
}

/// Prints the body. What an output continues with goes through the pass, which says what the instances have.
class ScanPrinter {
 public:
  ScanPrinter(const RuleCode& code, const ScanFacts& facts)
      : code_(code), body_(code.rule.body), facts_(facts), dialect_(make_dialect()), printer_(body_, dialect_) {}

  void print(Writer& out) { printer_.print_body(out); }

 private:
  Dialect make_dialect() {
    Dialect dialect = pack_dialect(code_.rule, {facts_.body.is_varying, facts_.body.varying_locals, false});
    dialect.expr = [this](BodyCodePrinter& printer, ExprId id) { return taken(printer, id); };
    return dialect;
  }

  std::optional<std::string> taken(BodyCodePrinter& printer, ExprId id) {
    const auto& values = facts_.scan.values;
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const ScannedValue& value) { return value.combine == id; });
    if (found == values.end() || is_inside_) return std::nullopt;
    is_inside_ = true;
    std::string args = printer.expr(id, Precedence::Assign);
    if (found->op == ScanOp::Linear) args += ", " + factor(printer, *found);
    is_inside_ = false;
    return "pb_scan.template take<" + std::to_string(found - values.begin()) + ", PbShape>(" + args + ")";
  }

  /// Returns the text of the factor that the value before has in its combination.
  std::string factor(BodyCodePrinter& printer, const ScannedValue& value) const {
    const std::string element = element_of(code_, code_.rule.outputs[value.output]);
    const std::string pack = pack_of(element);
    const auto choice = [&](const ConditionalExpr& node, const std::string& if_true, const std::string& if_false) {
      const std::string both = pack + "(" + if_true + "), " + pack + "(" + if_false + ")";
      if (facts_.body.is_varying[node.condition.index()])
        return "pbrt::simd::select(" + printer.expr(node.condition) + ", " + both + ")";
      return "(" + printer.expr(node.condition, Precedence::Or) + " ? " + pack + "(" + if_true + ") : " + pack + "(" +
             if_false + "))";
    };
    return factor_text(printer, code_.rule, value, element, choice);
  }

  const RuleCode& code_;
  const Body& body_;
  const ScanFacts& facts_;
  bool is_inside_ = false;
  Dialect dialect_;
  BodyCodePrinter printer_;
};

/// Declares the rule variables that are the same along a line.
void emit_line_vars(Writer& out, const Step& step) {
  for (std::size_t d = 1; d < step.loops.size(); ++d)
    out.line("[[maybe_unused]] const IndexT " + step.loops[step.loops.size() - 1 - d].var +
             " = static_cast<IndexT>(pb_at.lo[" + std::to_string(d) + "]);");
}

/// Prints the closure that runs the body on one pack.
void emit_run(Writer& out, const RuleCode& code, const Step& step, const ScanFacts& facts, const std::string& stem) {
  out.open("const auto pb_run = [&]<class PbShape>(PbShape, auto& pb_scan, const " + box_type(step) +
           "& pb_at, const IndexT " + facts.scan.var + ") PB_SIMD_LAMBDA");
  emit_line_vars(out, step);
  std::vector<std::string> inputs(code.rule.inputs.size());
  for (std::size_t k = 0; k < facts.scan.values.size(); ++k)
    inputs[facts.scan.values[k].input] = "pb_scan.template before<" + std::to_string(k) + ", PbShape>()";
  std::vector<std::string> args = pack_args(code, facts.body, inputs);
  args.insert(args.begin(), "pb_scan");
  int output = 0;
  emit_pack_results(
      out, code, facts.body, "elements_" + stem + "<PbShape>(" + joined(args) + ")",
      [&](const std::string& cells, const std::string& value, const std::string& at) {
        return "pb_scan.template store<" + std::to_string(output++) + ">(" + joined({cells, value, at}) + ");";
      });
  out.close(";");
}

/// Prints the closure that reads what stands before an instance.
void emit_before(Writer& out, const RuleCode& code, const Step& step, const Scan& scan) {
  std::vector<std::string> types, cells;
  for (const ScannedValue& value : scan.values) {
    types.push_back(element_of(code, code.rule.outputs[value.output]));
    const RegionAccess& before = code.rule.inputs[value.input];
    cells.push_back(before.is_optional() ? optional_cell_text(code, before) : access_text(code, before));
  }
  out.open("const auto pb_before = [&]([[maybe_unused]] const " + box_type(step) + "& pb_at, const IndexT " + scan.var +
           ")");
  emit_line_vars(out, step);
  out.line("return std::tuple<" + joined(types) + ">(" + joined(cells) + ");");
  out.close(";");
}

}  // namespace

void emit_scans(Writer& out, const RuleCode& code, const Step& step, const Scans& scans, const std::string& stem) {
  const ScanFacts& facts = scans.facts;
  out.line("// The instances as scans in chunks.");
  open_pack_function(out, code, facts.body, {"elements_" + stem, "PbShape", {{"auto&", "pb_scan"}}});
  out.open("");
  ScanPrinter(code, facts).print(out);
  out.close();
  out.close();
  out.blank();
  std::vector<std::string> types;
  std::vector<Parameter> params = {{"pbrt::Frame&", "pb_frame"}};
  for (const RuleMatrix& use : code.matrices) {
    const std::string& matrix = code.matrix(use.matrix).name;
    types.push_back("class " + view_type(matrix));
    params.push_back({"const " + view_type(matrix), matrix});
  }
  for (Parameter& param : scalar_params(code, ScalarSet::Loops)) params.push_back(std::move(param));
  params.push_back({"const std::int64_t", "pb_length"});
  params.push_back({"const " + box_type(step) + "&", "pb_box"});
  Writer body;
  body.indent();
  emit_scalar_constants(body, code, ScalarSet::Loops);
  emit_run(body, code, step, facts, stem);
  emit_before(body, code, step, facts.scan);
  std::vector<std::string> shape = {
      std::string("pbrt::simd::Shapes<") + (facts.body.is_wide_type ? "double" : "float") + ">",
      facts.scan.is_backward ? "true" : "false"};
  for (const ScannedValue& value : facts.scan.values)
    shape.push_back("pbrt::simd::Scanned<" + std::string(operator_name(value.op)) + ", " +
                    element_of(code, code.rule.outputs[value.output]) + ">");
  body.line("const auto pb_chunks = pbrt::simd::scan_chunks<" + joined(shape) + ">(pb_box, pb_run, pb_before);");
  body.line("pbrt::run_scan(pb_frame, pb_box, pb_length, pb_chunks);");
  out.line("template <" + joined(types) + ">");
  emit_function(out, "static void scans_" + stem, params, body);
  out.blank();
}

std::string scans_test(const RuleCode& code, const Scans& scans) {
  const auto view = [&](MatrixId matrix) { return code.matrix(matrix).name + ".view()"; };
  return if_text(scans.condition, {.view = view});
}

std::string scans_call(const RuleCode& code, const Scans& scans, const std::string& stem) {
  std::vector<std::string> args = {"pb_frame"};
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    args.push_back(matrix.name + (matrix.num_dims() == 0 ? ".view()" : ".unit_view()"));
  }
  for (std::string& arg : scalar_args(code, ScalarSet::Loops)) args.push_back(std::move(arg));
  args.push_back(to_cpp(scans.length));
  args.emplace_back("pb_box");
  return "scans_" + stem + "(" + joined(args) + ");";
}

}  // namespace pb
