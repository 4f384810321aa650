// SPDX-License-Identifier: MIT
#include "clgen/facts/round_blocks.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "clgen/facts/rule_facts.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

constexpr std::size_t kLeastLoops = 2, kMostLoops = 3;  // groups have one value of loops outside of these
constexpr std::size_t kMostCarriedBytes = 64;           // more would leave registers for few instances
constexpr int kWideBytes = 16;                          // what a work-item reads at once
constexpr int kMostWide = 4;                            // cells of it

class RoundBlockFinder {
 public:
  RoundBlockFinder(const Program& program, const Transform& transform, const Computation& computation, const Step& step)
      : program_(program),
        transform_(transform),
        rule_(transform.rules[step.rule]),
        body_(rule_.body),
        computation_(computation),
        step_(step) {
    for (std::size_t i = step.loops.size(); i-- > 0 && vars_.size() < kMostLoops;) vars_.push_back(step.loops[i].var);
  }

  std::optional<RoundBlockFacts> run() {
    if (!step_.is_data_parallel || vars_.size() < kLeastLoops) return std::nullopt;
    auto contraction = find_contraction(rule_, computation_);
    if (!contraction) return std::nullopt;
    out_.contraction = std::move(*contraction);
    out_.fold = *computation_.find(loops().front());
    if (!has_names_of_its_own() || !add_carried() ||
        !std::all_of(loops().begin(), loops().end(), [&](StmtId loop) { return has_common_range(loop); }))
      return std::nullopt;
    if (!find_loops() || (!is_box(step_) && !may_run_everywhere())) return std::nullopt;
    for (std::size_t l = 0; l < out_.wide.size(); ++l) out_.wide[l] = wide_along(out_.loops[l]);
    out_.products = find_products();
    out_.regrouping = find_regrouping();
    return std::move(out_);
  }

 private:
  const std::vector<StmtId>& loops() const { return out_.contraction.loops; }

  /// Whether all variables that the body declares have different names, so that its parts may stand in each other's
  /// scopes; and those of the loops have names that mean nothing else, because what an instance names stands inside.
  bool has_names_of_its_own() const {
    std::set<std::string> names;
    bool result = true;
    for (const std::string& name : transform_.size_names()) names.insert(name);
    for (const UserTunable& tunable : transform_.tunables) names.insert(tunable.name);
    for (const Matrix& matrix : transform_.matrices) names.insert(matrix.name);
    for (const RuleVar& var : rule_.vars) names.insert(var.name);
    for (const auto* list : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *list) names.insert(access.binding);
    for (const StmtId loop : loops()) result &= names.insert(computation_.find(loop)->var).second;
    names.clear();
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
          if (decl == nullptr) return;
          result &= !decl->is_static;
          for (const Declarator& each : decl->declarators) result &= names.insert(each.name).second;
        },
        [](ExprId) {});
    return result;
  }

  bool add_carried() {
    for (const Accumulator& each : computation_.find(loops().front())->accumulators) {
      add_carried(each.name, each.type);
      for (const FoldPlace& place : each.places) add_carried(place.name, place.type);
    }
    return out_.carried_bytes <= kMostCarriedBytes;
  }
  void add_carried(const std::string& name, const BodyType& type) {
    const auto has_name = [&](const CarriedValue& other) { return other.name == name; };
    if (std::any_of(out_.carried.begin(), out_.carried.end(), has_name)) return;
    const bool is_wide = type.kind == BodyType::Kind::Long || type.kind == BodyType::Kind::Double;
    const std::size_t bytes = is_wide && !(type.is_element && program_.element == ElementType::Float) ? 8 : 4;
    out_.carried.push_back({name, type, bytes});
    out_.carried_bytes += bytes;
  }

  /// A variable that several accumulators note has no value of a range.
  [[nodiscard]] Regrouping find_regrouping() const {
    Regrouping out = Regrouping::Exact;
    std::size_t values = 0;
    for (const Accumulator& each : out_.fold.accumulators) {
      out = std::max(out, each.regrouping);
      values += 1 + each.places.size();
    }
    return values == out_.carried.size() ? out : Regrouping::Never;
  }

  /// Whether a loop has the same limits for all instances, in each round of the loops around it.
  bool has_common_range(StmtId loop) const {
    const Fold& fold = *computation_.find(loop);
    bool result = true;
    for (const ExprId limit : {fold.first, fold.last})
      walk_expr(body_, limit, [&](ExprId id) { result = result && is_common(id); });
    return result;
  }
  bool is_common(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (const auto* member = std::get_if<MemberExpr>(&node)) return is_size_member(member->name);
    if (!std::holds_alternative<NameExpr>(node)) return true;
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    switch (binding.kind) {
      case NameKind::SizeVar:
      case NameKind::Tunable:
      case NameKind::Param:
      case NameKind::Constant:
      case NameKind::ScalarInput:
        return true;
      case NameKind::Local:
        return std::any_of(loops().begin(), loops().end(),
                           [&](StmtId loop) { return computation_.find(loop)->local == binding.index; });
      case NameKind::Input: {
        const InputBox* box = box_of(binding.index);
        return rule_.body_types.types[id.index()].kind == BodyType::Kind::Region && box != nullptr &&
               box->extent_is_uniform;
      }
      case NameKind::Unknown:
      case NameKind::Output:
      case NameKind::Temporary:
      case NameKind::RuleVar:
      case NameKind::BuiltIn:
        return false;
    }
    return false;
  }

  /// Whether the rounds may also run at places of the box that have no instance, as they do beside a triangle: they
  /// read nothing but panels, which have only cells of their matrices.
  bool may_run_everywhere() const {
    const RuleFacts facts = find_rule_facts(rule_, computation_.filled);
    return out_.inputs.size() == rule_.inputs.size() &&
           std::all_of(facts.outputs.begin(), facts.outputs.end(),
                       [](const auto& each) { return each.is_overwritten; });
  }

  const InputBox* box_of(std::size_t input) const {
    for (const InputBox& box : step_.input_boxes)
      if (box.input == input) return &box;
    return nullptr;
  }

  bool is_output(MatrixId matrix) const {
    return std::any_of(rule_.outputs.begin(), rule_.outputs.end(),
                       [&](const RegionAccess& output) { return output.matrix == matrix; });
  }

  /// The dimension of the matrix that moves with a loop and with none but `others`, where nothing else does; none if
  /// the box moves in other ways.
  std::optional<std::size_t> moving_dim(const InputBox& box, std::size_t loop) const {
    std::optional<std::size_t> out;
    for (std::size_t d = 0; d < box.lo.size(); ++d) {
      const std::optional<std::int64_t> step = affine_coefficient(box.lo[d], vars_[loop]);
      if (!step) return std::nullopt;
      if (*step == 0) continue;
      if (out) return std::nullopt;
      out = d;
    }
    return out;
  }
  bool moves_with(const InputBox& box, std::size_t loop) const {
    return std::any_of(box.lo.begin(), box.lo.end(), [&](const IndexExpr& lo) {
      const std::vector<std::string> names = symbols_of(lo);
      return std::find(names.begin(), names.end(), vars_[loop]) != names.end();
    });
  }
  bool is_affine(const InputBox& box) const {
    return std::all_of(vars_.begin(), vars_.end(), [&](const std::string& var) {
      return std::all_of(box.lo.begin(), box.lo.end(),
                         [&](const IndexExpr& lo) { return affine_coefficient(lo, var).has_value(); });
    });
  }

  /// Returns the input as one that moves with `loop`, and not with `other`.
  std::optional<BlockInput> staged_along(std::size_t i, std::size_t loop, std::size_t other) const {
    const RegionAccess& input = rule_.inputs[i];
    const InputBox* box = box_of(i);
    const std::optional<std::size_t> body_dim = out_.contraction.walked[i];
    if (!body_dim || box == nullptr || !box->extent_is_uniform || input.border != Border::None ||
        !input.tested_dims.empty() || is_output(input.matrix) || !is_affine(*box) || moves_with(*box, other))
      return std::nullopt;
    const std::optional<std::size_t> moving = moving_dim(*box, loop);
    if (!moving) return std::nullopt;
    const Matrix& matrix = transform_.matrices[input.matrix];
    BlockInput out{i, 0, *body_dim, *moving, matrix.is_element_t ? program_.element : matrix.element};
    std::size_t left = *body_dim;
    for (std::size_t d = 0; d < box->lo.size(); ++d) {
      if (input.is_fixed_dim(d)) continue;
      out.walked = d;
      if (left-- == 0) return out;
    }
    return std::nullopt;
  }

  /// Finds the two loops with which the most inputs move. Of equal ones the fastest count.
  bool find_loops() {
    for (std::size_t a = 0; a < vars_.size(); ++a)
      for (std::size_t b = a + 1; b < vars_.size(); ++b) {
        std::vector<BlockInput> along[2];
        for (std::size_t i = 0; i < rule_.inputs.size(); ++i) {
          if (const auto staged = staged_along(i, a, b)) along[0].push_back(*staged);
          if (const auto staged = staged_along(i, b, a)) along[1].push_back(*staged);
        }
        if (along[0].empty() || along[1].empty() || along[0].size() + along[1].size() <= out_.inputs.size()) continue;
        out_.loops = {a, b};
        out_.inputs = std::move(along[0]);
        out_.inputs.insert(out_.inputs.end(), along[1].begin(), along[1].end());
      }
    std::sort(out_.inputs.begin(), out_.inputs.end(),
              [](const BlockInput& a, const BlockInput& b) { return a.input < b.input; });
    return !out_.inputs.empty();
  }

  // ---- what a round does

  [[nodiscard]] bool moves_with(const BlockInput& input, std::size_t loop) const {
    return moves_with(*box_of(input.input), loop);
  }

  /// How many cells of the staged inputs that move with a loop fill what a work-item reads at once.
  [[nodiscard]] int wide_along(std::size_t loop) const {
    int out = kMostWide;
    for (const BlockInput& input : out_.inputs)
      if (moves_with(input, loop)) out = std::min(out, std::max(1, kWideBytes / size_bytes(input.element)));
    return out;
  }

  template <class Node>
  [[nodiscard]] const Node* node_of(ExprId id) const {
    return std::get_if<Node>(&body_.exprs[id].node);
  }

  /// Double or Float, if the type is one of them; none for others.
  [[nodiscard]] std::optional<ElementType> real_type(const BodyType& type) const {
    if (type.is_element && program_.element != ElementType::Double && program_.element != ElementType::Float)
      return std::nullopt;
    if (type.is_element && is_floating(type)) return program_.element;
    if (type.kind == BodyType::Kind::Double) return ElementType::Double;
    if (type.kind == BodyType::Kind::Float) return ElementType::Float;
    return std::nullopt;
  }

  /// The staged input of such elements of which the expression reads the cell of this round; none if it reads something
  /// else.
  [[nodiscard]] const BlockInput* input_read_by(ExprId id, ElementType element) const {
    const auto* member = node_of<MemberExpr>(id);
    if (member == nullptr || !is_cell_call(*member) || node_of<NameExpr>(member->object) == nullptr) return nullptr;
    const NameBinding& binding = rule_.body_types.bindings[member->object.index()];
    if (binding.kind != NameKind::Input || real_type(rule_.body_types.types[id.index()]) != element) return nullptr;
    const BlockInput* input = out_.find(binding.index);
    if (input == nullptr || input->element != element) return nullptr;
    for (std::size_t d = 0; d < member->args.size(); ++d)
      if (d != input->body_dim && node_of<IntegerExpr>(member->args[d]) == nullptr) return nullptr;
    return input;
  }

  /// The sum of products that the rounds are; none if they do something else.
  [[nodiscard]] std::optional<BlockProducts> find_products() const {
    const Fold& fold = out_.fold;
    if (loops().size() != 1 || fold.step != 1 || out_.carried.size() != 1 || fold.accumulators.size() != 1)
      return std::nullopt;
    const Accumulator& sum = fold.accumulators.front();
    const std::optional<ElementType> element = real_type(sum.type);
    if (sum.op != FoldOp::Add || sum.updates.size() != 1 || !element) return std::nullopt;
    const std::vector<StmtId> stmts = stmts_of(body_, std::get<ForStmt>(body_.stmts[loops().back()].node).body);
    const auto* only = stmts.size() == 1 ? std::get_if<ExprStmt>(&body_.stmts[stmts.front()].node) : nullptr;
    const auto* add = only == nullptr ? nullptr : node_of<AssignExpr>(only->expr);
    if (add == nullptr || !add->is_compound || add->op != BinaryOp::Add) return std::nullopt;
    const auto* product = node_of<BinaryExpr>(add->rhs);
    if (product == nullptr || product->op != BinaryOp::Mul) return std::nullopt;
    BlockProducts out;
    out.element = *element;
    out.sum = out_.carried.front().name;
    for (const ExprId factor : {product->lhs, product->rhs}) {
      const BlockInput* input = input_read_by(factor, *element);
      if (input == nullptr) return std::nullopt;
      const std::size_t l = moves_with(*input, out_.loops[0]) ? 0 : 1;
      if (!out.cells[l].is_none()) return std::nullopt;
      out.inputs[l] = input->input;
      out.cells[l] = factor;
    }
    return out;
  }

  const Program& program_;
  const Transform& transform_;
  const Rule& rule_;
  const Body& body_;
  const Computation& computation_;
  const Step& step_;
  std::vector<std::string> vars_;  ///< of the loops, the fastest first
  RoundBlockFacts out_;
};

}  // namespace

const BlockInput* RoundBlockFacts::find(std::size_t input) const {
  for (const BlockInput& each : inputs)
    if (each.input == input) return &each;
  return nullptr;
}

std::optional<RoundBlockFacts> find_round_blocks(const Program& program, const TransformPlan& plan, const Step& step) {
  const Transform& transform = program.transforms[plan.transform];
  // A kernel runs the loops apart from the rest of the body, where temporaries of an instance would be others.
  if (!transform.rules[step.rule].temporaries.empty()) return std::nullopt;
  return RoundBlockFinder(program, transform, computation_of(plan, step.rule), step).run();
}

}  // namespace pb
