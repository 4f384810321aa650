// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/find_legal_choices.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "choicegraph/passes/analysis/connected_parts.h"
#include "choicegraph/passes/loops/find_nest.h"
#include "choicegraph/passes/steps/find_edges.h"

namespace pb::choices {
namespace {

constexpr std::size_t kMaxAssignments = 4096;

/// Steps that reach each other over all alternatives, with the sites that decide which of them run.
class Component {
 public:
  Component(Analysis& analysis, std::vector<StepId> steps) : analysis_(analysis), steps_(std::move(steps)) {
    for (const StepId id : steps_) {
      const SiteId site = analysis_.plan.steps[id].site;
      if (is_choice(site) && std::find(sites_.begin(), sites_.end(), site) == sites_.end()) sites_.push_back(site);
    }
    std::sort(sites_.begin(), sites_.end());
  }

  void examine() {
    const std::vector<Assignment> all = assignments();
    std::size_t num_legal = 0;
    for (const Assignment& assignment : all)
      if (is_legal(assignment)) ++num_legal;
    if (num_legal == 0) {
      report_cycle();
      return;
    }
    if (is_limited_) forbid_pairs();
    for (const ForbiddenChoice& choice : forbidden_) analysis_.plan.forbidden.push_back(choice);
    for (const std::vector<StepId>& steps : used_nests_) analysis_.plan.nests.push_back(*nests_.at(steps));
  }

 private:
  /// An alternative per site of sites_, by index.
  using Assignment = std::vector<std::size_t>;

  bool is_choice(SiteId site) const { return analysis_.plan.sites[site].alternatives.size() > 1; }

  std::size_t num_assignments() const {
    std::size_t out = 1;
    for (const SiteId site : sites_) {
      out *= analysis_.plan.sites[site].alternatives.size();
      if (out > kMaxAssignments) break;
    }
    return out;
  }

  /// All assignments, the last site varying fastest; if there are too many, the first and its changes at one site.
  std::vector<Assignment> assignments() {
    const Assignment first(sites_.size(), 0);
    std::vector<Assignment> out{first};
    is_limited_ = num_assignments() > kMaxAssignments;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      std::vector<Assignment> longer;
      for (const Assignment& base : is_limited_ ? std::vector<Assignment>{first} : out) {
        for (std::size_t a = 0; a < analysis_.plan.sites[sites_[s]].alternatives.size(); ++a) {
          longer.push_back(base);
          longer.back()[s] = a;
        }
      }
      if (is_limited_) {
        out.insert(out.end(), longer.begin() + 1, longer.end());
      } else {
        out = std::move(longer);
      }
    }
    return out;
  }

  bool runs(StepId id, const Assignment& assignment) const {
    const Step& step = analysis_.plan.steps[id];
    const auto site = std::find(sites_.begin(), sites_.end(), step.site);
    if (site == sites_.end()) return true;
    const std::size_t alternative = assignment[static_cast<std::size_t>(site - sites_.begin())];
    return pb::runs(analysis_.plan, analysis_.plan.sites[*site].alternatives[alternative], step);
  }

  bool is_edge(StepId before, StepId after) const {
    const std::vector<StepEdge>& edges = analysis_.plan.edges;
    return std::find(edges.begin(), edges.end(), StepEdge{before, after}) != edges.end();
  }

  /// The groups of the given steps that need each other.
  std::vector<std::vector<StepId>> cycles_of(const std::vector<StepId>& steps) const {
    std::vector<std::vector<StepId>> out;
    const auto edge = [&](std::size_t a, std::size_t b) { return is_edge(steps[a], steps[b]); };
    for (const std::vector<std::size_t>& part : connected_parts(steps.size(), edge)) {
      if (part.size() < 2) continue;
      out.emplace_back();
      for (const std::size_t i : part) out.back().push_back(steps[i]);
    }
    return out;
  }

  /// Whether one nest can run `steps`.
  bool has_nest(const std::vector<StepId>& steps) {
    const auto [entry, is_new] = nests_.try_emplace(steps);
    if (is_new) entry->second = find_nest(analysis_, steps);
    return entry->second.has_value();
  }

  bool is_legal(const Assignment& assignment) {
    if (std::any_of(forbidden_.begin(), forbidden_.end(),
                    [&](const ForbiddenChoice& choice) { return contains(assignment, choice); }))
      return false;
    std::vector<StepId> steps;
    for (const StepId id : steps_)
      if (runs(id, assignment)) steps.push_back(id);
    const std::vector<std::vector<StepId>> cycles = cycles_of(steps);
    for (const std::vector<StepId>& cycle : cycles) {
      if (has_nest(cycle)) continue;
      if (first_illegal_.empty()) first_illegal_ = cycle;
      forbidden_.push_back(choices_of(cycle, assignment));
      return false;
    }
    used_nests_.insert(cycles.begin(), cycles.end());
    return true;
  }

  bool contains(const Assignment& assignment, const ForbiddenChoice& choice) const {
    return std::all_of(choice.begin(), choice.end(), [&](const std::pair<SiteId, std::size_t>& item) {
      const auto site = std::find(sites_.begin(), sites_.end(), item.first);
      return assignment[static_cast<std::size_t>(site - sites_.begin())] == item.second;
    });
  }

  /// The choices of `assignment` that make these steps run.
  ForbiddenChoice choices_of(const std::vector<StepId>& steps, const Assignment& assignment) const {
    std::set<std::pair<SiteId, std::size_t>> out;
    for (const StepId id : steps) {
      const Step& step = analysis_.plan.steps[id];
      const auto site = std::find(sites_.begin(), sites_.end(), step.site);
      if (!always_runs(analysis_.plan, step))
        out.emplace(step.site, assignment[static_cast<std::size_t>(site - sites_.begin())]);
    }
    return {out.begin(), out.end()};
  }

  /// Forbids each pair of alternatives that differs from the first assignment at both of its sites, because such pairs
  /// were not examined.
  void forbid_pairs() {
    const auto& sites = analysis_.plan.sites;
    for (std::size_t a = 0; a < sites_.size(); ++a)
      for (std::size_t b = a + 1; b < sites_.size(); ++b)
        for (std::size_t i = 1; i < sites[sites_[a]].alternatives.size(); ++i)
          for (std::size_t k = 1; k < sites[sites_[b]].alternatives.size(); ++k)
            forbidden_.push_back({{sites_[a], i}, {sites_[b], k}});
    analysis_.diags.emit(DiagKind::ManyAssignments, analysis_.transform.span)
        .arg(analysis_.transform.name)
        .arg(std::to_string(kMaxAssignments));
  }

  std::string matrices_text(const Step& step) const {
    std::vector<std::string> names;
    for (const SegmentId id : step.segments) {
      const std::string& name = analysis_.matrix(analysis_.plan.segments[id].matrix).name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
    return out;
  }

  /// Steps of first_illegal_ in a circle: each needs the one after it.
  std::vector<StepId> circle() const {
    std::vector<StepId> path{first_illegal_.front()};
    for (;;) {
      const auto before = std::find_if(first_illegal_.begin(), first_illegal_.end(),
                                       [&](StepId id) { return is_edge(id, path.back()); });
      const auto seen = std::find(path.begin(), path.end(), *before);
      if (seen != path.end()) return {seen, path.end()};
      path.push_back(*before);
    }
  }

  void report_cycle() {
    analysis_.ok = false;
    const std::vector<StepId> path = circle();
    const auto rule_of = [&](StepId id) -> const Rule& { return analysis_.rule(analysis_.plan.steps[id].rule); };
    const auto quoted = [&](StepId id) { return "rule `" + rule_of(id).name + "`"; };
    struct Note {
      Span place;
      std::string text;
    };
    std::vector<Note> notes;
    std::string text;
    for (std::size_t i = path.size(); i-- > 0;) {
      const StepId maker = path[i];
      const StepId user = path[(i + path.size() - 1) % path.size()];
      const bool is_read = reads_from(analysis_, user, maker);
      const std::string parts = matrices_text(analysis_.plan.steps[is_read ? maker : user]);
      text += quoted(maker) + " -> " + parts + " -> ";
      notes.push_back({rule_of(user).span, quoted(user) + (is_read ? " needs" : " overwrites") + " a part of " + parts +
                                               " that " + quoted(maker) + (is_read ? " makes" : " writes")});
    }
    auto builder =
        analysis_.diags.emit(DiagKind::NoLegalOrder, rule_of(path.back()).span).arg(text + quoted(path.back()));
    for (const Note& note : notes) builder.note(note.place, note.text);
    builder.hint("an order exists if all reads on the cycle point backwards, or all forwards, along one dimension");
  }

  Analysis& analysis_;
  std::vector<StepId> steps_;
  std::vector<SiteId> sites_;
  bool is_limited_ = false;
  std::map<std::vector<StepId>, std::optional<Nest>> nests_;
  std::set<std::vector<StepId>> used_nests_;
  std::vector<ForbiddenChoice> forbidden_;
  std::vector<StepId> first_illegal_;
};

}  // namespace

void leave_order_to_nests(TransformPlan& plan) {
  std::set<StepId> steps;
  for (const Nest& nest : plan.nests) {
    if (!always_runs(plan, nest)) continue;
    for (const NestMember& member : nest.members) {
      steps.insert(member.step);
      Step& step = plan.steps[member.step];
      for (LoopDim& loop : step.loops) loop.order = LoopOrder::Nested;
      step.is_data_parallel = false;
    }
  }
  std::erase_if(plan.nests, [&](const Nest& nest) {
    return nest.members.size() == 1 && steps.contains(nest.members.front().step);
  });
}

void find_legal_choices(Analysis& analysis) {
  const std::vector<StepId> ids = analysis.plan.steps.ids();
  const std::set<StepEdge> edges(analysis.plan.edges.begin(), analysis.plan.edges.end());
  const auto edge = [&](std::size_t a, std::size_t b) { return edges.contains({ids[a], ids[b]}); };
  for (const std::vector<std::size_t>& part : connected_parts(ids.size(), edge)) {
    if (part.size() < 2) continue;
    std::vector<StepId> steps;
    for (const std::size_t i : part) steps.push_back(ids[i]);
    Component(analysis, std::move(steps)).examine();
  }
  leave_order_to_nests(analysis.plan);
}
}  // namespace pb::choices
