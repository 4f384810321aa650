// SPDX-License-Identifier: MIT
#include "clgen/info/make_training_info.h"

#include <algorithm>

#include "choicegraph/plan/task_loops.h"
#include "clgen/facts/native_headers.h"
#include "clgen/facts/numbering.h"
#include "lang/check.h"
#include "lang/source.h"

namespace pb {
namespace {

pbrt::SiteInfo site_info(const Transform& transform, const Site& site, const SourceManager& sources) {
  pbrt::SiteInfo out;
  out.name = site.name;
  for (const Alternative& alternative : site.alternatives) {
    const Rule& rule = transform.rules[alternative.rules.front()];
    pbrt::AlternativeInfo info;
    info.rule = alternative.name;
    for (std::size_t part = 0; site.parts.size() > 1 && part < site.parts.size(); ++part)
      info.parts.emplace_back(site.parts[part], transform.rules[alternative.rules[part]].name);
    info.on = alternative.versions;
    info.line = rule.span.is_known() ? static_cast<int>(sources.begin_of(rule.span).line) : 0;
    if (alternative.why_not_device) info.why_not_device = alternative.why_not_device->reason;
    out.alternatives.push_back(std::move(info));
  }
  for (const FixedLevel& level : site.fixed)
    out.fixed.push_back({level.from, choice_index(site, site.alternatives[level.alternative], level.version),
                         level.schedule, level.by});
  return out;
}

pbrt::AccuracyInfo accuracy_info(const Program& program, const Transform& transform) {
  pbrt::AccuracyInfo out;
  if (!transform.accuracy) return out;
  out.is_given = true;
  out.has_target = transform.accuracy->target.has_value();
  out.target = transform.accuracy->target.value_or(0);
  if (transform.accuracy->metric) out.metric = program.transforms[*transform.accuracy->metric].name;
  out.higher_is_better = transform.accuracy->higher_is_better;
  return out;
}

/// Returns the name that messages and the tuner use for a version of a rule: `OUT#1.cpu`.
std::string version_name(const Transform& transform, RuleId rule, Version version) {
  return transform.rules[rule].name + "." + to_string(version);
}

bool has_loop(const Rule& rule, const std::string& tunable) {
  return std::any_of(rule.body.stmts.begin(), rule.body.stmts.end(), [&](const Stmt& stmt) {
    const auto* loop = std::get_if<ForEnoughStmt>(&stmt.node);
    return loop != nullptr && loop->tunable == tunable;
  });
}

/// Returns the rules that have that `for_enough` loop. Returns none if one of them is not a choice, because the loop
/// may then run whatever is chosen.
std::vector<std::string> users_of_loop(const Transform& transform, const TransformPlan& plan, const std::string& name) {
  std::vector<std::string> out;
  for (const RuleId id : transform.rules.ids()) {
    if (!has_loop(transform.rules[id], name)) continue;
    bool is_choice = false;
    for (const Step& step : plan.steps)
      if (step.rule == id && !is_decision(plan.sites[step.site])) return {};
    for (const Site& site : plan.sites)
      for (const Alternative& alternative : site.alternatives)
        is_choice = is_choice || (is_decision(site) && std::find(alternative.rules.begin(), alternative.rules.end(),
                                                                 id) != alternative.rules.end());
    if (!is_choice) return {};
    out.push_back(version_name(transform, id, Version::Cpu));
  }
  return out;
}

/// Returns the names of the device versions of all rules.
std::vector<std::string> device_versions(const Transform& transform, const TransformPlan& plan) {
  std::vector<std::string> out;
  for (const Site& site : plan.sites)
    for (const Alternative& alternative : site.alternatives)
      for (const RuleId rule : alternative.rules)
        for (const Version version : alternative.versions) {
          const std::string name = version_name(transform, rule, version);
          if (version != Version::Cpu && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
        }
  return out;
}

/// Returns the names of the device versions of rules none of whose steps a device and the CPU can share.
std::vector<std::string> undivided_versions(const Transform& transform, const TransformPlan& plan) {
  std::vector<std::string> out = device_versions(transform, plan);
  for (const Step& step : plan.steps)
    for (const Version version : kDeviceVersions)
      if (step.device_share) std::erase(out, version_name(transform, step.rule, version));
  return out;
}

/// Returns the tunable that gives this one a say: whether there are blocks of a row that ask ahead; whether folds run
/// in blocks on devices; or an order of folds, if all folds that tasks may divide are rounded in another way then.
/// Empty: there is none.
std::string needed_tunable(const Transform& transform, const TransformPlan& plan, const PlanTunable& tunable) {
  const auto of_rule = [&](TunableRole role) {
    const auto found = std::find_if(plan.tunables.begin(), plan.tunables.end(), [&](const PlanTunable& other) {
      return other.role == role && other.rule == tunable.rule;
    });
    return found == plan.tunables.end() ? std::string() : found->name;
  };
  if (tunable.role == TunableRole::RowAhead) return of_rule(TunableRole::RowBlock);
  if (tunable.role == TunableRole::BlockItems || tunable.role == TunableRole::BlockStages ||
      tunable.role == TunableRole::BlockParts || tunable.role == TunableRole::MatrixUnits)
    return of_rule(TunableRole::BlockRounds);
  if (tunable.role != TunableRole::FoldChunk) return "";
  const auto divided = find_task_loops(transform.rules[*tunable.rule], plan.computations[tunable.rule->index()]);
  if (std::any_of(divided.begin(), divided.end(), [](const TaskLoop& fold) { return !fold.is_rounded; })) return "";
  return of_rule(TunableRole::FoldOrder);
}

pbrt::TunableInfo tunable_info(const Transform& transform, const TransformPlan& plan, const PlanTunable& tunable) {
  pbrt::TunableInfo out;
  out.name = tunable.name;
  // The tuner knows a tile as a split of several dimensions.
  out.role = tunable.role == TunableRole::Tile ? TunableRole::Split : tunable.role;
  out.type = is_shape(tunable.role) ? pbrt::TunableType::Shape
             : tunable.is_real      ? pbrt::TunableType::Real
                                    : pbrt::TunableType::Int;
  out.min = tunable.min;
  out.max = tunable.max;
  out.initial = tunable.initial;
  out.is_size_specific = tunable.is_size_specific;
  out.count = tunable.count;
  if (tunable.role == TunableRole::ForEnough) out.used_by = users_of_loop(transform, plan, tunable.name);
  if (tunable.role == TunableRole::DeviceShare) {
    out.used_by = device_versions(transform, plan);
    out.undivided = undivided_versions(transform, plan);
  }
  out.needs = needed_tunable(transform, plan, tunable);
  if (const auto site = schedule_site(plan, tunable)) out.site = plan.sites[*site].name;
  out.fixed = tunable.fixed;
  if (tunable.rule) out.used_by.push_back(version_name(transform, *tunable.rule, tunable.version));
  return out;
}

/// Whether several devices may run blocks of a step, or of versions.
bool may_run_in_blocks(const Plan& plan) {
  const auto is_of_blocks = [](const PlanTunable& tunable) {
    return tunable.role == TunableRole::DeviceShare || tunable.role == TunableRole::TimeTile;
  };
  return std::any_of(plan.transforms.begin(), plan.transforms.end(), [&](const TransformPlan& transform) {
    return std::any_of(transform.tunables.begin(), transform.tunables.end(), is_of_blocks);
  });
}

std::vector<pbrt::TunableInfo> global_info(const Program& program, const Plan& plan, const FixedGlobals& globals) {
  std::vector<pbrt::TunableInfo> out = pbrt::standard_globals();
  if (globals.threads) out[pbrt::kTunableThreads].initial = {static_cast<double>(*globals.threads)};
  if (globals.sequential_cutoff)
    out[pbrt::kTunableSequentialCutoff].fixed = {static_cast<double>(*globals.sequential_cutoff)};
  PB_CHECK(out.size() == pbrt::kNumStandardGlobals, "tunables of a transform are numbered after these");
  if (uses_blas(program)) {
    out.push_back(pbrt::openblas_threads_global());
    if (globals.openblas_threads) out.back().initial = {static_cast<double>(*globals.openblas_threads)};
  }
  if (may_run_in_blocks(plan)) {
    out.push_back(pbrt::device_weights_global());
    if (!globals.device_weights.empty()) out.back().initial = globals.device_weights;
  }
  out.push_back(pbrt::large_pages_global());
  if (globals.large_pages) out.back().initial = {*globals.large_pages ? 1.0 : 0.0};
  return out;
}

}  // namespace

pbrt::TrainingInfo make_training_info(const Program& program, const Plan& plan, const SourceManager& sources,
                                      const EmitOptions& options) {
  pbrt::TrainingInfo out;
  out.program = program.name;
  out.source = options.source_hash;
  out.element = spell(program.element);
  out.fp = options.fp_mode;
  out.main = program.transforms[program.main].name;
  out.device = options.globals.device;
  out.openblas_coretype = options.globals.openblas_coretype;
  out.global = global_info(program, plan, options.globals);
  for (const TransformId id : program.transforms.ids()) {
    const Transform& transform = program.transforms[id];
    const TransformPlan& transform_plan = plan.transforms[id.index()];
    pbrt::TransformInfo info;
    info.name = transform.name;
    info.template_name = transform.source_name;
    info.accuracy = accuracy_info(program, transform);
    info.input_features = transform.input_features;
    info.tolerance.is_given = transform.tolerance.rel.has_value();
    info.tolerance.rel = transform.tolerance.rel.value_or(0);
    info.tolerance.abs = transform.tolerance.abs.value_or(-1);
    for (const SizeVar& var : transform.size_vars) info.sizes.push_back(var.name);
    for (const Formula& param : transform.params) info.numbers.push_back(to_string(param));
    for (const MatrixId matrix : transform.matrices_of(MatrixRole::From)) {
      const Matrix& input = transform.matrices[matrix];
      if (input.extents.empty()) info.numbers.push_back(input.name);
      if (input.range) info.ranges.emplace_back(input.name, to_string(*input.range));
    }
    for (const TransformId callee : transform_plan.calls) info.calls.push_back(program.transforms[callee].name);
    for (const Site& site : transform_plan.sites)
      if (is_listed(site)) info.sites.push_back(site_info(transform, site, sources));
    for (const ForbiddenChoice& choice : transform_plan.forbidden) {
      pbrt::Forbidden forbidden;
      for (const auto& [site_id, alternative] : choice) {
        const Site& site = transform_plan.sites[site_id];
        forbidden[site.name] = site.alternatives[alternative].name;
      }
      info.forbidden.push_back(std::move(forbidden));
    }
    for (const PlanTunable& tunable : transform_plan.tunables)
      info.tunables.push_back(tunable_info(transform, transform_plan, tunable));
    out.transforms.push_back(std::move(info));
  }
  return out;
}

}  // namespace pb
