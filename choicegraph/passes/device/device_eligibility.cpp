// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/device_eligibility.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "choicegraph/plan/launches/inside_of_box.h"
#include "lang/body/body_constants.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/math_functions.h"
#include "lang/overloaded.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// The most loops of a launch whose groups need to know where all of their instances are.
constexpr int kMaxDeviceLoops = 3;
/// The most cells of a rule's temporaries: each work-item has its own.
constexpr std::int64_t kMostOwnCells = 1024;
/// The most values of an array of tunables: each value is an argument of the kernel.
constexpr int kMaxDeviceArray = 64;

bool is_device_constant(std::string_view name) {
  const BodyConstant* constant = find_body_constant(name);
  return constant != nullptr && constant->is_on_devices;
}

/// Finds the first part of a rule's body that a kernel cannot do.
class BodyCheck {
 public:
  BodyCheck(const Transform& transform, const Rule& rule)
      : transform_(transform), body_(rule.body), types_(rule.body_types) {}

  std::optional<WhyNotDevice> run() {
    walk(
        body_, body_.root, [&](StmtId id) { check_stmt(body_.stmts[id]); }, [&](ExprId id) { check_expr(id); });
    return std::move(found_);
  }

 private:
  void reject(std::string reason, Span span) {
    if (!found_) found_ = WhyNotDevice{std::move(reason), span};
  }

  void check_stmt(const Stmt& stmt) {
    std::visit(
        Overloaded{
            [&](const TransformCallStmt& call) { reject("it calls the transform `" + call.callee + "`", stmt.span); },
            [&](const SyncStmt&) { reject("it waits for spawned calls", stmt.span); },
            [&](const ForEnoughStmt&) { reject("`for_enough` has no device version", stmt.span); },
            [&](const OpaqueStmt& opaque) { reject(opaque.reason, stmt.span); },
            [&](const DeclStmt& decl) { check_decl(decl, stmt.span); },
            [&](const SwitchStmt&) {},
            [&](const CaseStmt&) {},
            [&](const EmptyStmt&) {},
            [&](const BlockStmt&) {},
            [&](const IfStmt&) {},
            [&](const ForStmt&) {},
            [&](const WhileStmt&) {},
            [&](const DoStmt&) {},
            [&](const ReturnStmt&) {},
            [&](const BreakStmt&) {},
            [&](const ContinueStmt&) {},
            [&](const ExprStmt&) {},
        },
        stmt.node);
  }

  void check_decl(const DeclStmt& decl, Span span) {
    const auto holds_lambda = [&](const Declarator& declarator) {
      return !declarator.init.is_none() && std::holds_alternative<LambdaExpr>(body_.exprs[declarator.init].node);
    };
    // `check_expr` reports the lambda itself.
    if (std::any_of(decl.declarators.begin(), decl.declarators.end(), holds_lambda)) return;
    if (decl.is_static) return reject("a static variable is shared by all instances", span);
    if (!is_number(decl.type))
      return reject("a local variable of type `" + decl.type_text + "` has no device version", span);
    for (const Declarator& declarator : decl.declarators) {
      // Loops over the cells of a region have variables of ours, which no text says.
      const bool is_ours = !declarator.init.is_none() && body_.exprs[declarator.init].tokens == TokenRange{};
      if (!is_ours && (declarator.name.starts_with("pb_") || declarator.name.starts_with("PB_")))
        reject("`" + declarator.name + "` begins like the names of kernels", declarator.name_span);
      if (declarator.pointer_depth > 0) reject("`" + declarator.name + "` is a pointer", declarator.name_span);
      if (declarator.is_reference) reject("`" + declarator.name + "` is a reference", declarator.name_span);
      for (ExprId extent : declarator.extents) {
        if (extent.is_none() || !std::holds_alternative<IntegerExpr>(body_.exprs[extent].node))
          reject("the size of the array `" + declarator.name + "` is no constant", declarator.name_span);
      }
    }
  }

  void check_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    std::visit(Overloaded{
                   [&](const StringExpr&) { reject("it uses a string", expr.span); },
                   [&](const LambdaExpr&) {
                     reject("OpenCL C has no functions within functions, as this lambda is one", expr.span);
                   },
                   [&](const OpaqueExpr& opaque) { reject(opaque.reason, expr.span); },
                   [&](const CallExpr& call) { check_call(id, call, expr.span); },
                   [&](const MemberExpr& member) { check_member(member, expr.span); },
                   [&](const NameExpr& name) { check_name(id, name, expr.span); },
                   [&](const UnaryExpr& unary) { check_unary(unary, expr.span); },
                   [&](const CastExpr& cast) {
                     if (!is_number(cast.type))
                       reject("a cast to `" + cast.type_text + "` has no device version", expr.span);
                   },
                   [&](const IntegerExpr&) {},
                   [&](const FloatExpr& number) {
                     if (number.text.ends_with('L') || number.text.ends_with('l'))
                       reject("`" + number.text + "` is a long double", expr.span);
                   },
                   [&](const CharExpr&) {},
                   [&](const BoolExpr&) {},
                   [&](const BinaryExpr&) {},
                   [&](const AssignExpr&) {},
                   [&](const ConditionalExpr&) {},
                   [&](const SubscriptExpr&) {},
                   [&](const InitListExpr&) {},
               },
               expr.node);
  }

  void check_unary(const UnaryExpr& unary, Span span) {
    if (unary.op == UnaryOp::Deref) reject("it dereferences a pointer", span);
    if (unary.op == UnaryOp::AddressOf) reject("it takes an address", span);
  }

  void check_call(ExprId id, const CallExpr& call, Span span) {
    const bool is_builtin = types_.bindings[id.index()].kind == NameKind::BuiltIn;
    if (is_builtin && find_numeric_limit(call.callee)) return;
    if (is_builtin && call.callee == "IS_MISSING") return;
    if (is_builtin && find_bit_cast(call.callee)) return check_bit_cast(id, call, span);
    const MathFunction* function = is_builtin ? find_math_function(call.callee) : nullptr;
    if (function == nullptr || !function->is_on_devices())
      return reject("it calls `" + call.callee + "`, which no device knows", span);
    if (static_cast<int>(call.args.size()) != function->num_args)
      return reject("`" + call.callee + "` is called with an unknown number of arguments", span);
    for (ExprId arg : call.args) {
      if (is_number(types_.types[arg.index()])) continue;
      // A part of the argument that a kernel cannot do is a better reason than the argument's type.
      walk_expr(body_, arg, [&](ExprId part) { check_expr(part); });
      return reject("the type of an argument of `" + call.callee + "` is not known", body_.exprs[arg].span);
    }
  }

  void check_bit_cast(ExprId id, const CallExpr& call, Span span) {
    if (call.args.size() == 1 && have_same_bytes(types_.types[id.index()], types_.types[call.args[0].index()])) return;
    reject("the argument of `" + call.callee + "` is no number of the same size", span);
  }

  void check_member(const MemberExpr& member, Span span) {
    const Expr& object = body_.exprs[member.object];
    const bool is_region = std::holds_alternative<NameExpr>(object.node) && names_region(member.object);
    if (!is_region || member.is_arrow)
      return reject("it uses `" + member.name + "` of something other than a region", span);
    const bool is_known = member.is_call && (member.name == "cell" || is_size_member(member.name));
    if (!is_known) return reject("`." + member.name + "` has no device version", span);
    if (member.name == "size" && !is_dimension(member))
      return reject("the dimension given to `.size` is no constant", span);
    region_uses_.push_back(member.object);
  }

  /// Whether the argument of `.size` is the number of a dimension.
  bool is_dimension(const MemberExpr& member) const {
    if (member.args.size() != 1 || !std::holds_alternative<IntegerExpr>(body_.exprs[member.args[0]].node)) return false;
    const auto dim = constant_value(body_, member.args[0]);
    return dim && *dim < types_.types[member.object.index()].num_dims;
  }

  void check_name(ExprId id, const NameExpr& name, Span span) {
    const NameBinding& binding = types_.bindings[id.index()];
    switch (binding.kind) {
      case NameKind::Local:
      case NameKind::SizeVar:
      case NameKind::RuleVar:
      case NameKind::ScalarInput:
      case NameKind::Param:
      case NameKind::Constant:
        return;
      case NameKind::Tunable:
        if (transform_.tunables[TunableId{binding.index}].array_extent > kMaxDeviceArray)
          reject("the array `" + name.text + "` has more than 64 values", span);
        return;
      case NameKind::Output:
      case NameKind::Input:
      case NameKind::Temporary:
        // The walk visits parents first: check_member has seen `name.cell(…)` before its `name` comes here.
        if (names_region(id) && !is_member_object(id))
          reject("the region `" + name.text + "` is used as a whole", span);
        return;
      case NameKind::BuiltIn:
        if (is_device_constant(name.text)) return;
        return reject("`" + name.text + "` is not known on a device", span);
      case NameKind::Unknown:
        return reject("`" + name.text + "` is not known on a device", span);
    }
  }

  /// Whether the name stands for a region, which has `.cell(…)`, and not for a single element.
  bool names_region(ExprId id) const {
    const NameBinding& binding = types_.bindings[id.index()];
    if (binding.kind != NameKind::Output && binding.kind != NameKind::Input && binding.kind != NameKind::Temporary)
      return false;
    return types_.types[id.index()].kind == BodyType::Kind::Region;
  }

  bool is_member_object(ExprId id) const {
    for (ExprId use : region_uses_)
      if (use == id) return true;
    return false;
  }

  const Transform& transform_;
  const Body& body_;
  const BodyTypes& types_;
  std::vector<ExprId> region_uses_;
  std::optional<WhyNotDevice> found_;
};

bool has_loops(const Body& body) {
  bool out = false;
  walk(
      body, body.root, [&](StmtId id) { out = out || is_loop(body.stmts[id]); }, [](ExprId) {});
  return out;
}

/// Whether one work-item runs the only instance of a launch.
bool is_undivided(const Step& step, const Computation& computation, LaunchForm form) {
  return step.loops.empty() && computation.phases.empty() && form != LaunchForm::Slices;
}

/// Whether launches of that form do not keep the order that the step's instances need.
bool loses_order(const Step& step, LaunchForm form) {
  return !step.is_data_parallel && !step.loops.empty() && form != LaunchForm::Scan && form != LaunchForm::Wave;
}

/// Kernels do not test coordinates: a launch knows whether those of all instances lie inside.
std::optional<WhyNotDevice> check_tested(const RegionAccess& input, const Step& step, LaunchForm form) {
  if (input.tested_dims.empty()) return std::nullopt;
  const std::string coordinate = "a coordinate of `" + input.binding + "` is not affine";
  if (form != LaunchForm::Instances && form != LaunchForm::Single)
    return WhyNotDevice{coordinate + ", and its instances depend on one another", input.span};
  SymbolRanges instances;
  for (const LoopDim& loop : step.loops)
    instances.emplace_back(loop.var, IndexInterval{index_const(0), index_symbol("pb_last")});
  for (const std::size_t dim : input.tested_dims)
    if (!inside_of_box(input, dim, index_const(0), instances))
      return WhyNotDevice{coordinate + ", and a launch cannot say where it lies", input.span};
  return std::nullopt;
}

std::optional<WhyNotDevice> check_temporaries(const Transform& transform, const Rule& rule) {
  std::int64_t num_cells = 0;
  for (const RuleTemporary& temporary : rule.temporaries) {
    const auto extents = constant_extents(temporary.extents);
    if (!extents)
      return WhyNotDevice{"the size of the temporary `" + temporary.name + "` is no constant", temporary.span};
    std::int64_t cells = 1;
    for (const std::int64_t extent : *extents)
      cells = std::min(cells * std::min(extent, kMostOwnCells + 1), kMostOwnCells + 1);
    num_cells += cells;
    for (const SizeVar& var : transform.size_vars)
      if (var.name == temporary.name)
        return WhyNotDevice{"the temporary `" + var.name + "` hides a size variable", temporary.span};
  }
  if (num_cells <= kMostOwnCells) return std::nullopt;
  return WhyNotDevice{"its temporaries have more than " + std::to_string(kMostOwnCells) + " cells", rule.span};
}

std::optional<WhyNotDevice> check_pattern(const Transform& transform, const Rule& rule, const Computation& computation,
                                          const Step& step, LaunchForm form) {
  const bool is_sliced = form == LaunchForm::Slices;
  if (is_undivided(step, computation, form) && form != LaunchForm::Single)
    return WhyNotDevice{"it has one instance only", rule.span};
  if (loses_order(step, form)) return WhyNotDevice{"its instances depend on one another", rule.span};
  if (step.loops.size() > kMaxDeviceLoops && form != LaunchForm::Instances)
    return WhyNotDevice{"it has more than three rule variables, and its instances depend on one another", rule.span};
  if (auto why = check_temporaries(transform, rule)) return why;
  for (const RegionAccess& output : rule.outputs) {
    if (transform.matrices[output.matrix].num_dims() == 0 && (!step.loops.empty() || is_sliced))
      return WhyNotDevice{"its output is a single number", output.span};
  }
  for (const auto* list : {&rule.outputs, &rule.inputs}) {
    for (const RegionAccess& access : *list)
      for (const SizeVar& var : transform.size_vars)
        if (var.name == access.binding)
          return WhyNotDevice{"the region `" + var.name + "` hides a size variable", access.span};
  }
  if (rule.is_dynamic || !rule.tried.empty())
    return WhyNotDevice{"each instance tests a `where` that is not affine", rule.span};
  for (const RegionAccess& input : rule.inputs)
    if (auto why = check_tested(input, step, form)) return why;
  return std::nullopt;
}

std::optional<WhyNotDevice> check_local(const Rule& rule, const Step& step, LaunchForm form) {
  if (form == LaunchForm::Scan) return WhyNotDevice{"scans keep their elements in local memory", rule.span};
  if (form == LaunchForm::Wave)
    return WhyNotDevice{"the instances of a wavefront read what others of their group have stored", rule.span};
  if (step.loops.empty()) return WhyNotDevice{"no instances read the same cells: it has one instance only", rule.span};
  for (const InputBox& box : step.input_boxes)
    if (may_be_staged(step, box)) return std::nullopt;
  for (const InputBox& box : step.input_boxes)
    if (!box.extent_is_uniform)
      return WhyNotDevice{"how much it reads differs between instances", rule.inputs[box.input].span};
  for (const InputBox& box : step.input_boxes)
    if (!is_one_cell(box))
      return WhyNotDevice{"its coordinates do not grow by the same number of cells with each step of a rule variable",
                          rule.inputs[box.input].span};
  return WhyNotDevice{"all of its inputs are single cells: a tile holds what a `region`, `row` or `column` reads",
                      rule.span};
}

}  // namespace

DeviceEligibility check_device_eligibility(const Program& /*program*/, const Transform& transform, const Rule& rule,
                                           const Computation& computation, const Step& step, LaunchForm form) {
  DeviceEligibility result;
  std::optional<WhyNotDevice> by_body = BodyCheck(transform, rule).run();
  result.why_not_device = check_pattern(transform, rule, computation, step, form);
  // What no launch of the rule can do says more than how this step's instances depend on one another.
  if (by_body && (!result.why_not_device || loses_order(step, form))) result.why_not_device = std::move(by_body);
  if (!result.why_not_device && is_undivided(step, computation, form) && has_loops(rule.body))
    result.why_not_device = WhyNotDevice{"it has one instance only, and work-items cannot divide its loop", rule.span};
  if (!result.why_not_device) result.why_not_local_memory = check_local(rule, step, form);
  return result;
}

}  // namespace pb
