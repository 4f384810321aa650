// SPDX-License-Identifier: MIT
#include "autotuner/space/tuning_targets.h"

#include <algorithm>

#include "base/reaches_itself.h"

namespace pbtune {

const pbrt::TransformInfo* find_transform(const pbrt::TrainingInfo& info, const std::string& name) {
  for (const pbrt::TransformInfo& transform : info.transforms)
    if (transform.name == name) return &transform;
  return nullptr;
}

namespace {

void reach(const pbrt::TrainingInfo& info, const std::string& name, std::set<std::string>& reached) {
  const pbrt::TransformInfo* transform = find_transform(info, name);
  if (transform == nullptr || !reached.insert(name).second) return;
  for (const std::string& callee : transform->calls) reach(info, callee, reached);
}

Target target_at(const pbrt::TrainingInfo& info, const pbrt::TransformInfo& transform) {
  Target out{transform.name, transform.accuracy, {}};
  reach(info, transform.name, out.reached);
  return out;
}

/// Sorts targets, the most demanding one first.
void sort_by_demand(std::vector<Target>::iterator begin, std::vector<Target>::iterator end) {
  std::stable_sort(begin, end, [](const Target& a, const Target& b) {
    return a.accuracy.higher_is_better ? a.accuracy.target > b.accuracy.target : a.accuracy.target < b.accuracy.target;
  });
}

/// Adds the instances for bins that `transform` calls, directly or through transforms without bins; those of one
/// template stand together. What they call themselves is judged by their metric.
void add_called_bins(const pbrt::TrainingInfo& info, const pbrt::TransformInfo& transform, std::set<std::string>& seen,
                     std::vector<Target>& out) {
  for (const std::string& name : transform.calls) {
    const pbrt::TransformInfo* callee = find_transform(info, name);
    if (callee == nullptr || !seen.insert(name).second) continue;
    if (!callee->accuracy.has_target) {
      add_called_bins(info, *callee, seen, out);
      continue;
    }
    const auto is_sibling = [&](const Target& target) {
      return find_transform(info, target.transform)->template_name == callee->template_name;
    };
    const auto first = std::find_if(out.begin(), out.end(), is_sibling) - out.begin();
    auto end = std::find_if_not(out.begin() + first, out.end(), is_sibling);
    end = out.insert(end, target_at(info, *callee));
    sort_by_demand(out.begin() + first, end + 1);
  }
}

}  // namespace

std::vector<Target> targets_of(const pbrt::TrainingInfo& info) {
  const pbrt::TransformInfo* main = find_transform(info, info.main);
  if (main == nullptr) return {{info.main, {}, {}}};
  std::vector<Target> out;
  if (!main->accuracy.has_target) {
    std::set<std::string> seen;
    add_called_bins(info, *main, seen, out);
    out.push_back(target_at(info, *main));
    return out;
  }
  for (const pbrt::TransformInfo& transform : info.transforms)
    if (transform.template_name == main->template_name) out.push_back(target_at(info, transform));
  sort_by_demand(out.begin(), out.end());
  return out;
}

bool has_bins(const std::vector<Target>& targets) { return targets[0].accuracy.has_target; }

bool is_main_of_bins(const std::vector<Target>& targets, std::size_t i) {
  return has_bins(targets) && !targets[i].accuracy.has_target;
}

bool is_called_by_main(const std::vector<Target>& targets, std::size_t i) {
  return targets[i].accuracy.has_target && !targets.back().accuracy.has_target;
}

bool calls_itself(const pbrt::TrainingInfo& info, const std::string& name) {
  return pb::reaches_itself(name, [&](const std::string& caller) {
    const pbrt::TransformInfo* transform = find_transform(info, caller);
    return transform == nullptr ? std::vector<std::string>{} : transform->calls;
  });
}

bool is_recursive(const pbrt::TrainingInfo& info) {
  std::set<std::string> reached;
  reach(info, info.main, reached);
  return std::any_of(reached.begin(), reached.end(), [&](const std::string& name) { return calls_itself(info, name); });
}

std::set<std::string> transforms_tuned_with(const std::vector<Target>& targets, std::size_t i) {
  std::set<std::string> out = targets[i].reached;
  for (std::size_t k = 0; k < i; ++k)
    for (const std::string& name : targets[k].reached) out.erase(name);
  out.insert(targets[i].transform);
  return out;
}

bool is_different_for(const Target& target, const InfoIndex& index, const Configuration& a, const Configuration& b) {
  for (int id = 0; id < index.num_sites(); ++id) {
    const auto at = static_cast<std::size_t>(id);
    if (target.reached.contains(index.site(id).transform->name) && a.sites[at] != b.sites[at]) return true;
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const auto at = static_cast<std::size_t>(id);
    const pbrt::TransformInfo* transform = index.tunable(id).transform;
    const bool is_used = transform == nullptr || target.reached.contains(transform->name);
    if (is_used && a.tunables[at] != b.tunables[at]) return true;
  }
  return false;
}

void copy_values(const InfoIndex& index, const std::string& from, const std::string& to, Configuration& configuration) {
  for (int id = 0; id < index.num_sites(); ++id) {
    if (index.site(id).transform->name != to) continue;
    const int source = index.find_site(from, index.site(id).site->name);
    // Instances of one template may differ in their rules: only what is the same can be copied.
    if (source >= 0 && *index.site(source).site == *index.site(id).site)
      configuration.sites[static_cast<std::size_t>(id)] = configuration.sites[static_cast<std::size_t>(source)];
  }
  for (int id = 0; id < index.num_tunables(); ++id) {
    const InfoIndex::TunableRef& ref = index.tunable(id);
    if (ref.transform == nullptr || ref.transform->name != to) continue;
    const int source = index.find_tunable(from, ref.tunable->name);
    if (source >= 0 && *index.tunable(source).tunable == *ref.tunable)
      configuration.tunables[static_cast<std::size_t>(id)] = configuration.tunables[static_cast<std::size_t>(source)];
  }
  name_known_schedules(index, configuration);
}

}  // namespace pbtune
