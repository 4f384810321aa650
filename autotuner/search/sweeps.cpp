// SPDX-License-Identifier: MIT
#include "autotuner/search/sweeps.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace pbtune {

double Sweeps::left_s() const { return context_.schedule.left_s(context_.trials.elapsed_s()); }

/// Only accuracy decides, one run each. If the last one misses the target on other inputs, the one before is taken. Its
/// time does not matter: smaller values cost less, at larger sizes more surely than here.
Candidate Sweeps::lower_accuracy(Candidate parent) {
  constexpr double kMostShare = 0.3;  // share of the time that is left
  const double end_s = context_.trials.elapsed_s() + kMostShare * left_s();
  const double limit = limit_ms(median(parent.times_ns), kSlowestSeed);
  std::vector<Candidate> lowered;
  const auto try_less = [&](const TunableGene& gene, double factor) {
    const Candidate& last = lowered.empty() ? parent : lowered.back();
    std::optional<Configuration> configuration =
        context_.space.less_accurate(last.configuration, gene, context_.trials.n(), factor);
    if (context_.trials.elapsed_s() > end_s || !configuration || !context_.attempts.is_new(*configuration))
      return false;
    Candidate child = context_.attempts.child_of(parent, std::move(*configuration),
                                                 "a smaller " + context_.space.index().tunable_name(gene.id));
    context_.on_phase("trying smaller accuracy values");
    if (!context_.trials.measure(child, 1, limit) || !child.meets_accuracy) return false;
    lowered.push_back(std::move(child));
    return true;
  };
  for (const TunableGene& gene : context_.space.tunables()) {
    if (!context_.space.is_tunable_relevant(gene.id, parent.ran)) continue;
    constexpr double kToTheLeast = 0;  // many values do not matter
    if (try_less(gene, kToTheLeast)) continue;
    for (const double factor : {0.5, 0.7, 0.85, 0.95})
      while (try_less(gene, factor)) continue;
  }
  for (; !lowered.empty(); lowered.pop_back()) {
    Candidate& child = lowered.back();
    context_.trials.confirm(child);
    if (!child.meets_accuracy) continue;
    context_.events.on_kept(child, parent);
    return std::move(child);
  }
  return parent;
}

void Sweeps::try_sites(std::int64_t from) {
  constexpr double kMostShare = 0.4;  // share of the time that is left
  constexpr double kNear = 1.5;       // slower ones are not swept
  constexpr std::size_t kMostKinds = 3;
  if (!context_.population.has_accurate() ||
      context_.schedule.is_long(context_.trials.work_s(context_.population.best_ns()), context_.trials.elapsed_s()))
    return;
  std::vector<Candidate> leaders;
  std::vector<std::vector<int>> kinds;
  for (const Candidate& member : context_.population.members()) {
    std::vector<int> kind = context_.space.main_choices(member.configuration, context_.trials.n());
    const bool is_near =
        member.meets_accuracy && rank_time_ns(member) < kNear * rank_time_ns(context_.population.best());
    if (!is_near || leaders.size() == kMostKinds || std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
      continue;
    kinds.push_back(std::move(kind));
    leaders.push_back(member);
  }
  const double begin_s = context_.trials.elapsed_s(), all_s = kMostShare * left_s();
  for (std::size_t i = 0; i < leaders.size(); ++i)
    try_sites_of(std::move(leaders[i]), from,
                 begin_s + all_s * static_cast<double>(i + 1) / static_cast<double>(leaders.size()));
  context_.population.prune();
}

void Sweeps::try_sites_of(Candidate parent, std::int64_t from, double end_s) {
  const bool is_best = parent.id == context_.population.best().id;
  const std::vector<RanChoice> others = site_sweep_.others(parent.configuration, parent.ran, context_.trials.n());
  std::vector<Configuration> expected;
  for (const RanChoice& choice : others) expected.push_back(site_sweep_.with(parent.configuration, choice, from));
  context_.trials.expect(expected);
  for (const RanChoice& choice : others) {
    if (context_.trials.elapsed_s() > end_s) break;
    Configuration configuration = site_sweep_.with(parent.configuration, choice, from);
    const double parent_ns = median(parent.times_ns);
    const bool is_tried = !context_.trials.is_hopeless(configuration) &&
                          is_worth_a_run(site_sweep_.factor(choice), context_.trials.work_s(parent_ns),
                                         end_s - context_.trials.elapsed_s()) &&
                          context_.attempts.is_new(configuration);
    if (!is_tried) continue;
    Candidate child = context_.attempts.child_of(parent, std::move(configuration),
                                                 "another choice of " + context_.space.index().site_name(choice.site));
    context_.on_phase("trying other choices of single sites");
    const bool is_kept = context_.selection.keeps(child, parent);
    if (is_best) site_sweep_.note(choice, context_.trials.factor_of_last(parent_ns));
    if (!is_kept) continue;
    context_.events.on_kept(child, parent);
    context_.population.add(child);
    parent = std::move(child);
  }
}

void Sweeps::try_usual_values() {
  constexpr double kMostShare = 0.2;  // share of the time that is left
  const double end_s = context_.trials.elapsed_s() + kMostShare * left_s();
  const std::vector<Candidate> members = context_.population.members();
  const bool is_long =
      context_.schedule.is_long(context_.trials.work_s(context_.population.best_ns()), context_.trials.elapsed_s());
  std::vector<std::vector<RanChoice>> swept;
  for (const Candidate& member : members) {
    constexpr double kNear = 1.1;  // where runs are long, slower ones cannot catch up
    if (is_long && rank_time_ns(member) > kNear * context_.population.best_ns()) continue;
    if (std::find(swept.begin(), swept.end(), member.ran) != swept.end()) continue;
    swept.push_back(member.ran);
    if (member.meets_accuracy && ran_on_device(context_.space.index(), member.ran)) try_usual_values_of(member, end_s);
  }
  context_.population.prune();
}

std::vector<Sweeps::UsualValue> Sweeps::usual_values_for(const Candidate& candidate) const {
  std::vector<UsualValue> out;
  for (const TunableGene& gene : context_.space.tunables())
    if (context_.space.is_tunable_relevant(gene.id, candidate.ran))
      for (std::vector<double>& values : context_.space.usual_values(gene)) out.push_back({gene.id, std::move(values)});
  return out;
}

void Sweeps::try_usual_values_of(Candidate parent, double end_s) {
  const auto with = [&](const UsualValue& value) {
    Configuration out = parent.configuration;
    std::vector<double>& slots = out.tunables[static_cast<std::size_t>(value.tunable)];
    slots = pbrt::for_each_schedule(value.values, slots.size());
    return out;
  };
  const std::vector<UsualValue> all = usual_values_for(parent);
  std::vector<Configuration> expected;
  for (const UsualValue& value : all)
    if (context_.space.has_what_it_needs(value.tunable, parent.configuration)) expected.push_back(with(value));
  context_.trials.expect(expected);
  for (const UsualValue& value : all) {
    if (context_.trials.elapsed_s() > end_s) return;
    if (!context_.space.has_what_it_needs(value.tunable, parent.configuration)) continue;
    Configuration configuration = with(value);
    if (!context_.attempts.is_new(configuration)) continue;
    Candidate child = context_.attempts.child_of(
        parent, std::move(configuration), "usual value of " + context_.space.index().tunable_name(value.tunable));
    context_.on_phase("trying usual work-groups and shares");
    if (!context_.selection.keeps(child, parent)) continue;
    context_.events.on_kept(child, parent);
    context_.population.add(child);
    parent = std::move(child);
  }
}

std::vector<StartingPoint> Sweeps::promising_choices(const Candidate& best, std::int64_t previous_n) const {
  Configuration carried = best.configuration;
  context_.space.carry_up(previous_n, carried);
  std::vector<StartingPoint> out;
  for (const RanChoice& choice : site_sweep_.promising(carried, context_.trials.n())) {
    StartingPoint start;
    start.candidate.configuration = site_sweep_.with(carried, choice, size_between(previous_n, context_.trials.n()));
    start.candidate.origin = "another choice of " + context_.space.index().site_name(choice.site);
    start.candidate.id = -1;
    out.push_back(std::move(start));
  }
  return out;
}

}  // namespace pbtune
