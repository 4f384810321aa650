// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/lane_loop_code.h"

#include <algorithm>
#include <utility>

#include "clgen/body_code_printer.h"
#include "clgen/cpp/rules/apart_text.h"
#include "clgen/cpp/rules/fold_operator_name.h"
#include "clgen/cpp/rules/pack_dialect.h"
#include "clgen/facts/names.h"
#include "clgen/writer/writer.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string operator_of_lanes(const Accumulator& each) {
  PB_CHECK(each.op == FoldOp::Add || each.op == FoldOp::Mul || each.is_extremum(),
           "find_lane_loops takes no other operators");
  return std::string("pbrt::simd::") + fold_operator_name(each.op);
}

constexpr const char* kFirst = "pb_first";
constexpr const char* kBegin = "pb_begin";
constexpr const char* kEnd = "pb_end";
constexpr const char* kRest = "pb_rest";

class LanePrinter {
 public:
  LanePrinter(const Rule& rule, const Fold& fold, const LaneLoop& loop, const std::optional<LoopLimits>& limits)
      : body_(rule.body),
        bindings_(rule.body_types.bindings),
        fold_(fold),
        loop_(loop),
        plain_(body_, no_dialect_),
        limits_(limits.value_or(
            LoopLimits{plain_.expr(fold.first, Precedence::Assign), plain_.expr(fold.last, Precedence::Assign)})),
        dialect_(make_dialect(rule)),
        packed_(body_, dialect_) {}

  LaneLoopText run(const std::string& any_order) {
    const auto& head = std::get<ForStmt>(body_.stmts[fold_.loop].node);
    const auto& decl = std::get<DeclStmt>(body_.stmts[head.init].node);
    type_ = without_const(decl.type_text);
    Writer before;
    before.line("const auto " + std::string(kRest) + " = [&](const " + type_ + " " + kFirst + ") PB_SIMD_LAMBDA {");
    Writer after;
    after.line("};");
    print_lanes(after, any_order);
    return {fold_.loop, fold_.first, kFirst, before.text(), after.text()};
  }

 private:
  /// Prints the lanes, and the calls that run the rest. Compilers know where the loop begins if no lanes run.
  void print_lanes(Writer& out, const std::string& any_order) {
    out.line("const " + type_ + " " + kBegin + " = " + limits_.first + ";");
    out.line(type_ + " " + kFirst + " = " + kBegin + ";");
    std::vector<std::string> views;
    for (const std::string& region : loop_.regions) views.push_back("decltype(" + region + ")");
    out.open("if constexpr (pbrt::simd::kAreUnit<" + joined(views) + ">)");
    out.line("using PbShape = pbrt::simd::Shapes<" + std::string(loop_.is_wide_type ? "double" : "float") + ">::Flat;");
    const std::string last = "static_cast<std::int64_t>(" + limits_.last + ")";
    out.line("const " + type_ + " " + kEnd + " = pbrt::simd::end_of_lanes<PbShape>(" + kFirst + ", " + last +
             (fold_.is_inclusive ? " + 1" : "") + ");");
    out.open("if (" + (loop_.rounds ? any_order + " && " : "") + kFirst + " < " + kEnd + apart_text(loop_.apart) + ")");
    print_rounds(out);
    out.close();
    out.close();
    out.line("if (" + std::string(kFirst) + " == " + kBegin + ") " + kRest + "(" + kBegin + "); else [[unlikely]] " +
             kRest + "(" + kFirst + ");");
  }

  Dialect make_dialect(const Rule& rule) {
    Dialect dialect = pack_dialect(rule, {loop_.is_varying, loop_.varying_locals, false, loop_.multiplies_quotients});
    dialect.name = [this](ExprId id, const NameExpr& name) {
      if (is_accumulator(id)) return lanes_of(name.text);
      const bool is_round = bindings_[id.index()].kind == NameKind::Local && bindings_[id.index()].index == fold_.local;
      return is_round && !loop_.indices.contains(id) ? "pbrt::simd::lane_index<PbShape>(" + name.text + ")" : name.text;
    };
    dialect.stmt = [this](Writer& out, BodyCodePrinter& printer, StmtId id) { return print_store(out, printer, id); };
    dialect.member = [this](ExprId id, const MemberExpr& member, const Texts& args) {
      const std::string& region = std::get<NameExpr>(body_.exprs[member.object].node).text;
      if (is_accumulator(member.object)) return lanes_of(region);
      return (loop_.is_varying[id.index()] ? packs_of(region) : region) + "." + member.name + "(" + joined(args) + ")";
    };
    return dialect;
  }

  /// Prints `c.cell(i) = …` of an output; false for other statements.
  bool print_store(Writer& out, BodyCodePrinter& printer, StmtId id) const {
    const auto* stmt = std::get_if<ExprStmt>(&body_.stmts[id].node);
    const auto* assign = stmt == nullptr ? nullptr : std::get_if<AssignExpr>(&body_.exprs[stmt->expr].node);
    const auto* cell = assign == nullptr ? nullptr : std::get_if<MemberExpr>(&body_.exprs[assign->lhs].node);
    if (cell == nullptr || is_accumulator(cell->object)) return false;
    const std::string region = packs_of(std::get<NameExpr>(body_.exprs[cell->object].node).text);
    Texts args;
    for (const ExprId arg : cell->args) args.push_back(printer.expr(arg, Precedence::Assign));
    const std::string value = printer.expr(assign->rhs, Precedence::Assign);
    if (assign->is_compound) {
      out.line("{ auto pb_value = " + region + ".cell(" + joined(args) + "); pb_value " + spelling(assign->op) + "= " +
               value + "; " + region + ".store(pb_value, " + joined(args) + "); }");
    } else {
      args.insert(args.begin(), value);
      out.line(region + ".assign(" + joined(args) + ");");
    }
    return true;
  }

  [[nodiscard]] bool is_accumulator(ExprId name) const { return fold_.find(bindings_[name.index()]) != nullptr; }

  /// The elements of a region as packs along dimension 0.
  static std::string packs_of(const std::string& region) { return "pbrt::simd::lanes<PbShape, 1, -1>(" + region + ")"; }
  static std::string lanes_of(const std::string& name) { return "pb_lanes_" + name; }
  static std::string total_of(const Accumulator& each) { return "pb_total_" + each.name; }

  /// Prints the accumulators of the lanes, the loop, and how the lanes are combined.
  void print_rounds(Writer& out) {
    for (const Accumulator& each : fold_.accumulators)
      out.line("auto " + lanes_of(each.name) + " = pbrt::simd::start_lanes<" + operator_of_lanes(each) + ", " +
               element_of_target(each) + ", PbShape>(" + plain_.expr(each.target) + ");");
    out.open("for (" + type_ + " " + fold_.var + " = " + kFirst + "; " + fold_.var + " < " + kEnd + "; " + fold_.var +
             " += PbShape::kWidth)");
    for (std::uint32_t local = 0; local <= fold_.local; ++local) (void)packed_.take_local();
    packed_.print_children(out, std::get<ForStmt>(body_.stmts[fold_.loop].node).body);
    out.close();
    Texts sure;
    for (const Accumulator& each : fold_.accumulators) {
      out.line("const auto " + total_of(each) + " = pbrt::simd::combine_lanes<" + operator_of_lanes(each) + ">(" +
               element_of_target(each) + "(" + plain_.expr(each.target) + "), " + lanes_of(each.name) + ");");
      sure.push_back(operator_of_lanes(each) + "::is_sure(" + total_of(each) + ")");
    }
    if (!sure.empty()) out.open("if (" + joined(sure, " && ") + ")");
    for (const Accumulator& each : fold_.accumulators)
      out.line(plain_.expr(each.target) + " = " + total_of(each) + ";");
    out.line(std::string(kFirst) + " = " + kEnd + ";");
    if (!sure.empty()) out.close();
  }

  static std::string element_of_target(const Accumulator& each) {
    BodyType type = each.type;
    type.is_element = false;
    type.is_const = false;
    return spell_number(type);
  }

  const Body& body_;
  const std::vector<NameBinding>& bindings_;
  const Fold& fold_;
  const LaneLoop& loop_;
  Dialect no_dialect_;
  BodyCodePrinter plain_;
  LoopLimits limits_;
  Dialect dialect_;
  BodyCodePrinter packed_;
  std::string type_;  ///< of the loop's variable
};

}  // namespace

LaneLoopText lane_loop_text(const Rule& rule, const Fold& fold, const LaneLoop& loop, const std::string& any_order,
                            const std::optional<LoopLimits>& limits) {
  return LanePrinter(rule, fold, loop, limits).run(any_order);
}

}  // namespace pb
