// SPDX-License-Identifier: MIT
#include "clgen/lower/verify_tree.h"

#include <algorithm>
#include <set>
#include <vector>

namespace pb {
namespace {

class Verifier {
 public:
  Verifier(const Transform& transform, const KernelTree& kernel)
      : rule_(transform.rules[kernel.rule]), kernel_(kernel), filled_(kernel.tree.buffers.size()) {
    for (const KernelScalar& scalar : kernel.scalars) known_.insert(scalar.name);
    for (int dim = 0; dim < num_dims(); ++dim) {
      for (const IndexExpr& given : {box_lo(dim), box_extent(dim), group_size(dim)}) known_.insert(given.symbol);
    }
  }

  std::string run() {
    if (num_dims() < 1 || num_dims() > kMaxItemDims) return "a kernel has one to three loops";
    check_block(kernel_.tree.root);
    if (!fault_.empty()) return fault_;
    if (num_instances_ != 1) return "a kernel runs one instance per work-item";
    return {};
  }

 private:
  /// What is known of a buffer at the node that the walk has reached.
  enum class Fill { Empty, Copied, Ready };

  int num_dims() const { return static_cast<int>(kernel_.vars.size()); }

  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  void check_block(const TreeBlock& block) {
    for (const TreeNode& node : block) std::visit([this](const auto& inner) { check(inner); }, node.node);
  }

  void check_names(const IndexExpr& expr, const std::string& where) {
    for (const std::string& name : symbols_of(expr))
      if (!known_.contains(name)) fail(where + " names `" + name + "`, which is not known there");
  }

  void check(const TreeLoop& loop) {
    for (const IndexExpr& expr : {loop.lo, loop.hi, loop.step}) check_names(expr, "the loop over `" + loop.var + "`");
    if (loop.tail == LoopTail::Predicated) check_names(loop.end, "the end of the loop over `" + loop.var + "`");
    if (loop.role != LoopRole::Group && loop.role != LoopRole::Item)
      return fail("a kernel's loops are those of groups and items");
    std::set<int>& dims = loop.role == LoopRole::Group ? groups_ : items_;
    if (loop.dim < 0 || loop.dim >= num_dims() || !dims.insert(loop.dim).second)
      return fail("each dimension has one loop of groups and one of items");
    if (loop.role == LoopRole::Group && !items_.empty()) return fail("groups stand outside of items");
    if (loop.role == LoopRole::Item && static_cast<int>(groups_.size()) != num_dims())
      return fail("items stand inside of the groups of all dimensions");
    if (!known_.insert(loop.var).second) return fail("`" + loop.var + "` is the variable of two loops");
    check_block(loop.body);
    known_.erase(loop.var);
    dims.erase(loop.dim);
  }

  void check(const TreeBranch& branch) {
    if (!items_.empty()) return fail("work-items of a group take the same branch");
    const std::vector<Fill> before = filled_;
    check_block(branch.then);
    const std::vector<Fill> after = filled_;
    filled_ = before;
    check_block(branch.otherwise);
    if (after != filled_) fail("both blocks of a branch fill the same buffers");
  }

  bool all_items_come_by() const { return items_.empty() && static_cast<int>(groups_.size()) == num_dims(); }

  void check(const Copy& copy) {
    if (!all_items_come_by()) return fail("a copy stands between groups and items");
    if (copy.to.index() >= filled_.size()) return fail("a copy fills a buffer of the tree");
    const Buffer& buffer = kernel_.tree[copy.to];
    if (copy.edges.size() != buffer.extents.size() || copy.axes.size() != buffer.extents.size())
      return fail("a copy has an edge and an axis for each dimension of its buffer");
    for (std::size_t d = 0; d < copy.axes.size(); ++d)
      if (copy.axes[d] == CopyAxis::ById && static_cast<int>(d) >= num_dims())
        return fail("a copy is dealt out by ids that the group has");
    for (const GroupExtent& extent : buffer.extents) {
      check_names(begin_of(extent, kernel_.vars), "the begin of a buffer");
      check_names(length_of(extent), "the length of a buffer");
    }
    filled_[copy.to.index()] = Fill::Copied;
  }

  void check(const Barrier&) {
    if (!all_items_come_by()) return fail("a barrier stands where all work-items of a group come by");
    for (Fill& fill : filled_)
      if (fill == Fill::Copied) fill = Fill::Ready;
  }

  void check(const InsideRange&) { fail("a kernel tests each cell"); }
  void check(const RowBlocks&) { fail("a kernel's loops are those of groups and items"); }
  void check(const Strips&) { fail("a kernel's loops are those of groups and items"); }
  void check(const Packs&) { fail("a kernel's loops are those of groups and items"); }
  void check(const InsideBox&) { fail("a kernel tests each cell"); }
  void check(const Let&) { fail("a kernel's loops have all rule variables"); }
  void check(const ComputeResult&) { fail("a kernel's instance stores what it computes"); }
  void check(const StoreResult&) { fail("a kernel's instance stores what it computes"); }

  void check(const RuleInstance& instance) {
    ++num_instances_;
    if (static_cast<int>(items_.size()) != num_dims()) return fail("an instance stands inside of the items' loops");
    if (instance.rule != kernel_.rule) return fail("a kernel runs instances of its own rule");
    if (instance.outputs.size() != rule_.outputs.size() || instance.inputs.size() != rule_.inputs.size())
      return fail("an instance has an operand for each region of its rule");
    for (std::size_t i = 0; i < instance.inputs.size(); ++i) {
      const Operand& operand = instance.inputs[i];
      if (operand.kind != OperandKind::Staged) continue;
      if (operand.buffer.is_none() || operand.buffer.index() >= filled_.size() ||
          kernel_.tree[operand.buffer].input != i)
        return fail("a staged input names its buffer");
      if (filled_[operand.buffer.index()] != Fill::Ready)
        return fail("a barrier stands between the copy to a buffer and the instances that read it");
    }
  }

  const Rule& rule_;
  const KernelTree& kernel_;
  std::set<std::string> known_;
  std::set<int> groups_, items_;
  std::vector<Fill> filled_;
  int num_instances_ = 0;
  std::string fault_;
};

}  // namespace

std::string verify(const Transform& transform, const KernelTree& kernel) { return Verifier(transform, kernel).run(); }

}  // namespace pb
