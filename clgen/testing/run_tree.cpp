// SPDX-License-Identifier: MIT
#include "clgen/testing/run_tree.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "clgen/testing/round_ranges.h"
#include "clgen/testing/tree_points.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb::testing {
namespace {

/// What a cell of a buffer holds: nothing known, a zero, or the cell of the matrix that was copied.
struct BufferCell {
  bool is_zero = false;
  Point from;
};
/// Among the values: the instance is another one's twin and stores nothing.
constexpr const char* kIsRepeated = "pb_is_repeated";

/// Among the values: which of two panels a block reads, 0 or 1. Without blocks that copy ahead there is one.
constexpr const char* kPanel = "pb_panel";

/// What a lane did with cells of an output.
struct Touch {
  std::int64_t lane = 0;
  StmtId stmt;
  int num_waits = 0;  ///< how often the lanes had waited for one another
  bool stores = false;
};

using BufferMemory = std::map<Point, BufferCell>;

/// The memory of a buffer among that of all; of two panels, that of the block at hand.
BufferMemory& memory_of(std::vector<BufferMemory>& memory, BufferId id, const Values& values) {
  const auto panel = values.find(kPanel);
  const bool is_other = panel != values.end() && panel->second != 0;
  return memory[id.index() + (is_other ? memory.size() / 2 : 0)];
}

/// Whether a launch has what a branch inside of groups is about.
bool holds(const LaunchShape& launch, const Condition& condition) {
  if (condition == has_lanes()) return launch.has_lanes();
  if (condition == copies_ahead()) return launch.copies_ahead;
  if (condition == on_matrix_units()) return launch.on_matrix_units;
  PB_CHECK(condition == device_is_cpu(), "kernels branch on the kind of device and on how it runs a launch");
  return launch.device_is_cpu;
}

/// How many neighbours a work-item has along a loop where folds run in blocks.
std::int64_t run_of(const KernelTree& kernel, const LaunchShape& launch, std::size_t loop) {
  const RuleInstance* blocked = instance_in_blocks(kernel.tree);
  if (launch.on_matrix_units && blocked != nullptr) return blocked->blocks->loops[0] == loop ? 2 : 1;
  return launch.items[loop] % 4 == 0 ? 4 : launch.items[loop] % 2 == 0 ? 2 : 1;
}

/// The number of a lane among those of all groups that run its instance.
std::int64_t worker_of(const LaunchShape& launch, const Values& values) {
  const auto group = values.find(fold_group_var());
  return values.at(lane_var()) + (group == values.end() ? 0 : launch.lanes * group->second);
}

class Runner {
 public:
  Runner(const Transform& transform, const KernelTree& kernel, const Values& sizes, const LaunchShape& launch,
         std::uint64_t seed)
      : rule_(transform.rules[kernel.rule]),
        transform_(transform),
        kernel_(kernel),
        launch_(launch),
        oracle_(transform, sizes),
        values_(sizes),
        random_(seed),
        rounds_(launch.block_rounds, launch.block_parts) {
    for (std::size_t d = 0; d < kernel.vars.size() + kernel.batches.size(); ++d) {
      const int dim = static_cast<int>(d);
      values_[box_lo(dim).symbol] = launch.lo[d];
      values_[box_extent(dim).symbol] = launch.extent[d];
      if (dim >= num_dims()) continue;
      const std::int64_t run = run_of(kernel, launch, d);
      values_[group_size(dim).symbol] = launch.group_size[d];
      values_[group_span(dim).symbol] = launch.group_size[d] * launch.items[d] / (d == 0 ? launch.lanes : 1);
      values_[item_run(dim).symbol] = run;
      values_[item_leap(dim).symbol] = run * launch.group_size[d];
    }
    values_[block_rounds().symbol] = launch.block_rounds;
    values_[num_lanes().symbol] = launch.lanes;
  }

  std::string run() {
    const int num_stages = launch_.block_parts > 1 ? 2 : launch_.fold_groups > 1 ? kernel_.stages.num : 0;
    for (stage_ = std::min(1, num_stages); stage_ <= num_stages; ++stage_) {
      values_[num_fold_groups().symbol] =
          stage_ < num_stages || kernel_.stages.last_is_divided ? launch_.fold_groups : 1;
      touches_.clear();
      groups_.clear();
      collect_groups(kernel_.tree.root, values_);
      std::shuffle(groups_.begin(), groups_.end(), random_);
      for (const auto& [body, values] : groups_) run_group(*body, values);
    }
    if (!fault_.empty()) return fault_;
    std::int64_t all = 1;
    for (const std::int64_t extent : launch_.extent) all *= extent;
    if (static_cast<std::int64_t>(ran_.size()) != all)
      return std::to_string(ran_.size()) + " of " + std::to_string(all) + " instances ran";
    return {};
  }

 private:
  /// One action of a work-item. An empty function is a barrier.
  using Deed = std::function<void()>;
  struct Item {
    std::deque<Deed> deeds;
  };

  int num_dims() const { return static_cast<int>(kernel_.vars.size()); }
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  // ---- groups

  void collect_groups(const TreeBlock& block, const Values& values) {
    const auto* loop = block.size() == 1 ? std::get_if<TreeLoop>(&block.front().node) : nullptr;
    const auto* branch = block.size() == 1 ? std::get_if<TreeBranch>(&block.front().node) : nullptr;
    if (branch != nullptr && branch->condition == runs_in_blocks())
      return collect_groups(launch_.block_rounds > 0 ? branch->then : branch->otherwise, values);
    if (branch != nullptr && branch->condition == has_lanes() && launch_.has_lanes())
      return collect_groups(branch->then, values);
    if (branch != nullptr && branch->condition == keeps_cells())
      return collect_groups(launch_.keeps ? branch->then : branch->otherwise, values);
    const std::set<LoopRole> of_groups{LoopRole::Batch, LoopRole::Group, LoopRole::FoldGroup};
    if (loop == nullptr || !of_groups.contains(loop->role)) {
      for (const Values& each : rounds_.values_of_groups(values, stage_)) groups_.emplace_back(&block, each);
      return;
    }
    for (std::int64_t at = value(loop->lo, values); at < value(loop->hi, values); at += value(loop->step, values)) {
      Values inside = values;
      inside[loop->var] = at;
      collect_groups(loop->body, inside);
    }
  }

  void run_group(const TreeBlock& body, const Values& values) {
    memory_.assign(2 * kernel_.tree.buffers.size(), {});
    parts_.clear();
    std::vector<Item> items;
    Point none(launch_.group_size.size(), 0);
    Point ones(launch_.group_size.size(), 1);
    for_each_point(launch_.group_size, none, ones, [&](const Point& local) {
      items.emplace_back();
      add_deeds(items.back(), body, values, local);
    });
    while (true) {
      run_until_barrier(items);
      if (std::all_of(items.begin(), items.end(), [](const Item& item) { return item.deeds.empty(); })) return;
      for (Item& item : items) {
        if (item.deeds.empty()) return fail("a work-item never comes to a barrier at which others wait");
        item.deeds.pop_front();
      }
    }
  }

  /// Runs the deeds of all items until each item waits at a barrier or is done. The items take turns at random; an
  /// item's own deeds keep their order.
  void run_until_barrier(std::vector<Item>& items) {
    std::vector<Item*> active;
    const auto may_go_on = [](const Item& item) { return !item.deeds.empty() && item.deeds.front(); };
    for (Item& item : items)
      if (may_go_on(item)) active.push_back(&item);
    while (!active.empty()) {
      const std::size_t which = random_() % active.size();
      active[which]->deeds.front()();
      active[which]->deeds.pop_front();
      if (may_go_on(*active[which])) continue;
      active[which] = active.back();
      active.pop_back();
    }
  }

  // ---- what one work-item does

  /// Copies of blocks that copy ahead are not among what a block itself does.
  void add_deeds(Item& item, const TreeBlock& block, const Values& values, const Point& local, bool copies = true) {
    for (const TreeNode& node : block) {
      if (const auto* loop = std::get_if<TreeLoop>(&node.node)) {
        add_loop(item, *loop, values, local);
      } else if (const auto* branch = std::get_if<TreeBranch>(&node.node)) {
        add_deeds(item, holds(launch_, branch->condition) ? branch->then : branch->otherwise, values, local);
      } else if (const auto* copy = std::get_if<Copy>(&node.node)) {
        if (copies) add_copy(item, *copy, values, local);
      } else if (std::holds_alternative<Barrier>(node.node)) {
        item.deeds.emplace_back();
      } else if (const auto* blocks = std::get_if<RoundBlocks>(&node.node)) {
        add_blocks(item, *blocks, values, local);
      } else if (const RuleInstance* of_launch = instance_of_launch(kernel_.tree)) {
        // One work-item runs all instances. How others divide them is beyond the tree.
        const Point none(launch_.extent.size(), 0);
        if (local != none) continue;
        for_each_point(launch_.extent, none, Point(none.size(), 1), [&](const Point& at) {
          Values inside = values;
          for (std::size_t d = 0; d < at.size(); ++d) inside[kernel_.vars[d]] = launch_.lo[d] + at[d];
          add_instance(item, *of_launch, inside);
        });
      } else {
        const auto& instance = std::get<RuleInstance>(node.node);
        if (!add_phases(item, instance, values, local)) return;
        add_instance(item, instance, values);
      }
    }
  }

  void add_blocks(Item& item, const RoundBlocks& blocks, const Values& values, const Point& local) {
    if (launch_.block_parts > 1 && stage_ == 2) return;
    const auto [begin, end] = rounds_.rounds_of(values, num_rounds());
    Values inside = values;
    const auto add_copies = [&](std::int64_t first, std::int64_t panel) {
      Values of_block = values;
      of_block[block_var()] = first;
      of_block[kPanel] = panel;
      for (const TreeNode& node : blocks.body)
        if (const auto* copy = std::get_if<Copy>(&node.node)) add_copy(item, *copy, of_block, local);
    };
    if (blocks.copies_ahead && end > begin) {
      add_copies(begin, 0);
      item.deeds.emplace_back();
    }
    for (std::int64_t first = begin; first < end; first += launch_.block_rounds) {
      inside[block_var()] = first;
      if (!blocks.copies_ahead) {
        add_deeds(item, blocks.body, inside, local);
        continue;
      }
      inside[kPanel] = (first - begin) / launch_.block_rounds % 2;
      const std::int64_t next = first + launch_.block_rounds;
      if (next < end) add_copies(next, 1 - inside[kPanel]);
      add_deeds(item, blocks.body, inside, local, false);
    }
  }

  /// The loop of blocks is taken to run along the whole of the inputs that are staged.
  std::int64_t num_rounds() const {
    const BlockInput& input = instance_in_blocks(kernel_.tree)->blocks->inputs.front();
    const RegionAccess& access = rule_.inputs[input.input];
    Values first = values_;
    for (std::size_t d = 0; d < kernel_.vars.size(); ++d) first[kernel_.vars[d]] = launch_.lo[d];
    const auto lo = value_of(access.lo[input.walked], first), hi = value_of(access.hi[input.walked], first);
    PB_CHECK(lo && hi, "an access has coordinates");
    return *hi - *lo;
  }

  /// A work-item takes one iteration of a loop over items, and all iterations of a loop over its instances.
  void add_loop(Item& item, const TreeLoop& loop, const Values& values, const Point& local) {
    if (launch_.has_lanes()) return add_loop_with_lanes(item, loop, values, local);
    const bool is_one = loop.role == LoopRole::Item;
    PB_CHECK(is_one || loop.role == LoopRole::Unrolled, "items and their instances stand inside of groups");
    const std::int64_t step = value(loop.step, values);
    const std::int64_t first = value(loop.lo, values) + (is_one ? step * local[static_cast<std::size_t>(loop.dim)] : 0);
    if (loop.run) return add_runs(item, loop, values, local);
    for (std::int64_t at = first; at < value(loop.hi, values); at += step) {
      if (loop.tail != LoopTail::Exact && at >= value(loop.end, values)) return;
      Values inside = values;
      inside[loop.var] = at;
      add_deeds(item, loop.body, inside, local);
      if (is_one) return;
    }
  }

  /// Runs of instances. Beyond the end the last one runs again.
  void add_runs(Item& item, const TreeLoop& loop, const Values& values, const Point& local) {
    const std::int64_t last = value(loop.end, values) - 1;
    for (std::int64_t at = value(loop.lo, values); at < value(loop.hi, values); at += value(loop.step, values))
      for (std::int64_t k = 0; k < value(*loop.run, values); ++k) {
        Values inside = values;
        inside[loop.var] = std::min(at + k, last);
        if (at + k > last) inside[kIsRepeated] = 1;
        add_deeds(item, loop.body, inside, local);
      }
  }

  /// A work-item takes one iteration of each loop. Its place along loop 0 says its lane and its instance: the loop
  /// inside is the one whose iterations neighbours take.
  void add_loop_with_lanes(Item& item, const TreeLoop& loop, const Values& values, const Point& local) {
    const bool is_lane = loop.role == LoopRole::Lane;
    PB_CHECK(is_lane || loop.role == LoopRole::Item, "lanes and instances stand inside of groups");
    const bool is_inside = values.contains(is_lane ? kernel_.vars.front() : lane_var());
    const std::int64_t span = launch_.group_size.front() / launch_.lanes;
    const std::int64_t own = is_lane ? launch_.lanes : span;
    const std::int64_t other = is_lane ? span : launch_.lanes;
    const std::int64_t place = !is_lane && loop.dim > 0 ? local[static_cast<std::size_t>(loop.dim)]
                               : is_inside              ? local.front() % own
                                                        : local.front() / other;
    std::int64_t at = value(loop.lo, values) + place;
    Values inside = values;
    if (loop.tail == LoopTail::Repeated && at >= value(loop.end, values)) {
      at = value(loop.end, values) - 1;
      inside[kIsRepeated] = 1;
    }
    inside[loop.var] = at;
    add_deeds(item, loop.body, inside, local);
  }

  /// Where lanes wait, what they do with cells of outputs, and folds. Returns whether the instance goes on in this
  /// stage.
  bool add_phases(Item& item, const RuleInstance& instance, const Values& values, const Point& local) {
    if (instance.phases.empty()) return true;
    auto divided = instance.divided.begin();
    int num_waits = 0;
    for (const StmtId stmt : std::get<BlockStmt>(rule_.body.stmts[rule_.body.root].node).stmts) {
      const auto phase = std::find_if(instance.phases.begin(), instance.phases.end(),
                                      [&](const Phase& each) { return each.stmt == stmt; });
      const bool is_phase = phase != instance.phases.end();
      if (is_phase && phase->waits) {
        item.deeds.emplace_back();
        ++num_waits;
      }
      const bool is_of_first = is_phase && phase->kind == PhaseKind::First;
      const bool stores = is_of_first || (is_phase && phase->stores);
      const bool is_now = stage_ == 0 || !is_phase || phase->kind == PhaseKind::Alike || phase->stage == stage_;
      if (is_now && !(stores && values.contains(kIsRepeated)) && !(is_of_first && worker_of(launch_, values) != 0))
        add_touches(item, instance, stmt, stores, num_waits, values);
      if (is_phase && phase->kind == PhaseKind::Divided) {
        if (!divided->fold.accumulators.empty()) add_fold(item, divided->stage, values, local);
        ++divided;
      }
      if (stage_ > 0 && is_phase && phase->ends_stage && phase->stage == stage_) return false;
    }
    return true;
  }

  /// Whether a statement's accesses to an output are to cells that its lane keeps, and do not reach memory.
  bool are_kept(const RuleInstance& instance, StmtId stmt, std::uint32_t output) {
    for (const KeptRegion& region : instance.kept) {
      if (!region.is_output || region.index != output) continue;
      const bool keeps = std::any_of(instance.divided.begin(), instance.divided.end(), [&](const DividedFold& divided) {
        return divided.fold.loop == stmt && divided.keeps;
      });
      if (!keeps) fail("what is no loop that keeps them accesses kept cells");
      return stmt != region.last;
    }
    return false;
  }

  /// The statement's accesses to cells of each output that it names. In a divided loop, each is to cells of the lane's
  /// own rounds.
  void add_touches(Item& item, const RuleInstance& rule, StmtId stmt, bool stores, int num_waits,
                   const Values& values) {
    std::set<std::uint32_t> outputs;
    walk(
        rule_.body, stmt, [](StmtId) {},
        [&](ExprId id) {
          const NameBinding& binding = rule_.body_types.bindings[id.index()];
          const bool is_output = std::holds_alternative<NameExpr>(rule_.body.exprs[id].node) &&
                                 binding.kind == NameKind::Output && rule_.outputs[binding.index].num_body_dims() > 0;
          if (is_output) outputs.insert(binding.index);
        });
    Point instance;
    for (const std::string& var : kernel_.vars) instance.push_back(values.at(var));
    std::erase_if(outputs, [&](std::uint32_t output) { return are_kept(rule, stmt, output); });
    for (const std::uint32_t output : outputs)
      item.deeds.emplace_back([this, key = std::pair(instance, output),
                               touch = Touch{worker_of(launch_, values), stmt, num_waits, stores}] {
        for (const Touch& other : touches_[key])
          if (other.lane != touch.lane && other.stmt != touch.stmt && other.num_waits == touch.num_waits &&
              (other.stores || touch.stores))
            fail("lanes do not wait for cells that others store");
        touches_[key].push_back(touch);
      });
  }

  /// A divided fold. The part of a lane is its number among those of all groups. All lanes must see the numbers of all
  /// lanes, each once. In the fold's own stage that holds for the lanes of the group, whose part is kept.
  void add_fold(Item& item, int fold, const Values& values, const Point& local) {
    const std::int64_t span = launch_.group_size.front() / launch_.lanes;
    const std::int64_t distance = lanes_are_neighbours(kernel_.tree) ? 1 : span;
    const Point& place = local;
    const std::int64_t lane = values.at(lane_var());
    const auto of_lane = [place, lane, distance](std::int64_t other) {
      Point out = place;
      out.front() += (other - lane) * distance;
      return out;
    };
    Point instance;
    for (const std::string& var : kernel_.vars) instance.push_back(values.at(var));
    const std::int64_t group = values.contains(fold_group_var()) ? values.at(fold_group_var()) : 0;
    item.deeds.emplace_back([this, place, lane, fold, instance, group] {
      parts_[place] = {};
      if (stage_ <= fold) {
        parts_[place] = {lane + launch_.lanes * group};
        return;
      }
      for (std::int64_t other = lane; other < launch_.fold_groups; other += launch_.lanes) {
        const std::vector<std::int64_t>& record = records_[{fold, instance, other}];
        parts_[place].insert(parts_[place].end(), record.begin(), record.end());
      }
    });
    item.deeds.emplace_back();
    for (std::int64_t half = launch_.lanes / 2; half > 0; half /= 2) {
      if (lane < half)
        item.deeds.emplace_back([this, to = place, from = of_lane(lane + half)] {
          parts_[to].insert(parts_[to].end(), parts_[from].begin(), parts_[from].end());
        });
      item.deeds.emplace_back();
    }
    const bool keeps = lane == 0 && !values.contains(kIsRepeated);
    item.deeds.emplace_back([this, from = of_lane(0), fold, instance, group, keeps] {
      std::vector<std::int64_t> all = parts_[from];
      std::sort(all.begin(), all.end());
      const bool is_of_group = stage_ == fold;
      const std::int64_t first = is_of_group ? launch_.lanes * group : 0;
      bool is_whole = static_cast<std::int64_t>(all.size()) == launch_.lanes * (is_of_group ? 1 : launch_.fold_groups);
      for (std::size_t i = 0; is_whole && i < all.size(); ++i)
        is_whole = all[i] == first + static_cast<std::int64_t>(i);
      if (!is_whole) fail("a lane sees a fold that is not whole");
      if (is_of_group && keeps) records_[{fold, instance, group}] = all;
    });
    item.deeds.emplace_back();
  }

  void add_copy(Item& item, const Copy& copy, const Values& values, const Point& local) {
    const Buffer& buffer = kernel_.tree[copy.to];
    std::int64_t flat = 0;
    std::int64_t group = 1;
    for (std::size_t d = 0; d < local.size(); ++d) {
      flat += local[d] * group;
      group *= launch_.group_size[d];
    }
    if (copy.by == CopyBy::FirstItem && flat != 0) return;
    Point begin, lengths, first, by;
    for (std::size_t d = 0; d < buffer.extents.size(); ++d) {
      begin.push_back(value(begin_of(buffer.extents[d], kernel_.vars), values));
      lengths.push_back(value(length_of(buffer.extents[d]), values));
      const CopyAxis axis = copy.axes[d];
      first.push_back(axis == CopyAxis::Whole || axis == CopyAxis::Flat ? 0
                      : axis == CopyAxis::ById                          ? local.at(d)
                                                                        : flat);
      by.push_back(axis == CopyAxis::Whole || axis == CopyAxis::Flat ? 1
                   : axis == CopyAxis::ById                          ? launch_.group_size.at(d)
                                                                     : group);
    }
    BufferMemory& memory = memory_of(memory_, copy.to, values);
    std::int64_t number = 0;
    for_each_point(lengths, first, by, [&](const Point& at) {
      if (copy.axes.front() == CopyAxis::Flat && number++ % group != flat) return;
      item.deeds.emplace_back([this, &copy, &memory, at, begin] {
        Point from = at;
        for (std::size_t d = 0; d < at.size(); ++d) from[d] += begin[d];
        copy_cell(copy, at, from, memory);
      });
    });
  }

  /// Copies a cell, or the one nearest to it that instances of the launch read. Neighbours in a block read along the
  /// rounds, too.
  void copy_nearest(const Copy& copy, const Point& to, const Point& from, BufferMemory& memory) {
    const Buffer& buffer = kernel_.tree[copy.to];
    const RegionAccess& access = rule_.inputs[buffer.input];
    Point nearest = from;
    for (std::size_t d = 0; d < from.size(); ++d) {
      std::int64_t least = INT64_MAX, last = INT64_MIN;
      for (const bool is_end : {false, true}) {
        Values at = values_;
        for (std::size_t l = 0; l < kernel_.vars.size(); ++l)
          at[kernel_.vars[l]] = launch_.lo[l] + (is_end ? launch_.extent[l] - 1 : 0);
        least = std::min(least, *value_of(access.lo[d], at));
        last = std::max(last, *value_of(access.hi[d], at) - 1);
      }
      if (from[d] > last && copy.edges[d].may_exceed) nearest[d] = last;
      if (from[d] < least && copy.edges[d].may_precede) nearest[d] = least;
    }
    const auto extents = extents_of(access.matrix);
    for (std::size_t d = 0; d < from.size(); ++d)
      if (nearest[d] < 0 || nearest[d] >= extents[d])
        return fail("a copy reads " + point_text(nearest) + ", outside of " + transform_.matrices[access.matrix].name);
    memory[to] = BufferCell{false, nearest};
  }

  void copy_cell(const Copy& copy, const Point& to, const Point& from, BufferMemory& memory) {
    if (copy.outside == CopyOutside::Nearest) return copy_nearest(copy, to, from, memory);
    const MatrixId matrix = rule_.inputs[kernel_.tree[copy.to].input].matrix;
    const auto extents = extents_of(matrix);
    bool is_inside = true;
    for (std::size_t d = 0; d < from.size(); ++d) {
      const bool precedes = from[d] < 0;
      const bool exceeds = from[d] >= extents[d];
      if ((precedes && !copy.edges[d].may_precede) || (exceeds && !copy.edges[d].may_exceed))
        return fail("a copy reads " + point_text(from) + ", outside of " + transform_.matrices[matrix].name);
      is_inside = is_inside && !precedes && !exceeds;
    }
    if (!is_inside && copy.outside == CopyOutside::Skip) return;
    memory[to] = BufferCell{!is_inside, from};
  }

  Point extents_of(MatrixId matrix) const {
    Point out;
    for (const Formula& extent : transform_.matrices[matrix].extents) {
      const auto size = value_of(extent, values_);
      PB_CHECK(size.has_value(), "a size has a value");
      out.push_back(*size);
    }
    return out;
  }

  void add_instance(Item& item, const RuleInstance& instance, const Values& values) {
    Point vars;
    for (const RuleVar& var : rule_.vars) vars.push_back(values.at(var.name));
    for (std::size_t i = 0; i < instance.inputs.size(); ++i) {
      if (instance.inputs[i].kind != OperandKind::Staged) continue;
      for (const Cell& cell : oracle_.cells(rule_, rule_.inputs[i], vars))
        if (is_read_now(instance, i, cell.second, values))
          item.deeds.emplace_back(
              [this, operand = instance.inputs[i], cell, values] { read(operand, cell.second, values); });
    }
    if ((launch_.has_lanes() && worker_of(launch_, values) != 0) || values.contains(kIsRepeated)) return;
    if (instance.part == InstancePart::Begin || instance.part == InstancePart::Rounds) {
      item.deeds.emplace_back([this, is_begin = instance.part == InstancePart::Begin, vars, values] {
        if (!(is_begin ? rounds_.begin(vars, values, num_rounds()) : rounds_.run(vars, values)))
          fail("the rounds of the instance at " + point_text(vars) + " do not follow one another");
      });
      return;
    }
    if (instance.part == InstancePart::End && launch_.block_parts > 1 && stage_ == 1) return;
    if (instance.part == InstancePart::End)
      item.deeds.emplace_back([this, vars] {
        if (!rounds_.is_done(vars, num_rounds()))
          fail("the instance at " + point_text(vars) + " ends before its last round");
      });
    item.deeds.emplace_back([this, vars, values] {
      if (!ran_.insert(vars).second) fail("the instance at " + point_text(vars) + " runs twice");
      for (std::size_t d = 0; d < kernel_.vars.size(); ++d) {
        const std::int64_t at = values.at(kernel_.vars[d]) - launch_.lo[d];
        if (at < 0 || at >= launch_.extent[d]) fail("the instance at " + point_text(vars) + " is outside of the box");
      }
    });
  }

  /// Whether the part of the instance reads the cell: rounds read what their block covers.
  bool is_read_now(const RuleInstance& instance, std::size_t input, const Point& cell, const Values& values) const {
    if (instance.part == InstancePart::Whole) return true;
    if (instance.part != InstancePart::Rounds || values.contains(kIsRepeated)) return false;
    const std::size_t dim = instance.blocks->find(input)->walked;
    const std::int64_t round = cell[dim] - *value_of(rule_.inputs[input].lo[dim], values);
    const std::int64_t first = values.at(block_var());
    return round >= first && round < first + launch_.block_rounds;
  }

  /// Reads the cell `meant` of an input where the instance finds it in the group's buffer.
  void read(const Operand& operand, const Point& meant, const Values& values) {
    const Buffer& buffer = kernel_.tree[operand.buffer];
    Point at;
    for (std::size_t d = 0; d < meant.size(); ++d) {
      const GroupExtent& extent = buffer.extents[d];
      const std::int64_t in_box = meant[d] - value(extent.begin_of_one, values);
      at.push_back(value(place_of(extent, kernel_.vars), values) + in_box);
      if (at[d] < 0 || at[d] >= value(length_of(extent), values))
        return fail("an instance reads " + point_text(at) + ", outside of its buffer");
    }
    const BufferMemory& memory = memory_of(memory_, operand.buffer, values);
    const auto found = memory.find(at);
    if (found == memory.end()) return fail("an instance reads " + point_text(meant) + " before it is copied");
    if (found->second.is_zero || found->second.from != meant)
      return fail("an instance reads " + point_text(found->second.from) + " instead of " + point_text(meant));
  }

  const Rule& rule_;
  const Transform& transform_;
  const KernelTree& kernel_;
  const LaunchShape& launch_;
  Oracle oracle_;
  Values values_;
  std::mt19937_64 random_;
  std::vector<std::pair<const TreeBlock*, Values>> groups_;
  std::vector<BufferMemory> memory_;
  std::map<Point, std::vector<std::int64_t>> parts_;  ///< what work-items know of a fold, by their place
  /// What groups kept, by fold, instance and group.
  std::map<std::tuple<int, Point, std::int64_t>, std::vector<std::int64_t>> records_;
  std::map<std::pair<Point, std::uint32_t>, std::vector<Touch>> touches_;  ///< by instance and output
  int stage_ = 0;
  RoundRanges rounds_;  ///< those that have run, where they run in blocks
  std::set<Point> ran_;
  std::string fault_;
};

}  // namespace

std::string run_kernel(const Transform& transform, const KernelTree& kernel, const Values& sizes,
                       const LaunchShape& launch, std::uint64_t seed) {
  return Runner(transform, kernel, sizes, launch, seed).run();
}

}  // namespace pb::testing
