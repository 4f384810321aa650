// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/endless_rules.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "choicegraph/passes/analysis/connected_parts.h"
#include "lang/certain_calls.h"

namespace pb::choices {
namespace {

/// Whether the rule runs in every call: one instance that makes whole matrices, of whatever size.
bool is_certain(const Rule& rule) {
  const auto is_whole = [](const RegionAccess& a) { return a.kind == AccessKind::All || a.lo.empty(); };
  return rule.vars.empty() && !rule.is_dynamic && rule.where.empty() && rule.where_any.empty() &&
         std::all_of(rule.outputs.begin(), rule.outputs.end(), is_whole);
}

class Recursions {
 public:
  Recursions(const Program& program, const Plan& plan)
      : plan_(plan), avoided_(plan.transforms.size()), rank_(plan.transforms.size()) {
    for (const TransformPlan& transform : plan.transforms) {
      std::vector<std::vector<TransformId>>& calls = calls_.emplace_back();
      for (const Rule& rule : program.transforms[transform.transform].rules)
        calls.push_back(is_certain(rule) ? certain_calls(rule) : std::vector<TransformId>{});
    }
    find_ranks();
  }

  std::vector<std::set<RuleId>> find() {
    while (avoid_one()) {
    }
    return std::move(avoided_);
  }

 private:
  const std::vector<TransformId>& calls_of(std::size_t t, RuleId rule) const { return calls_[t][rule.index()]; }

  /// Visits the sites of transform `t` that decide something at large sizes.
  template <class Visit>
  void for_each_site(std::size_t t, Visit visit) const {
    const TransformPlan& plan = plan_.transforms[t];
    for (const Site& site : plan.sites) {
      const auto is_large = [&](SegmentId id) { return !plan.segments[id].only_small_sizes; };
      if (std::any_of(site.segments.begin(), site.segments.end(), is_large)) visit(site);
    }
  }

  bool ends_before(std::size_t t, const Alternative& alternative, std::size_t round) const {
    return std::all_of(alternative.rules.begin(), alternative.rules.end(), [&](RuleId rule) {
      const auto& calls = calls_of(t, rule);
      return std::all_of(calls.begin(), calls.end(),
                         [&](TransformId callee) { return rank_[callee.index()].value_or(round) < round; });
    });
  }

  /// Finds for each transform the smallest number of nested calls after which it may end.
  void find_ranks() {
    bool has_new = true;
    for (std::size_t round = 0; has_new; ++round) {
      has_new = false;
      for (std::size_t t = 0; t < rank_.size(); ++t) {
        if (rank_[t]) continue;
        bool may_end = true;
        for_each_site(t, [&](const Site& site) {
          may_end = may_end && std::any_of(site.alternatives.begin(), site.alternatives.end(),
                                           [&](const Alternative& a) { return ends_before(t, a, round); });
        });
        if (!may_end) continue;
        rank_[t] = round;
        has_new = true;
      }
    }
  }

  /// The alternative that is the default after the decisions so far.
  const Alternative& chosen(std::size_t t, const Site& site) const {
    for (const Alternative& a : site.alternatives)
      if (std::none_of(a.rules.begin(), a.rules.end(), [&](RuleId r) { return avoided_[t].contains(r); })) return a;
    return site.alternatives.front();
  }

  /// The calls between transforms under the defaults, as pairs of caller and callee.
  std::set<std::pair<std::size_t, std::size_t>> call_edges() const {
    std::set<std::pair<std::size_t, std::size_t>> out;
    for (std::size_t t = 0; t < rank_.size(); ++t)
      for_each_site(t, [&](const Site& site) {
        for (const RuleId rule : chosen(t, site).rules)
          for (const TransformId callee : calls_of(t, rule)) out.emplace(t, callee.index());
      });
    return out;
  }

  /// Breaks one cycle of calls at the transform that ends soonest. Returns false if no cycle is left, or if none can be
  /// broken.
  bool avoid_one() {
    const auto edges = call_edges();
    const auto edge = [&](std::size_t a, std::size_t b) { return edges.contains({a, b}); };
    for (const std::vector<std::size_t>& part : connected_parts(rank_.size(), edge)) {
      if (part.size() == 1 && !edge(part.front(), part.front())) continue;
      const auto first = std::min_element(part.begin(), part.end(), [&](std::size_t a, std::size_t b) {
        return rank_[a].value_or(SIZE_MAX) < rank_[b].value_or(SIZE_MAX);
      });
      if (rank_[*first] && avoid_at(*first, part)) return true;
    }
    return false;
  }

  bool avoid_at(std::size_t t, const std::vector<std::size_t>& part) {
    bool has_changed = false;
    for_each_site(t, [&](const Site& site) {
      for (const Alternative& alternative : site.alternatives) {
        if (ends_before(t, alternative, *rank_[t])) continue;
        for (const RuleId rule : alternative.rules) {
          const auto& calls = calls_of(t, rule);
          const bool is_endless = std::any_of(calls.begin(), calls.end(), [&](TransformId callee) {
            return std::find(part.begin(), part.end(), callee.index()) != part.end();
          });
          if (is_endless) has_changed = avoided_[t].insert(rule).second || has_changed;
        }
      }
    });
    return has_changed;
  }

  const Plan& plan_;
  std::vector<std::vector<std::vector<TransformId>>> calls_;  ///< the callees of each rule of each transform
  std::vector<std::set<RuleId>> avoided_;
  std::vector<std::optional<std::size_t>> rank_;  ///< none: it never ends
};

}  // namespace

std::vector<std::set<RuleId>> endless_rules(const Program& program, const Plan& plan) {
  return Recursions(program, plan).find();
}

}  // namespace pb::choices
