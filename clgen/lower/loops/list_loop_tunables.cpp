// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/list_loop_tunables.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/loop_forms.h"
#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launch_waves.h"
#include "choicegraph/plan/loops/version_bands.h"
#include "clgen/facts/numbering.h"
#include "clgen/facts/round_blocks.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/analysis/rule_shapes.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/find_scans.h"
#include "clgen/lower/loops/find_tiles.h"
#include "clgen/lower/loops/nest_loops.h"
#include "clgen/lower/loops/reads_ahead.h"

namespace pb {
namespace {

using Roles = std::set<TunableRole>;

/// Adds the roles of the tunables that say something about the loops.
void add_roles(const CpuLoops& loops, Roles& roles) {
  for (const TreeBlock* tree : {&loops.plain, &loops.packed})
    walk(*tree, [&](const TreeNode& node) {
      if (const auto* strips = std::get_if<Strips>(&node.node)) {
        roles.insert(TunableRole::Strip);
        if (strips->stores) roles.insert(TunableRole::Stores);
      }
      if (const auto* blocks = std::get_if<RowBlocks>(&node.node)) {
        roles.insert({TunableRole::RowBlock, TunableRole::RowAhead});
        if (blocks->stores) roles.insert(TunableRole::Stores);
      }
      const auto* packs = std::get_if<Packs>(&node.node);
      // One by one, instances would call the functions of the C library and divide: that takes longer, and rounds in
      // other ways.
      if (packs != nullptr && !packs->facts.rounds_otherwise()) roles.insert(TunableRole::Packs);
    });
}

PlanTunable tunable_of(const TransformPlan& plan, const Rule& rule, RuleId id, TunableRole role) {
  PlanTunable out;
  out.name = rule.name + "." + to_string(Version::Cpu) + "." + to_string(role);
  out.role = role;
  out.rule = id;
  if (role == TunableRole::Packs) {
    out.initial = {1};
    out.max = 1;
  } else if (role == TunableRole::ScanChunk) {
    out.initial = {computation_of(plan, id).scan->is_default ? static_cast<double>(kScanChunk) : 0};
    out.max = kMostScanChunk;
  } else if (role == TunableRole::TimeRows) {
    out.initial = {0};
    out.max = kMostTimeRows;
  } else if (role == TunableRole::Stores || role == TunableRole::RowBlock || role == TunableRole::Blocks) {
    out.initial = {static_cast<double>(SizeRule::BySize)};
    out.max = static_cast<double>(SizeRule::Always);
  } else {
    out.min = 1;
    out.max = role == TunableRole::Strip ? kMostStripColumns : kMostLinesAhead;
    out.initial = {static_cast<double>(role == TunableRole::Strip      ? kStripColumns
                                       : role == TunableRole::RowAhead ? kRowLinesAhead
                                                                       : kReadLinesAhead)};
  }
  return out;
}

/// Returns the roles of the tunables of each rule that has steps.
Store<RuleId, Roles> roles_of(const Transform& transform, const TransformPlan& plan, const RuleShapes& rules) {
  Store<RuleId, Roles> out;
  for (std::size_t i = 0; i < rules.size(); ++i) out.add({});
  for (const StepId id : plan.steps.ids()) {
    const Step& step = plan.steps[id];
    if (own_nest(plan, id) == nullptr) {
      const RuleShape& rule = rules[step.rule];
      add_roles(lower_cpu_loops(rule, step), out[step.rule]);
      if (!tile_loops(plan, rule, id).empty()) out[step.rule].insert(TunableRole::Blocks);
    }
    const TreeBlock scanned = scan_loops(plan, rules[step.rule], step);
    if (!scanned.empty()) out[step.rule].insert(TunableRole::ScanChunk);
    if (!find_reads_ahead(rules[step.rule]).empty()) out[step.rule].insert(TunableRole::ReadAhead);
  }
  for (const Nest& nest : plan.nests) {
    for (const NestMember& member : nest.members) {
      const RuleId rule = plan.steps[member.step].rule;
      add_roles(lower_member_loops(rules[rule], plan, nest, member), out[rule]);
    }
    const VersionBands bands = find_version_bands(transform, plan, nest);
    if (bands.why_not.empty()) out[plan.steps[bands.main].rule].insert(TunableRole::TimeRows);
  }
  return out;
}

/// How the rounds of the rule's fold run in blocks on devices (clgen/facts/round_blocks.h).
PlanTunable block_tunable(const Rule& rule, RuleId id, TunableRole role) {
  constexpr double kRounds = 16, kMostRounds = 64, kMostItems = 16, kMostStages = 2, kMostParts = 4096;
  PlanTunable out;
  out.name = rule.name + "." + to_string(Version::OpenCl) + "." + to_string(role);
  out.role = role;
  out.rule = id;
  out.version = Version::OpenCl;
  out.initial = {0};
  if (role == TunableRole::BlockItems) {
    out.initial = {0, 0};
    out.max = kMostItems;
  } else if (role == TunableRole::BlockRounds) {
    out.initial = {kRounds};
    out.max = kMostRounds;
  } else if (role == TunableRole::BlockStages) {
    out.max = kMostStages;
  } else if (role == TunableRole::BlockParts) {
    out.max = kMostParts;
  } else {
    out.initial = {1};
    out.max = 1;
  }
  out.count = static_cast<int>(out.initial.size());
  return out;
}

/// Whether a device may run the rule's step.
bool runs_on_device(const TransformPlan& plan, RuleId rule) {
  return std::any_of(plan.sites.begin(), plan.sites.end(), [&](const Site& site) {
    return std::any_of(site.alternatives.begin(), site.alternatives.end(), [&](const Alternative& alternative) {
      const auto has = [](const auto& list, const auto& item) {
        return std::find(list.begin(), list.end(), item) != list.end();
      };
      return has(alternative.rules, rule) && has(alternative.versions, Version::OpenCl);
    });
  });
}

/// The tunables of blocks of rounds that the rule has.
std::vector<TunableRole> block_roles(const Program& program, const TransformPlan& plan, RuleId rule,
                                     const ProductRules& products) {
  std::vector<TunableRole> out;
  if (!runs_on_device(plan, rule)) return out;
  bool may_use_units = false, may_divide = false;
  for (const StepId id : plan.steps.ids()) {
    const Step& step = plan.steps[id];
    if (step.rule != rule || launch_nest(plan, id) != nullptr || !wave_of_launch(plan, id).empty()) continue;
    const auto blocks = find_round_blocks(program, plan, step);
    if (!blocks) continue;
    out = {TunableRole::BlockItems, TunableRole::BlockRounds, TunableRole::BlockStages};
    may_divide |=
        blocks->regrouping == Regrouping::Exact || (blocks->regrouping == Regrouping::Rounds && products.may_regroup);
    if (blocks->products)
      may_use_units |= blocks->products->element == ElementType::Float ? products.may_split : products.may_fuse;
  }
  if (may_divide) out.push_back(TunableRole::BlockParts);
  if (may_use_units) out.push_back(TunableRole::MatrixUnits);
  return out;
}

}  // namespace

Plan list_loop_tunables(const Program& program, Plan plan, const ProductRules& products) {
  const bool program_has_kernels = has_kernels(plan);
  for (TransformPlan& transform : plan.transforms) {
    const RuleShapes rules = find_rule_shapes(program, transform, program_has_kernels);
    const Store<RuleId, Roles> roles = roles_of(program.transforms[transform.transform], transform, rules);
    for (const RuleId id : rules.ids())
      for (const TunableRole role : roles[id])
        transform.tunables.push_back(tunable_of(transform, rules[id].rule, id, role));
    for (const RuleId id : rules.ids())
      for (const TunableRole role : block_roles(program, transform, id, products))
        transform.tunables.push_back(block_tunable(rules[id].rule, id, role));
  }
  return plan;
}

}  // namespace pb
