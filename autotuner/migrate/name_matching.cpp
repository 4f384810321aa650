// SPDX-License-Identifier: MIT
#include "autotuner/migrate/name_matching.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "autotuner/space/tuning_targets.h"
#include "runtime/config/errors.h"
#include "runtime/config/nearest_word.h"

namespace pbtune {
namespace {

using pbrt::TransformInfo;
using pbrt::TunableRole;
using Words = std::vector<std::string>;

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void add_new(Words& words, const std::string& word) {
  if (!has(words, word)) words.push_back(word);
}

/// `T` and `<3,1>` of an instance `T<3,1>`.
std::pair<std::string, std::string> template_and_arguments(const std::string& name) {
  const std::size_t open = name.find('<');
  return open == std::string::npos ? std::pair(name, std::string())
                                   : std::pair(name.substr(0, open), name.substr(open));
}

template <class Transform>
Words part_names(const Transform& transform) {
  Words out;
  for (const auto& site : transform.sites)
    for (const std::string& part : parts_of(site)) add_new(out, part);
  return out;
}

template <class Transform>
Words rule_names(const Transform& transform) {
  Words out;
  for (const std::string& part : part_names(transform))
    for (const std::string& rule : rules_of_part(part)) add_new(out, rule);
  return out;
}

Words value_names(const WrittenTransform& transform) {
  Words out;
  for (const WrittenValue& value : transform.values) out.push_back(value.name);
  return out;
}

Words value_names(const TransformInfo& transform) {
  Words out;
  for (const pbrt::TunableInfo& tunable : transform.tunables) out.push_back(tunable.name);
  return out;
}

/// `A.x=y`: transform, item (empty: the transform itself) and new name.
struct Said {
  std::string text, transform, item, to;
};

Said parse_said(const std::string& text) {
  const std::size_t equals = text.find('=');
  Said out;
  out.text = text;
  const std::string from = text.substr(0, equals);
  const std::size_t dot = from.find('.');
  out.transform = from.substr(0, dot);
  if (dot != std::string::npos) out.item = from.substr(dot + 1);
  if (equals != std::string::npos) out.to = text.substr(equals + 1);
  // The transform may be said again: A.x=A.y, or A.x=B.y.
  if (const std::size_t dot_to = out.to.find('.'); !out.item.empty() && dot_to != std::string::npos)
    out.to = out.to.substr(dot_to + 1);
  const bool has_empty = out.transform.empty() || out.to.empty() || (dot != std::string::npos && out.item.empty());
  if (has_empty) throw pbrt::UserError("--rename " + text + ": expected OLD=NEW or TRANSFORM.OLD=NEW");
  return out;
}

[[noreturn]] void fail_said(const Said& said, const std::string& who, const std::string& word, const Words& known) {
  const std::string nearest = pbrt::nearest_word(word, known);
  throw pbrt::UserError("--rename " + said.text + ": " + who + " has no `" + word + "`" +
                        (nearest.empty() ? "" : "; did you mean `" + nearest + "`?"));
}

class Matcher {
 public:
  Matcher(const WrittenConfiguration& before, const pbrt::TrainingInfo& info) : before_(before), info_(info) {}

  Names run(const Words& texts, bool may_guess) {
    std::vector<Said> said;
    for (const std::string& text : texts) said.push_back(parse_said(text));
    for (const Said& each : said) check_transform(each);
    for (const WrittenTransform& transform : before_.transforms) pair_by_name(transform, said);
    if (may_guess) guess_transforms();
    for (const Said& each : said)
      if (!each.item.empty()) take_item(each);
    if (!may_guess) return std::move(out_);
    for (TransformNames& names : out_.transforms) {
      guess_rules(names);
      guess_value(names);
    }
    return std::move(out_);
  }

 private:
  void check_transform(const Said& said) const {
    Words known, now;
    for (const WrittenTransform& transform : before_.transforms)
      add_new(known, template_and_arguments(transform.name).first);
    for (const TransformInfo& transform : info_.transforms) add_new(now, template_and_arguments(transform.name).first);
    const std::string name = template_and_arguments(said.transform).first;
    if (!has(known, name)) fail_said(said, "the configuration", name, known);
    const std::string to = template_and_arguments(said.to).first;
    if (said.item.empty() && !has(now, to)) fail_said(said, "the program", to, now);
  }

  /// Pairs what has equal names; what the user said goes first.
  void pair_by_name(const WrittenTransform& transform, const std::vector<Said>& said) {
    std::string name = transform.name;
    const auto [base, arguments] = template_and_arguments(name);
    for (const Said& each : said) {
      if (!each.item.empty()) continue;
      if (each.transform == transform.name) name = each.to;
      if (each.transform == base && find_transform(info_, each.to + arguments) != nullptr) name = each.to + arguments;
    }
    const TransformInfo* now = find_transform(info_, name);
    if (now != nullptr) out_.transforms.push_back({&transform, now, {}, {}});
  }

  [[nodiscard]] bool is_paired(const WrittenTransform& transform) const {
    return std::any_of(out_.transforms.begin(), out_.transforms.end(),
                       [&](const auto& names) { return names.before == &transform; });
  }
  [[nodiscard]] bool is_paired(const TransformInfo& transform) const {
    return std::any_of(out_.transforms.begin(), out_.transforms.end(),
                       [&](const auto& names) { return names.now == &transform; });
  }

  template <class Transform>
  static Words all_names(const Transform& transform) {
    Words out = rule_names(transform);
    const Words values = value_names(transform);
    out.insert(out.end(), values.begin(), values.end());
    return out;
  }

  /// The share of the names of `before` that `now` has.
  static double likeness(const WrittenTransform& before, const TransformInfo& now) {
    const Words all = all_names(before), own = all_names(now);
    const auto num_common =
        std::count_if(all.begin(), all.end(), [&](const std::string& name) { return has(own, name); });
    return all.empty() ? 0 : static_cast<double>(num_common) / static_cast<double>(all.size());
  }

  /// Pairs a transform that is gone with a new one if half of its names are there, and no other pair agrees as well.
  void guess_transforms() {
    constexpr double kLeast = 0.5;
    struct Pair {
      const WrittenTransform* before;
      const TransformInfo* now;
      double likeness;
    };
    std::vector<Pair> pairs;
    for (const WrittenTransform& before : before_.transforms)
      for (const TransformInfo& now : info_.transforms) {
        const bool is_open = !is_paired(before) && !is_paired(now) &&
                             template_and_arguments(before.name).second == template_and_arguments(now.name).second;
        const double found = is_open ? likeness(before, now) : 0;
        if (found >= kLeast) pairs.push_back({&before, &now, found});
      }
    for (const Pair& pair : pairs) {
      const bool is_only = std::none_of(pairs.begin(), pairs.end(), [&](const Pair& other) {
        return (other.before == pair.before) != (other.now == pair.now) && other.likeness >= pair.likeness;
      });
      if (!is_only) continue;
      out_.transforms.push_back({pair.before, pair.now, {}, {}});
      out_.guesses.push_back(pair.before->name + " -> " + pair.now->name);
    }
  }

  void take_item(const Said& said) {
    Words known, now;
    bool is_done = false;
    for (TransformNames& names : out_.transforms) {
      const std::string& name = names.before->name;
      if (name != said.transform && template_and_arguments(name).first != said.transform) continue;
      const Words before = all_names(*names.before), after = all_names(*names.now);
      known.insert(known.end(), before.begin(), before.end());
      now.insert(now.end(), after.begin(), after.end());
      if (!has(before, said.item) || !has(after, said.to)) continue;
      (has(rule_names(*names.before), said.item) ? names.rules : names.values)[said.item] = said.to;
      is_done = true;
    }
    if (is_done) return;
    if (known.empty())
      throw pbrt::UserError("--rename " + said.text + ": the program has no transform `" + said.transform +
                            "`; --rename " + said.transform + "=NEW says what it is called now");
    if (!has(known, said.item)) fail_said(said, "`" + said.transform + "` of the configuration", said.item, known);
    fail_said(said, "the program's transform", said.to, now);
  }

  /// Pairs renamed rules. Rules of a site have an order: a site that is gone and a new one of as many rules are one if
  /// they differ in rules that are gone and rules that are new, and if no other new site can be meant.
  void guess_rules(TransformNames& names) {
    const Words rules = rule_names(*names.before), rules_now = rule_names(*names.now);
    const Words parts_now = part_names(*names.now);
    for (const std::string& part : part_names(*names.before)) {
      if (has(parts_now, names.part_now(part))) continue;
      std::optional<Words> found;
      bool is_only = true;
      for (const std::string& candidate : parts_now) {
        const Words before = rules_of_part(part), now = rules_of_part(candidate);
        if (is_taken(names, candidate) || before.size() != now.size()) continue;
        bool is_possible = true;
        for (std::size_t i = 0; i < before.size(); ++i)
          is_possible = is_possible && (names.rule_now(before[i]) == now[i] ||
                                        (!has(rules_now, names.rule_now(before[i])) && !has(rules, now[i])));
        if (!is_possible) continue;
        is_only = is_only && !found;
        found = now;
      }
      if (found && is_only) take_rules(names, rules_of_part(part), *found);
    }
  }

  /// Whether another site of the old program has this name.
  static bool is_taken(const TransformNames& names, const std::string& part) {
    const Words parts = part_names(*names.before);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const std::string& other) { return names.part_now(other) == part; });
  }

  void take_rules(TransformNames& names, const Words& before, const Words& now) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (names.rule_now(before[i]) == now[i]) continue;
      names.rules[before[i]] = now[i];
      out_.guesses.push_back(names.before->name + "." + before[i] + " -> " + names.now->name + "." + now[i]);
    }
  }

  /// Pairs renamed values, of the program's own only: the compiler's have names that follow from the rules.
  void guess_value(TransformNames& names) {
    const Words known = value_names(*names.before), known_now = value_names(*names.now);
    Words gone, added;
    for (const std::string& name : known)
      if (name.find('.') == std::string::npos && !has(known_now, names.value_now(name))) gone.push_back(name);
    for (const pbrt::TunableInfo& tunable : names.now->tunables) {
      const bool is_own = tunable.role == TunableRole::User || tunable.role == TunableRole::Accuracy ||
                          tunable.role == TunableRole::Config;
      const bool is_meant = std::any_of(names.values.begin(), names.values.end(),
                                        [&](const auto& pair) { return pair.second == tunable.name; });
      if (is_own && !is_meant && tunable.name.find('.') == std::string::npos && !has(known, tunable.name))
        added.push_back(tunable.name);
    }
    if (gone.size() != 1 || added.size() != 1) return;
    names.values[gone[0]] = added[0];
    out_.guesses.push_back(names.before->name + "." + gone[0] + " -> " + names.now->name + "." + added[0]);
  }

  const WrittenConfiguration& before_;
  const pbrt::TrainingInfo& info_;
  Names out_;
};

}  // namespace

std::vector<std::string> rules_of_part(const std::string& part) {
  Words out;
  for (std::size_t begin = 0; begin <= part.size();) {
    const std::size_t end = std::min(part.find('|', begin), part.size());
    out.push_back(part.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::vector<std::string> parts_of(const pbrt::SiteInfo& site) {
  Words out;
  if (!site.alternatives.empty())
    for (const auto& [part, rule] : site.alternatives[0].parts) out.push_back(part);
  return out.empty() ? Words{site.name} : out;
}

std::vector<std::string> parts_of(const WrittenSite& site) {
  Words out;
  for (const WrittenLevel& level : site.levels)
    for (const auto& [part, rule] : level.rules) add_new(out, part);
  return out;
}

std::string TransformNames::rule_now(const std::string& rule) const {
  const auto found = rules.find(rule);
  return found == rules.end() ? rule : found->second;
}

std::string TransformNames::part_now(const std::string& part) const {
  Words out;
  for (const std::string& rule : rules_of_part(part)) out.push_back(rule_now(rule));
  return fmt::format("{}", fmt::join(out, "|"));
}

std::string TransformNames::value_now(const std::string& value) const {
  if (const auto found = values.find(value); found != values.end()) return found->second;
  const std::size_t dot = value.find('.');
  return dot == std::string::npos ? value : rule_now(value.substr(0, dot)) + value.substr(dot);
}

Names match_names(const WrittenConfiguration& before, const pbrt::TrainingInfo& info,
                  const std::vector<std::string>& said, bool may_guess) {
  return Matcher(before, info).run(said, may_guess);
}

}  // namespace pbtune
