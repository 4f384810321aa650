// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/list_tunables.h"

#include <algorithm>

#include "base/loop_forms.h"
#include "choicegraph/plan/lane_loops.h"
#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launches/tiled_steps.h"
#include "choicegraph/plan/launches/time_tiles.h"
#include "choicegraph/plan/task_loops.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb::choices {
namespace {

constexpr double kMaxSplitSize = 2147483647.0;
constexpr double kMaxWorkGroup = 1024;
constexpr double kMaxItems = 16;
constexpr double kMaxFoldItems = 1048576;
constexpr double kMaxKeptRounds = 64;
constexpr std::size_t kKeptBytes = 128;  // what a work-item keeps at most by default: 32 registers
constexpr double kMaxFoldChunk = 1e12;
constexpr double kEighths = 8;
constexpr double kMaxTimeTile = 7;
constexpr std::size_t kMaxDeviceLoops = 3;

/// The initial split size. It makes pieces that are long beside the cost of a task, and still enough of them for many
/// workers: some thousands of cells, or hundreds where an instance may take long.
double initial_split_size(std::size_t num_loops, bool takes_long) {
  if (num_loops <= 1) return takes_long ? 512 : 16384;
  if (num_loops == 2) return takes_long ? 128 : 256;
  return takes_long ? 24 : 48;
}

/// Whether the time of an instance may grow with sizes or data: it calls a transform, or has a loop whose length is not
/// a constant.
bool may_take_long(const Rule& rule) {
  bool result = !rule.calls.empty();
  walk(
      rule.body, rule.body.root,
      [&](StmtId id) {
        const Stmt& stmt = rule.body.stmts[id];
        const auto* loop = std::get_if<ForStmt>(&stmt.node);
        result |= loop != nullptr ? !has_constant_end(rule.body, *loop) : is_loop(stmt);
      },
      [](ExprId) {});
  return result;
}

/// Whether some instance that runs in the default configuration may take long.
bool takes_long_by_default(const Analysis& analysis) {
  const TransformPlan& plan = analysis.plan;
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    return step.is_data_parallel && runs(plan, plan.sites[step.site].alternatives.front(), step) &&
           may_take_long(analysis.rule(step.rule));
  });
}

std::size_t num_device_loops(const TransformPlan& plan, RuleId rule) {
  std::size_t out = 1;
  for (const StepId id : plan.steps.ids())
    if (plan.steps[id].rule == rule) out = std::max(out, step_of_launch(plan, id).loops.size());
  return std::min(out, kMaxDeviceLoops);
}

bool has_version(const TransformPlan& plan, RuleId rule, Version version) {
  for (const Site& site : plan.sites)
    for (const Alternative& alternative : site.alternatives)
      if (std::find(alternative.rules.begin(), alternative.rules.end(), rule) != alternative.rules.end() &&
          std::find(alternative.versions.begin(), alternative.versions.end(), version) != alternative.versions.end())
        return true;
  return false;
}

/// Whether each launch of the rule has one instance, which one work-item runs.
bool runs_one_item(const TransformPlan& plan, RuleId rule) {
  return computation_of(plan, rule).phases.empty() &&
         std::all_of(plan.steps.begin(), plan.steps.end(),
                     [&](const Step& step) { return step.rule != rule || step.loops.empty(); });
}

/// Adds the shapes of a rule's launches in a device version. By default the runtime chooses them.
void add_launch_shapes(Analysis& analysis, RuleId rule, Version version) {
  if (runs_one_item(analysis.plan, rule)) return;
  for (const TunableRole role : {TunableRole::WorkGroup, TunableRole::Items}) {
    PlanTunable tunable;
    tunable.name = analysis.rule(rule).name + "." + to_string(version) + "." + to_string(role);
    tunable.role = role;
    tunable.initial.assign(num_device_loops(analysis.plan, rule), 0);
    tunable.count = static_cast<int>(tunable.initial.size());
    tunable.min = 0;
    tunable.max = role == TunableRole::WorkGroup ? kMaxWorkGroup : kMaxItems;
    tunable.rule = rule;
    tunable.version = version;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
  const Computation& computation = analysis.plan.computations[rule.index()];
  if (version != Version::OpenCl || computation.phases.empty()) return;
  PlanTunable tunable;
  tunable.name = analysis.rule(rule).name + "." + to_string(version) + "." + to_string(TunableRole::FoldItems);
  tunable.role = TunableRole::FoldItems;
  tunable.initial = {0};
  tunable.min = 0;
  tunable.max = computation.stages.num == 0 ? kMaxWorkGroup : kMaxFoldItems;
  tunable.rule = rule;
  tunable.version = version;
  analysis.plan.tunables.push_back(tunable);
  if (!computation.kept.any()) return;
  tunable.name = analysis.rule(rule).name + "." + to_string(version) + "." + to_string(TunableRole::KeptRounds);
  tunable.role = TunableRole::KeptRounds;
  const std::size_t kept = kKeptBytes / std::max<std::size_t>(1, computation.kept.bytes);
  tunable.max = kMaxKeptRounds;
  tunable.initial = {std::min(static_cast<double>(kept), kMaxKeptRounds)};
  analysis.plan.tunables.push_back(std::move(tunable));
}

void add_launch_shapes(Analysis& analysis) {
  for (const RuleId rule : analysis.transform.rules.ids())
    for (const Version version : kDeviceVersions)
      if (has_version(analysis.plan, rule, version)) add_launch_shapes(analysis, rule, version);
}

/// Adds the depths of time tiles. 0 leaves them to the runtime.
void add_time_tiles(Analysis& analysis) {
  for (const Nest& nest : analysis.plan.nests) {
    const VersionSteps found = find_version_steps(analysis.transform, analysis.plan, nest);
    if (!found.why_no_tiles.empty()) continue;
    PlanTunable tunable;
    tunable.role = TunableRole::TimeTile;
    tunable.rule = analysis.plan.steps[found.main].rule;
    tunable.version = Version::OpenCl;
    tunable.name = analysis.rule(*tunable.rule).name + "." + to_string(Version::OpenCl) + "." + to_string(tunable.role);
    tunable.initial = {0};
    tunable.min = 0;
    tunable.max = kMaxTimeTile;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
}

/// Adds whether readers compute temporaries per tile. By default launches store all, and the CPU small ones.
void add_per_tiles(Analysis& analysis, TileKind kind) {
  const bool in_bands = kind == TileKind::Bands;
  for (const StepId id : analysis.plan.steps.ids()) {
    if (find_tiled_steps(analysis.transform, analysis.plan, id, kind).matrices.empty()) continue;
    PlanTunable tunable;
    tunable.role = in_bands ? TunableRole::Bands : TunableRole::PerTile;
    tunable.rule = analysis.plan.steps[id].rule;
    tunable.version = in_bands ? Version::Cpu : Version::OpenCl;
    tunable.name = analysis.rule(*tunable.rule).name + "." + to_string(tunable.version) + "." + to_string(tunable.role);
    const auto is_known = [&](const PlanTunable& other) { return other.name == tunable.name; };
    if (std::any_of(analysis.plan.tunables.begin(), analysis.plan.tunables.end(), is_known)) continue;
    tunable.initial = {in_bands ? static_cast<double>(SizeRule::BySize) : 0};
    tunable.min = 0;
    tunable.max = in_bands ? static_cast<double>(SizeRule::Always) : 1;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
}

std::string cpu_tunable_name(const Rule& rule, TunableRole role) {
  return rule.name + "." + to_string(Version::Cpu) + "." + to_string(role);
}

/// Adds the orders of the folds that another order would round in another way, if they are a choice.
void add_fold_orders(Analysis& analysis) {
  if (analysis.fold_orders == FoldOrders::Source) return;
  for (const RuleId id : analysis.transform.rules.ids()) {
    const Rule& rule = analysis.rule(id);
    if (!has_version(analysis.plan, id, Version::Cpu) || !prefers_rounds_in_lanes(rule)) continue;
    const Computation& computation = analysis.plan.computations[id.index()];
    const auto loops = find_lane_loops(rule, computation, analysis.program.element);
    const auto divided = find_task_loops(rule, computation);
    if (std::none_of(loops.begin(), loops.end(), [](const LaneLoop& loop) { return loop.rounds; }) &&
        std::none_of(divided.begin(), divided.end(), [](const TaskLoop& fold) { return fold.is_rounded; }))
      continue;
    PlanTunable tunable;
    tunable.role = TunableRole::FoldOrder;
    tunable.name = cpu_tunable_name(rule, tunable.role);
    tunable.initial = {analysis.fold_orders == FoldOrders::AnyFirst ? 1.0 : 0.0};
    tunable.min = 0;
    tunable.max = 1;
    tunable.rule = id;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
}

/// The initial number of rounds that a task runs, so that it is far longer than its start: the terms of a sum lie in a
/// near cache then. How long a round with loops takes is not known.
double initial_fold_chunk(const std::vector<TaskLoop>& divided) {
  constexpr double kFewRounds = 64, kManyRounds = 32768;
  return std::any_of(divided.begin(), divided.end(), [](const TaskLoop& fold) { return fold.has_loops; }) ? kFewRounds
                                                                                                          : kManyRounds;
}

/// Adds the lengths of the chunks in which folds are divided among tasks. Those that are rounded in another way then
/// are divided only if the order is any.
void add_fold_chunks(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) {
    const Rule& rule = analysis.rule(id);
    if (!has_version(analysis.plan, id, Version::Cpu)) continue;
    auto divided = find_task_loops(rule, analysis.plan.computations[id.index()]);
    if (analysis.fold_orders == FoldOrders::Source)
      std::erase_if(divided, [](const TaskLoop& fold) { return fold.is_rounded; });
    if (divided.empty()) continue;
    PlanTunable tunable;
    tunable.role = TunableRole::FoldChunk;
    tunable.name = cpu_tunable_name(rule, tunable.role);
    tunable.initial = {initial_fold_chunk(divided)};
    tunable.min = 0;
    tunable.max = kMaxFoldChunk;
    tunable.rule = id;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
}

void add_user_tunables(Analysis& analysis) {
  for (const TunableId id : analysis.transform.tunables.ids()) {
    const UserTunable& declared = analysis.transform.tunables[id];
    PlanTunable tunable;
    tunable.name = declared.name;
    tunable.role = declared.role;
    tunable.is_real = declared.is_real;
    tunable.is_size_specific = declared.is_size_specific;
    tunable.count = std::max(1, declared.array_extent);
    tunable.initial.assign(static_cast<std::size_t>(tunable.count), declared.initial);
    tunable.min = declared.min;
    tunable.max = declared.max;
    tunable.user = id;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
}

bool is_inside_parallel(const NestMember& member) {
  return !member.loops.empty() && std::all_of(member.loops.begin(), member.loops.end(),
                                              [](const LoopDim& loop) { return loop.order == LoopOrder::Parallel; });
}

/// The most loops that are split into pieces; 0 if none is.
std::size_t count_split_loops(const TransformPlan& plan) {
  std::size_t out = 0;
  for (const Step& step : plan.steps)
    if (step.is_data_parallel) out = std::max({out, step.loops.size(), std::size_t{1}});
  for (const Nest& nest : plan.nests)
    for (const NestMember& member : nest.members)
      if (nest.rows.front().kind == RowKind::Slices && is_inside_parallel(member))
        out = std::max(out, member.loops.size());
  return out;
}

/// Whether some step may be shared between a device and the CPU.
bool has_device_share(const TransformPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    return step.device_share && has_version(plan, step.rule, Version::OpenCl);
  });
}

/// Extents of tiles, fastest row first: some 16384 instances, so that a task is far longer than its start.
std::vector<double> initial_tile(std::size_t num_rows) {
  if (num_rows == 2) return {256, 64};
  std::vector<double> out(num_rows, 8);
  if (num_rows == 3) out = {64, 16, 16};
  return out;
}

void add_tiles(Analysis& analysis) {
  for (const Nest& nest : analysis.plan.nests) {
    if (nest.rows.front().kind == RowKind::Slices) continue;
    PlanTunable tunable;
    tunable.name = tile_name(analysis.plan, analysis.transform, nest);
    const auto is_known = [&](const PlanTunable& other) { return other.name == tunable.name; };
    if (std::any_of(analysis.plan.tunables.begin(), analysis.plan.tunables.end(), is_known)) continue;
    tunable.role = TunableRole::Tile;
    tunable.initial = initial_tile(nest.rows.size());
    tunable.count = static_cast<int>(tunable.initial.size());
    tunable.min = 1;
    tunable.max = kMaxSplitSize;
    if (nest.members.size() == 1) tunable.rule = analysis.plan.steps[nest.members.front().step].rule;
    analysis.plan.tunables.push_back(std::move(tunable));
  }
}

}  // namespace

void list_tunables(Analysis& analysis) {
  const std::size_t num_split_loops = count_split_loops(analysis.plan);
  if (num_split_loops != 0) {
    PlanTunable split;
    split.name = "split_size";
    split.role = TunableRole::Split;
    split.initial = {initial_split_size(num_split_loops, takes_long_by_default(analysis))};
    split.min = 1;
    split.max = kMaxSplitSize;
    analysis.plan.tunables.push_back(std::move(split));
  }
  add_tiles(analysis);
  if (has_device_share(analysis.plan)) {
    PlanTunable share;
    share.name = "device_eighths";
    share.role = TunableRole::DeviceShare;
    share.initial = {kEighths};
    share.min = 1;
    share.max = kEighths;
    analysis.plan.tunables.push_back(std::move(share));
  }
  add_launch_shapes(analysis);
  add_time_tiles(analysis);
  add_per_tiles(analysis, TileKind::WorkGroups);
  add_per_tiles(analysis, TileKind::Bands);
  add_fold_orders(analysis);
  add_fold_chunks(analysis);
  add_user_tunables(analysis);
}

bool is_read(const TransformPlan& plan, const Transform& transform, const PlanTunable& tunable) {
  switch (tunable.role) {
    case TunableRole::Split:
      return count_split_loops(plan) != 0;
    case TunableRole::Tile:
      return std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) {
        return nest.rows.front().kind != RowKind::Slices && tile_name(plan, transform, nest) == tunable.name;
      });
    case TunableRole::DeviceShare:
      return has_device_share(plan);
    case TunableRole::WorkGroup:
    case TunableRole::Items:
    case TunableRole::FoldItems:
    case TunableRole::KeptRounds:
    case TunableRole::FoldOrder:
    case TunableRole::FoldChunk:
    case TunableRole::Packs:
    case TunableRole::Strip:
    case TunableRole::Stores:
    case TunableRole::RowBlock:
    case TunableRole::Blocks:
    case TunableRole::RowAhead:
    case TunableRole::ReadAhead:
    case TunableRole::BlockItems:
    case TunableRole::BlockRounds:
    case TunableRole::BlockStages:
    case TunableRole::BlockParts:
    case TunableRole::MatrixUnits:
    case TunableRole::TimeTile:
    case TunableRole::PerTile:
    case TunableRole::TimeRows:
    case TunableRole::Bands:
    case TunableRole::ScanChunk:
      return has_version(plan, *tunable.rule, tunable.version);
    case TunableRole::Cutoff:
    case TunableRole::User:
    case TunableRole::Config:
    case TunableRole::Accuracy:
    case TunableRole::ForEnough:
    case TunableRole::Flag:
      return true;
  }
  return true;
}

}  // namespace pb::choices
