// SPDX-License-Identifier: MIT
#include "choicegraph/plan/contraction.h"

#include <algorithm>
#include <set>
#include <variant>

#include "choicegraph/plan/lane_loops.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

class ContractionFinder {
 public:
  ContractionFinder(const Rule& rule, const Computation& computation)
      : rule_(rule), body_(rule.body), bindings_(rule.body_types.bindings), computation_(computation) {}

  [[nodiscard]] std::optional<Contraction> run() {
    const std::optional<StmtId> loop = only_loop();
    if (!loop || !add_loops(*loop) || !has_common_range() || !has_carried_values()) return std::nullopt;
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) out_.walked.push_back(walked_dim(i));
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Fold& outermost() const { return *computation_.find(out_.loops.front()); }

  /// Whether below a statement are loops or jumps.
  [[nodiscard]] bool has_control(StmtId id) const {
    bool found = false;
    walk(
        body_, id,
        [&](StmtId inner) {
          const auto& node = body_.stmts[inner].node;
          found |= is_loop(body_.stmts[inner]) || std::holds_alternative<BreakStmt>(node) ||
                   std::holds_alternative<ContinueStmt>(node) || std::holds_alternative<SwitchStmt>(node);
        },
        [](ExprId) {});
    return found;
  }

  /// The one loop at the top of the body; none if there are others, or jumps.
  [[nodiscard]] std::optional<StmtId> only_loop() const {
    std::optional<StmtId> out;
    const std::vector<StmtId> stmts = stmts_of(body_, body_.root);
    for (const StmtId id : stmts) {
      const bool is_last = id == stmts.back();
      if (computation_.find(id) != nullptr) {
        if (out) return std::nullopt;
        out = id;
      } else if (has_control(id) || (!is_last && has_return(id))) {
        return std::nullopt;
      }
    }
    return out;
  }
  [[nodiscard]] bool has_return(StmtId id) const {
    bool found = false;
    walk(
        body_, id, [&](StmtId inner) { found |= std::holds_alternative<ReturnStmt>(body_.stmts[inner].node); },
        [](ExprId) {});
    return found;
  }

  /// Adds the loop, and those inside of it.
  bool add_loops(StmtId loop) {
    const Fold* fold = computation_.find(loop);
    if (fold == nullptr || (out_.loops.empty() && !counts_up(*fold))) return false;
    out_.loops.push_back(loop);
    const StmtId inside = std::get<ForStmt>(body_.stmts[loop].node).body;
    if (!has_control(inside)) return true;
    std::optional<StmtId> next;
    for (const StmtId id : stmts_of(body_, inside)) {
      if (std::holds_alternative<DeclStmt>(body_.stmts[id].node)) continue;
      if (next || !std::holds_alternative<ForStmt>(body_.stmts[id].node)) return false;
      next = id;
    }
    return next && add_loops(*next);
  }

  [[nodiscard]] bool counts_up(const Fold& fold) const {
    return fold.step == 1 && counts_in_64_bits(fold, rule_.body_types) &&
           body_.exprs[fold.first].tokens != TokenRange{} && body_.exprs[fold.last].tokens != TokenRange{};
  }

  /// Whether the outermost loop has the same limits for all instances.
  [[nodiscard]] bool has_common_range() const {
    bool result = true;
    for (const ExprId limit : {outermost().first, outermost().last})
      walk_expr(body_, limit, [&](ExprId id) {
        const auto& node = body_.exprs[id].node;
        if (const auto* member = std::get_if<MemberExpr>(&node)) result &= is_size_member(member->name);
        if (!std::holds_alternative<NameExpr>(node)) return;
        const NameKind kind = bindings_[id.index()].kind;
        const bool is_region = rule_.body_types.types[id.index()].kind == BodyType::Kind::Region;
        result &= kind == NameKind::SizeVar || kind == NameKind::Tunable || kind == NameKind::Param ||
                  kind == NameKind::Constant || kind == NameKind::ScalarInput || (kind == NameKind::Input && is_region);
      });
    return result;
  }

  bool has_carried_values() {
    for (const Accumulator& each : outermost().accumulators) {
      if (!is_single(each.target, each.binding, each.type)) return false;
      out_.carried.push_back(each.name);
      for (const FoldPlace& place : each.places) {
        if (!is_single(place.target, place.binding, place.type)) return false;
        out_.carried.push_back(place.name);
      }
    }
    return true;
  }
  /// Whether it is a number that the body names.
  [[nodiscard]] bool is_single(ExprId target, const NameBinding& binding, const BodyType& type) const {
    return std::holds_alternative<NameExpr>(body_.exprs[target].node) && is_packed_number(type) &&
           (binding.kind == NameKind::Local || binding.kind == NameKind::Output);
  }

  /// The dimension of Contraction::walked.
  [[nodiscard]] std::optional<std::size_t> walked_dim(std::size_t input) const {
    std::set<ExprId> inside;
    walk(
        body_, out_.loops.back(), [](StmtId) {}, [&](ExprId id) { inside.insert(id); });
    std::vector<bool> walks(static_cast<std::size_t>(rule_.inputs[input].num_body_dims()), true);
    bool has_reads = false;
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
          if (member == nullptr || !is_of_input(*member, input) || is_size_member(member->name)) return;
          has_reads = true;
          const bool is_cell = is_cell_call(*member) && inside.contains(id) && member->args.size() == walks.size();
          for (std::size_t d = 0; d < walks.size(); ++d) walks[d] = walks[d] && is_cell && is_round(member->args[d]);
        });
    const auto found = std::find(walks.begin(), walks.end(), true);
    if (!has_reads || found == walks.end()) return std::nullopt;
    return static_cast<std::size_t>(found - walks.begin());
  }
  [[nodiscard]] bool is_of_input(const MemberExpr& member, std::size_t input) const {
    if (!std::holds_alternative<NameExpr>(body_.exprs[member.object].node)) return false;
    const NameBinding& binding = bindings_[member.object.index()];
    return binding.kind == NameKind::Input && binding.index == input;
  }
  [[nodiscard]] bool is_round(ExprId id) const {
    const NameBinding& binding = bindings_[id.index()];
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) && binding.kind == NameKind::Local &&
           binding.index == outermost().local;
  }

  const Rule& rule_;
  const Body& body_;
  const std::vector<NameBinding>& bindings_;
  const Computation& computation_;
  Contraction out_;
};

}  // namespace

std::optional<Contraction> find_contraction(const Rule& rule, const Computation& computation) {
  const auto is_single = [](const RegionAccess& output) {
    return output.kind == AccessKind::Cell && !output.lo.empty();
  };
  if (rule.vars.empty() || rule.is_dynamic || !rule.tried.empty() || !rule.temporaries.empty() ||
      has_opaque_parts(rule) || !std::all_of(rule.outputs.begin(), rule.outputs.end(), is_single))
    return std::nullopt;
  return ContractionFinder(rule, computation).run();
}

}  // namespace pb
