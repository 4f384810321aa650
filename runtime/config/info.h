// SPDX-License-Identifier: MIT
// Training information: what a program lets the tuner decide (docs/reference/formats.md 2). Written by the compiler,
// embedded in the binary, read by the runtime (defaults, validation) and by the tuner (search space).
//
// Numbering (used by generated code, Configuration and ActiveConfig):
//   sites:        order of appearance, transforms in file order, sites in file order;
//   tunables:     the global ones first, then per transform in file order;
//   alternatives: flattened over (rule, on) in file order, 0 is the default.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/tunable_role.h"
#include "base/version.h"

namespace pbrt {

inline constexpr int kInfoFormat = 1;
inline constexpr int kNumSizeBuckets = 32;  ///< size-specific values: one per floor(log2 N)

inline constexpr int kMaxSelectorLevels = 12;
inline constexpr int kMaxSchedules = 4;  ///< of a site

/// One level of a selector: where the size that it tests is at least `from`, `alternative` (flattened, see above) runs
/// with the numbers of `schedule`. The last level that holds counts (docs/reference/formats.md 1.3).
struct Level {
  std::int64_t from = 0;  ///< 0 in the first level; strictly increasing among the levels that test the same size
  int alternative = 0;
  int schedule = 0;  ///< counted from 0; files count from 1
  int by = 0;        ///< what it tests: 0: the largest size, as the first level does; k: size variable k, from 1
  bool operator==(const Level&) const = default;
};
/// Whether two levels choose the same, wherever they begin.
[[nodiscard]] inline bool does_same(const Level& a, const Level& b) {
  return a.alternative == b.alternative && a.schedule == b.schedule;
}
/// How many schedules a site has at least, whose levels name these.
[[nodiscard]] int num_named_schedules(const std::vector<Level>& levels);
/// Those of the levels that test the largest size.
[[nodiscard]] std::vector<Level> levels_by_largest(std::vector<Level> levels);

/// These names are shared with the compiler.
using pb::is_device;
using pb::to_string;
using pb::TunableRole;
using pb::Version;

enum class TunableType : std::uint8_t { Int, Real, Shape };
[[nodiscard]] const char* to_string(TunableType type);

struct TunableInfo {
  std::string name;  ///< unique in its transform, e.g. `split_size`, `Out#1.opencl.work_group`
  TunableType type = TunableType::Int;
  double min = 0, max = 0;      ///< per element
  std::vector<double> initial;  ///< `count` values (one value stands for all)
  TunableRole role = TunableRole::User;
  bool is_size_specific = false;     ///< 32 values per element
  int count = 1;                     ///< elements of an array or dimensions of a shape
  std::vector<std::string> used_by;  ///< `RULE.ON` of its transform (`Out#1.opencl`); empty: by everything
  std::string needs = {};            ///< it has a say only if this tunable of its transform is not 0; empty: always
  std::string site = {};             ///< the site of its transform whose schedules each have a value; empty: none
  /// num_values() numbers, or as many for each schedule of the site, if the compiler made the tunable a constant (`pbc
  /// --config`): no configuration can change it.
  std::vector<double> fixed = {};
  /// Of a device's share: those of `used_by` whose steps are not divided. They run on the device from half of `max` on,
  /// else on the CPU.
  std::vector<std::string> undivided = {};
  bool operator==(const TunableInfo&) const = default;

  /// Numbers stored for it in a configuration: count, times 32 if size-specific; for each schedule, if it has a site.
  [[nodiscard]] int num_values() const { return count * (is_size_specific ? kNumSizeBuckets : 1); }
  [[nodiscard]] double initial_of(int element) const {
    return initial.empty() ? min : initial[initial.size() == 1 ? 0 : static_cast<std::size_t>(element)];
  }
};

struct AlternativeInfo {
  std::string rule;         ///< for a merged site the parts' rules, joined by `&`
  std::vector<Version> on;  ///< Cpu first
  int line = 0;
  std::string why_not_device;  ///< empty if there is a device version
  /// Part and rule for each part of a merged site; empty for others. In files `"rules": {PART: RULE, …}` stands for
  /// them.
  std::vector<std::pair<std::string, std::string>> parts = {};
  bool operator==(const AlternativeInfo&) const = default;
};

/// A way to run a site. Levels of selectors name such choices.
struct Choice {
  std::string rule;
  Version on = Version::Cpu;
  bool operator==(const Choice&) const = default;
};
/// `Blur.Out#1: Out#1 did not run on opencl`, of a choice at the site of this name.
[[nodiscard]] std::string did_not_run(const std::string& site, const Choice& choice);

struct SiteInfo {
  std::string name;
  std::vector<AlternativeInfo> alternatives;
  /// The selector, if the compiler made it a constant (`pbc --config`). `alternatives` then holds only those that it
  /// still uses.
  std::vector<Level> fixed = {};
  bool operator==(const SiteInfo&) const = default;

  [[nodiscard]] int num_choices() const;
  /// Pre: 0 <= index < num_choices().
  [[nodiscard]] Choice choice(int index) const;
  /// Number of the choice; -1 if the site has no such choice.
  [[nodiscard]] int index_of(std::string_view rule, Version on) const;
  /// The alternative with this rule name; null if there is none.
  [[nodiscard]] const AlternativeInfo* find_alternative(std::string_view rule) const;
  /// The users in TunableInfo::used_by that a choice stands for: `RULE.ON`, for each part of a merged site.
  [[nodiscard]] std::vector<std::string> users_of(const Choice& choice) const;
  /// Name of the alternative of a merged site that has these rules (part and rule, in any order); empty if none has.
  [[nodiscard]] std::string rule_of_parts(const std::map<std::string, std::string>& rules) const;
};

/// A partial assignment site -> rule that has no legal order.
using Forbidden = std::map<std::string, std::string>;

struct ToleranceInfo {
  bool is_given = false;     ///< absent: the default of the element type
  double rel = 0, abs = -1;  ///< abs < 0: not given
  bool operator==(const ToleranceInfo&) const = default;
};

/// How good results are. Target and accuracy are on the scale of the metric.
struct AccuracyInfo {
  bool is_given = false;
  bool has_target = false;  ///< it is an instance for an accuracy bin: results need to be accurate enough, not to agree
  double target = 0;
  std::string metric;  ///< name of the metric transform; empty: the accuracy of every result is 1
  bool higher_is_better = true;
  bool operator==(const AccuracyInfo&) const = default;

  /// Whether a result of this accuracy is good enough; NaN is not.
  [[nodiscard]] bool is_met_by(double accuracy) const {
    return !has_target || (higher_is_better ? accuracy >= target : accuracy <= target);
  }
};

struct TransformInfo {
  std::string name;
  std::string template_name;  ///< the declared name; equal to `name` if there is no template
  AccuracyInfo accuracy;
  ToleranceInfo tolerance;
  std::vector<std::string> sizes;         ///< size variables
  std::vector<std::string> numbers = {};  ///< names for `--set`: params, then inputs that are single numbers
  /// Name and range of inputs, as in the header: `R`, `0..5`.
  std::vector<std::pair<std::string, std::string>> ranges = {};
  std::vector<std::string> calls;           ///< transforms that its bodies call
  std::vector<std::string> input_features;  ///< transforms that describe its inputs; exported, not used
  std::vector<SiteInfo> sites;
  std::vector<Forbidden> forbidden;
  std::vector<TunableInfo> tunables;
  bool operator==(const TransformInfo&) const = default;

  /// What Level::by is for a size variable; none if there is none of this name. A single one is the largest size.
  [[nodiscard]] std::optional<int> find_size(std::string_view variable) const;
};

struct TrainingInfo {
  int format = kInfoFormat;
  std::string program;
  std::string source;  ///< `sha256:…` of the texts of all its files, and of options of pbc that change it
  std::string element = "double";
  std::string fp = "contract";
  std::string main;                        ///< name of the main transform
  std::string device = {};                 ///< OpenCL device of the configuration that was compiled in; empty: none
  std::string openblas_coretype = "auto";  ///< from the configuration that was compiled in
  std::vector<TransformInfo> transforms;
  std::vector<TunableInfo> global;
  bool operator==(const TrainingInfo&) const = default;
};

/// The largest number of threads that a configuration or a host may ask for.
inline constexpr int kMaxThreads = 512;

/// The globals that every program has, in their order: `threads` (0 means the CPUs available to the
/// process) and `sequential_cutoff`. The compiler puts them into TrainingInfo::global.
[[nodiscard]] std::vector<TunableInfo> standard_globals();
inline constexpr int kTunableThreads = 0;
inline constexpr int kTunableSequentialCutoff = 1;
inline constexpr std::size_t kNumStandardGlobals = 2;
/// The global of programs that use BLAS or LAPACK, behind the others: how many threads a call of OpenBLAS may use.
[[nodiscard]] TunableInfo openblas_threads_global();
inline constexpr const char* kOpenBlasThreads = "openblas_threads";
/// The global of programs with steps that several devices run, behind these: how large their parts of a step are, each
/// compared with the others', a number for each device in the order of `--device`. Further devices have the largest.
[[nodiscard]] TunableInfo device_weights_global();
inline constexpr const char* kDeviceWeights = "device_weights";
/// Of it, a configuration may give the first elements alone, because weights of devices that there are not need not be
/// written.
[[nodiscard]] bool is_device_weights(const TunableInfo& tunable);
inline constexpr int kMaxDeviceWeight = 8;
inline constexpr int kNumDeviceWeights = 8;
/// The last global of every program: whether large blocks of memory ask the system for large pages, 0 or 1.
[[nodiscard]] TunableInfo large_pages_global();
inline constexpr const char* kLargePages = "large_pages";

/// The sites and tunables of a program by number: the standard globals, then by transform, then further globals.
class InfoIndex {
 public:
  /// Keeps a reference to `info`.
  explicit InfoIndex(const TrainingInfo& info);
  struct SiteRef {
    const TransformInfo* transform;
    const SiteInfo* site;
  };
  struct TunableRef {
    const TransformInfo* transform;
    const TunableInfo* tunable;
  };  ///< transform null: global

  [[nodiscard]] const TrainingInfo& info() const { return *info_; }
  [[nodiscard]] int num_sites() const { return static_cast<int>(sites_.size()); }
  [[nodiscard]] int num_tunables() const { return static_cast<int>(tunables_.size()); }
  [[nodiscard]] const SiteRef& site(int id) const { return sites_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const TunableRef& tunable(int id) const { return tunables_[static_cast<std::size_t>(id)]; }
  /// The number of the site or tunable with that name; -1 if there is none. An empty transform means the global ones.
  [[nodiscard]] int find_site(std::string_view transform, std::string_view site) const;
  [[nodiscard]] int find_tunable(std::string_view transform, std::string_view tunable) const;
  /// The number of the site whose schedules have values of a tunable; -1 if there is none.
  [[nodiscard]] int site_of(int tunable) const { return schedule_sites_[static_cast<std::size_t>(tunable)]; }
  /// The tunables of which each schedule of a site has a value, without those that the compiler made constants.
  [[nodiscard]] const std::vector<int>& scheduled(int site) const { return scheduled_[static_cast<std::size_t>(site)]; }
  /// The number of the tunable that must not be 0 for this one to have a say (TunableInfo::needs); -1 if there is none.
  [[nodiscard]] int needed_tunable(int id) const;
  /// `Convolve2D.Out#1`, `Convolve2D.split_size`, `threads`: the name that messages, statistics and the protocol use.
  [[nodiscard]] std::string site_name(int id) const;
  [[nodiscard]] std::string tunable_name(int id) const;

 private:
  const TrainingInfo* info_;
  std::vector<SiteRef> sites_;
  std::vector<TunableRef> tunables_;
  std::vector<int> schedule_sites_;          ///< by tunable
  std::vector<std::vector<int>> scheduled_;  ///< by site
};

}  // namespace pbrt
