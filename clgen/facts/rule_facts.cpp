// SPDX-License-Identifier: MIT
#include "clgen/facts/rule_facts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "lang/body/body_walk.h"
#include "lang/body/new_matrix.h"

namespace pb {
namespace {

bool is_size_member(std::string_view name) {
  return name == "size" || name == "width" || name == "height" || name == "depth" || name == "count" ||
         name == "bytes" || name == "perimeter" || name == "contains" || name == "isSize";
}

bool is_view_member(std::string_view name) {
  return name == "region" || name == "row" || name == "col" || name == "column" || name == "slice" ||
         name == "transposed" || name == "all" || name == "forceMutable";
}

/// Whether the expression is the name of one of the rule's regions, which is not a single element.
bool is_region_name(const Rule& rule, ExprId id) {
  const NameBinding& binding = rule.body_types.bindings[id.index()];
  if (!std::holds_alternative<NameExpr>(rule.body.exprs[id].node)) return false;
  if (binding.kind == NameKind::Output) return !is_element(rule.outputs[binding.index]);
  if (binding.kind == NameKind::Input) return !is_element(rule.inputs[binding.index]);
  return binding.kind == NameKind::Temporary;
}

class RuleFactsFinder {
 public:
  explicit RuleFactsFinder(const Rule& rule) : rule_(rule), body_(rule.body) {
    facts_.outputs.resize(rule.outputs.size());
    facts_.inputs.resize(rule.inputs.size());
    facts_.temporaries.resize(rule.temporaries.size());
  }

  RuleFacts run() {
    walk(
        body_, body_.root, [&](StmtId id) { visit_stmt(body_.stmts[id]); },
        [&](ExprId id) {
          const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
          if (const auto* call = std::get_if<CallExpr>(&body_.exprs[id].node)) facts_.used_names.insert(call->callee);
          if (name != nullptr && rule_.body_types.bindings[id.index()].kind != NameKind::Local)
            facts_.used_names.insert(name->text);
        });
    facts_.may_fall_through = !ends_with_return(body_.root);
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i) {
      facts_.outputs[i].is_overwritten =
          is_element(rule_.outputs[i]) &&
          (rule_.is_return_form ? !facts_.may_fall_through : is_assigned_first(rule_.outputs[i].binding));
    }
    return std::move(facts_);
  }

 private:
  void visit_stmt(const Stmt& stmt) {
    const auto* call = std::get_if<TransformCallStmt>(&stmt.node);
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) return visit_decl(*decl);
    if (call != nullptr || std::holds_alternative<SyncStmt>(stmt.node)) facts_.has_calls = true;
    if (const auto* loop = std::get_if<ForEnoughStmt>(&stmt.node)) facts_.used_names.insert(loop->tunable);
    if (std::holds_alternative<OpaqueStmt>(stmt.node)) touch_names_in(stmt.tokens);
    const bool is_copy = find_plain_copy(rule_, stmt).has_value();
    if (is_copy) note_copy(std::get<ExprStmt>(stmt.node).expr);
    const bool passes_on = call != nullptr || is_copy;
    for_each_child(
        stmt, [](StmtId) {}, [&](ExprId id) { visit_expr(id, passes_on && !may_be_number(id)); });
  }

  /// Whether the expression is a region that gives its number where a call takes one.
  [[nodiscard]] bool may_be_number(ExprId id) const {
    const BodyType& type = rule_.body_types.types[id.index()];
    return type.kind == BodyType::Kind::Region && type.num_dims == 0;
  }

  void note_copy(ExprId id) {
    const auto& member = std::get<MemberExpr>(body_.exprs[id].node);
    for (const ExprId region : {member.object, member.args.front()}) {
      RegionUse& use = *use_of(rule_.body_types.bindings[region.index()]);
      use.is_copied = true;
      use.is_read |= region == member.object;
    }
  }

  static bool may_be_region(const BodyType& type) {
    return type.kind == BodyType::Kind::Region || type.kind == BodyType::Kind::Unknown ||
           type.kind == BodyType::Kind::Pointer || type.kind == BodyType::Kind::Array;
  }

  /// Visits a declaration. A handle that is initialised with a region is another name of it; that by itself touches no
  /// cell.
  void visit_decl(const DeclStmt& decl) {
    const bool is_handle = decl.type.kind == BodyType::Kind::Region;
    if (is_handle || decl.type.kind == BodyType::Kind::Unknown) facts_.has_handles = true;
    for (const Declarator& declarator : decl.declarators) {
      hide(declarator.name);
      for (const ExprId extent : declarator.extents)
        if (!extent.is_none()) visit_expr(extent, false);
      if (!declarator.init.is_none()) visit_named(declarator.init, is_handle);
    }
  }

  /// Notes that a local hides the region of that name in parts of the body.
  void hide(const std::string& name) {
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i)
      facts_.outputs[i].may_be_renamed |= rule_.outputs[i].binding == name;
    for (std::size_t i = 0; i < rule_.temporaries.size(); ++i)
      facts_.temporaries[i].may_be_renamed |= rule_.temporaries[i].name == name;
  }

  /// Visits an expression. If `is_handle`, a local is another name of its value from now on.
  void visit_named(ExprId id, bool is_handle) {
    is_renaming_ = is_handle;
    visit_expr(id, false);
    is_renaming_ = false;
  }

  void visit_expr(ExprId id, bool is_passed_on) {
    const Expr& expr = body_.exprs[id];
    if (const auto* assign = std::get_if<AssignExpr>(&expr.node)) {
      const bool is_handle = rule_.body_types.types[assign->lhs.index()].kind == BodyType::Kind::Region;
      is_target_ = !assign->is_compound;
      visit_named(assign->lhs, is_handle);
      is_target_ = false;
      return visit_named(assign->rhs, is_handle);
    }
    if (std::holds_alternative<NameExpr>(expr.node)) {
      // The name may be assigned to, swapped, or copied to a local that is used when it means something else.
      RegionUse* use = is_passed_on ? nullptr : use_of(rule_.body_types.bindings[id.index()]);
      if (use != nullptr) use->may_be_renamed = true;
      return use_name(id, true, !is_passed_on);
    }
    if (std::holds_alternative<OpaqueExpr>(expr.node)) return touch_names_in(expr.tokens);
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) return visit_member(*member, is_passed_on);
    is_target_ = false;
    if (const auto* call = std::get_if<CallExpr>(&expr.node); call != nullptr && is_new_matrix(id, *call)) {
      // A new matrix takes only the sizes of a region.
      for (const ExprId arg : call->args) {
        const bool is_handle = rule_.body_types.types[arg.index()].kind == BodyType::Kind::Region;
        const bool is_name = std::holds_alternative<NameExpr>(body_.exprs[arg].node);
        if (!is_handle || !is_name) visit_expr(arg, is_handle);
      }
      return;
    }
    for_each_operand(expr, [&](ExprId operand) { visit_expr(operand, false); });
  }

  void visit_member(const MemberExpr& member, bool is_passed_on) {
    const bool is_renaming = std::exchange(is_renaming_, false);
    const bool is_target = std::exchange(is_target_, false);
    const bool is_copy = is_passed_on && member.name == "copyTo";
    for (ExprId arg : member.args) visit_expr(arg, is_copy);
    is_renaming_ = is_renaming && member.is_call && is_view_member(member.name);
    const bool is_name = std::holds_alternative<NameExpr>(body_.exprs[member.object].node);
    if (member.is_arrow || !member.is_call) return visit_expr(member.object, false);
    if (member.name == "cell") {
      is_target_ = is_target && is_name;
      is_name ? use_name(member.object, false, true) : visit_expr(member.object, false);
    } else if (is_size_member(member.name)) {
      if (!is_name) visit_expr(member.object, true);
    } else {
      const bool is_view = is_copy || (is_passed_on && is_view_member(member.name));
      is_name ? use_name(member.object, true, !is_view) : visit_expr(member.object, is_view);
    }
  }

  bool is_new_matrix(ExprId id, const CallExpr& call) const {
    return rule_.body_types.bindings[id.index()].kind == NameKind::BuiltIn && !allocated_element(call.callee).empty();
  }

  void use_name(ExprId id, bool needs_handle, bool is_touched) {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    if (binding.kind == NameKind::Local && is_touched && !is_renaming_ &&
        may_be_region(rule_.body_types.types[id.index()]))
      facts_.touches_handles = true;
    RegionUse* use = use_of(binding);
    if (use == nullptr) return;
    use->needs_handle |= needs_handle;
    use->is_touched |= is_touched;
    use->is_read |= is_touched && !is_target_;
  }

  RegionUse* use_of(const NameBinding& binding) {
    if (binding.kind == NameKind::Output) return &facts_.outputs[binding.index];
    if (binding.kind == NameKind::Input) return &facts_.inputs[binding.index];
    if (binding.kind == NameKind::Temporary) return &facts_.temporaries[binding.index];
    return nullptr;
  }

  /// Text without a tree may do anything with the regions it names.
  void touch_names_in(TokenRange range) {
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const std::string& name = body_.tokens[i].text;
      facts_.opaque_names.insert(name);
      facts_.touches_handles = true;
      for (std::size_t k = 0; k < rule_.outputs.size(); ++k)
        if (rule_.outputs[k].binding == name) facts_.outputs[k] = kAnyUse;
      for (std::size_t k = 0; k < rule_.inputs.size(); ++k)
        if (rule_.inputs[k].binding == name) facts_.inputs[k] = kAnyUse;
      for (std::size_t k = 0; k < rule_.temporaries.size(); ++k)
        if (rule_.temporaries[k].name == name) facts_.temporaries[k] = kAnyUse;
    }
  }

  /// Whether a top-level `name = …;` comes before any other use of the name and before any jump out of the body.
  bool is_assigned_first(const std::string& name) const {
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block == nullptr) return false;
    for (const StmtId id : block->stmts) {
      const Stmt& stmt = body_.stmts[id];
      if (const auto* statement = std::get_if<ExprStmt>(&stmt.node)) {
        const auto* assign = std::get_if<AssignExpr>(&body_.exprs[statement->expr].node);
        const auto* target = assign == nullptr ? nullptr : std::get_if<NameExpr>(&body_.exprs[assign->lhs].node);
        if (target != nullptr && target->text == name)
          return !assign->is_compound && !mentions(body_.exprs[assign->rhs].tokens, name);
      }
      if (mentions(stmt.tokens, name) || mentions(stmt.tokens, "return") || mentions(stmt.tokens, "goto")) return false;
    }
    return false;
  }

  bool mentions(TokenRange range, const std::string& word) const {
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      if (body_.tokens[i].text == word) return true;
    return false;
  }

  bool ends_with_return(StmtId id) const {
    if (id.is_none()) return false;
    const Stmt& stmt = body_.stmts[id];
    if (std::holds_alternative<ReturnStmt>(stmt.node)) return true;
    if (const auto* block = std::get_if<BlockStmt>(&stmt.node))
      return !block->stmts.empty() && ends_with_return(block->stmts.back());
    if (const auto* branch = std::get_if<IfStmt>(&stmt.node))
      return ends_with_return(branch->then_stmt) && ends_with_return(branch->else_stmt);
    return false;
  }

  static constexpr RegionUse kAnyUse{.needs_handle = true, .is_touched = true, .is_read = true, .may_be_renamed = true};

  const Rule& rule_;
  const Body& body_;
  RuleFacts facts_;
  bool is_renaming_ = false;
  bool is_target_ = false;  ///< whether the visited expression is assigned to, not read
};

}  // namespace

std::optional<PlainCopy> find_plain_copy(const Rule& rule, const Stmt& stmt) {
  const auto* statement = std::get_if<ExprStmt>(&stmt.node);
  if (statement == nullptr || rule.calls.empty()) return std::nullopt;
  const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[statement->expr].node);
  if (member == nullptr || member->name != "copyTo" || !member->is_call || member->is_arrow || member->args.size() != 1)
    return std::nullopt;
  const ExprId to = member->args.front();
  if (!is_region_name(rule, member->object) || !is_region_name(rule, to)) return std::nullopt;
  const auto name = [&](ExprId id) { return std::get<NameExpr>(rule.body.exprs[id].node).text; };
  return PlainCopy{name(member->object), name(to)};
}

RuleFacts find_rule_facts(const Rule& rule, const std::vector<std::size_t>& filled) {
  RuleFacts out = RuleFactsFinder(rule).run();
  for (const std::size_t output : filled) out.outputs[output].is_overwritten = true;
  return out;
}

bool is_element(const RegionAccess& access) { return access.kind == AccessKind::Cell || access.lo.empty(); }

std::vector<MatrixId> scalar_inputs_of(const Transform& transform, const Rule& rule) {
  std::vector<MatrixId> out;
  for (const MatrixId id : transform.matrices_of(MatrixRole::From)) {
    const Matrix& matrix = transform.matrices[id];
    if (!matrix.extents.empty()) continue;
    const auto hides = [&](const auto& name) { return name == matrix.name; };
    bool is_hidden = false;
    for (const RegionAccess& access : rule.inputs) is_hidden |= !access.is_guest && hides(access.binding);
    for (const RegionAccess& access : rule.outputs) is_hidden |= hides(access.binding);
    for (const RuleTemporary& temporary : rule.temporaries) is_hidden |= hides(temporary.name);
    const bool is_named = std::any_of(rule.body.tokens.begin(), rule.body.tokens.end(),
                                      [&](const BodyToken& token) { return token.text == matrix.name; });
    if (is_named && !is_hidden) out.push_back(id);
  }
  return out;
}

std::vector<RuleMatrix> matrices_of_rule(const Transform& transform, const Rule& rule, const RuleFacts& facts) {
  std::vector<RuleMatrix> out;
  const auto entry = [&](MatrixId id) -> RuleMatrix& {
    for (RuleMatrix& known : out)
      if (known.matrix == id) return known;
    RuleMatrix fresh;
    fresh.matrix = id;
    fresh.is_overwritten = true;
    out.push_back(fresh);
    return out.back();
  };
  const auto add = [&](const RegionAccess& access, const RegionUse& use, bool is_output) {
    RuleMatrix& known = entry(access.matrix);
    known.is_output |= is_output;
    known.is_input |= !is_output;
    known.needs_handle |= use.needs_handle && !is_element(access);
    // An element is read, or written, where the instance is set up.
    known.is_touched |= use.is_touched || is_element(access);
    if (is_output) known.is_overwritten &= use.is_overwritten;
  };
  for (std::size_t i = 0; i < rule.outputs.size(); ++i) add(rule.outputs[i], facts.outputs[i], true);
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) add(rule.inputs[i], facts.inputs[i], false);
  for (const MatrixId id : scalar_inputs_of(transform, rule)) {
    RuleMatrix& known = entry(id);
    known.is_input = true;
    known.is_touched = true;
  }
  return out;
}

}  // namespace pb
