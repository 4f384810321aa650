// SPDX-License-Identifier: MIT
// The lowered form of steps: loops, buffers and instances as a tree. Everything is decided in it, and nothing is text
// yet. Passes make it from the Plan, verify_tree.h checks it, tests execute it (clgen/testing/run_tree.h), and printers
// of C++ and of kernels walk it.
//
// Expressions of a tree name size variables and tunables of the transform, variables of the loops outside, and numbers
// of the launch or call. Along loop 0, the fastest one, these are `pb_lo0` and `pb_extent0`, the begin and extent of
// the box, `pb_group_size0`, the work-items of a work-group, and `pb_span0`, the instances of a work-group: a multiple
// of its work-items. `pb_lanes` is the number of work-items of a group that run one instance together, where they do,
// and `pb_fold_groups` the number of groups that do so in one launch. Where folds run in blocks, `pb_block_rounds` is
// the number of rounds of a block; `pb_run0` instances of a work-item are neighbours along loop 0, and `pb_leap0`
// further stand its next ones. `pb_strip_0` and the like are the values of tunables that say which form the loops of a
// rule have (RuleShape::loop_value).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "choicegraph/plan/launch_waves.h"
#include "clgen/facts/round_blocks.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/lower/tree/pack_facts.h"
#include "lang/border.h"
#include "lang/formula.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"
#include "lang/store.h"

namespace pb {

using BufferId = Id<struct BufferTag>;

/// The most loops of a kernel that use a dimension of the work-items' ids each. Loops outside of them are batches.
inline constexpr int kMaxItemDims = 3;

/// The coordinate at which the box of the launch begins along loop `dim`.
[[nodiscard]] IndexExpr box_lo(int dim);
/// How many instances the box of the launch has along loop `dim`.
[[nodiscard]] IndexExpr box_extent(int dim);
/// How many work-items a work-group has along loop `dim`.
[[nodiscard]] IndexExpr group_size(int dim);
/// How many instances a work-group has along loop `dim`.
[[nodiscard]] IndexExpr group_span(int dim);
/// `pb_lo_x` and `pb_hi_x`: where the loop over `var` begins and ends in the box that the loops of a CPU version get.
[[nodiscard]] IndexExpr loop_begin(const std::string& var);
[[nodiscard]] IndexExpr loop_end(const std::string& var);
/// `pb_first_x` and `pb_last_x`: where the part that an InsideRange defines begins and ends.
[[nodiscard]] IndexExpr inside_begin(const std::string& var);
[[nodiscard]] IndexExpr inside_end(const std::string& var);
/// Where a tile of a nest's rows begins and ends along dimension `dim` of its box.
[[nodiscard]] IndexExpr tile_begin(std::size_t dim);
[[nodiscard]] IndexExpr tile_end(std::size_t dim);
/// How many instances of a work-item are neighbours along loop `dim`, and how far its next ones are, where folds run in
/// blocks of rounds. Each work-item of the group has a run before the first one has its next run.
[[nodiscard]] IndexExpr item_run(int dim);
[[nodiscard]] IndexExpr item_leap(int dim);
/// How many rounds of a fold a block has.
[[nodiscard]] IndexExpr block_rounds();
/// The variable of the loop over blocks: the fold's variable in the block's first round.
[[nodiscard]] std::string block_var();
/// The variable of the group's loop `dim`: the coordinate of the group's first instance.
[[nodiscard]] std::string group_var(int dim);
/// The variable of the loop over the items of a group along loop `dim`: the place of the work-item in its group.
[[nodiscard]] std::string item_var(int dim);
/// The variable of the loop over the lanes of an instance.
[[nodiscard]] std::string lane_var();
/// How many lanes an instance has in one group.
[[nodiscard]] IndexExpr num_lanes();
/// The variable of the loop over the groups that run an instance together.
[[nodiscard]] std::string fold_group_var();
/// How many groups run an instance together in the launch.
[[nodiscard]] IndexExpr num_fold_groups();

/// Who runs the iterations of a loop.
enum class LoopRole : std::uint8_t {
  Batch,      ///< work-groups, outside of all others: each iteration has groups of its own
  Group,      ///< work-groups, in any order, at once or not
  Item,       ///< the work-items of a group: at once between barriers
  Lane,       ///< work-items that run one instance together: at once between barriers
  FoldGroup,  ///< work-groups that run the same instances together, in any order, at once or not
  Unrolled,   ///< one after the other or interleaved, by one work-item; their number is known when the kernel is built
  Serial,     ///< one after the other
  Vector,     ///< one after the other or side by side: the C++ compiler is told that they are independent
  Single,     ///< there is one iteration
  Parts,      ///< not a loop: the nodes inside run parts of the range
};

/// What happens if the last chunk of a loop reaches beyond the loop's end.
enum class LoopTail : std::uint8_t {
  Exact,       ///< the last chunk never does
  Predicated,  ///< iterations from `end` on run no instance, but take part in copies and barriers
  Peeled,      ///< likewise, and where the whole group lies below `end`, its iterations run without a test
  Repeated,    ///< iterations from `end` on run the last instance again, but store nothing
};

enum class BufferSpace : std::uint8_t {
  Local,  ///< memory of a work-group
  /// Likewise, and the build knows its size. The dimension `Buffer::contiguous` comes first, and its length is padded
  /// (base/panel_rows.h).
  Panel,
};

/// The cells that the instances of a group read together, along one dimension of a matrix.
struct GroupExtent {
  IndexExpr begin_of_one;  ///< where the box of the instance at the loops' variables begins
  IndexExpr extent_of_one;
  std::array<std::int64_t, kMaxItemDims> step{};  ///< how an instance's box moves with each loop, the fastest first

  bool operator==(const GroupExtent&) const = default;
};
/// Returns where the cells of a group begin. `vars` has the variables of the loops, the fastest first.
[[nodiscard]] IndexExpr begin_of(const GroupExtent& extent, const std::vector<std::string>& vars);
/// Returns the number of cells of a group.
[[nodiscard]] IndexExpr length_of(const GroupExtent& extent);
/// Returns where the cells of one instance begin among those of its group.
[[nodiscard]] IndexExpr place_of(const GroupExtent& extent, const std::vector<std::string>& vars);

/// Memory for a part of an input.
struct Buffer {
  BufferSpace space = BufferSpace::Local;
  std::size_t input = 0;             ///< index into Rule::inputs
  std::vector<GroupExtent> extents;  ///< dimension 0, which is contiguous in the matrix, first
  std::size_t contiguous = 0;        ///< the dimension along which neighbours are neighbours in the buffer

  bool operator==(const Buffer&) const = default;
};

/// Who copies the cells of a buffer.
enum class CopyBy : std::uint8_t {
  AllItems,   ///< each work-item copies some cells
  FirstItem,  ///< one work-item copies all cells, on devices that run work-items one after the other
};

/// How the cells along one dimension of a buffer are dealt out to work-items.
enum class CopyAxis : std::uint8_t {
  Whole,     ///< each work-item that copies takes all of them
  ById,      ///< neighbours along the group's loop of the same number take neighbouring cells
  ByFlatId,  ///< neighbours in the whole group take neighbouring cells
  Flat       ///< likewise, and behind the last cell follow those at the next index of the next dimension
};

/// What becomes of cells of a buffer that lie outside of the matrix. No instance reads them. With `Nearest` these are
/// all cells beyond those that instances of the launch read: instances that run again may read them, and then find a
/// cell that some instance reads.
enum class CopyOutside : std::uint8_t { Zero, Skip, Nearest };

/// Whether the cells of a group may reach beyond the matrix along one dimension.
struct CopyEdge {
  bool may_exceed = false;   ///< beyond the last index, because the cells move up with the group
  bool may_precede = false;  ///< below index 0, because the cells move down with the group

  bool operator==(const CopyEdge&) const = default;
};

/// Fills a buffer from its matrix.
struct Copy {
  BufferId to;
  CopyBy by = CopyBy::AllItems;
  std::vector<CopyAxis> axes;  ///< one per dimension of the buffer
  CopyOutside outside = CopyOutside::Zero;
  std::vector<CopyEdge> edges;  ///< one per dimension of the buffer

  bool operator==(const Copy&) const = default;
};

/// A work-item goes on only when all work-items of the group have reached the barrier. Writes to buffers before it are
/// visible after it.
struct Barrier {
  bool operator==(const Barrier&) const = default;
};

/// How an instance accesses one of the regions of its rule.
enum class OperandKind : std::uint8_t {
  Number,       ///< the cell of a matrix without dimensions, which the launch gives as a value
  Value,        ///< one cell, read before the body begins
  BorderCell,   ///< one cell that may lie outside of its matrix, read before the body begins
  Cells,        ///< cells of the matrix, which move with the instance
  SharedCells,  ///< cells of the matrix, the same for all instances
  Staged,       ///< cells of a buffer
  Result,       ///< the one output cell of a rule that returns it
  NewValue,     ///< one output cell that the body writes before it reads it
  OldValue,     ///< one output cell whose old value the body may read
  Continued,    ///< the cell one step back, in a scan, which says what value it has
};
/// Returns a word for the kind: `value`, `border cell`, `shared cells`.
[[nodiscard]] const char* to_string(OperandKind kind);

struct Operand {
  OperandKind kind = OperandKind::Value;
  BufferId buffer = {};  ///< the buffer of a Staged operand

  bool operator==(const Operand&) const = default;
};

/// What a part of a fold has of one accumulator.
struct FoldPart {
  /// It also has the number of the iteration that the smallest or largest is from. Of equal ones, as zeros of two signs
  /// are, the first counts, and the places are those of that iteration.
  bool has_round = false;
  /// Where the part stands in the record that a group keeps in memory of the device: the value first, then the number
  /// of the iteration, then the places. Each takes one slot.
  std::size_t slot = 0;

  bool operator==(const FoldPart&) const = default;
};

/// A fold or map of a body whose iterations the lanes of an instance divide among each other, with accumulators of
/// their own. Where the instance has n lanes in all its groups together, lane t takes the iterations t, t + n, and so
/// on. The parts of a group are combined through its memory, in an order that only the number of lanes decides, and
/// every lane has the result.
///
/// Where several groups run an instance together, each fold ends a launch, its stage. In it each group keeps its part
/// as a record and ends there. Later stages combine the records. A map without accumulators runs in its stage alone.
struct DividedFold {
  Fold fold;
  bool stores = false;  ///< it stores cells: instances that run again leave its iterations out
  /// The fold inside, whose iterations are divided, too. The iterations of both count as one sequence. A row of lanes
  /// runs one iteration of `fold`.
  std::optional<Fold> inner = {};
  std::vector<FoldPart> parts = {};  ///< one per accumulator
  int stage = 0;                     ///< that of its phase
  bool keeps = false;                ///< lanes keep cells of its rounds
  /// Cells at computed places that its rounds update, by one operator for each output. Where the build says so, the
  /// groups update cells of their own, and add them to those of the output at the end.
  std::vector<Accumulator> bins = {};
  /// So many of the accumulators, the first ones, are running places. Lanes then store in `stage`. Where several groups
  /// run the instance, these count in the stage before it.
  std::size_t num_running = 0;
  /// Lanes update the bins in an order that the shape of the launch decides. Where several groups run the instance,
  /// each fills bins of its own in the stage before `stage`, in which they go to the output in the order of the groups.
  bool is_ordered = false;

  /// Whether the loop runs in the stage before its own where several groups run the instance.
  [[nodiscard]] bool has_two_stages() const { return num_running > 0 || is_ordered; }

  bool operator==(const DividedFold& other) const {
    return fold.loop == other.fold.loop && num_running == other.num_running && is_ordered == other.is_ordered &&
           inner.has_value() == other.inner.has_value() && parts == other.parts && stage == other.stage &&
           stores == other.stores && keeps == other.keeps;
  }
};

/// The part of an instance that a node runs, where the instance's fold runs in blocks of rounds (RoundBlocks). Each
/// part runs the statements before the fold.
enum class InstancePart : std::uint8_t {
  Whole,   ///< all of it
  Begin,   ///< the statements before the fold: what they give to carried values is kept
  Rounds,  ///< the rounds of a block, which change the carried values
  End,     ///< what follows the fold, with the carried values; and the stores
};

/// Runs the body of a rule at the loops' variables. Lanes all run it, apart from its phases, and the first lane stores
/// single elements.
struct RuleInstance {
  RuleId rule;
  std::vector<Operand> outputs;            ///< in kernels, one per Rule::outputs; C++ uses views instead
  std::vector<Operand> inputs;             ///< in kernels, one per Rule::inputs
  std::vector<IndexExpr> conditions = {};  ///< there is an instance only where each is >= 0
  bool all_exist = false;     ///< no cell lies outside of its matrix, apart from those that a border maps once per row
  bool is_announced = false;  ///< its accesses are announced around this instance (host_care.h)
  std::vector<Phase> phases = {};         ///< in a loop over lanes
  std::vector<DividedFold> divided = {};  ///< the divided loops of the phases, in their order
  /// Regions whose cells lanes keep in arrays with an element for each of their rounds. A lane reads its cells of an
  /// input before its rounds of the first loop, and writes those of an output to memory in its rounds of the last one.
  std::vector<KeptRegion> kept = {};
  InstancePart part = InstancePart::Whole;
  std::optional<RoundBlockFacts> blocks = {};  ///< where the part is not the whole
  bool on_matrix_units = false;  ///< units for products of matrices run these rounds, for many instances at once

  bool operator==(const RuleInstance&) const = default;
};

/// A coordinate that a border maps into its matrix.
struct MappedCoordinate {
  MatrixId matrix;
  std::size_t dim = 0;
  Border border = Border::None;
  Formula at;

  bool operator==(const MappedCoordinate&) const = default;
};

/// Defines `pb_first_VAR` and `pb_last_VAR`, within `pb_lo_VAR` and `pb_hi_VAR`. Between them lie the instances along
/// the innermost loop whose cells all lie inside of their matrices.
struct InsideRange {
  std::string var;
  std::vector<IndexExpr> first;            ///< lower bounds of these instances, beside the loop's own
  std::vector<IndexExpr> end;              ///< upper bounds of these instances, beside the loop's own
  Condition exists = Condition::always();  ///< there are such instances only if it holds
  /// Coordinates that stay the same along the loop, each once: they are mapped before it, for all instances.
  std::vector<MappedCoordinate> mapped_once = {};

  bool operator==(const InsideRange&) const = default;
};

/// Cache lines of a matrix that a loop prefetches.
struct LineRequest {
  MatrixId matrix;
  bool is_output = false;
  std::vector<IndexExpr> at;  ///< the first cell
  int count = 1;              ///< number of lines

  bool operator==(const LineRequest&) const = default;
};

/// The two innermost loops, or the only one, on packs (runtime/matrix/simd.h). The instances of a pack run side by
/// side; instances that do not fill a pack run one by one.
struct Packs {
  PackFacts facts;
  IndexExpr lane_lo, lane_hi, row_lo, row_hi;  ///< one row where there is no loop over rows
  Condition may_repeat = Condition::never();   ///< whether the last pack of a row may run instances again
  RuleInstance instance;

  bool operator==(const Packs&) const = default;
};

/// The instances of two loops in tiles, which run the rounds of their folds in blocks
/// (runtime/matrix/blocks/tile_loops.h). A call for a box in which that does not pay off runs other loops instead.
struct Tiles {
  TileFacts facts;
  IndexExpr lane_lo, lane_hi, row_lo, row_hi;
  IndexExpr size_rule;  ///< number of the SizeRule that says whether there are tiles (base/loop_forms.h)
  /// Its conditions are affine in the two loops' variables with factors -1, 0 and 1, and name no other loop's. Tiles
  /// that a condition cuts run what they need of the points around, too, but store instances alone.
  RuleInstance instance;

  bool operator==(const Tiles&) const = default;
};

/// The instances of a box as scans along its rows, in chunks that tasks fold and then scan (runtime/sched/loops/
/// chunked_scans.h). A call in which `condition` does not hold runs other loops instead.
struct Scans {
  ScanFacts facts;
  IndexExpr length;  ///< instances of a chunk
  Condition condition = Condition::never();
  RuleInstance instance;

  bool operator==(const Scans&) const = default;
};

/// The instances of a launch as scans along one of its loops, which run in one of three forms: a work-item runs a line;
/// or a work-group runs some lines, window after window; or each window of some lines has a work-group, which looks
/// back for what stands before (runtime/gpu/manager/shapes/scan_shape.h). Where several work-items run a window, they
/// compute its elements first, without what stands before. When that is known, they store the values, or run the
/// instances if these store anything else.
struct LineScans {
  Scan scan;
  int dim = 0;                     ///< number of the loop
  std::vector<ElementType> types;  ///< of the scan's values
  RuleInstance instance;
  bool stores_values_only = false;      ///< what the instance stores is what the scan's values become
  std::vector<bool> same_factors = {};  ///< per value, whether it is a recurrence with one factor for all instances
  std::vector<bool> begins_again = {};  ///< per value, whether it is a recurrence that a condition may begin again

  bool operator==(const LineScans&) const = default;
};

/// The instances of a launch as a wavefront (choicegraph/plan/launch_waves.h). They are cut into blocks along the rows,
/// and a block has a work-group. All blocks at which the numbers along carried rows have the same sum run at once,
/// after those with a smaller one. The work-items of a group run the instances of its block in the same way, and wait
/// for one another between sums.
struct Waves {
  std::vector<WaveRow> rows;
  std::vector<std::vector<int>> loops;  ///< of each loop, the fastest first, how far it moves along each row
  RuleInstance instance;

  bool operator==(const Waves&) const = default;
};

/// Defines a rule variable whose value follows from the loops outside.
struct Let {
  std::string var;
  IndexExpr value;

  bool operator==(const Let&) const = default;
};

/// Computes the value of the instance at the loops' variables and keeps it. The instance's rule returns the value of
/// its one cell.
struct ComputeResult {
  RuleId rule;
  std::size_t value = 0;  ///< number under which it is kept until it is stored

  bool operator==(const ComputeResult&) const = default;
};
/// Stores the value of a ComputeResult in the rule's output.
struct StoreResult {
  RuleId rule;
  std::size_t value = 0;

  bool operator==(const StoreResult&) const = default;
};

struct TreeNode;
using TreeBlock = std::vector<TreeNode>;

/// `var` takes the values lo, lo + step, … below hi; or the same values downwards.
struct TreeLoop {
  LoopRole role = LoopRole::Serial;
  std::string var;
  int dim = 0;  ///< number of the loop, and dimension of the ids of groups and items; 0 is the fastest
  IndexExpr lo, hi, step;
  LoopTail tail = LoopTail::Exact;
  IndexExpr end;  ///< where instances end, unless `tail` is Exact
  // CPU loops whose instances are not a box have bounds within [lo, hi) that depend on the loops outside, and may take
  // only the values on a lattice.
  std::vector<IndexExpr> lower = {}, upper = {};
  std::int64_t stride = 1;
  IndexExpr offset = {};
  bool is_decreasing = false;
  bool is_wide = false;  ///< the variable is a sum of indices, which may be larger than an index
  /// Of a kernel's loop over instances: the values lo, lo + 1, … below lo + run; the same from lo + step on; and so on.
  std::optional<IndexExpr> run = {};
  TreeBlock body;

  [[nodiscard]] bool is_plain() const { return lower.empty() && upper.empty() && stride == 1; }

  bool operator==(const TreeLoop&) const;
};

/// Runs one of two blocks. The condition is known when the kernel is built or the call begins.
struct TreeBranch {
  Condition condition = Condition::always();
  TreeBlock then, otherwise;

  bool operator==(const TreeBranch&) const;
};

/// A work-group runs the rounds of a contraction's outermost loop in blocks of block_rounds(), one after the other; the
/// last block may have fewer. `block_var()` is the loop's variable in a block's first round. Inside stand copies of
/// what the block reads, the rounds of all instances of the group, and barriers between them.
///
/// Where the blocks have parts, several groups may run the same instances. Each then runs a range of the rounds, whole
/// blocks that follow one another, and does not end: what its instances carry is kept as a record. A second launch
/// combines the records of an instance in the order of the ranges, and ends it. Ranges of sums and the like begin with
/// the operator's neutral element, and those of a smallest or largest with the value before the loop.
///
/// Blocks that copy ahead have each panel twice. The copies inside then fill the other panels with what the next block
/// reads, if there is one. What the first block reads is copied before, and the group waits.
struct RoundBlocks {
  StmtId loop;
  bool copies_ahead = false;
  bool has_parts = false;
  TreeBlock body;

  bool operator==(const RoundBlocks&) const;
};

/// Cache lines of the matrix with the largest elements that a block of a row covers.
inline constexpr int kBlockLines = 2;

/// The innermost loop along the rows of a matrix, in blocks of a fixed length. Each block prefetches the lines of a
/// later one. A plain loop then runs what is left, which is everything where there are no blocks.
struct RowBlocks {
  std::string var;
  IndexExpr lo, hi;
  IndexExpr size_rule;             ///< number of the SizeRule that says whether there are blocks (base/loop_forms.h)
  IndexExpr lines_ahead;           ///< lines between a request and the use of what it asks for
  int length = 1;                  ///< instances of a block: kBlockLines cache lines
  std::vector<LineRequest> lines;  ///< lines that an instance needs; at least one is of an output
  /// Number of the SizeRule that says whether the values go past the caches, a block at a time. None if they cannot.
  std::optional<IndexExpr> stores;
  TreeBlock body;  ///< the nodes of one instance

  bool operator==(const RowBlocks&) const;
};

/// One of a rule's regions.
struct AccessRef {
  bool is_output = false;
  std::size_t index = 0;  ///< into Rule::outputs or Rule::inputs

  bool operator==(const AccessRef&) const = default;
};

/// The two innermost loops of a rule with cells that move across the rows. The inner loop runs in strips, so that every
/// cache line is used as a whole.
struct Strips {
  std::string outer, inner;        ///< variables
  std::optional<MatrixId> across;  ///< the matrix whose size decides whether lines are prefetched
  std::vector<AccessRef> requests_across, requests_along;
  IndexExpr length;  ///< iterations of the inner loop in a strip, if results are stored in the caches
  /// Number of the SizeRule that says whether results are stored past the caches (base/loop_forms.h); none: they never
  /// are.
  std::optional<IndexExpr> stores;
  bool is_vector = false;  ///< the inner loop is as LoopRole::Vector says
  TreeBlock body;          ///< the nodes of one instance

  bool operator==(const Strips&) const;
};

/// The box of a call in parts: `inside` runs in the box in which all cells lie inside, `outside` in the parts around
/// it.
struct InsideBox {
  /// Bounds of the inner box per dimension, the fastest first, beside those of the call's box.
  std::vector<std::vector<IndexExpr>> first, end;
  Condition condition = Condition::always();  ///< there is an inner box only if it holds
  TreeBlock inside, outside;

  bool operator==(const InsideBox&) const;
};

struct TreeNode {
  std::variant<TreeLoop, TreeBranch, Copy, Barrier, RuleInstance, InsideRange, RowBlocks, Strips, Packs, Tiles, Scans,
               InsideBox, Let, ComputeResult, StoreResult, RoundBlocks, LineScans, Waves>
      node;

  bool operator==(const TreeNode& other) const;
};

struct LoopTree {
  std::vector<Buffer> buffers;  ///< the tree's buffers, by BufferId
  TreeBlock root;

  [[nodiscard]] const Buffer& operator[](BufferId id) const { return buffers.at(id.index()); }

  bool operator==(const LoopTree&) const = default;
};

/// Calls `visit` with each node, and then with the nodes inside of it.
template <class Visit>
void walk(const TreeBlock& block, const Visit& visit) {
  for (const TreeNode& node : block) {
    visit(node);
    if (const auto* loop = std::get_if<TreeLoop>(&node.node)) walk(loop->body, visit);
    if (const auto* branch = std::get_if<TreeBranch>(&node.node)) {
      walk(branch->then, visit);
      walk(branch->otherwise, visit);
    }
    if (const auto* blocks = std::get_if<RowBlocks>(&node.node)) walk(blocks->body, visit);
    if (const auto* strips = std::get_if<Strips>(&node.node)) walk(strips->body, visit);
    if (const auto* blocks = std::get_if<RoundBlocks>(&node.node)) walk(blocks->body, visit);
    if (const auto* box = std::get_if<InsideBox>(&node.node)) {
      walk(box->inside, visit);
      walk(box->outside, visit);
    }
  }
}

/// Returns the instance that the tree runs at each point of its loops, where an instance has one lane.
///
/// Pre:     the tree has exactly one such RuleInstance
[[nodiscard]] const RuleInstance& instance_of(const LoopTree& tree);
/// Returns the instance that lanes run together and keep nothing; null if there is none.
[[nodiscard]] const RuleInstance* instance_with_lanes(const LoopTree& tree);
/// Returns the instance whose lanes keep cells; null if there is none.
[[nodiscard]] const RuleInstance* instance_that_keeps(const LoopTree& tree);
/// Whether the instance may leave the value of an output as it was.
[[nodiscard]] bool keeps_values(const RuleInstance& instance);
/// Whether a loop that lanes divide has running places.
[[nodiscard]] bool has_running_places(const LoopTree& tree);
/// Whether instances of the rule may have different numbers of bins: an end along a dimension of which a region has
/// several cells moves with them.
[[nodiscard]] bool may_differ_in_bins(const Rule& rule, const RuleInstance& instance);
/// Whether lanes update bins in order.
[[nodiscard]] bool has_ordered_bins(const LoopTree& tree);

/// Whether several groups may run the instance together, in stages.
[[nodiscard]] bool has_stages(const RuleInstance& instance);
/// Returns the instance that runs in blocks of rounds, in its part there; null if there is none.
[[nodiscard]] const RuleInstance* instance_in_blocks(const LoopTree& tree);
/// Returns the scans that the tree runs; null if it runs none.
[[nodiscard]] const LineScans* scans_of(const LoopTree& tree);
/// Returns the wavefront that the tree runs; null if it runs none.
[[nodiscard]] const Waves* waves_of(const LoopTree& tree);
/// Returns the instance of the scans or the wavefront that the tree runs; null if it runs none.
[[nodiscard]] const RuleInstance* instance_of_launch(const LoopTree& tree);
/// The bytes of what a window keeps of an instance: an element for each value, and the factor of a recurrence where
/// instances have different ones.
[[nodiscard]] int scanned_bytes(const LineScans& scans);
/// The bytes of a part of a line: an element for each value, and the factor of a recurrence.
[[nodiscard]] int scan_part_bytes(const LineScans& scans);
/// The words of such elements in memory of the device, each of which has 4 bytes of them.
[[nodiscard]] int record_words(const LineScans& scans);
/// Whether the value has a factor, too.
[[nodiscard]] inline bool has_factor(const ScannedValue& value) { return value.op == ScanOp::Linear; }
/// Whether the tree has blocks of rounds that copy ahead.
[[nodiscard]] bool may_copy_ahead(const LoopTree& tree);
/// Whether the tree has a barrier where folds do not run in blocks of rounds.
[[nodiscard]] bool has_barrier(const LoopTree& tree);
/// The buffers that are parameters of a kernel: those that are no panels.
[[nodiscard]] std::vector<Buffer> parameter_buffers(const LoopTree& tree);

}  // namespace pb
