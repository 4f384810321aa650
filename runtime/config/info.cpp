// SPDX-License-Identifier: MIT
#include "runtime/config/info.h"

#include <algorithm>

#include "runtime/config/runtime_check.h"

namespace pbrt {

const char* to_string(TunableType type) {
  switch (type) {
    case TunableType::Int:
      return "int";
    case TunableType::Real:
      return "real";
    case TunableType::Shape:
      return "shape";
  }
  return "?";
}

int num_named_schedules(const std::vector<Level>& levels) {
  int last = 0;
  for (const Level& level : levels) last = std::max(last, level.schedule);
  return last + 1;
}

std::vector<Level> levels_by_largest(std::vector<Level> levels) {
  std::erase_if(levels, [](const Level& level) { return level.by != 0; });
  return levels;
}

std::optional<int> TransformInfo::find_size(std::string_view variable) const {
  const auto found = std::find(sizes.begin(), sizes.end(), variable);
  if (found == sizes.end()) return std::nullopt;
  return sizes.size() == 1 ? 0 : static_cast<int>(found - sizes.begin()) + 1;
}

int SiteInfo::num_choices() const {
  int count = 0;
  for (const AlternativeInfo& alternative : alternatives) count += static_cast<int>(alternative.on.size());
  return count;
}

Choice SiteInfo::choice(int index) const {
  for (const AlternativeInfo& alternative : alternatives) {
    const int count = static_cast<int>(alternative.on.size());
    if (index < count) return {alternative.rule, alternative.on[static_cast<std::size_t>(index)]};
    index -= count;
  }
  PBRT_CHECK(false, "the site has no such choice");
  return {};
}

int SiteInfo::index_of(std::string_view rule, Version on) const {
  int index = 0;
  for (const AlternativeInfo& alternative : alternatives) {
    for (const Version candidate : alternative.on) {
      if (alternative.rule == rule && candidate == on) return index;
      ++index;
    }
  }
  return -1;
}

const AlternativeInfo* SiteInfo::find_alternative(std::string_view rule) const {
  for (const AlternativeInfo& alternative : alternatives)
    if (alternative.rule == rule) return &alternative;
  return nullptr;
}

std::vector<std::string> SiteInfo::users_of(const Choice& choice) const {
  const AlternativeInfo* alternative = find_alternative(choice.rule);
  const std::string on = std::string(".") + to_string(choice.on);
  if (alternative == nullptr || alternative->parts.empty()) return {choice.rule + on};
  std::vector<std::string> out;
  for (const auto& [part, rule] : alternative->parts) out.push_back(rule + on);
  return out;
}

std::string SiteInfo::rule_of_parts(const std::map<std::string, std::string>& rules) const {
  for (const AlternativeInfo& alternative : alternatives) {
    const std::map<std::string, std::string> own(alternative.parts.begin(), alternative.parts.end());
    if (!own.empty() && own == rules) return alternative.rule;
  }
  return {};
}

namespace {

TunableInfo global(const char* name, double min, double max, double initial, TunableRole role) {
  TunableInfo out;
  out.name = name;
  out.min = min;
  out.max = max;
  out.initial = {initial};
  out.role = role;
  return out;
}

}  // namespace

std::vector<TunableInfo> standard_globals() {
  return {global("threads", 0, kMaxThreads, 0, TunableRole::Flag),
          global("sequential_cutoff", 0, 2147483647, 64, TunableRole::Cutoff)};
}

TunableInfo openblas_threads_global() { return global(kOpenBlasThreads, 1, kMaxThreads, 1, TunableRole::Flag); }

TunableInfo device_weights_global() {
  TunableInfo out = global(kDeviceWeights, 0, kMaxDeviceWeight, kMaxDeviceWeight, TunableRole::Flag);
  out.count = kNumDeviceWeights;
  return out;
}

// A transform's own tunable may have the name, but no compiler's tunable of a transform is a flag.
bool is_device_weights(const TunableInfo& tunable) {
  return tunable.role == TunableRole::Flag && tunable.name == kDeviceWeights;
}

TunableInfo large_pages_global() { return global(kLargePages, 0, 1, 0, TunableRole::Flag); }

InfoIndex::InfoIndex(const TrainingInfo& info) : info_(&info) {
  // Generated code numbers its own tunables after the standard globals, whether there are further globals or not.
  const auto first_further =
      info.global.begin() + static_cast<std::ptrdiff_t>(std::min(info.global.size(), kNumStandardGlobals));
  for (auto tunable = info.global.begin(); tunable != first_further; ++tunable)
    tunables_.push_back({nullptr, &*tunable});
  for (const TransformInfo& transform : info.transforms) {
    for (const SiteInfo& site : transform.sites) sites_.push_back({&transform, &site});
    for (const TunableInfo& tunable : transform.tunables) tunables_.push_back({&transform, &tunable});
  }
  for (auto tunable = first_further; tunable != info.global.end(); ++tunable) tunables_.push_back({nullptr, &*tunable});
  scheduled_.resize(sites_.size());
  for (int id = 0; id < num_tunables(); ++id) {
    const TunableRef& ref = tunable(id);
    const int site = ref.tunable->site.empty() ? -1 : find_site(ref.transform->name, ref.tunable->site);
    schedule_sites_.push_back(site);
    if (site >= 0 && ref.tunable->fixed.empty()) scheduled_[static_cast<std::size_t>(site)].push_back(id);
  }
}

int InfoIndex::find_site(std::string_view transform, std::string_view site) const {
  for (int id = 0; id < num_sites(); ++id)
    if (this->site(id).transform->name == transform && this->site(id).site->name == site) return id;
  return -1;
}

int InfoIndex::needed_tunable(int id) const {
  const TunableRef& ref = tunable(id);
  if (ref.tunable->needs.empty() || ref.transform == nullptr) return -1;
  return find_tunable(ref.transform->name, ref.tunable->needs);
}

int InfoIndex::find_tunable(std::string_view transform, std::string_view tunable) const {
  for (int id = 0; id < num_tunables(); ++id) {
    const TunableRef& ref = this->tunable(id);
    const std::string_view owner =
        ref.transform == nullptr ? std::string_view() : std::string_view(ref.transform->name);
    if (owner == transform && ref.tunable->name == tunable) return id;
  }
  return -1;
}

std::string did_not_run(const std::string& site, const Choice& choice) {
  return site + ": " + choice.rule + " did not run on " + to_string(choice.on);
}

std::string InfoIndex::site_name(int id) const { return site(id).transform->name + "." + site(id).site->name; }

std::string InfoIndex::tunable_name(int id) const {
  const TunableRef& ref = tunable(id);
  return ref.transform == nullptr ? ref.tunable->name : ref.transform->name + "." + ref.tunable->name;
}

}  // namespace pbrt
