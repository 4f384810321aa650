// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/kernel_tree.h"

#include <algorithm>
#include <set>
#include <utility>

#include "choicegraph/plan/launch_scans.h"
#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launch_waves.h"
#include "clgen/facts/names.h"
#include "clgen/facts/round_blocks.h"
#include "clgen/lower/analysis/most_rounds.h"
#include "clgen/lower/loops/line_scans.h"
#include "clgen/lower/loops/round_block_nodes.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/check.h"

namespace pb {
namespace {

/// How many dimensions of a copy are dealt out to work-items by their ids. Along the others, each work-item copies all
/// cells.
constexpr std::size_t kCopyIds = 2;

bool is_same_for_all(const Step& step, std::size_t input) {
  const InputBox* box = box_of(step, input);
  return box != nullptr && box->is_same_for_all_instances;
}

/// Returns the name of the parameter for a matrix that is a single number. Bodies use an input's own name.
std::string number_name(const Matrix& matrix) {
  return (matrix.role == MatrixRole::From ? "" : "pb_number_") + matrix.name;
}

/// Instances of a work-item that keep memory busy: several loads are under way before the first result is needed.
constexpr int kManyItems = 4;
// Rounds from which on their number decides nothing.
constexpr std::int64_t kManyRounds = 1 << 15;

bool has_real_default(const Rule& rule) {
  return std::any_of(rule.inputs.begin(), rule.inputs.end(),
                     [](const RegionAccess& input) { return input.missing_value && has_real(*input.missing_value); });
}

/// The loop along which a row of the access's matrix lies, if neighbours along loop 0 access different rows.
std::optional<int> crossed_loop(const RegionAccess& access, const std::vector<std::string>& vars) {
  const auto moves = [](const Formula& begin, const std::string& var) {
    const std::vector<std::string> names = symbols_of(begin, SymbolKind::RuleVar);
    return std::find(names.begin(), names.end(), var) != names.end();
  };
  const std::vector<Formula>& begin = access.lo;
  if (begin.empty() || moves(begin.front(), vars.front())) return std::nullopt;
  const auto is_fast = [&](const Formula& each) { return moves(each, vars.front()); };
  if (std::none_of(begin.begin(), begin.end(), is_fast)) return std::nullopt;
  for (std::size_t i = 1; i < vars.size(); ++i)
    if (moves(begin.front(), vars[i])) return static_cast<int>(i);
  return std::nullopt;
}

/// Adds a part of a fold to a record that has `slots` values.
FoldPart add_part(const Accumulator& accumulator, std::size_t& slots) {
  const FoldPart out{accumulator.is_extremum() && (is_floating(accumulator.type) || !accumulator.places.empty()),
                     slots};
  slots += 1 + (out.has_round ? 1 : 0) + accumulator.places.size();
  return out;
}

/// Adds the phases to an instance, and their divided loops. Returns the values of a record of its folds.
std::size_t add_phases(RuleInstance& to, const Computation& computation, const std::vector<Phase>& phases) {
  std::size_t slots = 0;
  to.phases = phases;
  for (const Phase& phase : phases) {
    if (phase.kind != PhaseKind::Divided) continue;
    DividedFold divided{computation.loop_of(phase.stmt)};
    divided.stores = phase.stores;
    divided.stage = phase.stage;
    if (const ScatterLoop* scatter = computation.find_scatter(phase.stmt)) {
      divided.bins = scatter->bins;
      divided.num_running = scatter->num_running;
      divided.is_ordered = scatter->has_ordered_bins();
    }
    if (!phase.inner.is_none()) divided.inner = computation.loop_of(phase.inner);
    for (const Accumulator& each : divided.fold.accumulators) divided.parts.push_back(add_part(each, slots));
    to.divided.push_back(std::move(divided));
  }
  return slots;
}

bool is_divided(const Phase& phase) { return phase.kind == PhaseKind::Divided; }

/// The most rounds of loops inside one another, all together, if lanes divide no others; 0: not known.
std::int64_t most_rounds_of(const Body& body, const Computation& computation, const std::vector<const Fold*>& loops) {
  std::int64_t product = std::count_if(computation.phases.begin(), computation.phases.end(), is_divided) == 1 ? 1 : 0;
  for (const Fold* loop : loops) product *= std::min(most_rounds(body, *loop).value_or(0), kManyRounds);
  return product;
}

/// The first phase with bins or distinct places, whose loop is longer than one that stores first values; else the first
/// divided one.
std::vector<Phase>::const_iterator longest_phase(const Computation& computation) {
  const std::vector<Phase>& phases = computation.phases;
  const auto scatters = [&](const Phase& each) { return is_divided(each) && computation.find_scatter(each.stmt); };
  const auto found = std::find_if(phases.begin(), phases.end(), scatters);
  return found != phases.end() ? found : std::find_if(phases.begin(), phases.end(), is_divided);
}

/// The instance with lanes that keep cells. One group runs it.
RuleInstance keeping(RuleInstance instance, const Computation& computation) {
  const KeptCells& kept = computation.kept;
  add_phases(instance, computation, kept.phases);
  instance.kept = kept.regions;
  for (DividedFold& divided : instance.divided)
    divided.keeps = std::find(kept.loops.begin(), kept.loops.end(), divided.fold.loop) != kept.loops.end();
  return instance;
}

/// The scalar that is a size variable.
std::optional<std::size_t> find_size(const std::vector<KernelScalar>& scalars, const std::string& name) {
  const auto is_it = [&](const KernelScalar& each) { return each.source == ScalarSource::Size && each.name == name; };
  const auto found = std::find_if(scalars.begin(), scalars.end(), is_it);
  return found == scalars.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - scalars.begin()));
}

/// How the cells of a tile are dealt out. Where it is a line, along whatever dimension, all work-items take some.
std::vector<CopyAxis> copy_axes(const std::vector<GroupExtent>& extents, std::size_t num_loops) {
  std::vector<std::size_t> longer;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (!length_of(extents[d]).is_const(1)) longer.push_back(d);
  std::vector<CopyAxis> out(extents.size(), CopyAxis::Whole);
  if (longer.size() < 2) out[longer.empty() ? 0 : longer.front()] = CopyAxis::ByFlatId;
  for (std::size_t d = 0; longer.size() > 1 && d < std::min({extents.size(), num_loops, kCopyIds}); ++d)
    out[d] = CopyAxis::ById;
  return out;
}

class KernelLowering {
 public:
  KernelLowering(const Program& program, const TransformPlan& plan, StepId step, Version version)
      : program_(program),
        plan_(plan),
        transform_(program.transforms[plan.transform]),
        step_(step_of_launch(plan, step)),
        slice_(slice_variable(plan, step)),
        is_sliced_(launch_nest(plan, step) != nullptr),
        scan_(scan_of_launch(plan, step)),
        wave_(wave_of_launch(plan, step)),
        rule_(transform_.rules[step_.rule]),
        computation_(computation_of(plan, step_.rule)),
        facts_(find_rule_facts(rule_, computation_.filled)) {
    out_.transform = plan.transform;
    out_.step = step;
    out_.rule = step_.rule;
    out_.version = version;
    for (std::size_t i = step_.loops.size(); i-- > 0;)
      (out_.vars.size() < kMaxItemDims ? out_.vars : out_.batches).push_back(step_.loops[i].var);
    if (out_.vars.empty()) out_.vars.emplace_back(kOnlyInstance);
  }

  KernelTree lower() {
    add_matrices();
    add_sizes();
    add_tunables();
    out_.needs_fp64 = has_doubles(transform_, rule_) || has_real_default(rule_);
    out_.default_items = has_open_loop() ? 1 : kManyItems;
    out_.crossed_loop = find_crossed_loop();
    if (scan_ != nullptr) {
      out_.tree.root.push_back({line_scans_of(program_, transform_, step_, *scan_, instance())});
      return std::move(out_);
    }
    if (!wave_.empty()) {
      out_.default_items = 1;
      out_.tree.root.push_back({Waves{wave_, inverse_of(wave_), instance()}});
      return std::move(out_);
    }
    TreeBlock group;
    if (out_.version == Version::OpenClLocal) add_staging(group);
    group.push_back(has_phases() ? loops_with_lanes_or_without() : item_loops());
    const bool may_have_blocks = out_.version == Version::OpenCl && !is_sliced_;
    auto blocks = may_have_blocks ? find_round_blocks(program_, plan_, step_) : std::nullopt;
    if (blocks && !has_tunable(TunableRole::MatrixUnits)) blocks->products.reset();
    if (blocks) blocks->has_parts = has_tunable(TunableRole::BlockParts);
    if (blocks) out_.block_length = length_scalar(blocks->fold);
    // Long bodies have loads enough of their own. Where rows cross, no order of the instances suits all matrices.
    if (may_have_blocks && !blocks && !has_phases() && out_.default_items > 1 && !out_.crossed_loop &&
        instance().conditions.empty() && out_.with_versions.empty() && !keeps_values(instance()) &&
        !(rule_.is_return_form && facts_.may_fall_through))
      out_.vectors = find_vector_instances(program_, transform_, step_, specialized_names());
    if (blocks) group = {with_round_blocks(step_, rule_, *blocks, instance(), out_.vars, out_.tree, std::move(group))};
    out_.tree.root.push_back(with_batches(out_.batches, group_loops(std::move(group))));
    return std::move(out_);
  }

 private:
  int num_loops() const { return static_cast<int>(out_.vars.size()); }

  /// Whether the rule has a tunable that says how its rounds run (list_loop_tunables.h).
  bool has_tunable(TunableRole role) const {
    const auto is_it = [&](const PlanTunable& each) { return each.role == role && each.rule == step_.rule; };
    return std::any_of(plan_.tunables.begin(), plan_.tunables.end(), is_it);
  }

  // ---- parameters

  void add_matrices() {
    if (!slice_.empty()) out_.scalars.push_back({ScalarSource::Slice, ScalarType::Int, slice_, slice_});
    for (const RuleMatrix& use : matrices_of_rule(transform_, rule_, facts_)) {
      if (nest_of_versions(plan_, use.matrix) != nullptr) out_.with_versions.push_back(use.matrix);
      const Matrix& matrix = transform_.matrices[use.matrix];
      if ((is_sliced_ || scan_ != nullptr) && use.is_output && use.is_input) {
        out_.matrices.push_back(use);
        out_.matrices.back().is_input = false;
        out_.matrices.push_back(use);
        out_.matrices.back().is_output = false;
        continue;
      }
      if (!matrix.extents.empty() || use.is_output) {
        out_.matrices.push_back(use);
        continue;
      }
      const bool is_small = matrix.element == ElementType::Short || matrix.element == ElementType::UChar ||
                            matrix.element == ElementType::UShort;
      out_.scalars.push_back({ScalarSource::Matrix, is_small ? ScalarType::Int : ScalarType::OfMatrix,
                              number_name(matrix), matrix.name, use.matrix});
    }
  }

  void add_sizes() {
    const std::set<std::string> specialized = specialized_names();
    for (const SizeVar& var : transform_.size_vars)
      out_.scalars.push_back(
          {ScalarSource::Size, ScalarType::Int, var.name, var.name, {}, 0, specialized.contains(var.name)});
  }

  void add_tunables() {
    for (const UserTunable& tunable : transform_.tunables) {
      const ScalarType type = tunable.is_real ? ScalarType::Double : ScalarType::Int;
      if (tunable.array_extent == 0) {
        out_.scalars.push_back({ScalarSource::Tunable, type, tunable.name, tunable.name});
      } else if (facts_.used_names.contains(tunable.name)) {
        for (int k = 0; k < tunable.array_extent; ++k)
          out_.scalars.push_back({ScalarSource::OfTunable,
                                  type,
                                  "pb_tunable_" + tunable.name + "_" + std::to_string(k),
                                  tunable.name,
                                  {},
                                  k});
      }
    }
  }

  /// Returns the size variables that limit both a loop of the body and the box that one instance reads. Such variables
  /// have few values, which are small.
  std::set<std::string> specialized_names() const {
    std::set<std::string> in_boxes;
    for (const InputBox& box : step_.input_boxes) {
      if (!box.extent_is_uniform || rule_.inputs[box.input].kind != AccessKind::Region) continue;
      for (const IndexExpr& extent : box.extent)
        for (const std::string& name : symbols_of(extent)) in_boxes.insert(name);
    }
    std::set<std::string> out;
    const auto visit = [&](StmtId id) {
      const auto* loop = std::get_if<ForStmt>(&rule_.body.stmts[id].node);
      if (loop == nullptr || loop->condition.is_none()) return;
      walk_expr(rule_.body, loop->condition, [&](ExprId expr) {
        const auto* name = std::get_if<NameExpr>(&rule_.body.exprs[expr].node);
        const bool is_size = name != nullptr && rule_.body_types.bindings[expr.index()].kind == NameKind::SizeVar;
        if (is_size && in_boxes.contains(name->text)) out.insert(name->text);
      });
    };
    walk(rule_.body, rule_.body.root, visit, [](ExprId) {});
    return out;
  }

  /// Whether the body has a loop whose length no build knows. Such an instance is long, and has loads enough of its
  /// own.
  bool has_open_loop() const {
    const auto is_known = [&](const ForStmt& loop) {
      if (has_constant_end(rule_.body, loop)) return true;
      if (loop.condition.is_none()) return false;
      bool out = true;
      walk_expr(rule_.body, loop.condition, [&](ExprId expr) {
        const auto* name = std::get_if<NameExpr>(&rule_.body.exprs[expr].node);
        if (name == nullptr || rule_.body_types.bindings[expr.index()].kind == NameKind::Local) return;
        out = out && std::any_of(out_.scalars.begin(), out_.scalars.end(), [&](const KernelScalar& scalar) {
                return scalar.name == name->text && scalar.is_specialized;
              });
      });
      return out;
    };
    bool found = false;
    const auto visit = [&](StmtId id) {
      const Stmt& stmt = rule_.body.stmts[id];
      const auto* loop = std::get_if<ForStmt>(&stmt.node);
      found = found || (loop != nullptr ? !is_known(*loop) : is_loop(stmt));
    };
    walk(rule_.body, rule_.body.root, visit, [](ExprId) {});
    return found;
  }

  /// The loop that the first such access says. Where cells are copied to local memory first, neighbours access what
  /// lies there.
  std::optional<int> find_crossed_loop() const {
    if (out_.version == Version::OpenClLocal) return std::nullopt;
    for (const auto* list : {&rule_.outputs, &rule_.inputs})
      for (const RegionAccess& access : *list)
        if (const std::optional<int> found = crossed_loop(access, out_.vars)) return found;
    return std::nullopt;
  }

  // ---- loops

  TreeNode group_loops(TreeBlock inside) const {
    for (int dim = 0; dim < num_loops(); ++dim) {
      TreeLoop loop;
      loop.role = LoopRole::Group;
      loop.var = group_var(dim);
      loop.dim = dim;
      loop.lo = box_lo(dim);
      loop.hi = index_add(box_lo(dim), box_extent(dim));
      loop.step = group_span(dim);
      loop.body = std::move(inside);
      inside = {TreeNode{std::move(loop)}};
    }
    return std::move(inside.front());
  }

  TreeNode item_loops() const {
    TreeBlock inside = instance_loops();
    for (int dim = 0; dim < num_loops(); ++dim) {
      TreeLoop loop = counting_loop(LoopRole::Item, item_var(dim), group_size(dim), std::move(inside));
      loop.dim = dim;
      inside = {TreeNode{std::move(loop)}};
    }
    return std::move(inside.front());
  }

  /// The loops over the instances of one work-item. They stand a group's work-items apart, so that neighbours access
  /// neighbouring cells. Instances are independent, so any order of them is right.
  TreeBlock instance_loops() const {
    TreeBlock inside = {TreeNode{instance()}};
    for (int dim = 0; dim < num_loops(); ++dim) {
      const IndexExpr first = index_symbol(group_var(dim));
      TreeLoop loop;
      loop.role = LoopRole::Unrolled;
      loop.var = out_.vars[static_cast<std::size_t>(dim)];
      loop.dim = dim;
      loop.lo = index_add(first, index_symbol(item_var(dim)));
      loop.hi = index_add(first, group_span(dim));
      loop.step = group_size(dim);
      loop.tail = LoopTail::Peeled;
      loop.end = index_add(box_lo(dim), box_extent(dim));
      loop.body = std::move(inside);
      inside = {TreeNode{std::move(loop)}};
    }
    return inside;
  }

  // ---- lanes

  bool has_phases() const { return out_.version == Version::OpenCl && !computation_.phases.empty(); }

  TreeNode loops_with_lanes_or_without() {
    const auto first = longest_phase(computation_);
    std::vector<const Fold*> loops = {&computation_.loop_of(first->stmt)};
    if (!first->inner.is_none()) loops.push_back(&computation_.loop_of(first->inner));
    for (const Fold* loop : loops) {
      const std::optional<std::size_t> length = length_scalar(*loop);
      if (!length) {
        out_.fold_lengths.clear();
        out_.most_rounds = most_rounds_of(rule_.body, computation_, loops);
        break;
      }
      out_.fold_lengths.push_back(*length);
    }
    TreeBranch branch;
    branch.condition = has_lanes();
    branch.then.push_back(lane_loops(divided_instance()));
    if (computation_.kept.any()) {
      out_.kept_length = find_size(out_.scalars, computation_.kept.length);
      TreeBranch keeps;
      keeps.condition = keeps_cells();
      keeps.then.push_back(lane_loops(keeping(instance(), computation_)));
      keeps.otherwise = std::move(branch.then);
      branch.then = {TreeNode{std::move(keeps)}};
    }
    branch.otherwise.push_back(item_loops());
    return {std::move(branch)};
  }

  /// The loops over the instances of a group, whose lanes divide loops of the body. Where an input moves along
  /// dimension 0 with the fastest loop, neighbours run neighbouring instances, as without lanes; else they are lanes of
  /// one instance and access neighbouring cells in the fold.
  TreeNode lane_loops(RuleInstance instance) const {
    const bool is_in_groups = has_stages(instance);
    TreeBlock inside = {TreeNode{std::move(instance)}};
    const bool are_neighbours = !moves_with_fastest_loop();
    if (are_neighbours) inside = {lane_loop(std::move(inside))};
    for (int dim = 0; dim < num_loops(); ++dim) {
      const IndexExpr first = index_symbol(group_var(dim));
      TreeLoop loop;
      loop.role = LoopRole::Item;
      loop.var = out_.vars[static_cast<std::size_t>(dim)];
      loop.dim = dim;
      loop.lo = first;
      loop.hi = index_add(first, group_span(dim));
      loop.step = index_const(1);
      loop.tail = LoopTail::Repeated;
      loop.end = index_add(box_lo(dim), box_extent(dim));
      loop.body = std::move(inside);
      inside = {TreeNode{std::move(loop)}};
      if (dim == 0 && !are_neighbours) inside = {lane_loop(std::move(inside))};
    }
    if (!is_in_groups) return std::move(inside.front());
    return {counting_loop(LoopRole::FoldGroup, fold_group_var(), num_fold_groups(), std::move(inside))};
  }

  static TreeNode lane_loop(TreeBlock inside) {
    return {counting_loop(LoopRole::Lane, lane_var(), num_lanes(), std::move(inside))};
  }

  bool moves_with_fastest_loop() const {
    return std::any_of(step_.input_boxes.begin(), step_.input_boxes.end(), [&](const InputBox& box) {
      if (is_element(rule_.inputs[box.input]) || box.lo.empty()) return false;
      const std::vector<std::string> names = symbols_of(box.lo.front());
      return std::find(names.begin(), names.end(), out_.vars.front()) != names.end();
    });
  }

  RuleInstance divided_instance() {
    RuleInstance out = instance();
    const std::size_t slots = add_phases(out, computation_, computation_.phases);
    out_.stores_in_phases = computation_.stores_in_phases;
    out_.stages = computation_.stages;
    if (out_.stages.num > 0) out_.record_slots = slots;
    for (const DividedFold& divided : out.divided)
      for (const Accumulator& each : divided.bins) out_.bins.insert(rule_.outputs[each.binding.index].matrix);
    out_.bins_differ = may_differ_in_bins(rule_, out);
    return out;
  }

  /// The scalar that says how many iterations a fold has: a size variable as its end, or the extent of an input.
  std::optional<std::size_t> length_scalar(const Fold& fold) const {
    std::string length;
    const Expr& last = rule_.body.exprs[fold.last];
    const auto* member = std::get_if<MemberExpr>(&last.node);
    if (const auto* name = std::get_if<NameExpr>(&last.node)) {
      length = name->text;
    } else if (member != nullptr) {
      const NameBinding& binding = rule_.body_types.bindings[member->object.index()];
      const InputBox* box = binding.kind == NameKind::Input ? box_of(step_, binding.index) : nullptr;
      if (box == nullptr || !box->extent_is_uniform) return {};
      std::vector<std::string> extents;
      for (std::size_t d = 0; d < box->extent.size(); ++d)
        if (!rule_.inputs[binding.index].is_fixed_dim(d)) extents.push_back(box->extent[d].symbol);
      const std::size_t dim = member->name == "height" ? 1 : member->name == "depth" ? 2 : 0;
      if (dim >= extents.size() || (extents.size() > 1 && (member->name == "count" || member->name == "size")))
        return {};
      length = extents[dim];
    }
    return find_size(out_.scalars, length);
  }

  // ---- staging

  /// Adds copies of the boxes that move with the instances. A box that is the same for all instances is read by all
  /// work-items at once, which caches serve as well as local memory would, without a copy. It is copied only if there
  /// are no other boxes.
  void add_staging(TreeBlock& group) {
    const bool has_moving = std::any_of(
        step_.input_boxes.begin(), step_.input_boxes.end(),
        [this](const InputBox& box) { return may_be_staged(step_, box) && !box.is_same_for_all_instances; });
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) {
      const InputBox* box = box_of(step_, i);
      if (box == nullptr || !may_be_staged(step_, *box) || (has_moving && box->is_same_for_all_instances)) continue;
      out_.tree.buffers.push_back(buffer_of(*box, out_.vars));
      add_copy(BufferId(out_.tree.buffers.size() - 1), group);
    }
    if (!out_.tree.buffers.empty()) group.push_back({Barrier{}});
  }

  void add_copy(BufferId id, TreeBlock& group) const {
    Copy copy;
    copy.to = id;
    for (const GroupExtent& extent : out_.tree[id].extents) {
      const auto any = [&](auto is_it) { return std::any_of(extent.step.begin(), extent.step.end(), is_it); };
      copy.edges.push_back(
          {any([](std::int64_t step) { return step != 0; }), any([](std::int64_t step) { return step < 0; })});
    }
    Copy by_first = copy;
    by_first.by = CopyBy::FirstItem;
    by_first.axes.assign(copy.edges.size(), CopyAxis::Whole);
    copy.axes = copy_axes(out_.tree[id].extents, out_.vars.size());
    by_first.outside = CopyOutside::Skip;
    TreeBranch branch;
    branch.condition = device_is_cpu();
    branch.then.push_back({std::move(by_first)});
    branch.otherwise.push_back({std::move(copy)});
    group.push_back({std::move(branch)});
  }

  // ---- the instance

  RuleInstance instance() const {
    RuleInstance out;
    out.rule = step_.rule;
    out.conditions = instance_conditions(plan_.steps[out_.step]);
    for (std::size_t i = 0; i < rule_.outputs.size(); ++i) out.outputs.push_back({output_kind(i)});
    for (std::size_t i = 0; i < rule_.inputs.size(); ++i) out.inputs.push_back(input_operand(i));
    return out;
  }

  OperandKind output_kind(std::size_t i) const {
    if (rule_.is_return_form) return OperandKind::Result;
    if (!is_element(rule_.outputs[i])) return OperandKind::Cells;
    return facts_.outputs[i].is_overwritten ? OperandKind::NewValue : OperandKind::OldValue;
  }

  Operand input_operand(std::size_t i) const {
    const RegionAccess& input = rule_.inputs[i];
    for (std::size_t b = 0; b < out_.tree.buffers.size(); ++b)
      if (out_.tree.buffers[b].input == i && out_.tree.buffers[b].space == BufferSpace::Local)
        return {OperandKind::Staged, BufferId(b)};
    if (!is_element(input)) return {is_same_for_all(step_, i) ? OperandKind::SharedCells : OperandKind::Cells};
    if (transform_.matrices[input.matrix].extents.empty()) return {OperandKind::Number};
    return {input.may_be_outside() ? OperandKind::BorderCell : OperandKind::Value};
  }

  const Program& program_;
  const TransformPlan& plan_;
  const Transform& transform_;
  const Step step_;                  ///< as a launch runs it
  const std::string slice_;          ///< the variable of the slices; empty: there is none
  const bool is_sliced_;             ///< each slice of a nest is a launch
  const Scan* const scan_;           ///< null: the step is none
  const std::vector<WaveRow> wave_;  ///< rows of the wavefront; empty: the step runs in none
  const Rule& rule_;
  const Computation& computation_;
  RuleFacts facts_;
  KernelTree out_;
};

}  // namespace

std::string name_in_kernel(const KernelTree& kernel, const Transform& transform, MatrixId matrix, bool is_output) {
  const auto is_it = [&](const RuleMatrix& use) { return use.matrix == matrix; };
  const bool is_twice = std::count_if(kernel.matrices.begin(), kernel.matrices.end(), is_it) > 1;
  return (is_twice && !is_output ? "pb_matrix2_" : "pb_matrix_") + transform.matrices[matrix].name;
}

bool is_same(const KernelTree& a, const KernelTree& b) {
  const auto uses_alike = [](const RuleMatrix& x, const RuleMatrix& y) {
    return x.matrix == y.matrix && x.is_output == y.is_output;
  };
  const auto parts_alike = [](const KernelPart& x, const KernelPart& y) {
    return x.boxes == y.boxes && x.vars == y.vars && is_same(x.kernel, y.kernel);
  };
  return a.transform == b.transform && a.rule == b.rule && a.version == b.version && a.vars == b.vars &&
         a.batches == b.batches && a.scalars == b.scalars && a.tree == b.tree && a.vectors == b.vectors &&
         a.time_tile == b.time_tile &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), parts_alike) &&
         std::equal(a.matrices.begin(), a.matrices.end(), b.matrices.begin(), b.matrices.end(), uses_alike);
}

KernelTree lower_kernel(const Program& program, const TransformPlan& plan, StepId step, Version version) {
  return KernelLowering(program, plan, step, version).lower();
}

bool lanes_are_neighbours(const LoopTree& tree) {
  bool out = false;
  walk(tree.root, [&](const TreeNode& node) {
    const auto* loop = std::get_if<TreeLoop>(&node.node);
    out = out || (loop != nullptr && loop->role == LoopRole::Lane &&
                  std::holds_alternative<RuleInstance>(loop->body.front().node));
  });
  return out;
}

const InputBox* box_of(const Step& step, std::size_t input) {
  for (const InputBox& box : step.input_boxes)
    if (box.input == input) return &box;
  return nullptr;
}

bool has_doubles(const Transform& transform, const Rule& rule) {
  for (const auto* list : {&rule.outputs, &rule.inputs})
    for (const RegionAccess& access : *list)
      if (transform.matrices[access.matrix].element == ElementType::Double) return true;
  return std::any_of(rule.body_types.types.begin(), rule.body_types.types.end(),
                     [](const BodyType& type) { return type.kind == BodyType::Kind::Double; });
}

}  // namespace pb
