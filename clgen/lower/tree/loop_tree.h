// SPDX-License-Identifier: MIT
// The lowered form of steps: loops, buffers and instances as a tree, in which everything is decided and nothing is
// text. Passes make it from the Plan, verify_tree.h checks it, tests execute it (clgen/testing/run_tree.h), and
// printers of C++ and of kernels walk it.
//
// Expressions of a tree are over size variables and tunables of the transform, the variables of the loops outside, and
// what a launch or call gives: `pb_lo0` and `pb_extent0`, the box along loop 0, the fastest, and `pb_group_size0`, the
// instances of a work-group along it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "clgen/lower/tree/condition.h"
#include "clgen/lower/tree/pack_facts.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"
#include "lang/store.h"

namespace pb {

using BufferId = Id<struct BufferTag>;

/// Kernels have up to three loops, which ids of work-items count.
inline constexpr int kMaxItemDims = 3;

/// The coordinate at which the box of the launch begins along loop `dim`.
[[nodiscard]] IndexExpr box_lo(int dim);
/// How many instances the box of the launch has along loop `dim`.
[[nodiscard]] IndexExpr box_extent(int dim);
/// How many instances a work-group has along loop `dim`.
[[nodiscard]] IndexExpr group_size(int dim);
/// `pb_lo_x` and `pb_hi_x`: where the loop over `var` begins and ends in the box that the loops of a CPU version get.
[[nodiscard]] IndexExpr loop_begin(const std::string& var);
[[nodiscard]] IndexExpr loop_end(const std::string& var);
/// `pb_first_x` and `pb_last_x`, of an InsideRange.
[[nodiscard]] IndexExpr inside_begin(const std::string& var);
[[nodiscard]] IndexExpr inside_end(const std::string& var);
/// Where a tile of a nest's rows begins and ends along dimension `dim` of its box.
[[nodiscard]] IndexExpr tile_begin(std::size_t dim);
[[nodiscard]] IndexExpr tile_end(std::size_t dim);
/// The variable of the group's loop `dim`: the coordinate of the group's first instance.
[[nodiscard]] std::string group_var(int dim);

/// Who runs the iterations of a loop.
enum class LoopRole : std::uint8_t {
  Group,   ///< work-groups, in any order, at once or not
  Item,    ///< the work-items of a group: at once between barriers
  Serial,  ///< one after the other
  Vector,  ///< one after the other or side by side: the C++ compiler is told that they are independent
  Single,  ///< there is one
  Parts,   ///< no loop: what stands inside runs parts of the range
};

/// What happens in the last chunk of a loop, which may reach beyond what there is to do.
enum class LoopTail : std::uint8_t {
  Exact,       ///< it never does
  Predicated,  ///< iterations from `end` on run no instance, but take part in copies and barriers
};

enum class BufferSpace : std::uint8_t {
  Local,  ///< of a work-group
};

/// Along one dimension of a matrix: the cells that the instances of a group read together.
struct GroupExtent {
  IndexExpr begin_of_one;  ///< of the instance at the loops' variables
  IndexExpr extent_of_one;
  std::array<std::int64_t, kMaxItemDims> step;  ///< how the box of an instance moves with each loop, the fastest first

  bool operator==(const GroupExtent&) const = default;
};
/// Where the cells of a group begin; `vars`: of the loops, the fastest first.
[[nodiscard]] IndexExpr begin_of(const GroupExtent& extent, const std::vector<std::string>& vars);
/// How many cells they are.
[[nodiscard]] IndexExpr length_of(const GroupExtent& extent);
/// Where the cells of one instance begin in those of its group.
[[nodiscard]] IndexExpr place_of(const GroupExtent& extent, const std::vector<std::string>& vars);

/// Memory for a part of an input.
struct Buffer {
  BufferSpace space = BufferSpace::Local;
  std::size_t input = 0;             ///< index into Rule::inputs
  std::vector<GroupExtent> extents;  ///< dimension 0, which is contiguous, first

  bool operator==(const Buffer&) const = default;
};

/// Who copies the cells of a buffer.
enum class CopyBy : std::uint8_t {
  AllItems,   ///< each work-item some
  FirstItem,  ///< one work-item all: what a device wants whose work-items run one after the other
};

/// How the cells along one dimension of a buffer are dealt out to work-items.
enum class CopyAxis : std::uint8_t {
  Whole,    ///< each work-item that copies has all of them
  ById,     ///< neighbours by neighbours along the group's loop of the same number
  ByFlatId  ///< neighbours by neighbours in the whole group
};

/// What becomes of cells of a buffer that lie outside of the matrix. No instance reads them.
enum class CopyOutside : std::uint8_t { Zero, Skip };

/// How the cells of a group meet the matrix along one dimension.
struct CopyEdge {
  bool may_exceed = false;   ///< beyond the last index: they move with the group
  bool may_precede = false;  ///< below index 0: they move down

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

/// All work-items of the group have done what is above before one does what is below; their writes to buffers are seen.
struct Barrier {
  bool operator==(const Barrier&) const = default;
};

/// How an instance has one of the regions of its rule.
enum class OperandKind : std::uint8_t {
  Number,       ///< of a matrix without dimensions: a value of the launch
  Value,        ///< one cell, read before the body begins
  BorderCell,   ///< one cell that may lie outside of its matrix, read before the body begins
  Cells,        ///< cells of the matrix, which move with the instance
  SharedCells,  ///< cells of the matrix, the same for all instances
  Staged,       ///< cells of a buffer
  Result,       ///< the one output cell of a rule that returns it
  NewValue,     ///< one output cell that the body writes before it reads it
  OldValue,     ///< one output cell whose old value the body may read
};
/// `value`, `border cell`, `shared cells`.
[[nodiscard]] const char* to_string(OperandKind kind);

struct Operand {
  OperandKind kind = OperandKind::Value;
  BufferId buffer = {};  ///< of Staged

  bool operator==(const Operand&) const = default;
};

/// The body of a rule at the loops' variables.
struct RuleInstance {
  RuleId rule;
  std::vector<Operand> outputs;            ///< of kernels, one per Rule::outputs; C++ reaches all regions through views
  std::vector<Operand> inputs;             ///< of kernels, one per Rule::inputs
  std::vector<IndexExpr> conditions = {};  ///< there is an instance only where each is >= 0
  bool all_exist =
      false;  ///< none of its cells lies outside of its matrix, apart from those that a border maps per row
  bool is_announced = false;  ///< what it reads and writes is announced around it alone (host_care.h)

  bool operator==(const RuleInstance&) const = default;
};

/// The cells along the innermost loop at which every cell of an instance that may lie outside of its matrix is inside:
/// defines `pb_first_VAR` and `pb_last_VAR`, within `pb_lo_VAR` and `pb_hi_VAR`.
struct InsideRange {
  std::string var;
  std::vector<IndexExpr> first;            ///< at least each, beside the loop's own
  std::vector<IndexExpr> end;              ///< at most each
  Condition exists = Condition::always();  ///< there are such only where it holds

  bool operator==(const InsideRange&) const = default;
};

/// Cache lines of a matrix that a loop asks for before it comes to them.
struct LineRequest {
  MatrixId matrix;
  bool is_output = false;
  std::vector<IndexExpr> at;  ///< the first cell
  int count = 1;              ///< of lines

  bool operator==(const LineRequest&) const = default;
};

/// The two innermost loops, or the only one: instances side by side in packs (runtime/matrix/simd.h), and one by one
/// those that are too few for a pack.
struct Packs {
  PackFacts facts;
  IndexExpr lane_lo, lane_hi, row_lo, row_hi;  ///< one row where there is no loop over rows
  Condition may_repeat = Condition::never();   ///< whether the last pack of a row may run instances again
  RuleInstance instance;

  bool operator==(const Packs&) const = default;
};

/// A rule variable that the loops outside decide.
struct Let {
  std::string var;
  IndexExpr value;

  bool operator==(const Let&) const = default;
};

/// The instance at the loops' variables of a rule that returns its one cell: the value alone.
struct ComputeResult {
  RuleId rule;
  std::size_t value = 0;  ///< under which number it is kept until it is stored

  bool operator==(const ComputeResult&) const = default;
};
/// The kept value goes to the rule's output.
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
  int dim = 0;  ///< of the ids of groups and items; 0 is the fastest
  IndexExpr lo, hi, step;
  LoopTail tail = LoopTail::Exact;
  IndexExpr end;  ///< of Predicated
  // Of CPU loops whose instances are no box: bounds that name the loops outside, within [lo, hi), and a lattice.
  std::vector<IndexExpr> lower = {}, upper = {};
  std::int64_t stride = 1;
  IndexExpr offset = {};
  bool is_decreasing = false;
  bool is_wide = false;  ///< the variable may be larger than an index of a matrix: a sum of them
  TreeBlock body;

  [[nodiscard]] bool is_plain() const { return lower.empty() && upper.empty() && stride == 1; }

  bool operator==(const TreeLoop&) const;
};

/// One of two blocks: by what is known when the kernel is built or the call begins.
struct TreeBranch {
  Condition condition = Condition::always();
  TreeBlock then, otherwise;

  bool operator==(const TreeBranch&) const;
};

/// The innermost loop along the rows of large matrices, in blocks of a fixed length that ask for the lines of a later
/// block; then what is left of it, and all of it where the matrices are small.
struct RowBlocks {
  std::string var;
  IndexExpr lo, hi;
  int length = 1;                  ///< instances of a block
  std::vector<LineRequest> lines;  ///< of one instance; at least one of an output
  TreeBlock body;                  ///< of an instance

  bool operator==(const RowBlocks&) const;
};

/// One of a rule's regions.
struct AccessRef {
  bool is_output = false;
  std::size_t index = 0;  ///< into Rule::outputs or Rule::inputs

  bool operator==(const AccessRef&) const = default;
};

/// The two innermost loops of cells that move across the rows: the inner one in strips, so that every cache line is
/// used as a whole.
struct Strips {
  std::string outer, inner;        ///< variables
  std::optional<MatrixId> across;  ///< the matrix whose size says whether lines are asked for ahead
  std::vector<AccessRef> requests_across, requests_along;
  bool may_stream = false;  ///< results may be stored past the caches where their matrix is large
  bool is_vector = false;   ///< as LoopRole::Vector
  TreeBlock body;           ///< of an instance

  bool operator==(const Strips&) const;
};

/// The box of a call in parts: `inside` runs in the box in which all cells lie inside, `outside` in the parts around
/// it.
struct InsideBox {
  std::vector<std::vector<IndexExpr>> first, end;  ///< per dimension of the box, the fastest first: beside its bounds,
                                                   ///< at least and at most each
  Condition condition = Condition::always();       ///< there is one only where it holds
  TreeBlock inside, outside;

  bool operator==(const InsideBox&) const;
};

struct TreeNode {
  std::variant<TreeLoop, TreeBranch, Copy, Barrier, RuleInstance, InsideRange, RowBlocks, Strips, Packs, InsideBox, Let,
               ComputeResult, StoreResult>
      node;

  bool operator==(const TreeNode& other) const;
};

struct LoopTree {
  std::vector<Buffer> buffers;  ///< by BufferId
  TreeBlock root;

  [[nodiscard]] const Buffer& operator[](BufferId id) const { return buffers.at(id.index()); }

  bool operator==(const LoopTree&) const = default;
};

/// Calls `visit` with each node, those inside of a loop or branch after it.
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
    if (const auto* box = std::get_if<InsideBox>(&node.node)) {
      walk(box->inside, visit);
      walk(box->outside, visit);
    }
  }
}

/// The one instance that the tree runs at each point of its loops.
///
/// Pre:     the tree has exactly one RuleInstance
[[nodiscard]] const RuleInstance& instance_of(const LoopTree& tree);
/// Whether the tree has a barrier.
[[nodiscard]] bool has_barrier(const LoopTree& tree);

}  // namespace pb
