// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/uniformity.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "choicegraph/plan/lane_loops.h"
#include "clgen/facts/rule_facts.h"
#include "clgen/lower/analysis/lane_accesses.h"
#include "clgen/lower/analysis/masked_stmts.h"
#include "clgen/lower/analysis/varying_values.h"
#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/bounding_quotients.h"
#include "lang/body/math_functions.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

using Kind = BodyType::Kind;

/// Whether the body has neither loops nor branches that differ between instances.
bool is_straight_line(const Body& body, const PackFacts& facts) {
  bool result = true;
  walk(
      body, body.root,
      [&](StmtId id) {
        const auto& node = body.stmts[id].node;
        if (std::holds_alternative<ForStmt>(node) || std::holds_alternative<WhileStmt>(node) ||
            std::holds_alternative<DoStmt>(node))
          result = false;
      },
      [&](ExprId id) {
        const auto* choice = std::get_if<ConditionalExpr>(&body.exprs[id].node);
        if (choice != nullptr && facts.is_varying[choice->condition.index()]) result = false;
      });
  return result;
}

/// Up to this number of reads per instance, a body counts as one with few reads. With many reads, several rows at
/// once save loads.
constexpr int kFewReads = 10;

/// Returns the number of elements that an instance reads: element inputs, and calls of `cell` in the body.
int num_reads(const Rule& rule) {
  int count = 0;
  for (const RegionAccess& input : rule.inputs) count += is_element(input) ? 1 : 0;
  walk(
      rule.body, rule.body.root, [](StmtId) {},
      [&](ExprId id) {
        const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
        count += member != nullptr && member->name == "cell" ? 1 : 0;
      });
  return count;
}

/// Checks whether packs can do what the body does.
class PackChecker {
 public:
  /// Pre: `facts` knows which values vary
  PackChecker(const Rule& rule, ElementType element, PackFacts& facts)
      : element_(element), rule_(rule), body_(rule.body), types_(rule.body_types), facts_(facts) {}

  /// Says whether packs can run the body, and notes wide types in the facts.
  bool run() {
    find_returns();
    std::optional<MaskedStmts> masked = find_masked_stmts(rule_, facts_);
    if (!masked) return false;
    facts_.masked_stmts = std::move(masked->stmts);
    for (const StmtId id : facts_.masked_stmts) facts_.has_masked_loops |= is_loop(body_.stmts[id]);
    masked_steps_ = std::move(masked->steps);
    walk(
        body_, body_.root, [&](StmtId id) { check_stmt(id); }, [&](ExprId id) { check_expr(id); });
    return is_fit_;
  }

 private:
  void refuse() { is_fit_ = false; }
  bool varies(ExprId id) const { return !id.is_none() && facts_.is_varying[id.index()]; }
  const BodyType& type_of(ExprId id) const { return types_.types[id.index()]; }

  /// In the return form, there must be one `return` with a value, at the end; else there must be none.
  void find_returns() {
    if (!rule_.is_return_form) return;
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block == nullptr || block->stmts.empty()) return refuse();
    last_ = block->stmts.back();
    if (!std::holds_alternative<ReturnStmt>(body_.stmts[last_].node)) refuse();
  }

  void check_stmt(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    std::visit(Overloaded{
                   [&](const EmptyStmt&) {},
                   [&](const BlockStmt&) {},
                   [&](const BreakStmt&) {},
                   [&](const ContinueStmt&) {},
                   [&](const IfStmt&) {},
                   [&](const ForStmt&) {},
                   [&](const WhileStmt&) {},
                   [&](const DoStmt&) {},
                   [&](const ReturnStmt& node) {
                     if (id != last_ || node.value.is_none() || type_of(node.value).kind == Kind::Bool) refuse();
                   },
                   [&](const ExprStmt& node) { stores_.push_back(node.expr); },
                   [&](const DeclStmt& node) { check_decl(node); },
                   [&](const SwitchStmt&) { refuse(); },
                   [&](const CaseStmt&) { refuse(); },
                   [&](const ForEnoughStmt&) { refuse(); },
                   [&](const TransformCallStmt&) { refuse(); },
                   [&](const SyncStmt&) { refuse(); },
                   [&](const OpaqueStmt&) { refuse(); },
               },
               stmt.node);
  }

  void check_decl(const DeclStmt& decl) {
    if (decl.is_static) refuse();
    for (const Declarator& declarator : decl.declarators) {
      const bool is_varying = facts_.varying_locals.contains(next_local_++);
      if (declarator.pointer_depth > 0 || declarator.is_reference) refuse();
      if (!is_packed_number(decl.type) && (is_varying || decl.type.kind != Kind::Bool)) refuse();
      const bool is_list =
          !declarator.init.is_none() && std::holds_alternative<InitListExpr>(body_.exprs[declarator.init].node);
      if (is_list && declarator.extents.empty()) refuse();
      if (is_varying && !declarator.init.is_none() && type_of(declarator.init).kind == Kind::Bool) refuse();
      if (is_varying) note_type(decl.type);
    }
  }

  void note_type(const BodyType& type) {
    // In a declaration, `ElementT` is not yet the type that --element says.
    if (type.is_element && element_ != ElementType::Double && element_ != ElementType::Long) return;
    if (type.kind == Kind::Double || type.kind == Kind::Long) facts_.is_wide_type = true;
  }

  void check_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (varies(id)) {
      const BodyType& type = type_of(id);
      const bool is_region = std::holds_alternative<NameExpr>(expr.node) && type.kind == Kind::Region;
      const bool is_list = std::holds_alternative<InitListExpr>(expr.node) || type.kind == Kind::Array;
      if (!is_packed_number(type) && type.kind != Kind::Bool && !is_region && !is_list) refuse();
      note_type(type);
    }
    std::visit(Overloaded{
                   [&](const NameExpr&) { check_name(id); },
                   [&](const UnaryExpr& node) { check_unary(id, node); },
                   [&](const BinaryExpr& node) { check_binary(id, node); },
                   [&](const ConditionalExpr& node) { check_conditional(id, node); },
                   [&](const AssignExpr& node) { check_assign(id, node); },
                   [&](const CallExpr&) { check_call(id); },
                   [&](const MemberExpr& node) { check_member(node); },
                   [&](const SubscriptExpr& node) {
                     if (varies(node.index) || !std::holds_alternative<NameExpr>(body_.exprs[node.object].node))
                       refuse();
                   },
                   [&](const CastExpr& node) {
                     if (!is_packed_number(node.type) || (varies(id) && type_of(node.operand).kind == Kind::Bool))
                       refuse();
                   },
                   [&](const StringExpr&) { refuse(); },
                   [&](const LambdaExpr&) { refuse(); },
                   [&](const OpaqueExpr&) { refuse(); },
                   [&](const IntegerExpr&) {},
                   [&](const FloatExpr&) {},
                   [&](const CharExpr&) {},
                   [&](const BoolExpr&) {},
                   [&](const InitListExpr&) {},
               },
               expr.node);
  }

  void check_name(ExprId id) {
    const NameBinding& binding = types_.bindings[id.index()];
    if (binding.kind == NameKind::Unknown || binding.kind == NameKind::Temporary) refuse();
    const bool is_region = type_of(id).kind == Kind::Region;
    const bool is_object = std::find(region_objects_.begin(), region_objects_.end(), id) != region_objects_.end();
    const bool is_of_header = binding.kind == NameKind::Input || binding.kind == NameKind::Output;
    if (is_region && (!is_object || !is_of_header)) refuse();
  }

  /// Checks an assignment. To an element of a region it must be a statement of its own, because the printer writes such
  /// statements in another way.
  void check_assign(ExprId id, const AssignExpr& node) {
    if (varies(id) && (type_of(node.lhs).kind == Kind::Bool || type_of(node.rhs).kind == Kind::Bool)) refuse();
    const bool is_stored = std::holds_alternative<MemberExpr>(body_.exprs[node.lhs].node);
    if (is_stored && std::find(stores_.begin(), stores_.end(), id) == stores_.end()) refuse();
  }

  void check_unary(ExprId id, const UnaryExpr& node) {
    const OperatorKind kind = kind_of(node.op);
    if (kind == OperatorKind::Pointer) refuse();
    if (varies(id) && kind == OperatorKind::Step && !masked_steps_.contains(id)) refuse();
    if (varies(id) && (node.op == UnaryOp::Not) != (type_of(node.operand).kind == Kind::Bool)) refuse();
  }

  void check_binary(ExprId id, const BinaryExpr& node) {
    if (!varies(id)) return;
    const bool is_logical = kind_of(node.op) == OperatorKind::Logical;
    for (ExprId side : {node.lhs, node.rhs})
      if ((type_of(side).kind == Kind::Bool) != is_logical) refuse();
    if (node.op == BinaryOp::Comma || (is_logical && !may_always_run(rule_, node.rhs))) refuse();
  }

  void check_conditional(ExprId id, const ConditionalExpr& node) {
    if (!varies(id)) return;
    if (type_of(node.if_true).kind == Kind::Bool || type_of(node.if_false).kind == Kind::Bool) refuse();
    if (!varies(node.condition)) return;
    if (type_of(node.condition).kind != Kind::Bool || !may_always_run(rule_, node.if_true) ||
        !may_always_run(rule_, node.if_false))
      refuse();
  }

  void check_call(ExprId id) {
    if (is_missing_test(rule_, id)) return;
    const PackedCall call = packed_call(rule_, id, element_);
    if (call == PackedCall::None) refuse();
    facts_.calls_vector_functions |= varies(id) && call == PackedCall::Vector;
  }

  void check_member(const MemberExpr& node) {
    const bool is_name = std::holds_alternative<NameExpr>(body_.exprs[node.object].node);
    if (!is_name || !node.is_call || node.is_arrow || type_of(node.object).kind != Kind::Region) return refuse();
    const bool is_size = node.name == "size" || node.name == "width" || node.name == "height" || node.name == "depth" ||
                         node.name == "count";
    if (node.name != "cell" && !is_size) refuse();
    // If the indices differed between instances, the access would be a gather.
    for (ExprId arg : node.args)
      if (varies(arg)) refuse();
    region_objects_.push_back(node.object);
  }

  ElementType element_;
  const Rule& rule_;
  const Body& body_;
  const BodyTypes& types_;
  PackFacts& facts_;
  std::vector<ExprId> region_objects_;
  std::vector<ExprId> stores_;     ///< expressions that are statements
  std::set<ExprId> masked_steps_;  ///< statements that change a number where a mask is set
  StmtId last_;
  std::uint32_t next_local_ = 0;
  bool is_fit_ = true;
};

}  // namespace

bool add_body_facts(const Rule& rule, ElementType element, PackFacts& facts) {
  mark_varying_values(rule, facts);
  facts.multiplies_quotients = has_bounding_quotients(rule.body, rule.body_types, rule.body.root, facts.is_varying);
  return PackChecker(rule, element, facts).run();
}

std::optional<PackFacts> find_pack_facts(const Rule& rule, const Step& step, ElementType element, bool all_exist) {
  auto facts = find_lane_accesses(rule, step, all_exist);
  if (!facts) return std::nullopt;
  if (!add_body_facts(rule, element, *facts)) return std::nullopt;
  facts->is_plain = !facts->writes_regions && !facts->calls_vector_functions && is_straight_line(rule.body, *facts) &&
                    (!facts->is_tall || num_reads(rule) <= kFewReads);
  return facts;
}

}  // namespace pb
