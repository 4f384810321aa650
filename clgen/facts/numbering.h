// SPDX-License-Identifier: MIT
// Numbers of choice sites, their alternatives and tunables: the order of the training
// information. Generated code and make_training_info both use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"

namespace pb {

/// Whether the site is a decision: it has more than one pair of a rule and a version.
[[nodiscard]] bool is_decision(const Site& site);
/// Whether the training information lists the site: it is a decision, or it was fixed when compiling.
[[nodiscard]] bool is_listed(const Site& site);
/// Returns the site whose schedules have values of a tunable: that of its rule, if the rule runs at one site alone and
/// the training information lists it. None for other tunables: those without a rule, and those whose rule has several
/// sites, since no level of one of them could speak for all.
[[nodiscard]] std::optional<SiteId> schedule_site(const TransformPlan& plan, const PlanTunable& tunable);
/// Returns the position of the alternative's version among the flattened alternatives of `site`; -1 if it has no such
/// version.
[[nodiscard]] int choice_index(const Site& site, const Alternative& alternative, Version version);
/// The positions of the choices under which `step` runs in `version`.
[[nodiscard]] std::vector<int> choices_running(const TransformPlan& plan, const Step& step, Version version);

/// Whether some step of the program may run on a device.
[[nodiscard]] bool has_kernels(const Plan& plan);

class Numbering {
 public:
  explicit Numbering(const Plan& plan);

  /// Number of a site that is listed; -1 for the others.
  [[nodiscard]] int site(TransformId transform, SiteId site) const;
  /// Number of the tunable at `index` of its transform's plan.
  [[nodiscard]] int tunable(TransformId transform, std::size_t index) const;

 private:
  std::vector<std::vector<int>> sites_;
  std::vector<int> first_tunable_;
};

}  // namespace pb
