// SPDX-License-Identifier: MIT
#include "clgen/cpp/loops/packs.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/cpp/loops/mask_printer.h"
#include "clgen/cpp/rules/pack_dialect.h"
#include "clgen/facts/names.h"
#include "lang/body/body_walk.h"
#include "lang/types.h"

namespace pb {
namespace {

// Names that no other name of generated code has, whatever the program calls its outputs and variables.
constexpr const char* kCoordinate = "pb_at_";  ///< before a rule variable: the first instance of a pack
std::string result_variable(const RegionAccess& output) { return "pb_out_" + output.binding; }

class PackPrinter {
 public:
  PackPrinter(const RuleCode& code, const PackFacts& facts)
      : rule_(code.rule),
        body_(code.rule.body),
        facts_(facts),
        masks_(code.rule, facts),
        dialect_(make_dialect()),
        printer_(body_, dialect_) {}

  void print(Writer& out) { printer_.print_body(out); }

 private:
  Dialect make_dialect() {
    Dialect dialect = pack_dialect(
        rule_, {facts_.is_varying, facts_.varying_locals, !facts_.masked_stmts.empty(), facts_.multiplies_quotients});
    dialect.stmt = [this](Writer& out, BodyCodePrinter& printer, StmtId id) {
      return masks_.print(out, printer, id) || print_constant_loop(out, printer, id) ||
             print_counted_loop(out, printer, id) || print_store(out, printer, id);
    };
    return dialect;
  }

  bool print_counted_loop(Writer& out, BodyCodePrinter& printer, StmtId id) const {
    const CountedLoop* loop = find_loop(facts_.counted_loops, id);
    if (loop == nullptr) return false;
    const auto [first, last] = limits(printer, *loop);
    const std::string type = without_const(loop->type);
    out.open("pbrt::simd::unrolled<PbShape>(static_cast<" + type + ">(" + first + "), " + last + ", [&](const " + type +
             " " + loop->var + ") PB_SIMD_LAMBDA");
    printer.print_children(out, std::get<ForStmt>(body_.stmts[id].node).body);
    out.close(");");
    return true;
  }

  bool print_constant_loop(Writer& out, BodyCodePrinter& printer, StmtId id) const {
    const CountedLoop* loop = find_loop(facts_.constant_loops, id);
    if (loop == nullptr) return false;
    const auto [first, last] = limits(printer, *loop);
    const std::string type = without_const(loop->type), round = "pb_round_of_" + loop->var;
    out.open("pbrt::simd::constant_loop<" + type + ", (" + first + "), (" + last + ")" +
             (loop->is_inclusive ? " + 1" : "") + ">([&](const auto " + round + ") PB_SIMD_LAMBDA");
    out.line("constexpr " + type + " " + loop->var + " = decltype(" + round + ")::value;");
    printer.print_children(out, std::get<ForStmt>(body_.stmts[id].node).body);
    out.close(");");
    return true;
  }

  /// The text of the first value of a loop's variable and of its limit.
  static std::pair<std::string, std::string> limits(BodyCodePrinter& printer, const CountedLoop& loop) {
    std::string first = printer.expr(loop.first, Precedence::Assign);
    (void)printer.take_local();
    return {std::move(first), printer.expr(loop.last, Precedence::Assign)};
  }

  /// Prints `b.cell(y) = …` of an output: each instance of the pack stores an element.
  bool print_store(Writer& out, BodyCodePrinter& printer, StmtId id) const {
    const auto* stmt = std::get_if<ExprStmt>(&body_.stmts[id].node);
    const auto* assign = stmt == nullptr ? nullptr : std::get_if<AssignExpr>(&body_.exprs[stmt->expr].node);
    const auto* cell = assign == nullptr ? nullptr : std::get_if<MemberExpr>(&body_.exprs[assign->lhs].node);
    if (cell == nullptr) return false;
    const std::string region = printer.expr(cell->object);
    std::vector<std::string> indices;
    for (const ExprId arg : cell->args) indices.push_back(printer.expr(arg, Precedence::Assign));
    const std::string value = printer.expr(assign->rhs, Precedence::Assign);
    if (assign->is_compound) {
      out.line("{ auto pb_value = " + region + ".cell(" + joined(indices) + "); pb_value " + spelling(assign->op) +
               "= " + value + "; " + region + ".store(pb_value, " + joined(indices) + "); }");
    } else {
      indices.insert(indices.begin(), value);
      out.line(region + ".assign(" + joined(indices) + ");");
    }
    return true;
  }

  const Rule& rule_;
  const Body& body_;
  const PackFacts& facts_;
  MaskPrinter masks_;
  Dialect dialect_;
  BodyCodePrinter printer_;
};

/// The rule variables that the body uses as packs.
std::vector<std::string> pack_vars(const RuleCode& code, const PackFacts& facts) {
  std::vector<std::string> out;
  for (const RuleVar& var : code.rule.vars) {
    const bool is_lane = var.name == facts.lane_var;
    const bool is_row = facts.is_tall && var.name == facts.row_var;
    if ((is_lane || is_row) && code.facts.used_names.contains(var.name)) out.push_back(var.name);
  }
  return out;
}

std::string lanes_template(const LaneAccess& lanes) {
  return "pbrt::simd::lanes<PbShape, " + std::to_string(lanes.moves_along_row ? 1 : 0) + ", " +
         std::to_string(lanes.row_dim) + ">";
}

std::string cell_text(const RegionAccess& access) { return joined(coordinates(access)); }

}  // namespace

void open_pack_function(Writer& out, const RuleCode& code, const PackFacts& facts, const PackFunction& function) {
  const Rule& rule = code.rule;
  std::vector<std::string> types = {"class " + function.shape};
  std::vector<Parameter> params = function.first;
  const auto add = [&](const std::string& type, const std::string& name) { params.push_back({type, name}); };
  // The shape's other name is declared in the function.
  const auto pack = [&](const std::string& element) { return pack_of(element, function.shape); };
  const auto view = [&](const std::string& name) {
    types.push_back("class " + view_type(name));
    return "const " + view_type(name) + "&";
  };
  if (!rule.is_return_form)
    for (const RegionAccess& output : rule.outputs)
      add(is_element(output) ? pack(element_of(code, output)) + "&" : view(output.binding), output.binding);
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    const RegionAccess& input = rule.inputs[i];
    const std::string element = element_of(code, input);
    add(!is_element(input)             ? view(input.binding)
        : facts.inputs[i].is_uniform() ? "const " + element
                                       : "const " + pack(element) + "&",
        input.binding);
  }
  for (const MatrixId id : code.scalar_inputs) {
    const Matrix& matrix = code.matrix(id);
    add("const " + element_text(matrix.element, matrix.is_element_t), matrix.name);
  }
  const std::vector<std::string> packs = pack_vars(code, facts);
  for (const std::string& var : used_rule_vars(code)) {
    const bool is_pack = std::find(packs.begin(), packs.end(), var) != packs.end();
    params.push_back({"const IndexT", (is_pack ? kCoordinate : "") + var});
  }
  for (Parameter& param : scalar_params(code, ScalarSet::Body)) params.push_back(std::move(param));
  out.line("template <" + joined(types) + ">");
  const std::string result = rule.is_return_form ? pack(element_of(code, rule.outputs[0])) : "void";
  open_function(out, "PB_SIMD_INLINE " + result + " " + function.name, params);
  if (function.shape != "PbShape") out.line("using PbShape [[maybe_unused]] = " + function.shape + ";");
  emit_scalar_constants(out, code, ScalarSet::Body);
  for (const std::string& var : packs) {
    const char* coordinate = var == facts.lane_var ? "lane_index" : "row_index";
    out.line("const auto " + var + " = pbrt::simd::" + coordinate + "<PbShape>(" + kCoordinate + var + ");");
  }
}

std::vector<std::string> pack_args(const RuleCode& code, const PackFacts& facts,
                                   const std::vector<std::string>& inputs) {
  const Rule& rule = code.rule;
  std::vector<std::string> args;
  for (std::size_t i = 0; !rule.is_return_form && i < rule.outputs.size(); ++i) {
    const RegionAccess& output = rule.outputs[i];
    args.push_back(is_element(output) ? result_variable(output)
                                      : lanes_template(facts.outputs[i]) + "(" + access_text(code, output) + ")");
  }
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    const RegionAccess& input = rule.inputs[i];
    const LaneAccess& lanes = facts.inputs[i];
    if (!inputs.empty() && !inputs[i].empty()) {
      args.push_back(inputs[i]);
    } else if (lanes.is_uniform()) {
      args.push_back(access_text(code, input));
    } else if (lanes.reads_own_row) {
      args.push_back("pbrt::simd::rows_of_pack<PbShape>(" + access_text(code, input) + ", " + code.matrix_name(input) +
                     ".stride(1))");
    } else if (is_element(input)) {
      args.push_back(lanes_template(lanes) + "(" + code.matrix_name(input) + ").cell(" + cell_text(input) + ")");
    } else {
      args.push_back(lanes_template(lanes) + "(" + access_text(code, input) + ")");
    }
  }
  for (const MatrixId id : code.scalar_inputs) args.push_back(code.matrix(id).name + ".cell()");
  for (const std::string& var : used_rule_vars(code)) args.push_back(var);
  for (std::string& arg : scalar_args(code, ScalarSet::Body)) args.push_back(std::move(arg));
  return args;
}

void emit_pack_results(Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& call,
                       const std::function<std::string(const std::string& cells, const std::string& value,
                                                       const std::string& at)>& store) {
  const Rule& rule = code.rule;
  const auto target = [&](std::size_t i) {
    return lanes_template(facts.outputs[i]) + "(" + code.matrix_name(rule.outputs[i]) + ")";
  };
  if (rule.is_return_form) return out.line(store(target(0), call, cell_text(rule.outputs[0])));
  for (std::size_t i = 0; i < rule.outputs.size(); ++i) {
    const RegionAccess& output = rule.outputs[i];
    if (!is_element(output)) continue;
    const std::string first =
        code.facts.outputs[i].is_overwritten ? "{}" : " = " + target(i) + ".cell(" + cell_text(output) + ")";
    out.line(pack_of(element_of(code, output)) + " " + result_variable(output) + first + ";");
  }
  out.line(call + ";");
  for (std::size_t i = 0; i < rule.outputs.size(); ++i)
    if (is_element(rule.outputs[i]))
      out.line(store(target(i), result_variable(rule.outputs[i]), cell_text(rule.outputs[i])));
}

namespace {

void emit_pack_instance(Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& stem) {
  emit_pack_results(out, code, facts, "packs_" + stem + "<PbShape>(" + joined(pack_args(code, facts)) + ")",
                    [](const std::string& cells, const std::string& value, const std::string& at) {
                      return cells + ".store(" + value + ", " + at + ");";
                    });
}

}  // namespace

void emit_pack_body(Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& stem) {
  open_pack_function(out, code, facts, {"packs_" + stem});
  out.open("");
  PackPrinter(code, facts).print(out);
  out.close();
  out.close();
}

void emit_pack_loops(Writer& out, const RuleCode& code, const Packs& packs, const std::string& stem,
                     const std::function<void()>& emit_one) {
  const PackFacts& facts = packs.facts;
  const bool runs_alone = facts.rounds_otherwise() || !facts.masked_stmts.empty();
  const std::string shapes = std::string(facts.has_masked_loops ? "pbrt::simd::MaskedShapes<" : "pbrt::simd::Shapes<") +
                             (facts.is_wide_type ? "double" : "float") + ">";
  out.line(facts.writes_regions
               ? "pbrt::simd::for_each_long_pack<" + shapes + ">("
               : "pbrt::simd::for_each_pack<" + shapes + ", " + (facts.is_tall ? "true" : "false") + ">(");
  out.indent();
  out.indent();
  Texts bounds;
  for (const IndexExpr& bound : {packs.lane_lo, packs.lane_hi, packs.row_lo, packs.row_hi})
    bounds.push_back(to_cpp(bound));
  out.line(joined(bounds) + (facts.writes_regions ? "," : ", pb_may_repeat,"));
  const std::string vars =
      "const IndexT " + facts.lane_var + (facts.row_var.empty() ? ", IndexT" : ", const IndexT " + facts.row_var);
  out.open("[&]<class PbShape>(PbShape, " + vars + ") PB_SIMD_LAMBDA");
  emit_pack_instance(out, code, facts, stem);
  out.close(",");
  out.open("[&](" + vars + ")" + (runs_alone ? " PB_SIMD_LAMBDA" : ""));
  if (runs_alone) {
    // What an instance computes does not depend on whether others fill a pack with it (vector_math.h).
    out.line("using PbShape = pbrt::simd::One;");
    emit_pack_instance(out, code, facts, stem);
  } else {
    emit_one();
  }
  out.close(");");
  out.outdent();
  out.outdent();
}

}  // namespace pb
