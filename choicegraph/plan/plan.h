// SPDX-License-Identifier: MIT
// The Plan: for each transform its choice grid (segments), choice sites with their
// alternatives, the loop nests (steps) that compute segments, and the order between
// them. Pure data; code generation and training information come from it alone.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/tunable_role.h"
#include "base/version.h"
#include "choicegraph/plan/computation.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"
#include "lang/store.h"

namespace pb {

using SegmentId = Id<struct SegmentTag>;  // index within its transform's plan
using SiteId = Id<struct SiteTag>;
using StepId = Id<struct StepTag>;

struct TransformPlan;

struct IndexRange {
  IndexExpr lo, hi;  ///< half-open
  bool operator==(const IndexRange&) const = default;
};

/// A part of one matrix in which the list of candidate rules is constant: a box or, with conditions, those cells of a
/// box that satisfy them (triangles, diagonals, lattices). Bounds of a box are exact and clamped for every size: an
/// empty segment has hi <= lo in some dimension.
struct Segment {
  MatrixId matrix;
  std::vector<IndexRange> box;        ///< one per dimension, dimension 0 first
  std::vector<IndexExpr> conditions;  ///< cells at which each is >= 0; over the coordinates cell_dims (`x'`, `y'`)
  /// The segment exists only if each is >= 0; rare, for sizes that bounds cannot express.
  std::vector<IndexExpr> guards;
  std::vector<RuleId>
      candidates;        ///< by priority, then `where` before none, then declaration; after the priority filter
  SiteId site;           ///< if only_small_sizes: a site with only its first candidate
  std::size_t part = 0;  ///< index into Site::parts
  /// Exists for no size >= 1000, or is a corner of versions: takes its first candidate, without a decision.
  bool only_small_sizes = false;
};

/// Why a rule has no device version: shown by --explain at `span`.
struct WhyNotDevice {
  std::string reason;
  Span span;
};

struct Alternative {
  std::string name;                                  ///< the rules' names joined by `&`
  std::vector<RuleId> rules;                         ///< one per part of the site
  std::vector<Version> versions;                     ///< Cpu always first
  std::optional<WhyNotDevice> why_not_device;        ///< set if OpenCl is absent
  std::optional<WhyNotDevice> why_not_local_memory;  ///< set if OpenCl is present and OpenClLocal absent
};

/// A level of a selector that was fixed when compiling: from this size on, an alternative runs in one of its versions
/// and with one of the site's schedules.
struct FixedLevel {
  std::int64_t from = 0;        ///< 0 in the first level; strictly increasing among those that test the same size
  std::size_t alternative = 0;  ///< index into Site::alternatives
  Version version = Version::Cpu;
  int schedule = 0;
  int by = 0;  ///< what it tests: 0: the largest size; k: size variable k, from 1
  bool operator==(const FixedLevel&) const = default;
};

/// A decision. A site with one rule and several versions is a site, too. Segments with the same list of candidates are
/// a part. Parts whose segments share instances of a candidate are merged to one site (docs/architecture.md 6.4).
struct Site {
  std::string name;                       ///< the parts' names joined by `&`
  std::vector<std::string> parts;         ///< names of the parts: each is its candidates' names joined by `|`
  std::vector<Alternative> alternatives;  ///< default first
  std::vector<SegmentId> segments;
  std::vector<FixedLevel> fixed;  ///< fixed when compiling (fix_choices.h); empty: the configuration of a run decides
};

enum class LoopOrder : std::uint8_t { Parallel, Increasing, Decreasing, Nested };

/// A loop over a rule variable; its range is half-open. Parallel: for fixed values of the loops outside of it, its
/// iterations may run in any order and at once. Nested: a Nest of the step gives the order.
struct LoopDim {
  std::string var;
  IndexRange range;  ///< bounds over sizes only, from which tasks are cut
  LoopOrder order = LoopOrder::Parallel;
  // For instances that are no box: further bounds within the range, which name the loops outside.
  std::vector<IndexExpr> lower = {};  ///< at least each
  std::vector<IndexExpr> upper = {};  ///< below each
  std::int64_t stride = 1;            ///< the loop takes only values equal to `offset` modulo `stride`
  IndexExpr offset = {};

  [[nodiscard]] bool is_plain() const { return lower.empty() && upper.empty() && stride == 1; }
};

/// An input of a step: the box that the instance at the loop variables reads. Per dimension it has `lo` and `hi`, over
/// these variables, and `extent`, if that does not depend on them.
struct InputBox {
  std::size_t input = 0;                   ///< index into Rule::inputs
  std::vector<IndexExpr> lo, hi;           ///< half-open
  std::vector<IndexExpr> extent;           ///< constant over instances; may name size variables and tunables
  bool extent_is_uniform = false;          ///< `extent` is meaningful
  bool is_same_for_all_instances = false;  ///< `lo` does not depend on loop variables
};

/// Whether every instance reads one cell of the input. Pre: extent_is_uniform
[[nodiscard]] bool is_one_cell(const InputBox& box);

/// How the instances of a step may be shared between a device and the CPU (docs/architecture.md 7.4). They are divided
/// at a value of one loop, which also divides the part of each output at a coordinate of one dimension. The device gets
/// the part below.
struct DeviceShare {
  std::size_t loop = 0;           ///< index into Step::loops
  std::vector<std::size_t> dims;  ///< dimension of each output, by index in Rule::outputs
};

/// One rule applied to segments: a loop nest, or a single instance if `loops` is empty.
/// A step runs only under those alternatives of its site that give its rule the segments which exist, but not the
/// segments that it leaves to others: see `runs`. A segment has one owner per call: of steps of different rules that
/// write it, the last one in the order of `edges`. An alternative may have no step at its site: its instances then
/// belong to another site's step of the same rule, which always runs (docs/architecture.md 6.5).
struct Step {
  RuleId rule;
  SiteId site;
  std::vector<SegmentId> segments;  ///< what it writes
  /// Segments of its site that its instances write, too, but that another rule owns.
  std::vector<SegmentId> left_to_others;
  std::vector<LoopDim>
      loops;  ///< outermost (slowest) first: the last one is rule variable 0 unless dependences forbid it
  std::vector<IndexExpr> conditions;  ///< instances at which each is >= 0; over rule variables
  std::vector<IndexExpr> guards;      ///< the step exists only if each is >= 0 (conditions without a rule variable)
  bool is_data_parallel = false;      ///< all loops Parallel: may be split into tasks and run on a device
  std::vector<InputBox> input_boxes;  ///< one per input
  std::optional<DeviceShare> device_share;  ///< only for steps with device versions
  std::vector<SegmentId> reads;             ///< segments of `to` and `through` matrices that it may read
};

/// True if the instances of `step` are all those of a box: loops without further bounds, strides and conditions.
[[nodiscard]] bool is_box(const Step& step);
/// The conditions (each >= 0) under which a point of the loops' ranges is an instance: further bounds, strides,
/// conditions.
[[nodiscard]] std::vector<IndexExpr> instance_conditions(const Step& step);

/// How the tiles of a nest wait for each other along one of its rows.
enum class RowKind : std::uint8_t {
  Parallel,  ///< tiles do not wait
  Carried,   ///< a tile waits for the one before it
  Slices,    ///< one value after the other; within one, the members in their order
};

/// A row of a nest: the sum of its members' coordinates times these whole numbers.
struct NestRow {
  std::vector<int> coefficients;
  RowKind kind = RowKind::Carried;
};

/// Where an instance of a member lies along one dimension: `factor * var + shift`, or `shift` alone.
struct NestCoordinate {
  std::string var;  ///< empty: all instances lie at `shift`
  int factor = 1;   ///< not 0; 1 or -1 except in Slices
  IndexExpr shift;
};

/// A step in a nest. The loops over variables that no coordinate names run inside, at each point of the rows.
struct NestMember {
  StepId step;
  std::vector<NestCoordinate> coordinates;
  std::vector<LoopDim> loops;  ///< outermost first
};

/// Instances of one step, or of several steps that need each other, executed together (docs/architecture.md 6.7). The
/// rows are a unimodular change of the coordinates and run in their order, outermost first. Either all rows are Slices,
/// or none is: then no dependence points backwards along any row, the rows may be cut into tiles, and a tile waits for
/// its predecessor along each carried row. A nest of several members runs in a call whose choices run all of them,
/// unless a larger nest that holds them runs; its members are then no steps of their own.
struct Nest {
  std::vector<NestRow> rows;        ///< as many as coordinates
  std::vector<NestMember> members;  ///< in their order at one point of the rows
};
[[nodiscard]] bool has_member(const Nest& nest, StepId id);
/// Pre: the nest has it
[[nodiscard]] const NestMember& member_of(const Nest& nest, StepId id);
/// The coordinate `factor * var + shift` as an expression, and the other way round. The second is none if the
/// expression has several variables.
[[nodiscard]] IndexExpr to_index_expr(const NestCoordinate& coordinate);
[[nodiscard]] std::optional<NestCoordinate> to_nest_coordinate(const IndexExpr& at, const Rule& rule);
/// Whether the rows, as many as their coordinates, are a unimodular change of these: their determinant is 1 or -1.
[[nodiscard]] bool is_unimodular(const std::vector<NestRow>& rows);
/// The matrix that gives the coordinates as sums of whole multiples of the rows: the inverse of the rows' matrix.
///
/// Pre:     is_unimodular(rows)
[[nodiscard]] std::vector<std::vector<int>> inverse_of(const std::vector<NestRow>& rows);

/// Data-parallel steps that write every c-th cell of the same rows, such as the even and the odd ones, without an order
/// among them. If a call runs all of them on the CPU, one loop runs the instances of all members at each point. Loops
/// of the members correspond by their place. The members' boxes differ by a few instances at most, which run by
/// themselves.
using FusedSteps = std::vector<StepId>;

/// Alternatives (by index) of sites that cannot be chosen together: no order of the steps is right
/// (docs/architecture.md 6.6).
using ForbiddenChoice = std::vector<std::pair<SiteId, std::size_t>>;

/// Whether the box of an instance's cells lies by the same numbers of cells further with each step of a loop.
[[nodiscard]] bool moves_steadily(const Step& step, const InputBox& box);
/// Whether a work-group may hold the cells that its instances read in local memory: their extents are known when the
/// kernel begins, an instance reads more than one cell, and its box moves steadily.
[[nodiscard]] bool may_be_staged(const Step& step, const InputBox& box);
/// True if the step runs whatever is chosen.
[[nodiscard]] bool always_runs(const TransformPlan& plan, const Step& step);
/// True if `alternative`, one of the step's site, runs `step`.
[[nodiscard]] bool runs(const TransformPlan& plan, const Alternative& alternative, const Step& step);
/// False if the steps are of one site and none of its alternatives runs both.
[[nodiscard]] bool may_run_together(const TransformPlan& plan, const Step& a, const Step& b);

/// `before` must have finished before `after` starts, if both run.
struct StepEdge {
  StepId before, after;
  auto operator<=>(const StepEdge&) const = default;
};

/// A rule that is no candidate at some cells because `by`, of the same priority, names their version without a rule
/// variable: `T<0>` beside `T<k>` (docs/reference/language.md 4.15).
struct Displacement {
  RuleId rule, by;
  MatrixId matrix;
  auto operator<=>(const Displacement&) const = default;
};

/// A check of the runtime in each call: sizes for which some cell has no candidate (docs/architecture.md 5.2).
struct UncoveredBox {
  MatrixId matrix;
  std::vector<IndexRange> box;        ///< if it is not empty, the call stops with a message
  std::vector<IndexExpr> conditions;  ///< like those of segments
  std::vector<IndexExpr> guards;      ///< the box exists only if each is >= 0
};

/// A tunable of the plan: the compiler's own and the user's, with the name of the configuration file.
struct PlanTunable {
  std::string name;  ///< `split_size`, `Out#1.opencl.work_group`, or the user's
  TunableRole role = TunableRole::User;
  bool is_real = false;
  bool is_size_specific = false;
  int count = 1;                ///< elements of an array or a shape
  std::vector<double> initial;  ///< one per element
  double min = 0, max = 0;
  std::optional<TunableId> user;  ///< the declaration it comes from
  std::optional<RuleId> rule;  ///< for work groups, and for tiles of a nest of one step: the rule that they belong to
  Version version = Version::Cpu;
  std::vector<double> fixed = {};  ///< values decided when compiling; empty: by the configuration of a run. One per
                                   ///< element, of size-specific ones for each of 32 powers of two of the size, of
                                   ///< those that schedules of a site have perhaps for each schedule

  /// Whether it is fixed to the same values at all sizes and in all schedules.
  [[nodiscard]] bool is_constant() const {
    for (std::size_t i = initial.size(); i < fixed.size(); ++i)
      if (fixed[i] != fixed[i - initial.size()]) return false;
    return !fixed.empty();
  }
};

/// A temporary with versions of which all have memory.
struct WholeVersions {
  MatrixId matrix;
  std::string why;  ///< for people: "`T#2` calls transforms"
};

struct TransformPlan {
  TransformId transform;
  Store<SegmentId, Segment>
      segments;  ///< header order of matrices, then begin coordinate, dimension 0 most significant
  Store<SiteId, Site> sites;
  Store<StepId, Step> steps;  ///< in an order that every assignment may use; if there is none, in any
  std::vector<StepEdge> edges;
  std::vector<Nest> nests;  ///< nests with more members come first
  /// Temporaries `T<0..k>` of which steps need two versions at a time: a sliced nest makes version after version, all
  /// but the first, from the one before, and what comes later reads the last one.
  std::vector<MatrixId> two_versions;
  /// Those of `two_versions` whose steps read each cell of the version before until they write it, and never after: a
  /// version may take the place of the one before.
  std::vector<MatrixId> in_place;
  std::vector<WholeVersions> whole_versions;
  std::vector<FusedSteps> fused;  ///< steps of different choices may be in several; those in order of the steps
  std::vector<ForbiddenChoice> forbidden;  ///< every other assignment has an order of its steps that keeps the edges
  std::vector<Displacement> displaced;     ///< each displacement once, in order
  std::vector<RuleId> left_out;         ///< some of their instances do not run: they read cells that no rule makes, and
                                        ///< no result needs what they make (docs/reference/language.md 6.4)
  std::vector<UncoveredBox> uncovered;  ///< at small sizes only: uncovered at large ones is a compile error
  std::vector<PlanTunable> tunables;
  std::vector<TransformId> calls;         ///< callees, each once
  std::vector<Computation> computations;  ///< what the rules' loops compute, by RuleId; empty if planning failed
};

/// What the loops of a rule's body compute; nothing if planning failed.
[[nodiscard]] const Computation& computation_of(const TransformPlan& plan, RuleId rule);

/// The sites with a choice that names the rule, or with a step of it.
[[nodiscard]] std::set<SiteId> sites_of(const TransformPlan& plan, RuleId rule);

/// Whether one of the steps must have finished before the other.
[[nodiscard]] bool has_edge(const TransformPlan& plan, StepId a, StepId b);

/// True if some part of the matrix is no box. The parts that its rules write are then interleaved.
[[nodiscard]] bool is_scattered(const TransformPlan& plan, MatrixId matrix);

/// The sliced nest that makes the versions of the matrix, which is one of `two_versions`; null: there is none any more.
[[nodiscard]] const Nest* nest_of_versions(const TransformPlan& plan, MatrixId matrix);

/// Whether each version of the matrix may take the place of the one before.
[[nodiscard]] bool is_in_place(const TransformPlan& plan, MatrixId matrix);

/// The name of the tunable for the tile of a nest: `OUT#3.tile`, `P#2+Q#2.tile`.
[[nodiscard]] std::string tile_name(const TransformPlan& plan, const Transform& transform, const Nest& nest);
/// True if a nest of several members runs whatever is chosen.
[[nodiscard]] bool always_runs(const TransformPlan& plan, const Nest& nest);
/// Whether each slice of the nest has one instance of one step: a device may run it, and the CPU runs the step's loop.
[[nodiscard]] bool is_for_devices(const Nest& nest);
/// True if the steps stand in an order that every assignment may use.
[[nodiscard]] bool is_ordered(const TransformPlan& plan);

/// How the instances of `step` run, where they need each other: `in tiles`, `slice by slice`, `one after the other`;
/// else empty.
[[nodiscard]] std::string order_words(const TransformPlan& plan, StepId step);

struct Plan {
  std::vector<TransformPlan> transforms;  ///< by TransformId
};

}  // namespace pb
