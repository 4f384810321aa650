// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/round_block_nodes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "lang/check.h"

namespace pb {
namespace {

class BlockLowering {
 public:
  BlockLowering(const Step& step, const Rule& rule, const RoundBlockFacts& facts, const RuleInstance& whole,
                const std::vector<std::string>& vars, LoopTree& tree)
      : step_(step), rule_(rule), facts_(facts), whole_(whole), vars_(vars), tree_(tree) {}

  TreeNode lower(TreeBlock otherwise) {
    TreeBranch branch;
    branch.condition = runs_in_blocks();
    branch.otherwise = std::move(otherwise);
    for (const BlockInput& input : facts_.inputs) tree_.buffers.push_back(panel_of(input));
    branch.then.push_back(items(part_of(InstancePart::Begin)));
    branch.then.push_back(!may_copy_ahead() ? blocks(false)
                                            : TreeNode{TreeBranch{copies_ahead(), {blocks(true)}, {blocks(false)}}});
    branch.then.push_back(items(part_of(InstancePart::End)));
    return {std::move(branch)};
  }

 private:
  int num_loops() const { return static_cast<int>(vars_.size()); }

  /// Whether the build knows how many cells a work-item copies, so that these may lie in registers meanwhile.
  [[nodiscard]] bool may_copy_ahead() const {
    return std::all_of(facts_.inputs.begin(), facts_.inputs.end(), [&](const BlockInput& input) {
      const Buffer& panel =
          tree_.buffers[tree_.buffers.size() - facts_.inputs.size() + (&input - facts_.inputs.data())];
      for (std::size_t d = 0; d < panel.extents.size(); ++d)
        if (d != input.walked && panel.extents[d].extent_of_one.op != IndexExpr::Op::Const) return false;
      return true;
    });
  }

  [[nodiscard]] TreeNode blocks(bool copies_ahead) const {
    RoundBlocks out;
    out.loop = facts_.contraction.loops.front();
    out.copies_ahead = copies_ahead;
    out.has_parts = facts_.has_parts;
    for (std::size_t i = 0; i < facts_.inputs.size(); ++i)
      out.body.push_back({panel_copy(BufferId(tree_.buffers.size() - facts_.inputs.size() + i), facts_.inputs[i])});
    if (!copies_ahead) out.body.push_back({Barrier{}});
    out.body.push_back(rounds());
    out.body.push_back({Barrier{}});
    return {std::move(out)};
  }

  /// The rounds of a block.
  [[nodiscard]] TreeNode rounds() const {
    RuleInstance part = part_of(InstancePart::Rounds);
    TreeNode one_by_one = items(part);
    if (!facts_.products) return one_by_one;
    part.on_matrix_units = true;
    return {TreeBranch{on_matrix_units(), {items(std::move(part))}, {std::move(one_by_one)}}};
  }

  Buffer panel_of(const BlockInput& input) const {
    const auto box = std::find_if(step_.input_boxes.begin(), step_.input_boxes.end(),
                                  [&](const InputBox& each) { return each.input == input.input; });
    PB_CHECK(box != step_.input_boxes.end(), "a staged input has a box");
    Buffer out = buffer_of(*box, vars_);
    out.space = BufferSpace::Panel;
    out.contiguous = input.moving;
    GroupExtent& walked = out.extents[input.walked];
    walked.begin_of_one = index_add(walked.begin_of_one, index_symbol(block_var()));
    walked.extent_of_one = block_rounds();
    return out;
  }

  /// Whether no round is before the first cell. Bodies may test that before they read.
  bool begins_inside() const { return std::holds_alternative<IntegerExpr>(rule_.body.exprs[facts_.fold.first].node); }

  Copy panel_copy(BufferId id, const BlockInput& input) const {
    Copy out;
    out.to = id;
    out.outside = CopyOutside::Nearest;
    const std::vector<GroupExtent>& extents = tree_[id].extents;
    out.axes.assign(extents.size(), CopyAxis::Flat);
    out.edges.resize(extents.size());
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const auto& steps = extents[d].step;
      const bool moves = std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step != 0; });
      const bool moves_down = std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step < 0; });
      out.edges[d] = {d == input.walked || moves, moves_down || (d == input.walked && !begins_inside())};
    }
    return out;
  }

  RuleInstance part_of(InstancePart part) const {
    RuleInstance out = whole_;
    out.part = part;
    out.blocks = facts_;
    for (std::size_t b = 0; b < tree_.buffers.size(); ++b)
      out.inputs[tree_.buffers[b].input] = {OperandKind::Staged, BufferId(b)};
    return out;
  }

  /// The loops over the instances of a group. Runs of neighbours belong to one work-item. Beyond the end the last
  /// instance runs again, because all work-items come by the barriers.
  [[nodiscard]] TreeNode items(RuleInstance part) const {
    TreeBlock inside = {TreeNode{std::move(part)}};
    for (int dim = 0; dim < num_loops(); ++dim) {
      const IndexExpr first = index_symbol(group_var(dim));
      TreeLoop loop;
      loop.role = LoopRole::Unrolled;
      loop.var = vars_[static_cast<std::size_t>(dim)];
      loop.dim = dim;
      loop.lo = index_add(first, index_symbol(item_var(dim)));
      loop.hi = index_add(first, group_span(dim));
      loop.step = item_leap(dim);
      loop.run = item_run(dim);
      loop.tail = LoopTail::Repeated;
      loop.end = index_add(box_lo(dim), box_extent(dim));
      loop.body = std::move(inside);
      inside = {TreeNode{std::move(loop)}};
    }
    for (int dim = 0; dim < num_loops(); ++dim) {
      TreeLoop loop = counting_loop(LoopRole::Item, item_var(dim), item_leap(dim), std::move(inside));
      loop.step = item_run(dim);
      loop.dim = dim;
      inside = {TreeNode{std::move(loop)}};
    }
    return std::move(inside.front());
  }

  const Step& step_;
  const Rule& rule_;
  const RoundBlockFacts& facts_;
  const RuleInstance& whole_;
  const std::vector<std::string>& vars_;
  LoopTree& tree_;
};

}  // namespace

TreeLoop counting_loop(LoopRole role, std::string var, IndexExpr count, TreeBlock inside) {
  TreeLoop loop;
  loop.role = role;
  loop.var = std::move(var);
  loop.lo = index_const(0);
  loop.hi = std::move(count);
  loop.step = index_const(1);
  loop.body = std::move(inside);
  return loop;
}

TreeNode with_batches(const std::vector<std::string>& batches, TreeNode inside) {
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const int dim = kMaxItemDims + static_cast<int>(b);
    TreeLoop loop = counting_loop(LoopRole::Batch, batches[b], index_add(box_lo(dim), box_extent(dim)), {});
    loop.dim = dim;
    loop.lo = box_lo(dim);
    loop.body.push_back(std::move(inside));
    inside = TreeNode{std::move(loop)};
  }
  return inside;
}

Buffer buffer_of(const InputBox& box, const std::vector<std::string>& vars) {
  Buffer out;
  out.input = box.input;
  for (std::size_t d = 0; d < box.lo.size(); ++d) {
    GroupExtent extent{box.lo[d], box.extent[d], {}};
    for (std::size_t l = 0; l < vars.size(); ++l) {
      const std::optional<std::int64_t> step = affine_coefficient(box.lo[d], vars[l]);
      PB_CHECK(step, "the box of a staged input is affine in the loop variables");
      extent.step[l] = *step;
    }
    out.extents.push_back(std::move(extent));
  }
  return out;
}

TreeNode with_round_blocks(const Step& step, const Rule& rule, const RoundBlockFacts& facts, const RuleInstance& whole,
                           const std::vector<std::string>& vars, LoopTree& tree, TreeBlock otherwise) {
  return BlockLowering(step, rule, facts, whole, vars, tree).lower(std::move(otherwise));
}

}  // namespace pb
