// SPDX-License-Identifier: MIT
// Device versions of steps in lowered form: the parameters of a kernel, and its loops as a tree. clgen/opencl prints
// the kernel from it, and clgen/cpp prints the launch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/facts/rule_facts.h"
#include "clgen/lower/loops/vector_instances.h"
#include "clgen/lower/tree/loop_tree.h"
#include "lang/program.h"

namespace pb {

/// Where a kernel's scalar parameter comes from at the launch.
enum class ScalarSource : std::uint8_t {
  Matrix,     ///< the cell of a matrix without dimensions
  Size,       ///< a size variable
  Tunable,    ///< a tunable
  OfTunable,  ///< one element of an array tunable
  Slice,      ///< the slice of a nest that the launch runs: the value of a rule variable
  Bound,      ///< a bound of the box of a part (KernelPart)
  Depth,      ///< how many versions a time tile makes
  Made        ///< where a version begins or ends along the last loop, of which the launch makes a part
};
/// The type of a kernel's scalar parameter. A device knows no parameters smaller than an int.
enum class ScalarType : std::uint8_t { Int, Double, OfMatrix };

struct KernelScalar {
  ScalarSource source = ScalarSource::Size;
  ScalarType type = ScalarType::Int;
  std::string name;             ///< name in the kernel's body
  std::string origin;           ///< name of the matrix, size variable or tunable
  MatrixId matrix = {};         ///< the matrix, if the source is Matrix
  int element = 0;              ///< number of the element, if the source is OfTunable
  bool is_specialized = false;  ///< its value becomes a macro when the kernel is built: it bounds loops of the body
  IndexExpr bound = {};         ///< its value, if the source is Bound

  bool operator==(const KernelScalar&) const = default;
};

/// The size of each value of a record.
inline constexpr std::size_t kRecordSlotBytes = 8;

struct KernelPart;

/// How work-groups make several versions of a matrix in their memory (decision 59). Each copies a part of the version
/// before, with margins: cells at its borders of which it cannot make all versions. Other groups do.
struct TimeTile {
  MatrixId matrix;
  std::vector<std::int64_t> radius;  ///< per loop: margins are that wide for each version
  std::int64_t shift = 0;            ///< the version that an instance makes is its variable of the slices plus this
  /// Of each rule, per input: where it begins, beside the instance's own cell; empty for inputs of other matrices.
  std::map<RuleId, std::vector<std::vector<std::int64_t>>> begins;
  /// Whether bodies may run on any values, so that those of cells without a value need no test.
  bool may_use_any_value = false;

  bool operator==(const TimeTile&) const = default;
};

/// Versions lie in them by turns.
inline constexpr std::size_t kNumTileBuffers = 2;

/// The scalars of a kernel with a time tile: the first version that it makes, and how many it makes.
inline constexpr const char* kFirstVersion = "pb_version";
inline constexpr const char* kTileDepth = "pb_depth";
/// Where a version begins and ends along the last loop. A launch makes a part of it, as one of several devices' blocks.
inline constexpr const char* kMadeFrom = "pb_made_lo";
inline constexpr const char* kMadeEnd = "pb_made_hi";

/// Where an input lies that instances read from a tile (TileStage).
struct TileRead {
  std::size_t stage = 0;
  std::vector<std::int64_t> begin;  ///< per loop, beside the instance's own cell

  bool operator==(const TileRead&) const = default;
};

struct TileStage;

/// The variable of the loop over the one instance of a step without loops.
inline constexpr const char* kOnlyInstance = "pb_only";

struct KernelTree {
  TransformId transform;
  StepId step;
  RuleId rule;
  Version version = Version::OpenCl;
  /// Matrices that have dimensions, in order of parameters. A matrix of which slices are written and others are read
  /// stands twice, as an output and as an input: no cell is both in one launch. So does one that a scan continues: only
  /// the cells before its lines are read.
  std::vector<RuleMatrix> matrices;
  std::vector<KernelScalar> scalars;  ///< in order of parameters
  /// Variables of the loops, the fastest first, up to kMaxItemDims. A step with one instance has a loop of one
  /// iteration, whose variable no rule has.
  std::vector<std::string> vars;
  /// Variables of the loops outside of those three, the fastest first. Each group has one value of each, and the groups
  /// of all values stand one after the other along the last dimension.
  std::vector<std::string> batches = {};
  bool needs_fp64 = false;
  /// Matrices of which two versions have memory: indices along the last dimension times its stride may need 64 bits.
  std::vector<MatrixId> with_versions = {};
  /// The scalars whose product is the number of iterations of the first divided fold; none: it is not known.
  std::vector<std::size_t> fold_lengths = {};
  /// How many iterations it has at most, if no scalars say it; 0: not known.
  std::int64_t most_rounds = 0;
  /// The scalar that says how many rounds have kept cells, or more; none: lanes keep nothing.
  std::optional<std::size_t> kept_length = {};
  /// The scalar that says how many rounds are run in blocks, or somewhat more; none: it is not known.
  std::optional<std::size_t> block_length = {};
  bool stores_in_phases = false;  ///< lanes store cells while they run an instance
  std::set<MatrixId> bins = {};   ///< matrices of whose cells lanes update some at computed places
  bool bins_differ = false;       ///< instances may have different numbers of these
  Stages stages = {};             ///< of the instance with lanes, if several groups may run it
  std::size_t record_slots = 0;   ///< the values that a group keeps of the folds of an instance
  int default_items = 1;          ///< the most instances of a work-item, if no configuration gives their number
  /// A loop along which some matrix is contiguous that the fastest loop crosses, as a transposition's input.
  std::optional<int> crossed_loop = {};
  LoopTree tree;
  /// How work-items run neighbouring instances in vectors, where memory allows it; none: they never do.
  std::optional<VectorInstances> vectors = {};
  /// Of a kernel whose instances run several rules (clgen/lower/launches/joint_launch.h): the first part is the rule's
  /// own. Else empty.
  std::vector<KernelPart> parts;
  std::optional<TimeTile> time_tile = {};  ///< of a kernel that makes several versions
  /// Of a kernel whose work-groups compute temporaries before they run its instances (decision 62), in the order in
  /// which they do. Else empty.
  std::vector<TileStage> tiles;
  /// Of each rule of such a kernel, per input: where it lies; none: not in a tile.
  std::map<RuleId, std::vector<std::optional<TileRead>>> tile_reads = {};
};

/// Runs the rule of a kernel of its own at those instances of another kernel that lie in one of the boxes. No part
/// before has them.
struct KernelPart {
  KernelTree kernel;
  /// The part's own names of the other kernel's variables; empty where all of its instances have one value, which its
  /// rule spells out.
  std::vector<std::string> vars;
  /// Numbers of the boxes, whose bounds are scalars of the other kernel (box_bound_name); empty: all that are left.
  std::vector<std::size_t> boxes;
};

/// A temporary that work-groups compute in their memory. Its cell at the place of an instance is that of the same
/// coordinates.
struct TileStage {
  MatrixId matrix;
  /// Per loop: what a group needs lies from `lo` beside its first instance to before `hi` beside its last one.
  std::vector<std::int64_t> lo, hi;
  /// What makes it, each in one box. Cells that lie in none are not read.
  std::vector<KernelPart> parts;
  bool has_vectors = false;  ///< where memory allows it, the first part makes cells in vectors of the kernel's width
};

/// Returns the name of the scalar that is the lower or upper bound of a part's box along a dimension.
[[nodiscard]] inline std::string box_bound_name(std::size_t box, bool is_upper, std::size_t dim) {
  return "pb_box" + std::to_string(box) + (is_upper ? "_hi" : "_lo") + std::to_string(dim);
}

/// Returns the beginning of the names of a matrix in the kernel: `pb_matrix_T`, or `pb_matrix2_T` where
/// it stands twice and is read. No other name begins like these, whatever matrices and regions are called.
[[nodiscard]] std::string name_in_kernel(const KernelTree& kernel, const Transform& transform, MatrixId matrix,
                                         bool is_output);

/// Whether two kernels do the same for the same parameters. Their steps then differ only in their boxes, and share one
/// kernel.
[[nodiscard]] bool is_same(const KernelTree& a, const KernelTree& b);

/// Returns the kernel of a step in a device version that the Plan gives it.
[[nodiscard]] KernelTree lower_kernel(const Program& program, const TransformPlan& plan, StepId step, Version version);

/// Returns what an instance of the step reads of an input; null if that is not known.
[[nodiscard]] const InputBox* box_of(const Step& step, std::size_t input);

/// Whether the lanes of an instance are neighbouring work-items. Else neighbours run neighbouring instances.
///
/// Pre: the tree has an instance with lanes
[[nodiscard]] bool lanes_are_neighbours(const LoopTree& tree);

/// Whether a value of the body, or an element that the rule accesses, has type double.
[[nodiscard]] bool has_doubles(const Transform& transform, const Rule& rule);

}  // namespace pb
