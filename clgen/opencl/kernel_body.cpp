// SPDX-License-Identifier: MIT
#include "clgen/opencl/kernel_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "clgen/body_code_printer.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/kernel_cells.h"
#include "clgen/opencl/kernel_words.h"
#include "clgen/opencl/parts/own_temporaries.h"
#include "clgen/opencl/stores/bin_updates.h"
#include "clgen/opencl/stores/ordered_bins.h"
#include "clgen/opencl/stores/scattered_stores.h"
#include "clgen/scan_factor.h"
#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/math_functions.h"
#include "lang/check.h"

namespace pb {
namespace {

using Kind = BodyType::Kind;

/// Rounds of short loops together that are written out. Of 64 instances, their text then still fits the caches of
/// instructions.
constexpr std::int64_t kMostUnrolled = 16;

BodyType number_of(Kind kind) {
  BodyType type;
  type.kind = kind;
  return type;
}

StmtId inside_of(const Body& body, StmtId loop) { return std::get<ForStmt>(body.stmts[loop].node).body; }

/// Sums and products of a range of the rounds may overflow where the whole does not, so they are computed unsigned.
bool is_computed_unsigned(const RoundBlockFacts& blocks, const std::string& carried) {
  return blocks.has_parts &&
         std::any_of(blocks.fold.accumulators.begin(), blocks.fold.accumulators.end(), [&](const Accumulator& each) {
           return each.name == carried && own_type(each) != number_word(each.type);
         });
}

/// Takes carried values from their arrays, or keeps them there. In rounds, those that are computed unsigned are left
/// out.
void print_carried(Writer& out, const RoundBlockFacts& blocks, bool is_read, bool in_rounds) {
  for (const CarriedValue& each : blocks.carried) {
    if (in_rounds && is_computed_unsigned(blocks, each.name)) continue;
    const std::string kept = carried_array(each.name) + "[pb_own]", name = opencl_name(each.name);
    out.line(is_read ? name + " = " + kept + ";" : kept + " = " + name + ";");
  }
}

/// Prints what each round does to the carried values.
void print_rounds(Writer& out, BodyCodePrinter& printer, const RoundBlockFacts& blocks, StmtId round) {
  std::vector<const Accumulator*> own;
  for (const Accumulator& each : blocks.fold.accumulators)
    if (is_computed_unsigned(blocks, each.name)) own.push_back(&each);
  if (!own.empty()) out.open("");
  for (const Accumulator* each : own)
    out.line(own_type(*each) + " " + opencl_name(each->name) + " = " + carried_array(each->name) + "[pb_own];");
  printer.print_children(out, round);
  for (const Accumulator* each : own)
    out.line(carried_array(each->name) + "[pb_own] = " + opencl_name(each->name) + ";");
  if (!own.empty()) out.close();
}

/// Returns the texts of expressions that combine a scan's value with the one before. They also note what it becomes.
///
/// Pre: the arguments outlive what is returned
decltype(Dialect::expr) continued_texts(const Rule& rule, const LineScans& scans, bool gives_factors) {
  const std::vector<ScannedValue>& values = scans.scan.values;
  return [&rule, &values, &types = scans.types, gives_factors, is_inside = false](
             BodyCodePrinter& printer, ExprId id) mutable -> std::optional<std::string> {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const ScannedValue& value) { return value.combine == id; });
    if (found == values.end() || is_inside) return std::nullopt;
    is_inside = true;
    const auto k = static_cast<std::size_t>(found - values.begin());
    const std::string number = std::to_string(k);
    std::string out = "pb_new" + number + " = " + printer.expr(id, Precedence::Assign);
    if (gives_factors && has_factor(*found)) {
      const auto choice = [&](const ConditionalExpr& node, const std::string& if_true, const std::string& if_false) {
        return "((" + printer.expr(node.condition) + ") != 0 ? " + if_true + " : " + if_false + ")";
      };
      out =
          "pb_factor" + number + " = " + factor_text(printer, rule, *found, opencl_type(types[k]), choice) + ", " + out;
    }
    is_inside = false;
    return "(" + out + ")";
  };
}

void print_end_of_stage(Writer& out, const Phase& phase) {
  if (!phase.ends_stage) return;
  out.verbatim("#if PB_STAGE == " + std::to_string(phase.stage) + "\n");
  out.line("return;");
  out.verbatim("#endif\n");
}

/// The operand of the update that is printed stands for its bin.
std::optional<std::string> operand_text(const Rule& rule, const Accumulator* updated, ExprId id) {
  const auto* member = updated == nullptr ? nullptr : std::get_if<MemberExpr>(&rule.body.exprs[id].node);
  if (member == nullptr || !is_cell_call(*member)) return std::nullopt;
  const bool is_bin = rule.body_types.bindings[member->object.index()] == updated->binding;
  return is_bin ? std::optional<std::string>(BinPrinter::operand()) : std::nullopt;
}

class KernelBodyPrinter {
 public:
  KernelBodyPrinter(const Rule& rule, const KernelTree& kernel, const RuleInstance& instance, const BodyWords& words)
      : rule_(rule),
        body_(rule.body),
        kernel_(kernel),
        instance_(instance),
        words_(words),
        dialect_(make_dialect()),
        printer_(body_, dialect_) {}

  BlockLoopTexts loop_texts() {
    BlockLoopTexts out;
    const std::vector<StmtId>& loops = instance_.blocks->contraction.loops;
    const Fold& fold = instance_.blocks->fold;
    out.first = printer_.expr(fold.first, Precedence::Assign);
    out.last = printer_.expr(fold.last, Precedence::Assign);
    out.count = count_text(fold, "pb_");
    out.variable = variable_text(fold, "pb_block + pb_r");
    for (std::size_t i = 1; i < loops.size(); ++i)
      out.heads.push_back(printer_.for_head(std::get<ForStmt>(body_.stmts[loops[i]].node)));
    std::int64_t rounds = 1;
    for (std::size_t i = loops.size(); i-- > 1; ++out.num_unrolled) {
      const auto own = constant_rounds(body_, std::get<ForStmt>(body_.stmts[loops[i]].node));
      if (!own || *own == 0 || *own > kMostUnrolled / rounds) break;
      rounds *= *own;
    }
    return out;
  }

  bool print(Writer& out) {
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block != nullptr && !block->stmts.empty()) last_ = block->stmts.back();
    for (const RuleTemporary& temporary : rule_.temporaries) out.line(declaration_of(temporary));
    printer_.print_body(out);
    return jumps_;
  }

 private:
  const BodyType& type_of(ExprId id) const { return rule_.body_types.types[id.index()]; }
  const NameBinding& binding_of(ExprId id) const { return rule_.body_types.bindings[id.index()]; }

  Dialect make_dialect() {
    Dialect dialect;
    dialect.name = [this](ExprId id, const NameExpr& name) { return name_text(id, name); };
    dialect.call = [this](ExprId id, const CallExpr& call, const Texts& args) { return call_text(id, call, args); };
    dialect.member = [this](ExprId id, const MemberExpr& member, const Texts& args) {
      const RegionAccess* kept = kept_by(id);
      return kept != nullptr ? kept_text(*kept) : member_text(member, args);
    };
    dialect.cast = [](ExprId, const CastExpr& cast, const std::string& operand) {
      return "((" + number_word(cast.type) + ")(" + operand + "))";
    };
    // OpenCL C accepts a floating-point number as the condition of `if` and `!`, but not of `?:`. A condition whose
    // type is not known, such as an element of an array of arrays, may be one.
    dialect.conditional = [this](ExprId, const ConditionalExpr& node, const std::string& condition,
                                 const std::string& if_true,
                                 const std::string& if_false) -> std::optional<std::string> {
      if (is_integer(type_of(node.condition))) return std::nullopt;
      return "((" + condition + ") != 0 ? " + if_true + " : (" + if_false + "))";
    };
    dialect.declarator = [](const DeclStmt& decl, const Declarator& declarator, std::uint32_t) {
      return (decl.type.is_const ? "const " : "") + number_word(decl.type) + " " + opencl_name(declarator.name);
    };
    dialect.init = [this](const DeclStmt&, const Declarator& declarator, std::uint32_t, const std::string& init) {
      const auto* list = std::get_if<InitListExpr>(&rule_.body.exprs[declarator.init].node);
      return list != nullptr && list->items.empty() ? "{0}" : init;
    };
    dialect.stmt = [this](Writer& out, BodyCodePrinter& printer, StmtId id) { return print_stmt(out, printer, id); };
    dialect.expr = [this](BodyCodePrinter&, ExprId id) { return operand_text(rule_, updated_, id); };
    if (words_.scans != nullptr) dialect.expr = continued_texts(rule_, *words_.scans, words_.gives_factors);
    dialect.before_for = [this](Writer& out, const ForStmt& loop) { print_unroll(out, loop); };
    return dialect;
  }

  std::string name_text(ExprId id, const NameExpr& name) const {
    const BodyConstant* constant = binding_of(id).kind == NameKind::BuiltIn ? find_body_constant(name.text) : nullptr;
    return constant == nullptr ? opencl_name(name.text) : std::string(constant->on_devices());
  }

  /// Whether C widens a small integer that C++ leaves as it is: the value of `c ? s : t`, or of a `min` or `max` of
  /// such values.
  bool is_widened(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (std::holds_alternative<ConditionalExpr>(node)) return is_integer(type_of(id));
    const auto* call = std::get_if<CallExpr>(&node);
    return call != nullptr && is_integer(type_of(id)) &&
           std::any_of(call->args.begin(), call->args.end(), [&](ExprId arg) { return is_widened(arg); });
  }

  /// Returns the type that C++ gives to the arguments of a call.
  BodyType type_of_args(ExprId id, const MathFunction& function, const CallExpr& call) const {
    if (function.result == MathResult::Real) return number_of(type_of(id).kind);
    if (function.result == MathResult::Count) return type_of(call.args[0]);
    if (function.result == MathResult::KeepsType) {
      BodyType type = type_of(id);
      // ElementT is taken as the type that it stands for; bool and char are taken as int, as C computes with them.
      type.is_element = false;
      return type.kind == Kind::Bool || type.kind == Kind::Char ? number_of(Kind::Int) : type;
    }
    const bool all_float =
        std::all_of(call.args.begin(), call.args.end(), [&](ExprId arg) { return type_of(arg).kind == Kind::Float; });
    return number_of(all_float ? Kind::Float : Kind::Double);
  }

  static bool is_like(const BodyType& a, const BodyType& b) {
    return a.kind == b.kind && (!is_integer(a) || (a.is_unsigned == b.is_unsigned && a.narrow_bytes == b.narrow_bytes));
  }

  std::string call_text(ExprId id, const CallExpr& call, const Texts& args) const {
    if (call.callee == "IS_MISSING") {
      const NameBinding& binding = binding_of(call.args.front());
      return binding.kind == NameKind::Input ? missing_text(rule_.inputs[binding.index]) : "false";
    }
    if (const auto limit = find_numeric_limit(call.callee)) return opencl_limit(type_of(id), limit->member);
    if (find_bit_cast(call.callee)) {
      BodyType type = type_of(id);
      type.is_element = false;
      return "as_" + number_word(type) + "(" + args[0] + ")";
    }
    const MathFunction* function = find_math_function(call.callee);
    PB_CHECK(function != nullptr, "only math functions are called in a kernel");
    const BodyType type = type_of_args(id, *function, call);
    const bool stays_integer = is_integer(type);
    // A function that the kernel defines itself converts its arguments.
    if (!stays_integer && !function->definition.empty())
      return device_function(*function, number_word(type)).name + "(" + joined(args) + ")";
    // `min` and `max` need arguments of one type, which they have in C++. Where C widens one of them, a unary `+`
    // widens the others.
    const auto widens = [&](ExprId arg) { return is_widened(arg); };
    const bool is_promoted =
        stays_integer && args.size() > 1 && std::any_of(call.args.begin(), call.args.end(), widens);
    Texts converted;
    for (std::size_t i = 0; i < args.size(); ++i) {
      std::optional<std::string> conversion;
      if (!is_like(type_of(call.args[i]), type)) {
        conversion = "(" + number_word(type) + ")";
      } else if (is_promoted) {
        conversion = "+";
      }
      converted.push_back(conversion ? *conversion + "(" + args[i] + ")" : args[i]);
    }
    const std::string text =
        std::string(stays_integer ? function->opencl_integer : function->opencl) + "(" + joined(converted) + ")";
    // In OpenCL C `abs` of an int is unsigned, and `round` returns a floating-point number.
    if (function->result == MathResult::Integer) return "((long)" + text + ")";
    if (function->result == MathResult::Count) return "((int)" + text + ")";
    const bool is_abs = stays_integer && function->num_args == 1;
    return is_abs ? "((" + number_word(type) + ")" + text + ")" : text;
  }

  std::string member_text(const MemberExpr& member, const Texts& args) const {
    if (const NameBinding& object = binding_of(member.object); object.kind == NameKind::Temporary) {
      Texts indices = args;
      for (std::size_t d = 0; d < args.size(); ++d)
        indices[d] = index_text("(" + args[d] + ")", type_of(member.args[d]));
      return text_of_member(rule_.temporaries[object.index], body_, member, indices);
    }
    const std::string& name = std::get<NameExpr>(body_.exprs[member.object].node).text;
    const std::string region = "pb_at_" + name;
    const std::optional<std::size_t> walked = walked_in_panel(member.object);
    const int num_dims = type_of(member.object).num_dims;
    if (member.name == "cell") {
      const bool is_plain_index = !is_pointer(member.object);
      std::string index = is_plain_index ? region : "";
      for (std::size_t d = 0; d < args.size(); ++d) {
        if (walked == d) {
          index += std::string(index.empty() ? "" : " + ") + "pb_r * " + stride_name(region, d);
          continue;
        }
        if (is_zero(member.args[d])) continue;
        std::string arg = is_leaf(member.args[d]) ? args[d] : "(" + args[d] + ")";
        arg = index_text(arg, type_of(member.args[d]));
        index += (index.empty() ? "" : " + ") + arg + " * " + stride_name(region, d);
      }
      return (is_plain_index ? "pb_from_" + name : region) + "[" + (index.empty() ? "0" : index) + "]";
    }
    if (member.name == "size")
      return size_name(region, static_cast<std::size_t>(*constant_value(body_, member.args[0])));
    if (member.name == "width") return size_name(region, 0);
    if (member.name == "height") return size_name(region, 1);
    if (member.name == "depth") return size_name(region, 2);
    PB_CHECK(member.name == "count", "only cells and sizes of regions are used in a kernel");
    std::string product = "((long)" + size_name(region, 0);
    for (int d = 1; d < num_dims; ++d) product += " * " + size_name(region, static_cast<std::size_t>(d));
    return product + ")";
  }

  /// The coordinate of a panel's cells that is the round of the block.
  std::optional<std::size_t> walked_in_panel(ExprId object) const {
    if (instance_.part != InstancePart::Rounds || !is_pointer(object)) return std::nullopt;
    const BlockInput* input = instance_.blocks->find(binding_of(object).index);
    return input == nullptr ? std::nullopt : std::optional(input->body_dim);
  }

  /// The region whose kept cell the expression means; null if it means none.
  const RegionAccess* kept_by(ExprId id) const {
    for (const KeptRegion& region : instance_.kept)
      if (std::find(region.accesses.begin(), region.accesses.end(), id) != region.accesses.end())
        return &access_of(region);
    return nullptr;
  }
  const RegionAccess& access_of(const KeptRegion& region) const {
    return (region.is_output ? rule_.outputs : rule_.inputs)[region.index];
  }
  static std::string kept_text(const RegionAccess& access) { return kept_cells(access.binding) + "[pb_k]"; }

  /// The cells that a loop reads and writes beside what its statements say.
  KeptCopies copies_of(const Fold& loop) const {
    KeptCopies out;
    for (const KeptRegion& region : instance_.kept) {
      if ((region.is_output ? region.last : region.first) != loop.loop) continue;
      const auto is_in_loop = [&](ExprId id) {
        return binding_of(std::get<MemberExpr>(body_.exprs[id].node).args[0]).index == loop.local;
      };
      const auto access = std::find_if(region.accesses.begin(), region.accesses.end(), is_in_loop);
      PB_CHECK(access != region.accesses.end(), "the loop accesses the kept cells");
      const auto& cell = std::get<MemberExpr>(body_.exprs[*access].node);
      (region.is_output ? out.writes : out.reads)
          .push_back({kept_text(access_of(region)), member_text(cell, {opencl_name(loop.var)})});
    }
    return out;
  }

  bool is_zero(ExprId id) const {
    const auto* number = std::get_if<IntegerExpr>(&body_.exprs[id].node);
    return number != nullptr && number->text == "0";
  }
  /// Whether the expression is a variable or a number without a sign. A constant of the language is neither, because
  /// its text may be longer in OpenCL C.
  bool is_leaf(ExprId id) const {
    const bool is_variable =
        std::holds_alternative<NameExpr>(body_.exprs[id].node) && binding_of(id).kind != NameKind::BuiltIn;
    return is_variable || std::holds_alternative<IntegerExpr>(body_.exprs[id].node);
  }

  bool is_pointer(ExprId object) const {
    const NameBinding& binding = binding_of(object);
    if (binding.kind != NameKind::Input) return false;
    const OperandKind kind = instance_.inputs[binding.index].kind;
    return kind == OperandKind::Staged || kind == OperandKind::SharedCells;
  }

  bool print_stmt(Writer& out, BodyCodePrinter& printer, StmtId id) {
    if (instance_.part != InstancePart::Whole && print_of_part(out, printer, id)) return true;
    const Stmt& stmt = body_.stmts[id];
    if (const auto* leave = std::get_if<ReturnStmt>(&stmt.node)) {
      const bool is_last = id == last_;
      jumps_ = jumps_ || !is_last;
      if (!is_last) out.open("");
      if (!leave->value.is_none())
        out.line(words_.result + " = " + printer.expr(leave->value, Precedence::Assign) + ";");
      if (!is_last) {
        out.line("goto " + words_.done + ";");
        out.close();
      }
      return true;
    }
    const auto phase = std::find_if(instance_.phases.begin(), instance_.phases.end(),
                                    [&](const Phase& each) { return each.stmt == id; });
    if (phase != instance_.phases.end() && phase->waits) out.line(words_.folds.cell_barrier);
    if (phase != instance_.phases.end() && phase->kind == PhaseKind::First)
      return print_first(out, printer, *phase), true;
    for (const DividedFold& divided : instance_.divided) {
      DividedFoldPrinter fold(out, printer, rule_, divided, words_.folds, copies_of(divided.fold));
      if (print_update(out, printer, divided, id)) return true;
      if (const ScatterPrinter scatter(out, rule_, divided); scatter.is_kept(id))
        return scatter.print_store(printer, id), true;
      if (divided.inner && divided.inner->loop == id) return fold.print_inner(), true;
      if (divided.fold.loop != id) continue;
      if (divided.is_ordered)
        OrderedBinPrinter(out, printer, rule_, divided, words_.folds).print();
      else
        fold.print();
      if (divided.fold.accumulators.empty() || divided.has_two_stages()) print_end_of_stage(out, *phase);
      return true;
    }
    return false;
  }

  /// Prints the statement if it updates bins of the loop. Returns whether it does.
  bool print_update(Writer& out, BodyCodePrinter& printer, const DividedFold& divided, StmtId id) {
    const BinPrinter bins(out, rule_, divided, words_.folds);
    const Accumulator* const updated = bins.updated_by(id);
    if (updated == nullptr || updated_ != nullptr) return false;
    bins.print_update(printer, id, [&] {
      updated_ = updated;
      printer.print_stmt(out, id);
      updated_ = nullptr;
    });
    return true;
  }

  /// Prints what stands for the fold in a part of an instance. Returns whether the statement is the fold, or behind it
  /// and of another part.
  bool print_of_part(Writer& out, BodyCodePrinter& printer, StmtId id) {
    const std::vector<StmtId>& loops = instance_.blocks->contraction.loops;
    if (id != loops.front()) return is_behind_fold_ && instance_.part != InstancePart::End;
    if (instance_.part == InstancePart::Rounds) {
      // Variables of outer loops are declared around, what these declare is declared here.
      for (std::size_t i = 0; i + 1 < loops.size(); ++i)
        for (const StmtId inner : stmts_of(body_, inside_of(body_, loops[i])))
          if (std::holds_alternative<DeclStmt>(body_.stmts[inner].node)) printer.print_stmt(out, inner);
    }
    const bool in_rounds = instance_.part == InstancePart::Rounds;
    if (instance_.part != InstancePart::Begin) print_carried(out, *instance_.blocks, true, in_rounds);
    if (in_rounds) print_rounds(out, printer, *instance_.blocks, inside_of(body_, loops.back()));
    if (instance_.part != InstancePart::End) print_carried(out, *instance_.blocks, false, in_rounds);
    is_behind_fold_ = true;
    return true;
  }

  /// A statement of one work-item. Where several groups run an instance, the first lane of the first group runs it.
  void print_first(Writer& out, BodyCodePrinter& printer, const Phase& phase) const {
    const std::string store = printer.expr(std::get<ExprStmt>(body_.stmts[phase.stmt].node).expr) + ";";
    if (phase.stage == 0) return out.line("if (pb_is_first) " + store);
    open_stage(out, phase.stage);
    out.line("if (pb_is_first && pb_fold_group == 0) " + store);
    close_stage(out);
    print_end_of_stage(out, phase);
  }

  /// Has a loop unrolled if the build knows its limit. Nothing is printed if the limit also depends on a value that no
  /// build knows, because the driver's compiler would warn.
  void print_unroll(Writer& out, const ForStmt& loop) const {
    if (loop.condition.is_none()) return;
    Texts macros;
    bool is_known = true;
    walk_expr(body_, loop.condition, [&](ExprId id) {
      const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
      if (name == nullptr || binding_of(id).kind == NameKind::Local) return;
      for (const KernelScalar& scalar : kernel_.scalars) {
        if (scalar.name != name->text) continue;
        is_known = is_known && scalar.is_specialized;
        macros.push_back("defined(" + size_macro(scalar.name) + ")");
      }
    });
    if (macros.empty() || !is_known) return;
    out.verbatim("#if " + joined(macros, " && ") + "\n#pragma unroll\n#endif\n");
  }

  const Rule& rule_;
  const Body& body_;
  const KernelTree& kernel_;
  const RuleInstance& instance_;
  const BodyWords& words_;
  Dialect dialect_;
  BodyCodePrinter printer_;
  StmtId last_;
  bool jumps_ = false;
  const Accumulator* updated_ = nullptr;  ///< the bins of the update that is printed
  bool is_behind_fold_ = false;           ///< of an instance in parts
};

}  // namespace

void print_kernel_functions(Writer& out, const std::vector<const Rule*>& rules, const std::string& head) {
  std::set<std::string> lines;
  for (const Rule* rule : rules) {
    for (const ExprId id : rule->body.exprs.ids()) {
      const auto* call = std::get_if<CallExpr>(&rule->body.exprs[id].node);
      const MathFunction* function = call == nullptr ? nullptr : find_math_function(call->callee);
      const Kind kind = rule->body_types.types[id.index()].kind;
      if (function == nullptr || function->definition.empty() || (kind != Kind::Double && kind != Kind::Float))
        continue;
      lines.insert(device_function(*function, number_word(number_of(kind))).definition);
    }
  }
  for (const std::string& line : lines) out.line(head + line);
}

bool print_kernel_body(Writer& out, const Rule& rule, const KernelTree& kernel, const RuleInstance& instance,
                       const BodyWords& words) {
  return KernelBodyPrinter(rule, kernel, instance, words).print(out);
}

BlockLoopTexts block_loop_texts(const Rule& rule, const KernelTree& kernel, const RuleInstance& instance) {
  const BodyWords words;
  return KernelBodyPrinter(rule, kernel, instance, words).loop_texts();
}

bool uses_sizes(const Rule& rule, const std::string& binding) {
  bool found = false;
  walk(
      rule.body, rule.body.root, [](StmtId) {},
      [&](ExprId id) {
        const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
        if (member == nullptr || member->name == "cell") return;
        const auto* name = std::get_if<NameExpr>(&rule.body.exprs[member->object].node);
        found = found || (name != nullptr && name->text == binding);
      });
  return found;
}

}  // namespace pb
