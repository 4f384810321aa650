// SPDX-License-Identifier: MIT
// One configuration: a value for every choice site and tunable of a program, by the numbers of
// info.h; its validation, default and random generator. As text: formats/configuration_text.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/info.h"

namespace pbrt {

struct Selector {
  std::vector<Level> levels{Level{}};  ///< 1 to 12
  bool operator==(const Selector&) const = default;
  /// The level that counts for a call of these sizes: the largest one, then each size variable.
  [[nodiscard]] const Level& level_for(std::span<const std::int64_t> sizes) const;
  /// The level that counts for a call whose sizes are all `n`.
  [[nodiscard]] const Level& level_at(std::int64_t n) const;
  /// Its alternative.
  [[nodiscard]] int select(std::int64_t n) const { return level_at(n).alternative; }
  /// Whether a level tests another size than the largest.
  [[nodiscard]] bool tests_variables() const;
};

struct Configuration {
  std::vector<Selector> sites;  ///< by site number
  /// By tunable number; num_values() each, [bucket][element]. Of those that a site's schedules have, as many for each
  /// schedule of the site, [schedule][element].
  std::vector<std::vector<double>> tunables;
  std::string openblas_coretype = "auto";  ///< value for OPENBLAS_CORETYPE; "auto": the best one for the processor
  bool operator==(const Configuration&) const = default;
};

/// A member of `global` beside the tunables. The tuner leaves it alone, since "auto" finds the best value.
inline constexpr const char* kOpenBlasCoreType = "openblas_coretype";
/// "auto", or what may be a name of OpenBLAS: up to 20 letters, digits and `_`.
[[nodiscard]] bool is_core_type(std::string_view word);

/// How many schedules a site has: 1 to kMaxSchedules. All have values of InfoIndex::scheduled(site).
[[nodiscard]] int num_schedules(const InfoIndex& index, const Configuration& configuration, int site);
/// Gives a site more schedules, which are copies of the first one, or fewer. Levels that name one which is gone name
/// the first one then.
void set_num_schedules(const InfoIndex& index, Configuration& configuration, int site, int count);
/// Repeats the values of a tunable until there are as many as a configuration has for it now.
[[nodiscard]] std::vector<double> for_each_schedule(const std::vector<double>& values, std::size_t num_values);

/// First choice everywhere (first legal one where that is forbidden), initial values.
[[nodiscard]] Configuration default_configuration(const InfoIndex& index);

/// A configuration drawn from all valid ones, for tests and for the tuner; same seed, same result.
/// `max_n`: cut-offs are drawn up to this size, and so are accuracy variables without a largest value.
/// `allow_devices` false: CPU versions only.
/// Values of role `config` stay at their default, `threads` is 1 … max_threads.
struct RandomOptions {
  std::int64_t max_n = 4096;
  bool allow_devices = true;
  int max_threads = 4;
};
[[nodiscard]] Configuration random_configuration(const InfoIndex& index, std::uint64_t seed,
                                                 const RandomOptions& options);

/// Whether a value fits its declaration (range, integer, products of work groups).
[[nodiscard]] bool is_valid_value(const TunableInfo& tunable, double value);
/// The reason if the configuration breaks a rule of docs/reference/formats.md 1 or a forbidden assignment, else "".
/// Throws nothing.
[[nodiscard]] std::string find_fault(const InfoIndex& index, const Configuration& configuration);
/// Whether the choices have a legal order at every size.
[[nodiscard]] bool is_allowed(const InfoIndex& index, const Configuration& configuration);
/// Whether some level of some site names a device version.
[[nodiscard]] bool uses_device(const InfoIndex& index, const Configuration& configuration);
/// Makes every size at which a forbidden assignment would be used take the default instead. Returns whether something
/// changed.
bool repair_forbidden(const InfoIndex& index, Configuration& configuration);

}  // namespace pbrt
