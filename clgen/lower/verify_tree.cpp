// SPDX-License-Identifier: MIT
#include "clgen/lower/verify_tree.h"

#include <algorithm>
#include <set>
#include <type_traits>
#include <vector>

namespace pb {
namespace {

/// What is wrong with the stages of an instance. They follow one another. Work-items of several groups wait for one
/// another, and for the parts of folds, at the ends of stages alone. Loops with running places have two stages.
std::string fault_of_stages(const KernelTree& kernel, const RuleInstance& instance) {
  const auto has = [&](const Phase& phase, const auto& what) {
    return std::any_of(instance.divided.begin(), instance.divided.end(),
                       [&](const DividedFold& divided) { return divided.fold.loop == phase.stmt && what(divided); });
  };
  const auto has_two_stages = [](const DividedFold& divided) { return divided.has_two_stages(); };
  const auto ends_in_parts = [&](const DividedFold& divided) {
    return !divided.fold.accumulators.empty() && !has_two_stages(divided);
  };
  int stage = 1;
  bool begins = true;
  for (const Phase& phase : instance.phases) {
    stage += has(phase, has_two_stages) ? 1 : 0;
    if (phase.stage != stage) return "the stages of phases follow one another";
    if (phase.waits && !begins) return "groups wait for one another at the ends of stages alone";
    if (has(phase, ends_in_parts) && !phase.ends_stage)
      return "the parts of a fold are combined in the stages behind it";
    begins = phase.ends_stage;
    stage += begins ? 1 : 0;
  }
  return kernel.stages.num == stage ? "" : "the kernel knows its stages";
}

/// Returns what is wrong with scans; empty: nothing.
std::string verify_scans(const KernelTree& kernel, const LineScans& scans) {
  if (kernel.tree.root.size() != 1) return "scans run all instances of a launch";
  if (scans.dim < 0 || static_cast<std::size_t>(scans.dim) >= kernel.vars.size() ||
      kernel.vars[static_cast<std::size_t>(scans.dim)] != scans.scan.var)
    return "a scan runs along one of its loops";
  const std::size_t num_values = scans.scan.values.size();
  if (num_values == 0 || scans.types.size() != num_values || scans.same_factors.size() != num_values ||
      scans.begins_again.size() != num_values)
    return "a scan has outputs that continue themselves, which have types, and one factor or several";
  const std::vector<Operand>& inputs = scans.instance.inputs;
  const auto num_continued = std::count_if(
      inputs.begin(), inputs.end(), [](const Operand& operand) { return operand.kind == OperandKind::Continued; });
  return static_cast<std::size_t>(num_continued) == scans.scan.values.size()
             ? ""
             : "a scan gives each of its values the one before";
}

/// Whether the part has the loops of a kernel with `num_loops`: all of its own variables are among the names that it
/// has for these.
bool has_loops_of(const KernelPart& part, std::size_t num_loops) {
  const auto is_there = [&](const std::string& var) {
    return var == kOnlyInstance || std::find(part.vars.begin(), part.vars.end(), var) != part.vars.end();
  };
  return part.vars.size() == num_loops && std::all_of(part.kernel.vars.begin(), part.kernel.vars.end(), is_there);
}

/// Returns what is wrong with the parts of a kernel; empty: nothing.
std::string verify_parts(const KernelTree& kernel) {
  if (kernel.parts.empty()) return "";
  if (kernel.parts.front().kernel.rule != kernel.rule) return "the first part of a kernel is its own rule's";
  for (const KernelPart& part : kernel.parts) {
    if (!has_loops_of(part, kernel.vars.size())) return "a part has the loops of its kernel";
    if (part.boxes.empty() != (&part == &kernel.parts.back())) return "the last part of a kernel has no boxes";
  }
  const auto is_bound = [](const KernelScalar& scalar) { return scalar.source == ScalarSource::Bound; };
  std::size_t num_boxes = 0;
  for (const KernelPart& part : kernel.parts) num_boxes += part.boxes.size();
  const auto num_bounds = std::count_if(kernel.scalars.begin(), kernel.scalars.end(), is_bound);
  return static_cast<std::size_t>(num_bounds) == 2 * num_boxes * kernel.vars.size()
             ? ""
             : "the boxes of parts have their bounds";
}

/// Returns what is wrong with a time tile; empty: nothing.
std::string verify_time_tile(const KernelTree& kernel) {
  if (!kernel.time_tile) return "";
  if (kernel.time_tile->radius.size() != kernel.vars.size()) return "a time tile has a radius per loop";
  const auto has = [&](ScalarSource source, int number = 1) {
    return std::count_if(kernel.scalars.begin(), kernel.scalars.end(),
                         [&](const KernelScalar& scalar) { return scalar.source == source; }) == number;
  };
  if (!has(ScalarSource::Slice) || !has(ScalarSource::Depth)) return "a time tile has a first version and a depth";
  if (!has(ScalarSource::Made, 2)) return "a time tile knows where versions begin and end";
  for (const KernelPart& part : kernel.parts)
    if (!kernel.time_tile->begins.contains(part.kernel.rule)) return "a time tile knows what its rules read";
  for (const auto& [rule, begins] : kernel.time_tile->begins)
    for (const std::vector<std::int64_t>& begin : begins)
      for (std::size_t d = 0; d < begin.size(); ++d)
        if (begin[d] < -kernel.time_tile->radius[d] || begin[d] > kernel.time_tile->radius[d])
          return "inputs of a time tile lie in its margins";
  return "";
}

/// Returns what is wrong with the temporaries that a kernel computes; empty: nothing.
std::string verify_tiles(const KernelTree& kernel) {
  for (std::size_t s = 0; s < kernel.tiles.size(); ++s) {
    const TileStage& stage = kernel.tiles[s];
    if (stage.lo.size() != kernel.vars.size() || stage.hi.size() != kernel.vars.size()) return "a tile has all loops";
    if (stage.parts.empty()) return "something makes a temporary";
    for (const KernelPart& part : stage.parts) {
      if (!has_loops_of(part, kernel.vars.size())) return "what makes a temporary has the loops of its reader";
      if (part.boxes.size() != 1) return "what makes a temporary has a box";
      const auto reads = kernel.tile_reads.find(part.kernel.rule);
      if (reads == kernel.tile_reads.end()) return "a kernel knows what the makers of temporaries read";
      for (const std::optional<TileRead>& read : reads->second)
        if (read && read->stage >= s) return "temporaries are made of those before";
    }
  }
  if (kernel.tiles.empty() || kernel.tile_reads.contains(kernel.rule)) return "";
  return "a kernel knows what its instances read of temporaries";
}

/// Returns what is wrong with a wavefront; empty: nothing.
std::string verify_waves(const KernelTree& kernel, const Waves& waves) {
  if (kernel.tree.root.size() != 1) return "a wavefront runs all instances of a launch";
  if (waves.rows.size() != kernel.vars.size()) return "a wavefront has as many rows as loops";
  const auto num_carried =
      std::count_if(waves.rows.begin(), waves.rows.end(), [](const WaveRow& row) { return row.is_carried; });
  if (num_carried < 2) return "two rows of a wavefront are carried, or more";
  if (waves.loops != inverse_of(waves.rows)) return "the rows of a wavefront say where each loop is";
  return kernel.tree.buffers.empty() ? "" : "a wavefront reads what its group has stored";
}

class Verifier {
 public:
  Verifier(const Transform& transform, const KernelTree& kernel)
      : rule_(transform.rules[kernel.rule]), kernel_(kernel), filled_(kernel.tree.buffers.size()) {
    for (const KernelScalar& scalar : kernel.scalars) known_.insert(scalar.name);
    for (int b = 0; b < static_cast<int>(kernel.batches.size()); ++b)
      for (const IndexExpr& given : {box_lo(num_dims() + b), box_extent(num_dims() + b)}) known_.insert(given.symbol);
    for (int dim = 0; dim < num_dims(); ++dim) {
      for (const IndexExpr& given : {box_lo(dim), box_extent(dim), group_size(dim), group_span(dim)})
        known_.insert(given.symbol);
    }
    for (int dim = 0; dim < num_dims(); ++dim)
      for (const IndexExpr& given : {item_run(dim), item_leap(dim)}) known_.insert(given.symbol);
    known_.insert(block_rounds().symbol);
    known_.insert(num_lanes().symbol);
    known_.insert(num_fold_groups().symbol);
  }

  std::string run() {
    if (num_dims() < 1 || num_dims() > kMaxItemDims) return "a kernel has one to three loops";
    if (!kernel_.batches.empty() && num_dims() != kMaxItemDims) return "batches stand outside of three loops";
    if (const LineScans* scans = scans_of(kernel_.tree)) return verify_scans(kernel_, *scans);
    if (const Waves* waves = waves_of(kernel_.tree)) return verify_waves(kernel_, *waves);
    check_block(kernel_.tree.root);
    if (fault_.empty()) fault_ = verify_parts(kernel_);
    if (fault_.empty()) fault_ = verify_time_tile(kernel_);
    if (fault_.empty()) fault_ = verify_tiles(kernel_);
    if (!fault_.empty()) return fault_;
    if (num_instances_ != 1 || num_with_lanes_ > 1 || num_that_keep_ > 1)
      return "a kernel has one instance, one with lanes, and one whose lanes keep cells";
    if (num_parts_ != 0 && num_parts_ != kNumParts) return "an instance in parts has a begin, rounds and an end";
    const bool has_kept_length = kernel_.kept_length && *kernel_.kept_length < kernel_.scalars.size();
    if (has_kept_length != (num_that_keep_ == 1)) return "a scalar says how many rounds have kept cells";
    return {};
  }

 private:
  /// What is known of a buffer at the node that the walk has reached.
  enum class Fill { Empty, Copied, Ready, Read };

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
    if (loop.run) check_names(*loop.run, "the loop over `" + loop.var + "`");
    if (loop.tail != LoopTail::Exact) check_names(loop.end, "the end of the loop over `" + loop.var + "`");
    if (loop.role == LoopRole::Batch) {
      const int number = loop.dim - num_dims();
      if (number < 0 || number >= static_cast<int>(kernel_.batches.size()) || !groups_.empty() ||
          loop.var != kernel_.batches[static_cast<std::size_t>(number)] || !known_.insert(loop.var).second)
        return fail("batches have one loop each, outside of all groups");
      return check_block(loop.body);
    }
    if (loop.role == LoopRole::Lane) return check_lanes(loop);
    if (loop.role == LoopRole::FoldGroup) return check_fold_groups(loop);
    if (loop.role != LoopRole::Group && loop.role != LoopRole::Item && loop.role != LoopRole::Unrolled)
      return fail("a kernel's loops are those of groups, of items and of their instances");
    std::set<int>& dims = loop.role == LoopRole::Group ? groups_ : loop.role == LoopRole::Item ? items_ : unrolled_;
    if (loop.dim < 0 || loop.dim >= num_dims() || !dims.insert(loop.dim).second)
      return fail("each dimension has one loop of groups, one of items and one of their instances");
    if (loop.role == LoopRole::Group && !items_.empty()) return fail("groups stand outside of items");
    if (loop.role == LoopRole::Item && static_cast<int>(groups_.size()) != num_dims())
      return fail("items stand inside of the groups of all dimensions");
    if (loop.role == LoopRole::Item && !unrolled_.empty()) return fail("items stand outside of their instances");
    if (loop.role == LoopRole::Unrolled && static_cast<int>(items_.size()) != num_dims())
      return fail("instances stand inside of the items of all dimensions");
    if (!known_.insert(loop.var).second) return fail("`" + loop.var + "` is the variable of two loops");
    num_repeated_ += loop.tail == LoopTail::Repeated ? 1 : 0;
    check_block(loop.body);
    num_repeated_ -= loop.tail == LoopTail::Repeated ? 1 : 0;
    known_.erase(loop.var);
    dims.erase(loop.dim);
  }

  void check_lanes(const TreeLoop& loop) {
    if (static_cast<int>(groups_.size()) != num_dims() || !unrolled_.empty() || has_lanes_)
      return fail("lanes are work-items of a group");
    has_lanes_ = true;
    check_block(loop.body);
    has_lanes_ = false;
  }

  void check_fold_groups(const TreeLoop& loop) {
    if (static_cast<int>(groups_.size()) != num_dims() || !items_.empty() || has_lanes_ || has_fold_groups_)
      return fail("groups that run instances together stand inside of the groups of all dimensions");
    has_fold_groups_ = true;
    check_block(loop.body);
    has_fold_groups_ = false;
  }

  /// The divided loops are those of the phases.
  void check_phases(const RuleInstance& instance) {
    std::size_t num_divided = 0;
    for (const Phase& phase : instance.phases) {
      if (phase.kind != PhaseKind::Divided) continue;
      if (num_divided == instance.divided.size() || instance.divided[num_divided].fold.loop != phase.stmt)
        return fail("phases have their divided loops");
      const DividedFold& divided = instance.divided[num_divided++];
      if (divided.stores != phase.stores) return fail("a map stores cells");
      if (!divided.bins.empty() && (!divided.stores || divided.keeps)) return fail("a loop with bins stores cells");
      if (divided.num_running > 0 && (!divided.stores || divided.keeps || divided.inner || !divided.bins.empty()))
        return fail("a loop with running places stores cells, and has no other form");
      if (divided.stage != phase.stage) return fail("a divided loop has the stage of its phase");
      if (divided.parts.size() != divided.fold.accumulators.size()) return fail("each accumulator has a part");
    }
    if (num_divided != instance.divided.size()) return fail("divided loops have their phases");
    if (has_stages(instance)) fail(fault_of_stages(kernel_, instance));
  }

  /// Kept cells are read and written in loops whose rounds are kept, and loops that store run once. Nothing waits for
  /// other groups.
  void check_kept(const RuleInstance& instance) {
    const auto find = [&](StmtId loop) {
      return std::find_if(instance.divided.begin(), instance.divided.end(),
                          [&](const DividedFold& divided) { return divided.fold.loop == loop; });
    };
    for (const KeptRegion& region : instance.kept) {
      const auto first = find(region.first), last = region.is_output ? find(region.last) : first;
      if (first == instance.divided.end() || last == instance.divided.end() || last < first || !first->keeps ||
          !last->keeps)
        return fail("the loops that read or write kept cells are divided, and keep their cells");
      if (region.is_output && !last->stores) return fail("the loop that writes kept cells to memory stores");
    }
    if (has_stages(instance)) return fail("one group runs an instance whose lanes keep cells");
  }

  /// Each value has a place of its own in the record.
  void check_records(const RuleInstance& instance) {
    std::vector<bool> is_taken(kernel_.record_slots);
    for (const DividedFold& divided : instance.divided) {
      for (std::size_t k = 0; k < divided.parts.size(); ++k) {
        const FoldPart& part = divided.parts[k];
        const std::size_t size = 1 + (part.has_round ? 1 : 0) + divided.fold.accumulators[k].places.size();
        for (std::size_t slot = part.slot; slot < part.slot + size; ++slot) {
          if (slot >= is_taken.size() || is_taken[slot]) return fail("the parts of folds have places in a record");
          is_taken[slot] = true;
        }
      }
    }
  }

  void check(const TreeBranch& branch) {
    if (!items_.empty() || has_lanes_) return fail("work-items of a group take the same branch");
    const std::vector<Fill> before = filled_;
    const int parts_before = num_parts_;
    check_block(branch.then);
    const std::vector<Fill> after = filled_;
    const int parts_after = num_parts_;
    filled_ = before;
    num_parts_ = parts_before;
    check_block(branch.otherwise);
    if (after != filled_) fail("both blocks of a branch fill the same buffers");
    if (parts_before > 0 && parts_after != num_parts_) fail("both blocks of a branch run the same parts");
    num_parts_ = parts_after;
  }

  bool all_items_come_by() const { return items_.empty() && static_cast<int>(groups_.size()) == num_dims(); }

  void check(const Copy& copy) {
    if (!all_items_come_by()) return fail("a copy stands between groups and items");
    std::vector<Fill>& filled = copies_ahead_ ? filled_ahead_ : filled_;
    if (copy.to.index() >= filled.size()) return fail("a copy fills a buffer of the tree");
    if (filled[copy.to.index()] == Fill::Read)
      return fail("a barrier stands between the instances that read a buffer and the next copy to it");
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
    filled[copy.to.index()] = Fill::Copied;
  }

  void check(const Barrier&) {
    if (!all_items_come_by()) return fail("a barrier stands where all work-items of a group come by");
    for (auto* fills : {&filled_, &filled_ahead_})
      for (Fill& fill : *fills)
        if (fill == Fill::Copied || fill == Fill::Read) fill = Fill::Ready;
  }

  /// What a block leaves in the buffers is not read after it. The second walk stands for the next block.
  void check(const RoundBlocks& blocks) {
    if (!all_items_come_by()) return fail("blocks of rounds stand between groups and items");
    if (num_parts_ != 1) return fail("blocks of rounds stand behind the begin of their instance");
    const RoundBlockFacts& facts = *instance_in_blocks(kernel_.tree)->blocks;
    if (blocks.has_parts != facts.has_parts) return fail("all blocks of a fold may have parts, or none");
    if (blocks.has_parts && facts.regrouping == Regrouping::Never)
      return fail("groups divide rounds that may run in another order");
    const std::vector<Fill> before = filled_;
    known_.insert(block_var());
    is_in_blocks_ = true;
    if (blocks.copies_ahead) {
      // What the first block reads is copied before. Afterwards copies fill the other panels.
      filled_ahead_.assign(filled_.size(), Fill::Empty);
      for (const TreeNode& node : blocks.body)
        if (const auto* copy = std::get_if<Copy>(&node.node)) check(*copy);
      check(Barrier{});
      copies_ahead_ = true;
    }
    check_block(blocks.body);
    if (blocks.copies_ahead) std::swap(filled_, filled_ahead_);
    num_parts_ -= num_parts_ > 1 ? 1 : 0;
    check_block(blocks.body);
    is_in_blocks_ = copies_ahead_ = false;
    known_.erase(block_var());
    filled_ = before;
  }

  /// The parts of an instance follow one another, and staged inputs are read in its rounds.
  void check_part(const RuleInstance& instance) {
    const int number = static_cast<int>(instance.part) - static_cast<int>(InstancePart::Begin);
    if (number != num_parts_++) return fail("an instance in parts has a begin, rounds and an end, in this order");
    if (is_in_blocks_ != (instance.part == InstancePart::Rounds)) return fail("rounds run in blocks");
    if (num_repeated_ != num_dims()) return fail("instances beyond the end come by the barriers of blocks, too");
    if (!instance.blocks || instance.blocks->carried.empty()) return fail("an instance in parts has values to keep");
    if (instance.on_matrix_units && (!instance.blocks->products || instance.part != InstancePart::Rounds))
      return fail("matrix units run rounds that add up products");
    for (std::size_t i = 0; i < instance.inputs.size(); ++i)
      if ((instance.inputs[i].kind == OperandKind::Staged) != (instance.blocks->find(i) != nullptr))
        return fail("the inputs of a block are staged");
  }

  void check(const InsideRange&) { fail("a kernel tests each cell"); }
  template <class Loops>
  requires std::is_same_v<Loops, RowBlocks> || std::is_same_v<Loops, Strips> || std::is_same_v<Loops, Packs> ||
      std::is_same_v<Loops, Tiles> || std::is_same_v<Loops, Scans> || std::is_same_v<Loops, LineScans> ||
      std::is_same_v<Loops, Waves>
  void check(const Loops&) { fail("a kernel's loops are those of groups, of items and of their instances"); }
  void check(const InsideBox&) { fail("a kernel tests each cell"); }
  void check(const Let&) { fail("a kernel's loops have all rule variables"); }
  void check(const ComputeResult&) { fail("a kernel's instance stores what it computes"); }
  void check(const StoreResult&) { fail("a kernel's instance stores what it computes"); }

  void check(const RuleInstance& instance) {
    const bool is_part = instance.part != InstancePart::Whole;
    if (is_part) check_part(instance);
    if (!is_part) ++(!instance.kept.empty() ? num_that_keep_ : has_lanes_ ? num_with_lanes_ : num_instances_);
    if (has_lanes_ == instance.divided.empty()) return fail("lanes divide the loops of their instance");
    if (has_lanes_ && (static_cast<int>(items_.size()) != num_dims() || num_repeated_ != num_dims()))
      return fail("lanes of instances beyond the end come by the barriers of their phases, too");
    if (has_stages(instance) != has_fold_groups_)
      return fail("lanes stand inside of the groups that run their instance");
    if (has_lanes_) check_phases(instance);
    if (!instance.kept.empty()) check_kept(instance);
    if (has_stages(instance)) check_records(instance);
    if (!has_lanes_ && static_cast<int>(unrolled_.size()) != num_dims())
      return fail("an instance stands inside of the loops over a work-item's instances");
    if (instance.rule != kernel_.rule) return fail("a kernel runs instances of its own rule");
    if (instance.outputs.size() != rule_.outputs.size() || instance.inputs.size() != rule_.inputs.size())
      return fail("an instance has an operand for each region of its rule");
    for (std::size_t i = 0; i < instance.inputs.size(); ++i) {
      const Operand& operand = instance.inputs[i];
      if (operand.kind != OperandKind::Staged || (is_part && !is_in_blocks_)) continue;
      if (operand.buffer.is_none() || operand.buffer.index() >= filled_.size() ||
          kernel_.tree[operand.buffer].input != i)
        return fail("a staged input names its buffer");
      Fill& fill = filled_[operand.buffer.index()];
      if (fill != Fill::Ready && fill != Fill::Read)
        return fail("a barrier stands between the copy to a buffer and the instances that read it");
      fill = Fill::Read;
    }
  }

  const Rule& rule_;
  const KernelTree& kernel_;
  std::set<std::string> known_;
  std::set<int> groups_, items_, unrolled_;
  std::vector<Fill> filled_;
  std::vector<Fill> filled_ahead_;  ///< the other panels of blocks that copy ahead
  int num_instances_ = 0, num_with_lanes_ = 0, num_that_keep_ = 0;
  int num_repeated_ = 0;  ///< loops around that repeat the last instance
  static constexpr int kNumParts = 3;
  int num_parts_ = 0;             ///< of the instance in parts, so far
  bool is_in_blocks_ = false;     ///< in blocks of rounds
  bool copies_ahead_ = false;     ///< in blocks that copy ahead, behind the first block's copies
  bool has_lanes_ = false;        ///< in a loop over lanes
  bool has_fold_groups_ = false;  ///< in a loop over the groups that run the same instances
  std::string fault_;
};

}  // namespace

namespace {

class LoopVerifier {
 public:
  explicit LoopVerifier(const Step& step) {
    for (const LoopDim& loop : step.loops) vars_.insert(loop.var);
  }

  std::string run(const TreeBlock& loops) {
    check_block(loops);
    return fault_;
  }

 private:
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  /// Checks a block in which `defined` are known as well. What the block itself defines is known until its end.
  void check_block(const TreeBlock& block, const std::vector<std::string>& defined = {}) {
    const std::set<std::string> before = known_;
    for (const std::string& var : defined) define(var);
    std::set<std::size_t> results;
    for (const TreeNode& node : block) {
      if (const auto* computed = std::get_if<ComputeResult>(&node.node); computed != nullptr) {
        if (!results.insert(computed->value).second) fail("a result is computed once");
      } else if (const auto* stored = std::get_if<StoreResult>(&node.node); stored != nullptr) {
        if (results.erase(stored->value) == 0) fail("a result is stored once after it was computed");
      }
      std::visit([this](const auto& inner) { check(inner); }, node.node);
    }
    if (!results.empty()) fail("each result is stored");
    known_ = before;
  }

  void define(const std::string& var) {
    if (!known_.insert(var).second) fail("`" + var + "` is the variable of two loops");
  }

  void check_names(const IndexExpr& expr, const std::string& where) {
    for (const std::string& name : symbols_of(expr))
      if (vars_.contains(name) && !known_.contains(name))
        fail(where + " names `" + name + "`, which is not known there");
  }
  void check_names(const std::vector<IndexExpr>& list, const std::string& where) {
    for (const IndexExpr& expr : list) check_names(expr, where);
  }

  void check_instance(const std::string& what) {
    for (const std::string& var : vars_)
      if (!known_.contains(var)) fail(what + " stands outside of the loop over `" + var + "`");
  }

  void check(const TreeLoop& loop) {
    const std::string where = "the loop over `" + loop.var + "`";
    if (loop.role == LoopRole::Group || loop.role == LoopRole::Item || loop.role == LoopRole::Lane ||
        loop.role == LoopRole::FoldGroup || loop.role == LoopRole::Unrolled)
      fail(where + " is one of a kernel");
    check_names({loop.lo, loop.hi, loop.step}, where);
    check_names(loop.lower, where);
    check_names(loop.upper, where);
    if (loop.role == LoopRole::Parts) return check_block(loop.body);  // the loops inside run parts of its range
    check_block(loop.body, {loop.var});
  }
  void check(const TreeBranch& branch) {
    check_block(branch.then);
    check_block(branch.otherwise);
  }
  void check(const InsideRange& range) {
    check_names(range.first, "an inside range");
    check_names(range.end, "an inside range");
  }
  void check(const RowBlocks& blocks) {
    check_names({blocks.lo, blocks.hi}, "the blocks of a row");
    check_block(blocks.body, {blocks.var});
  }
  void check(const Strips& strips) { check_block(strips.body, {strips.outer, strips.inner}); }
  void check(const Packs& packs) {
    check_names({packs.lane_lo, packs.lane_hi, packs.row_lo, packs.row_hi}, "the packs of a row");
    const std::set<std::string> before = known_;
    for (const std::string& var : {packs.facts.lane_var, packs.facts.row_var})
      if (vars_.contains(var)) known_.insert(var);
    check_instance("a pack");
    known_ = before;
  }
  void check(const Tiles& tiles) {
    check_names({tiles.lane_lo, tiles.lane_hi, tiles.row_lo, tiles.row_hi}, "the tiles of a box");
    const std::set<std::string> before = known_;
    for (const std::string& var : {tiles.facts.body.lane_var, tiles.facts.body.row_var}) known_.insert(var);
    check_instance("a tile");
    known_ = before;
  }
  void check(const Scans& scans) {
    if (scans.facts.scan.values.empty()) fail("a scan has outputs that continue themselves");
    if (!known_.empty()) fail("scans run a whole box");
    if (!vars_.contains(scans.facts.scan.var) || scans.facts.body.lane_var != scans.facts.scan.var)
      fail("the packs of a scan lie along its direction");
  }
  void check(const InsideBox& box) {
    check_block(box.inside);
    check_block(box.outside);
  }
  void check(const Let& let) {
    check_names(let.value, "the value of `" + let.var + "`");
    define(let.var);
  }
  void check(const RoundBlocks&) { fail("loops of CPUs have no blocks of rounds"); }
  void check(const LineScans&) { fail("loops of CPUs scan in chunks"); }
  void check(const Waves&) { fail("loops of CPUs run wavefronts in tiles that wait for one another"); }
  void check(const Copy&) { fail("loops of CPUs have no buffers"); }
  void check(const Barrier&) { fail("loops of CPUs have no barriers"); }
  void check(const RuleInstance&) { check_instance("an instance"); }
  void check(const ComputeResult&) { check_instance("a result"); }
  void check(const StoreResult&) { check_instance("a result"); }

  std::set<std::string> vars_;   ///< loop variables of the step
  std::set<std::string> known_;  ///< variables of the loops around, and of definitions before
  std::string fault_;
};

}  // namespace

std::string verify(const Step& step, const TreeBlock& loops) { return LoopVerifier(step).run(loops); }

std::string verify(const Transform& transform, const KernelTree& kernel) { return Verifier(transform, kernel).run(); }

}  // namespace pb
