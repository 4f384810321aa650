// SPDX-License-Identifier: MIT
// Which names of an older state of a program are which ones of its present state: equal ones, those that the user says
// were renamed, and, where one possibility alone is left, those that seem to be. For `pbtune migrate`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "autotuner/migrate/written_configuration.h"
#include "runtime/config/info.h"

namespace pbtune {

/// A transform that a configuration says something about, and what it is called now.
struct TransformNames {
  const WrittenTransform* before = nullptr;
  const pbrt::TransformInfo* now = nullptr;
  std::map<std::string, std::string> rules;   ///< renamed ones, before -> now
  std::map<std::string, std::string> values;  ///< renamed ones, before -> now

  [[nodiscard]] std::string rule_now(const std::string& rule) const;
  /// The name of a part such as `A|B`, with its rules as they are called now.
  [[nodiscard]] std::string part_now(const std::string& part) const;
  /// The present name of a value. Values of a rule (`Out#1.opencl.work_group`) follow the rule.
  [[nodiscard]] std::string value_now(const std::string& value) const;
};

struct Names {
  std::vector<TransformNames> transforms;  ///< transforms that still exist
  std::vector<std::string> guesses;        ///< `Blur.OnePass -> Blur.Direct`
};

/// Matches the names. `said` holds `OLD=NEW` for a transform, and `TRANSFORM.OLD=NEW` for a rule or a value of a
/// transform, which has its old name there. Keeps pointers into `before` and `info`.
///
/// Errors: throws pbrt::UserError if `said` names what is not there
[[nodiscard]] Names match_names(const WrittenConfiguration& before, const pbrt::TrainingInfo& info,
                                const std::vector<std::string>& said, bool may_guess);

/// The parts of a site: itself, unless it is merged.
[[nodiscard]] std::vector<std::string> parts_of(const pbrt::SiteInfo& site);
[[nodiscard]] std::vector<std::string> parts_of(const WrittenSite& site);
/// The rules of a part: `A` and `B` of `A|B`.
[[nodiscard]] std::vector<std::string> rules_of_part(const std::string& part);

}  // namespace pbtune
