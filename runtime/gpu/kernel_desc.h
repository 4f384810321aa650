// SPDX-License-Identifier: MIT
// Kernels as generated code describes them, and what a launch may say of its regions and tiles. Light: no threads, no
// OpenCL. The kernel's parameter list is fixed in launch.h, see Note [Kernel parameters] there.
#pragma once

#include <cstdint>

#include "base/copy_out.h"
#include "runtime/sched/rule_records.h"

namespace pbrt::gpu {

/// A scalar argument whose value becomes a build option `-D<macro>=<value>`, so that loop bounds are constants.
struct SpecializedScalar {
  const char* macro = nullptr;  ///< `PB_KWIDTH`
  int scalar = 0;               ///< which scalar() call, 0 first; an integer scalar
};

/// Which work-items of a group run one instance together, where the launch says how many do: PB_LANES, a power of two.
enum class Lanes : std::uint8_t {
  None,        ///< the kernel always has one per instance
  Neighbours,  ///< neighbours in the group
  Apart,       ///< those that are the instances of a group apart, because neighbours run neighbouring instances
};

/// Products that the rounds of a fold add up, and nothing else, so that units for products of matrices can run them.
enum class Products : std::uint8_t {
  None,
  OfDoubles,      ///< each with one rounding, in the order of the rounds
  OfSplitFloats,  ///< of floats, each as three products of their upper and lower bits, in some order
};

/// A row of a wavefront: the sum of the loops' variables times these whole numbers, the fastest loop first.
struct WaveRow {
  int coefficients[3] = {0, 0, 0};
  bool is_carried = false;  ///< some instance needs one that lies before it along the row
};

/// A kernel in generated code; constant data with static life.
///
/// Build options: the kernel is built per set of values with `-DPB_INDEX=int|long` (int: every element
/// offset and every sum of products of indices and strides of its regions fits 32 bits), `-DPB_UNIT_STRIDE=1` if
/// dimension 0 of every region has stride 1, `-D<macro>=<value>` per specialised scalar (unless the product of their
/// values is above kMaxUnrolled), `-DPB_ITEMS<d>=<n>` along each loop d along which a work-item has n > 1 instances,
/// `-DPB_VECTORS=<n>` if it runs them in vectors of n,
/// `-DPB_LANES=<n> -DPB_GROUP_ITEMS=<n>` if several work-items run an instance together, `-DPB_HAS_PTX_SHUFFLES=1` if
/// they may exchange values by PTX instructions then, `-DPB_KEPT_ROUNDS=<n>` if they
/// keep the cells of their rounds, of which each has at most n, and
/// `-DPB_GROUP0=<n> -DPB_GROUP1=… -DPB_GROUP2=…` if specialize_group. If folds run in blocks of rounds, it also has
/// these, `-DPB_GROUP_ITEMS=<n>`, `-DPB_BLOCK_ROUNDS=<n>`, and `-DPB_PANEL0=<elements>` and so on. After
/// kMaxVariants builds of one kernel on one device the generic build is used for new values: PB_INDEX=long and no other
/// macro. Sources test them with #ifdef; the parameter list is the same in every build without PB_STAGE.
///
/// Where work-items run windows of a scan together, builds have `-DPB_SCAN_ITEMS=<work-items of a line>` and
/// PB_GROUP<d>. If each window has a group, an execution has two launches, PB_STAGE 1 and 2. The first one clears the
/// scratch memory.
///
/// If several groups run an instance together, an execution has num_stages launches. They are built with
/// `-DPB_STAGE=<1, 2, …> -DPB_RECORDS=<groups of an instance>`, and those that several groups run with
/// `-DPB_FOLD_GROUPS=<the same>`. They have one more parameter, memory in which each of these groups has a record.
/// If several groups run the same instances in blocks, each a range of the rounds, there are two launches, PB_STAGE 1
/// and 2, with `-DPB_RECORDS=<ranges>`. In the second one, groups have `-DPB_PART_LANES=<n>` times as many work-items
/// along dimension 0, n of them for each instance, if n > 1.
/// Where groups have bins of their own, builds have `-DPB_BIN_CELLS=<words of 4 bytes for all bins of an instance, an
/// even number> -DPB_BIN_COPIES=<of each bin, a power of two>`. With has_ordered_bins, a group then runs one instance,
/// there are at most as many copies as lanes, and the records of stages also have room for these words.
/// `-DPB_BINS_IN_RECORDS=1` says that the bins of groups lie there alone. Without PB_BIN_CELLS, several groups run no
/// instance.
struct KernelDesc {
  const char* name = nullptr;    ///< name of the __kernel function
  RuleDesc rule = {};            ///< its rule, for its name in traces
  const char* source = nullptr;  ///< OpenCL C 1.2, whole program
  const char* options = "";      ///< further build options, e.g. `-cl-fp32-correctly-rounded-divide-sqrt`
  bool needs_fp64 = false;
  int num_regions = 0;
  int num_scalars = 0;
  int num_tiles = 0;
  const SpecializedScalar* specialized = nullptr;
  int num_specialized = 0;
  bool specialize_group = false;
  /// How many instances a work-item has at most where the manager chooses; 0: the kernel always has one per work-item.
  int default_items = 0;
  /// How many neighbouring instances along loop 0 a work-item may run as a vector at most, a power of two; 0: it never
  /// does.
  int vector_width = 0;
  std::uint32_t vector_regions = 0;  ///< bit i: vectors access the cells of region i
  /// Work-items make cells of tiles in vectors, and run instances one by one: vectors divide the group's instances
  /// along loop 0.
  bool has_vectors_in_tiles = false;
  /// A loop along which some region is contiguous that loop 0 crosses, as a transposition's input; 0: there is none.
  int crossed_loop = 0;
  Lanes lanes = Lanes::None;
  int fold_length = -1;     ///< the scalar() call that says how many iterations lanes divide; -1: none does
  int inner_length = -1;    ///< likewise of a loop inside: the product is their number
  int most_rounds = 0;      ///< where fold_length says nothing: how many iterations lanes divide at most; 0: not known
  int kept_length = -1;     ///< the scalar() call that says how many rounds have kept cells, or more; -1: none have any
  bool has_places = false;  ///< groups count in a stage how far places run, and store in the next one: the same tiles
  bool stores_in_phases = false;  ///< lanes store cells while they run an instance, which may pass its cells repeatedly
  std::uint32_t bins = 0;         ///< bit i: lanes update cells of region i, as a histogram's, at computed places
  bool bins_differ = false;       ///< instances may have different numbers of them
  bool has_ordered_bins = false;  ///< lanes of an instance update some bins one after the other, in the same order
  int num_stages = 0;             ///< launches if several groups run an instance; 0: one group does
  bool last_is_divided = false;   ///< several groups run the last stage, too; else one does
  int record_bytes = 0;           ///< what a group keeps of the folds of an instance
  /// The loops along which a work-item has several instances where the rounds of a fold run in blocks; none: never.
  int block_loops[2] = {-1, -1};
  int block_bytes = 0;                 ///< what a work-item keeps of each of these instances between blocks
  bool may_copy_ahead = false;         ///< a block may copy what the next one reads
  bool has_block_parts = false;        ///< several groups may run a range of the rounds of the same instances each
  int block_length = -1;               ///< the scalar() call that says how many rounds there are; -1: none does
  Products products = Products::None;  ///< what the rounds of blocks add up, if matrix units can do that
  int num_panels = 0;                  ///< the parts of inputs that a group copies for each block
  int scan_loop = -1;                  ///< the loop along which the instances are scans; -1: they are none
  int scan_cell_bytes = 0;             ///< what a window of a scan keeps of each of its cells
  int scan_part_bytes = 0;             ///< what a part of a line takes
  int scan_record_words = 0;           ///< words of a part of a line in memory of the device
  /// The rows along which the instances are cut into blocks whose anti-diagonals follow one another, as many as there
  /// are loops; 0: the instances are no wavefront. An execution has a launch per anti-diagonal.
  int num_wave_rows = 0;
  WaveRow wave_rows[3] = {};

  /// Whether several groups run an instance in this stage, from 1.
  [[nodiscard]] constexpr bool is_divided(int stage) const { return stage < num_stages || last_is_divided; }
};

inline constexpr int kMaxVariants = 64;
/// The most instances of a work-item.
inline constexpr std::size_t kMaxItems = 16;
/// Loops of more iterations than this get no constant bounds. Drivers unroll loops whose bounds they know, nested ones
/// too: PoCL takes 4 s for 24^2 iterations, 20 s for 40^2.
inline constexpr std::int64_t kMaxUnrolled = 512;

using pb::CopyOut;

/// One dimension of a local-memory tile: its extent is `extent` + sum over loops d of |step[d]| * (group size in d -
/// 1). For `In.region(x, y, x+K, y+K)` the dimensions are {{1,0,0}, K} and {{0,1,0}, K}. For an input that is the same
/// for all instances it is {{0,0,0}, extent}.
struct TileDim {
  std::int64_t step[3] = {0, 0, 0};
  std::int64_t extent = 1;
};

/// The extent of a panel along the dimension that the rounds of a block walk along.
inline constexpr std::int64_t kBlockExtent = -1;

}  // namespace pbrt::gpu
