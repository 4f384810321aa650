// SPDX-License-Identifier: MIT
#include "choicegraph/plan/lane_loops.h"

#include <algorithm>

#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/bounding_quotients.h"
#include "lang/body/constant_value.h"
#include "lang/body/math_functions.h"
#include "lang/body/operands.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

using Kind = BodyType::Kind;

/// The type with what ElementT stands for.
BodyType settled(const BodyType& type, ElementType element) { return type.is_element ? number_type(element) : type; }

bool may_split(const Accumulator& each) {
  const bool has_operator = each.op == FoldOp::Add || each.op == FoldOp::Mul || each.is_extremum();
  return is_floating(each.type) && has_operator && each.places.empty();
}

/// Whether the accumulator may stand in a loop that stores: it shares no memory with the cells, and the loop never
/// runs again, as it does where the smallest or largest is a zero.
bool may_store(const Accumulator& each) { return each.binding.kind == NameKind::Local && !each.is_extremum(); }

/// Adds the name of the member's region to `names`, unless it is there.
void add_region(std::vector<std::string>& names, const Body& body, const MemberExpr& member) {
  const std::string& name = std::get<NameExpr>(body.exprs[member.object].node).text;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Reads one loop, and says whether it may run in lanes.
class LaneLoopReader {
 public:
  /// `stores`: the assignments of a map.
  LaneLoopReader(const Rule& rule, const Fold& fold, const std::vector<ExprId>& stores, ElementType element)
      : rule_(rule), body_(rule.body), types_(rule.body_types), fold_(fold), stores_(stores), element_(element) {
    out_.loop = fold.loop;
    out_.is_map = !stores.empty();
    out_.rounds = !fold_.is_exact();
  }

  bool run() {
    // The text of `for (T v : region)` has no such head, which frontend/check_types made.
    if (body_.exprs[fold_.first].tokens == TokenRange{}) return false;
    if (fold_.step != 1 || !fold_.may_regroup() ||
        !std::all_of(fold_.accumulators.begin(), fold_.accumulators.end(),
                     [&](const Accumulator& each) { return may_split(each) && (!out_.is_map || may_store(each)); }))
      return false;
    if (!counts_simply()) return false;
    out_.is_varying.assign(body_.exprs.size(), false);
    for (const Accumulator& each : fold_.accumulators) {
      note_type(each.type);
      if (each.binding.kind == NameKind::Local) out_.varying_locals.insert(each.binding.index);
    }
    next_local_ = fold_.local + 1;
    check_stmt(std::get<ForStmt>(body_.stmts[fold_.loop].node).body);
    out_.multiplies_quotients = has_bounding_quotients(body_, types_, fold_.loop, out_.is_varying);
    // Compilers make vectors of plain maps by themselves, and have less to do between them.
    const bool is_plain = out_.is_map && fold_.accumulators.empty() && !calls_vector_function_;
    return is_fit_ && !is_plain && !out_.regions.empty() && !is_too_short();
  }

  [[nodiscard]] LaneLoop take() { return std::move(out_); }

 private:
  void refuse() { is_fit_ = false; }
  [[nodiscard]] bool varies(ExprId id) const { return out_.is_varying[id.index()]; }
  [[nodiscard]] BodyType type_of(ExprId id) const { return settled(types_.types[id.index()], element_); }
  void note_type(const BodyType& type) {
    const Kind kind = settled(type, element_).kind;
    if (kind == Kind::Double || kind == Kind::Long) out_.is_wide_type = true;
  }

  /// Whether the number of rounds is the difference of the limits, as 64-bit integers have it.
  [[nodiscard]] bool counts_simply() const {
    const BodyType last = type_of(fold_.last);
    return fold_.var_type.narrow_bytes == 0 && (fold_.var_type.is_unsigned || !last.is_unsigned);
  }

  /// Whether the loop is known to have fewer rounds than two packs of the shortest vectors that processors have. Loops
  /// run so few one by one (runtime/matrix/simd_folds.h).
  [[nodiscard]] bool is_too_short() const {
    constexpr double kBytes = 2 * 4 * 16;  // two packs of four vectors
    const auto first = constant_value(body_, fold_.first);
    const auto last = constant_value(body_, fold_.last);
    if (!first || !last) return false;
    const double num_rounds = static_cast<double>(*last) - static_cast<double>(*first) + (fold_.is_inclusive ? 1 : 0);
    return num_rounds < kBytes / (out_.is_wide_type ? 8 : 4);
  }

  /// Statements that packs run as they are: declarations and assignments.
  void check_stmt(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    if (const auto* block = std::get_if<BlockStmt>(&stmt.node)) {
      for (const StmtId child : block->stmts) check_stmt(child);
    } else if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) {
      check_decl(*decl);
    } else if (const auto* single = std::get_if<ExprStmt>(&stmt.node)) {
      check_assignment(single->expr);
    } else if (!std::holds_alternative<EmptyStmt>(stmt.node)) {
      refuse();
    }
  }

  void check_decl(const DeclStmt& decl) {
    if (decl.is_static || !is_packed_number(settled(decl.type, element_))) return refuse();
    note_type(decl.type);
    for (const Declarator& each : decl.declarators) {
      if (each.pointer_depth > 0 || each.is_reference || !each.extents.empty()) refuse();
      if (!each.init.is_none()) check_value(each.init);
      out_.varying_locals.insert(next_local_++);
    }
  }

  /// Checks `s += x`, `s = max(s, x)`, and assignments to what the loop declares.
  void check_assignment(ExprId id) {
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
    if (assign == nullptr) return refuse();
    const bool is_store = std::find(stores_.begin(), stores_.end(), id) != stores_.end();
    if (is_store) check_store(assign->lhs);
    if (!is_store && !is_own_variable(assign->lhs)) return refuse();
    check_value(assign->rhs);
    out_.is_varying[assign->lhs.index()] = true;
    out_.is_varying[id.index()] = true;
    for (const BodyType& type : {type_of(assign->lhs), type_of(id)}) note_type(type);
  }

  /// Checks the cell that a round of a map stores. Compilers make vectors of whole numbers by themselves.
  void check_store(ExprId id) {
    if (!is_floating(type_of(id))) refuse();
    const auto& cell = std::get<MemberExpr>(body_.exprs[id].node);
    check_member(id, cell);
  }

  [[nodiscard]] bool is_own_variable(ExprId id) const {
    if (const auto* cell = std::get_if<MemberExpr>(&body_.exprs[id].node))
      return is_cell_call(*cell) && fold_.find(types_.bindings[cell->object.index()]) != nullptr;
    if (!std::holds_alternative<NameExpr>(body_.exprs[id].node)) return false;
    const NameBinding& binding = types_.bindings[id.index()];
    return fold_.find(binding) != nullptr ||
           (binding.kind == NameKind::Local && out_.varying_locals.contains(binding.index));
  }

  /// Checks an expression that must be a number in each round.
  void check_value(ExprId id) {
    check_expr(id);
    if (!is_packed_number(type_of(id))) refuse();
  }

  void check_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) return check_member(id, *member);
    bool is_varying = false;
    for_each_operand(expr, [&](ExprId operand) {
      check_expr(operand);
      is_varying |= varies(operand);
    });
    if (std::holds_alternative<NameExpr>(expr.node)) is_varying = check_name(id);
    out_.is_varying[id.index()] = is_varying;
    const BodyType type = type_of(id);
    if (is_varying) note_type(type);
    if (!is_packed_number(type) && type.kind != Kind::Bool) refuse();
    check_kind(id, is_varying);
  }

  /// Whether packs have such an expression; one that is the same in all rounds may be of any kind but the last ones.
  void check_kind(ExprId id, bool is_varying) {
    std::visit(Overloaded{
                   [&](const UnaryExpr& node) {
                     const OperatorKind kind = kind_of(node.op);
                     const bool is_not = node.op == UnaryOp::Not;
                     if (kind == OperatorKind::Pointer || kind == OperatorKind::Step) refuse();
                     if (is_varying && is_not != (type_of(node.operand).kind == Kind::Bool)) refuse();
                   },
                   [&](const BinaryExpr& node) {
                     if (is_varying) check_binary(node);
                   },
                   [&](const ConditionalExpr& node) {
                     if (is_varying) check_conditional(node);
                   },
                   [&](const CallExpr&) { check_call(id); },
                   [&](const CastExpr& node) {
                     if (!is_packed_number(settled(node.type, element_)) || type_of(node.operand).kind == Kind::Bool)
                       refuse();
                   },
                   [](const IntegerExpr&) {},
                   [](const FloatExpr&) {},
                   [](const CharExpr&) {},
                   [](const BoolExpr&) {},
                   [](const NameExpr&) {},
                   [](const MemberExpr&) {},
                   [&](const StringExpr&) { refuse(); },
                   [&](const AssignExpr&) { refuse(); },
                   [&](const SubscriptExpr&) { refuse(); },
                   [&](const InitListExpr&) { refuse(); },
                   [&](const LambdaExpr&) { refuse(); },
                   [&](const OpaqueExpr&) { refuse(); },
               },
               body_.exprs[id].node);
  }

  void check_binary(const BinaryExpr& node) {
    const bool is_logical = kind_of(node.op) == OperatorKind::Logical;
    for (const ExprId side : {node.lhs, node.rhs})
      if ((type_of(side).kind == Kind::Bool) != is_logical) refuse();
    if (node.op == BinaryOp::Comma || (is_logical && !may_always_run(node.rhs))) refuse();
  }

  void check_conditional(const ConditionalExpr& node) {
    for (const ExprId side : {node.if_true, node.if_false})
      if (type_of(side).kind == Kind::Bool || !may_always_run(side)) refuse();
    if (type_of(node.condition).kind != Kind::Bool) refuse();
  }

  /// Whether the expression may be computed in rounds that do not need it.
  [[nodiscard]] bool may_always_run(ExprId expr) const {
    bool is_harmless = true;
    walk_expr(body_, expr, [&](ExprId id) {
      const auto* binary = std::get_if<BinaryExpr>(&body_.exprs[id].node);
      const bool divides =
          binary != nullptr && kind_of(binary->op) == OperatorKind::Quotient && !is_floating(type_of(id));
      if (divides || std::holds_alternative<MemberExpr>(body_.exprs[id].node)) is_harmless = false;
    });
    return is_harmless;
  }

  void check_call(ExprId id) {
    const PackedCall call = packed_call(rule_, id, element_);
    if (call == PackedCall::None) refuse();
    calls_vector_function_ |= varies(id) && call == PackedCall::Vector;
  }

  /// Says whether the name's value differs between rounds.
  bool check_name(ExprId id) {
    const NameBinding& binding = types_.bindings[id.index()];
    if (binding.kind == NameKind::Unknown || binding.kind == NameKind::Temporary) refuse();
    if (fold_.find(binding) != nullptr) return true;
    if (out_.is_map && binding.kind == NameKind::Output) refuse();  // the cells may lie over it
    if (binding.kind != NameKind::Local) return false;
    // In a pack, the values of the variable have the type of indices.
    const bool is_index = fold_.var_type.kind == Kind::Int && !fold_.var_type.is_unsigned;
    if (binding.index == fold_.local && !is_index) refuse();
    return binding.index == fold_.local || out_.varying_locals.contains(binding.index);
  }

  /// Checks `a.cell(i + 1, y)`, where only the first index has the loop's variable, and `a.size(0)`.
  void check_member(ExprId id, const MemberExpr& node) {
    const NameBinding& binding = types_.bindings[node.object.index()];
    const bool is_region = std::holds_alternative<NameExpr>(body_.exprs[node.object].node) &&
                           types_.types[node.object.index()].kind == Kind::Region &&
                           (binding.kind == NameKind::Input || binding.kind == NameKind::Output);
    if (!is_region || !node.is_call || node.is_arrow) return refuse();
    if (!is_packed_number(type_of(id))) refuse();
    const bool is_own = fold_.find(binding) != nullptr;
    bool moves = false;
    for (std::size_t d = 0; d < node.args.size(); ++d) {
      const int count = check_index(node.args[d]);
      if (count > 0 && (is_own || d > 0 || node.name != "cell")) refuse();
      moves |= count > 0;
    }
    if (!is_size_member(node.name) && !is_cell_call(node)) refuse();
    out_.is_varying[id.index()] = moves || is_own;
    if (!moves) return;
    note_type(type_of(id));
    add_region(out_.regions, body_, node);
  }

  /// Checks an index: it is the same in all rounds, or the loop's variable plus or minus something that is. Returns how
  /// often it has the variable.
  int check_index(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (is_name(body_, id, fold_.var) && types_.bindings[id.index()].kind == NameKind::Local &&
        types_.bindings[id.index()].index == fold_.local) {
      out_.indices.insert(id);
      return 1;
    }
    if (const auto* binary = std::get_if<BinaryExpr>(&expr.node);
        binary != nullptr && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub)) {
      const int of_left = check_index(binary->lhs);
      const int of_right = check_index(binary->rhs);
      if (of_left + of_right > 1 || (of_right > 0 && binary->op == BinaryOp::Sub)) refuse();
      return of_left + of_right;
    }
    check_expr(id);
    if (varies(id)) refuse();
    if (type_of(id).kind != Kind::Int && type_of(id).kind != Kind::Long) refuse();
    return 0;
  }

  const Rule& rule_;
  const Body& body_;
  const BodyTypes& types_;
  const Fold& fold_;
  const std::vector<ExprId>& stores_;
  ElementType element_;
  LaneLoop out_;
  std::uint32_t next_local_ = 0;
  bool is_fit_ = true;
  bool calls_vector_function_ = false;  ///< some call differs between rounds, and compilers leave it scalar
};

/// Whether an index of a region names one of the variables.
bool has_index_of(const Rule& rule, const std::set<std::string>& vars) {
  bool result = false;
  const auto visit_index = [&](ExprId id) {
    const auto* name = std::get_if<NameExpr>(&rule.body.exprs[id].node);
    result |= name != nullptr && vars.contains(name->text);
  };
  walk(
      rule.body, rule.body.root, [](StmtId) {},
      [&](ExprId id) {
        const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
        if (member == nullptr || !is_cell_call(*member)) return;
        for (const ExprId arg : member->args) walk_expr(rule.body, arg, visit_index);
      });
  return result;
}

}  // namespace

bool has_opaque_parts(const Rule& rule) {
  bool result = !rule.calls.empty();
  walk(
      rule.body, rule.body.root,
      [&](StmtId id) { result |= std::holds_alternative<OpaqueStmt>(rule.body.stmts[id].node); },
      [&](ExprId id) {
        const auto& node = rule.body.exprs[id].node;
        result |= std::holds_alternative<OpaqueExpr>(node) || std::holds_alternative<LambdaExpr>(node);
      });
  return result;
}

PackedCall packed_call(const Rule& rule, ExprId id, ElementType element) {
  const auto& node = std::get<CallExpr>(rule.body.exprs[id].node);
  const auto type_of = [&](ExprId expr) { return settled(rule.body_types.types[expr.index()], element); };
  if (rule.body_types.bindings[id.index()].kind != NameKind::BuiltIn) return PackedCall::None;
  if (find_numeric_limit(node.callee)) return PackedCall::Scalar;
  if (find_bit_cast(node.callee))
    return node.args.size() == 1 && have_same_bytes(type_of(id), type_of(node.args[0])) ? PackedCall::Scalar
                                                                                        : PackedCall::None;
  const MathFunction* function = find_math_function(node.callee);
  const bool is_known =
      function != nullptr && function->is_in_packs() && static_cast<int>(node.args.size()) == function->num_args &&
      std::all_of(node.args.begin(), node.args.end(), [&](ExprId arg) { return is_packed_number(type_of(arg)); });
  if (!is_known) return PackedCall::None;
  return is_vector_function(*function) ? PackedCall::Vector : PackedCall::Scalar;
}

bool is_packed_number(const BodyType& type) { return is_number(type) && type.kind != Kind::Bool; }

std::vector<LaneLoop> find_lane_loops(const Rule& rule, const Computation& computation, ElementType element) {
  std::vector<LaneLoop> out;
  if (has_opaque_parts(rule)) return out;
  const auto add = [&](const Fold& fold, const std::vector<ExprId>& stores) {
    LaneLoopReader reader(rule, fold, stores, element);
    const bool fits = reader.run();
    if (fits) out.push_back(reader.take());
    return fits;
  };
  for (const Fold& fold : computation.folds) add(fold, {});
  for (const MapLoop& map : computation.maps)
    if (map.is_line && add(map.loop, map.stores)) out.back().apart = regions_of(rule, map);
  return out;
}

bool prefers_rounds_in_lanes(const Rule& rule) {
  if (rule.vars.empty()) return true;
  std::set<std::string> along;  // the rule variables in the first coordinates of outputs
  for (const RegionAccess& output : rule.outputs)
    if (!output.lo.empty())
      for (const std::string& name : symbols_of(output.lo.front(), SymbolKind::RuleVar)) along.insert(name);
  const auto is_along = [&](const Formula& bound) {
    const auto names = symbols_of(bound, SymbolKind::RuleVar);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return along.contains(name); });
  };
  if (along.empty()) return true;
  const bool are_whole = std::all_of(rule.inputs.begin(), rule.inputs.end(), [&](const RegionAccess& input) {
    return std::none_of(input.lo.begin(), input.lo.end(), is_along);
  });
  if (are_whole && !has_index_of(rule, along)) return true;  // instances that read the same places, or computed ones
  return std::any_of(rule.inputs.begin(), rule.inputs.end(), [&](const RegionAccess& input) {
    for (std::size_t d = 1; d < input.lo.size(); ++d)
      if (is_along(input.lo[d])) return true;
    return false;
  });
}

std::string to_words(const LaneLoop& loop, const Fold& fold) {
  std::string out = "its loop over " + fold.var + " may run in lanes";
  for (const std::string& name : loop.apart.stored) out += ", cells of `" + name + "`";
  if (loop.rounds) out += ", in any order";
  for (const Accumulator& each : fold.accumulators) out += ", " + to_words(each);
  return out;
}

}  // namespace pb
