// SPDX-License-Identifier: MIT
#include "choicegraph/passes/fix_choices.h"

#include <algorithm>
#include <set>
#include <utility>

#include "choicegraph/passes/choices/find_legal_choices.h"
#include "choicegraph/passes/choices/list_tunables.h"
#include "choicegraph/passes/steps/find_fused_steps.h"
#include "choicegraph/passes/steps/sort_steps.h"
#include "choicegraph/plan/step_needs.h"
#include "lang/check.h"

namespace pb {
namespace {

constexpr std::size_t kNumSizes = 32;  ///< values of a size-specific tunable per element

template <class T>
bool holds(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// The plan of one transform while its choices are fixed.
class Fixer {
 public:
  Fixer(TransformPlan plan, const Transform& transform, FixedTransform choices)
      : plan_(std::move(plan)), transform_(transform), choices_(std::move(choices)) {}

  TransformPlan fix() {
    drop_forbidden();
    for (const auto& [site, levels] : choices_.sites) fix_site(site, levels);
    narrow_candidates();
    drop_edges();
    drop_nests();
    choices::renumber_steps(plan_, live_steps());
    drop_unread();
    choices::renumber_steps(plan_, choices::sorted_steps(plan_));
    choices::find_fused_steps(plan_, transform_);
    drop_calls();
    fix_tunables();
    return std::move(plan_);
  }

 private:
  void drop_forbidden() {
    const auto is_fixed = [&](const auto& pair) { return choices_.sites.contains(pair.first); };
    std::erase_if(plan_.forbidden, [&](const ForbiddenChoice& forbidden) {
      const bool is_gone = is_fixed(forbidden.front());
      PB_CHECK(
          std::all_of(forbidden.begin(), forbidden.end(), [&](const auto& pair) { return is_fixed(pair) == is_gone; }),
          "sites of a forbidden assignment are fixed together");
      return is_gone;
    });
  }

  void fix_site(SiteId id, const std::vector<FixedLevel>& levels) {
    Site& site = plan_.sites[id];
    std::vector<Alternative> kept;
    site.fixed = levels;
    for (std::size_t i = 0; i < site.alternatives.size(); ++i) {
      std::set<Version> used;
      for (std::size_t k = 0; k < levels.size(); ++k) {
        if (levels[k].alternative != i) continue;
        used.insert(levels[k].version);
        site.fixed[k].alternative = kept.size();
      }
      if (used.empty()) continue;
      Alternative& alternative = site.alternatives[i];
      std::erase_if(alternative.versions,
                    [&](Version version) { return version != Version::Cpu && !used.contains(version); });
      kept.push_back(std::move(alternative));
    }
    site.alternatives = std::move(kept);
    // Of levels that test the same size, one that chooses what the level before does changes nothing.
    const auto is_same = [](const FixedLevel& a, const FixedLevel& b) {
      return a.by == b.by && a.alternative == b.alternative && a.version == b.version && a.schedule == b.schedule;
    };
    site.fixed.erase(std::unique(site.fixed.begin(), site.fixed.end(), is_same), site.fixed.end());
  }

  void narrow_candidates() {
    for (Segment& segment : plan_.segments) {
      std::erase_if(segment.candidates, [&](RuleId rule) {
        const std::vector<Alternative>& alternatives = plan_.sites[segment.site].alternatives;
        return std::none_of(alternatives.begin(), alternatives.end(),
                            [&](const Alternative& alternative) { return alternative.rules[segment.part] == rule; });
      });
    }
  }

  bool is_live(StepId id) const {
    const Step& step = plan_.steps[id];
    const std::vector<Alternative>& alternatives = plan_.sites[step.site].alternatives;
    return std::any_of(alternatives.begin(), alternatives.end(),
                       [&](const Alternative& alternative) { return runs(plan_, alternative, step); });
  }

  std::vector<StepId> live_steps() const {
    std::vector<StepId> out;
    for (const StepId id : plan_.steps.ids())
      if (is_live(id)) out.push_back(id);
    return out;
  }

  /// Drops the steps of temporaries that no step reads any more.
  void drop_unread() {
    std::set<StepId> unread;
    const auto is_unread = [&](StepId id) { return unread.contains(id); };
    for (const StepNeed& need : needs_of(plan_, transform_))
      if (std::all_of(need.readers.begin(), need.readers.end(), is_unread))
        unread.insert(need.steps.begin(), need.steps.end());
    for (const Nest& nest : plan_.nests)  // the steps of a nest are all unread, or none of them is
      if (!std::all_of(nest.members.begin(), nest.members.end(),
                       [&](const NestMember& m) { return is_unread(m.step); }))
        for (const NestMember& member : nest.members) unread.erase(member.step);
    std::erase_if(plan_.nests, [&](const Nest& nest) { return is_unread(nest.members.front().step); });
    std::erase_if(plan_.edges, [&](const StepEdge& edge) { return is_unread(edge.before) || is_unread(edge.after); });
    std::vector<StepId> kept;
    for (const StepId id : plan_.steps.ids())
      if (!is_unread(id)) kept.push_back(id);
    choices::renumber_steps(plan_, kept);
  }

  bool may_run_both(StepId a, StepId b) const {
    return is_live(a) && is_live(b) && may_run_together(plan_, plan_.steps[a], plan_.steps[b]);
  }

  void drop_edges() {
    std::erase_if(plan_.edges, [&](const StepEdge& edge) { return !may_run_both(edge.before, edge.after); });
  }

  /// Drops nests with two steps that never run in the same call, and nests inside of a nest that always runs.
  void drop_nests() {
    std::erase_if(plan_.nests, [&](const Nest& nest) {
      return std::any_of(nest.members.begin(), nest.members.end(), [&](const NestMember& a) {
        return std::any_of(nest.members.begin(), nest.members.end(),
                           [&](const NestMember& b) { return !may_run_both(a.step, b.step); });
      });
    });
    std::vector<Nest> kept;
    for (const Nest& nest : plan_.nests) {
      const bool is_inside = std::any_of(kept.begin(), kept.end(), [&](const Nest& larger) {
        return always_runs(plan_, larger) &&
               std::all_of(nest.members.begin(), nest.members.end(),
                           [&](const NestMember& member) { return has_member(larger, member.step); });
      });
      if (!is_inside) kept.push_back(nest);
    }
    plan_.nests = std::move(kept);
    choices::leave_order_to_nests(plan_);
  }

  /// Whether a rule that still runs, or that such a rule's instances try first, calls `callee`.
  bool is_called(TransformId callee) const {
    const auto calls = [&](const Rule& rule) {
      return std::any_of(rule.calls.begin(), rule.calls.end(),
                         [&](const TransformCall& call) { return holds(call.targets, callee); });
    };
    return std::any_of(plan_.steps.begin(), plan_.steps.end(), [&](const Step& step) {
      const Rule& rule = transform_.rules[step.rule];
      return calls(rule) || std::any_of(rule.tried.begin(), rule.tried.end(),
                                        [&](RuleId tried) { return calls(transform_.rules[tried]); });
    });
  }

  void drop_calls() {
    std::erase_if(plan_.calls, [&](TransformId callee) { return !is_called(callee); });
  }

  /// What nothing reads and was not given has its initial value, and so has what was given for several schedules of a
  /// rule that is gone.
  void fix_tunables() {
    for (std::size_t i = 0; i < plan_.tunables.size(); ++i) {
      PlanTunable& tunable = plan_.tunables[i];
      const std::size_t num_sizes = tunable.is_size_specific ? kNumSizes : 1;
      const auto found = choices_.tunables.find(i);
      const bool is_given = found != choices_.tunables.end();
      const bool has_lost_schedules = is_given && tunable.rule && sites_of(plan_, *tunable.rule).empty() &&
                                      found->second.size() > static_cast<std::size_t>(tunable.count) * num_sizes;
      if (is_given && !has_lost_schedules) {
        tunable.fixed = found->second;
      } else if (has_lost_schedules || !choices::is_read(plan_, transform_, tunable)) {
        tunable.fixed.clear();
        for (std::size_t n = 0; n < num_sizes; ++n)
          tunable.fixed.insert(tunable.fixed.end(), tunable.initial.begin(), tunable.initial.end());
      }
    }
  }

  TransformPlan plan_;
  const Transform& transform_;
  FixedTransform choices_;
};

}  // namespace

Plan fix_choices(const Plan& plan, const Program& program, const std::vector<FixedTransform>& choices) {
  Plan out;
  for (const TransformPlan& transform : plan.transforms)
    out.transforms.push_back(
        Fixer(transform, program.transforms[transform.transform], choices[transform.transform.index()]).fix());
  return out;
}

}  // namespace pb
