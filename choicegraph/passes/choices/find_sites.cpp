// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/find_sites.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace pb::choices {
namespace {

constexpr std::size_t kMaxCovers = 256;  ///< limit for one site; each cover may bring a step of its own
constexpr std::size_t kMaxStepsToNearest = 10000;

struct Part {
  std::vector<RuleId> rules;
  std::vector<SegmentId> segments;
};

/// `rule` is chosen for all of these parts or for none of them.
struct Tie {
  RuleId rule;
  std::vector<std::size_t> parts;
};

std::size_t part_of(std::vector<Part>& parts, const std::vector<RuleId>& rules) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.rules == rules; });
  if (found != parts.end()) return static_cast<std::size_t>(found - parts.begin());
  parts.push_back({rules, {}});
  return parts.size() - 1;
}

/// Makes the parts, and notes in each segment's `part` which one it belongs to.
std::vector<Part> make_parts(Analysis& analysis) {
  std::vector<Part> out;
  // Parts that are decisions come first, so that no segment which exists only at small sizes stands between them.
  for (const bool small : {false, true}) {
    for (const SegmentId id : analysis.plan.segments.ids()) {
      Segment& segment = analysis.plan.segments[id];
      if (segment.only_small_sizes != small) continue;
      segment.part = part_of(out, small ? std::vector<RuleId>{segment.candidates.front()} : segment.candidates);
      out[segment.part].segments.push_back(id);
    }
  }
  return out;
}

/// Parts in disjoint groups.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  [[nodiscard]] std::size_t find(std::size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  /// Joins the groups of `a` and `b`; the smaller number stands for both.
  void unite(std::size_t a, std::size_t b) {
    const std::size_t low = std::min(find(a), find(b));
    parent_[std::max(find(a), find(b))] = low;
  }

 private:
  std::vector<std::size_t> parent_;
};

/// The different parts whose segments the instances of `found` write.
std::vector<std::size_t> parts_written(const Analysis& analysis, const InstanceClass& found) {
  std::vector<std::size_t> out;
  for (const SegmentId id : found.segments) out.push_back(analysis.plan.segments[id].part);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool is_forced(const Part& part) { return part.rules.size() == 1; }

/// For each part that is a choice: the candidates whose instances also write a part with no other candidate.
std::vector<std::set<RuleId>> forced_rules(const Analysis& analysis, const std::vector<Part>& parts) {
  std::vector<std::set<RuleId>> out(parts.size());
  for (const InstanceClass& found : analysis.classes) {
    const std::vector<std::size_t> written = parts_written(analysis, found);
    if (std::none_of(written.begin(), written.end(), [&](std::size_t part) { return is_forced(parts[part]); }))
      continue;
    for (const std::size_t part : written)
      if (!is_forced(parts[part])) out[part].insert(found.rule);
  }
  return out;
}

/// Unites parts that one decision must cover, and lists the ties within them.
std::vector<Tie> tie_parts(const Analysis& analysis, const std::vector<Part>& parts, Groups& groups) {
  std::vector<Tie> ties;
  const std::vector<std::set<RuleId>> forced = forced_rules(analysis, parts);
  for (const InstanceClass& found : analysis.classes) {
    const std::vector<std::size_t> written = parts_written(analysis, found);
    if (written.size() < 2) continue;
    const bool is_tie =
        analysis.rule(found.rule).outputs.size() > 1 && analysis.exists_for_large_sizes(found.instances);
    // If the rule is the only candidate of some part, its instances always run, and the owners of the other parts
    // overwrite what it makes there. An owner that always runs overwrites it as well; it runs after the rule or before
    // it, as the choice says.
    const bool runs_anyway =
        std::any_of(written.begin(), written.end(), [&](std::size_t part) { return is_forced(parts[part]); });
    const bool is_alone =
        std::all_of(written.begin(), written.end(), [&](std::size_t part) { return forced[part].size() < 2; });
    if (!is_tie && runs_anyway && is_alone) continue;
    for (const std::size_t part : written) groups.unite(written.front(), part);
    if (is_tie) ties.push_back({found.rule, written});
  }
  return ties;
}

/// The assignments of a rule to each part of one group, in the order in which the last part changes fastest. If there
/// are too many, the first without avoided rules and the nearest to it for each other rule of each part.
class Covers {
 public:
  Covers(const std::vector<Part>& parts, const std::vector<std::size_t>& members, const std::vector<Tie>& ties,
         const std::set<RuleId>& avoided)
      : avoided_(avoided) {
    std::map<std::size_t, std::size_t> position;
    for (std::size_t i = 0; i < members.size(); ++i) {
      position[members[i]] = i;
      rules_.push_back(parts[members[i]].rules);
    }
    for (const Tie& tie : ties) {
      if (!position.contains(tie.parts.front())) continue;
      Tie own{tie.rule, {}};
      for (const std::size_t part : tie.parts) own.parts.push_back(position.at(part));
      ties_.push_back(std::move(own));
    }
  }

  std::vector<std::vector<RuleId>> find() {
    extend(rules_, kMaxCovers + 1);
    is_limited_ = found_.size() > kMaxCovers;
    return is_limited_ ? changes_of_one() : std::move(found_);
  }
  [[nodiscard]] bool is_limited() const { return is_limited_; }

 private:
  /// False if some rule is chosen for one part that it is tied to and not for another.
  [[nodiscard]] bool is_consistent() const {
    return std::all_of(ties_.begin(), ties_.end(), [&](const Tie& tie) {
      bool is_taken = false;
      bool is_refused = false;
      for (const std::size_t at : tie.parts)
        if (at < chosen_.size()) (chosen_[at] == tie.rule ? is_taken : is_refused) = true;
      return !is_taken || !is_refused;
    });
  }

  /// Adds to found_, until it has `max_found`, the covers that take the rules of each part from `rules`, in its order.
  void extend(const std::vector<std::vector<RuleId>>& rules, std::size_t max_found) {
    if (found_.size() >= max_found || steps_left_ == 0 || !is_consistent()) return;
    --steps_left_;
    if (chosen_.size() == rules.size()) {
      found_.push_back(chosen_);
      return;
    }
    for (const RuleId rule : rules[chosen_.size()]) {
      chosen_.push_back(rule);
      extend(rules, max_found);
      chosen_.pop_back();
    }
  }

  /// Finds one cover of those that take the rules of each part from `rules`. Ties to early parts may make it give up;
  /// from these parts the cover is found at once.
  bool find_first(const std::vector<std::vector<RuleId>>& rules) {
    found_.clear();
    steps_left_ = kMaxStepsToNearest;
    extend(rules, 1);
    return !found_.empty();
  }

  std::vector<std::vector<RuleId>> changes_of_one() {
    std::vector<std::vector<RuleId>> nearest = rules_;
    for (std::vector<RuleId>& rules : nearest)
      std::stable_partition(rules.begin(), rules.end(), [&](RuleId rule) { return !avoided_.contains(rule); });
    std::vector<RuleId> one = found_.front();
    if (find_first(nearest)) one = found_.front();
    for (std::size_t i = 0; i < one.size(); ++i)
      std::stable_partition(nearest[i].begin(), nearest[i].end(), [&](RuleId rule) { return rule == one[i]; });
    std::vector<std::vector<RuleId>> out{one};
    for (std::size_t i = 0; i < one.size(); ++i) {
      for (const RuleId rule : rules_[i]) {
        std::vector<std::vector<RuleId>> changed = nearest;
        changed[i] = {rule};
        if (find_first(changed) && std::find(out.begin(), out.end(), found_.front()) == out.end())
          out.push_back(found_.front());
      }
    }
    return out;
  }

  const std::set<RuleId>& avoided_;
  std::vector<std::vector<RuleId>> rules_;  ///< by position in the group
  std::vector<Tie> ties_;                   ///< over positions in the group
  std::vector<RuleId> chosen_;
  std::vector<std::vector<RuleId>> found_;
  std::size_t steps_left_ = std::numeric_limits<std::size_t>::max();
  bool is_limited_ = false;
};

std::string joined_names(const Analysis& analysis, const std::vector<RuleId>& rules, const char* separator) {
  std::string out;
  for (const RuleId rule : rules) out += (out.empty() ? "" : separator) + analysis.rule(rule).name;
  return out;
}

/// The rules that name a part: those that the program has, so that configurations name a site as before.
std::vector<RuleId> rules_of_name(const Analysis& analysis, const Part& part) {
  std::vector<RuleId> out = part.rules;
  std::erase_if(out, [&](RuleId rule) { return analysis.rule(rule).is_spliced; });
  return out;
}

void report_no_cover(Analysis& analysis, const Site& site, const std::vector<Tie>& ties,
                     const std::vector<std::size_t>& members) {
  std::vector<std::string> matrices;
  for (const SegmentId id : site.segments) {
    const std::string name = "`" + analysis.matrix(analysis.plan.segments[id].matrix).name + "`";
    if (std::find(matrices.begin(), matrices.end(), name) == matrices.end()) matrices.push_back(name);
  }
  std::string text;
  for (const std::string& name : matrices) text += (text.empty() ? "" : ", ") + name;
  const MatrixId first = analysis.plan.segments[site.segments.front()].matrix;
  auto builder = analysis.diags.emit(DiagKind::NoConsistentChoice, analysis.matrix(first).span);
  builder.arg(text);
  for (const Tie& tie : ties) {
    if (std::find(members.begin(), members.end(), tie.parts.front()) == members.end()) continue;
    builder.note(analysis.rule(tie.rule).span, "rule `" + analysis.rule(tie.rule).name + "` writes several of them");
  }
  analysis.ok = false;
}

void add_site(Analysis& analysis, const std::vector<Part>& parts, const std::vector<std::size_t>& members,
              const std::vector<Tie>& ties) {
  const SiteId id(analysis.plan.sites.size());
  Site site;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Part& part = parts[members[i]];
    site.parts.push_back(joined_names(analysis, rules_of_name(analysis, part), "|"));
    site.name += (site.name.empty() ? "" : "&") + site.parts.back();
    for (const SegmentId segment : part.segments) {
      analysis.plan.segments[segment].site = id;
      analysis.plan.segments[segment].part = i;
      site.segments.push_back(segment);
    }
  }
  Covers covers(parts, members, ties, analysis.avoided);
  for (std::vector<RuleId>& cover : covers.find()) {
    Alternative alternative;
    alternative.name = joined_names(analysis, cover, "&");
    alternative.rules = std::move(cover);
    alternative.versions = {Version::Cpu};
    site.alternatives.push_back(std::move(alternative));
  }
  if (covers.is_limited())
    analysis.diags.emit(DiagKind::ManyAssignments, analysis.transform.span)
        .arg(analysis.transform.name)
        .arg(std::to_string(kMaxCovers));
  const auto is_fine = [&](const Alternative& alternative) {
    return std::none_of(alternative.rules.begin(), alternative.rules.end(),
                        [&](RuleId rule) { return analysis.avoided.contains(rule); });
  };
  const auto standard = std::find_if(site.alternatives.begin(), site.alternatives.end(), is_fine);
  if (standard != site.alternatives.end()) std::rotate(site.alternatives.begin(), standard, standard + 1);
  if (site.alternatives.empty()) report_no_cover(analysis, site, ties, members);
  analysis.plan.sites.add(std::move(site));
}

}  // namespace

void find_sites(Analysis& analysis) {
  const std::vector<Part> parts = make_parts(analysis);
  Groups groups(parts.size());
  const std::vector<Tie> ties = tie_parts(analysis, parts, groups);
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < parts.size(); ++i) members[groups.find(i)].push_back(i);
  for (const auto& [first, group] : members) add_site(analysis, parts, group, ties);
}

// Note [Merged sites]
// A rule with several outputs is chosen for all segments of its instances or for none. So their parts are one decision,
// of which only the consistent assignments remain. A rule with one wide output may be chosen for some of the segments
// that its instances write: it runs first, and the owners of the others overwrite them. Such parts are one decision,
// too, with one exception: if the rule is the only candidate of one of them, its instances always run, and the other
// parts stay decisions of their own. If instances of several candidates always run, the choice decides which of them
// come last; steps of their own say this for each alternative, and all these parts are one decision. Instances that
// write several parts at small sizes only tie nothing, but the parts are decided together.

}  // namespace pb::choices
