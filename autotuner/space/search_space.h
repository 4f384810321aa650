// SPDX-License-Identifier: MIT
// The search space: which choices and values of a program may be varied on this machine, made from
// its training information; the starting points of the search; edits of selectors that keep them
// valid. No randomness here (mutators.h) and no measuring.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/config/configuration.h"
#include "runtime/config/info.h"

namespace pbtune {

using pbrt::Configuration;
using pbrt::InfoIndex;
using pbrt::Selector;

/// A site with at least two choices on this machine.
struct SiteGene {
  int id = 0;
  std::vector<int> choices;  ///< allowed alternatives
};

/// A tunable that may be varied, within the range that makes a difference.
struct TunableGene {
  int id = 0;
  const pbrt::TunableInfo* info = nullptr;
  double min = 0, max = 0;
  int num_varied = 0;  ///< elements that may be varied, from the first one on; 0: all
};

/// A size by which levels of a transform's selectors may tell calls apart: the number that Level::by has for it, and
/// the least and largest value that it has in the cases.
struct SizeCut {
  int by = 0;
  std::int64_t lo = 0, hi = 0;
};

struct SpaceOptions {
  bool has_device = false;  ///< else device versions are left out
  int max_threads = 1;      ///< CPUs available
  int fixed_threads = 0;    ///< > 0: not tuned
  std::int64_t target_n = 1024;
  std::set<std::string> transforms{};   ///< whose sites and values are varied; empty: of all
  bool has_globals = true;              ///< whether what is global is varied too
  std::optional<Configuration> base{};  ///< values of all that is not varied; absent: the program's default
  std::string measured{};               ///< the transform that is measured; empty: not said
  pbrt::AccuracyInfo accuracy{};        ///< accuracy of the transform that is measured
  bool is_recursive = false;            ///< choices for small sizes also take part in runs at large sizes
  /// Names and values of the size variables of the measured transform that each case fixes.
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> cases{};
  bool has_large_pages = false;  ///< the system gives large pages only to programs that ask for them
  int num_devices = 1;           ///< that run steps together; with one, there is nothing to say about their parts
};

struct NamedConfiguration {
  std::string name;
  Configuration configuration;
  bool is_incumbent = false;  ///< it is the file's entry for this machine, and stays unless something is surely faster
};

/// A choice that took part in a run, as the measurement reports. The search uses it to leave choices alone that cannot
/// matter.
struct RanChoice {
  int site = 0;
  int alternative = 0;
  bool operator==(const RanChoice&) const = default;
};

/// Whether one of the choices is a device version.
[[nodiscard]] bool ran_on_device(const InfoIndex& index, const std::vector<RanChoice>& ran);

class Space {
 public:
  /// Keeps a reference to `index`.
  Space(const InfoIndex& index, const SpaceOptions& options);

  [[nodiscard]] const InfoIndex& index() const { return *index_; }
  [[nodiscard]] const SpaceOptions& options() const { return options_; }
  [[nodiscard]] const std::vector<SiteGene>& sites() const { return sites_; }
  [[nodiscard]] const std::vector<TunableGene>& tunables() const { return tunables_; }
  /// The number of the tunable that puts memory on large pages, if it may be varied. It is not among tunables(), since
  /// each change gives the program new memory for all its matrices.
  [[nodiscard]] std::optional<int> large_pages() const { return large_pages_; }

  /// The sizes by which levels may tell apart the calls of a transform that one configuration serves. The largest size
  /// of a call is one if there are several cases, or if the program calls itself. Size variables are some only if the
  /// cases differ in shape: if some variable does not grow with the others.
  [[nodiscard]] std::vector<SizeCut> size_cuts(const pbrt::TransformInfo& transform) const;

  /// The program's default, or the base, with the number of threads if that is fixed.
  [[nodiscard]] Configuration default_configuration() const;
  /// The starting points: the default; the same with OpenBLAS on all threads, if it is called, and on the device
  /// wherever some rule has a version for it; then each n-th rule everywhere x each version everywhere (CPU where a
  /// site has no such version). Where a target of accuracy must be reached, there are also the default with each other
  /// choice of the measured transform, and each n-th rule on the CPU with larger and larger accuracy values: of the
  /// measured transform alone, then of all that it calls.
  [[nodiscard]] std::vector<NamedConfiguration> seeds() const;

  /// Those of the seeds that are the default, but on the device wherever some rule has a version for it; none if there
  /// is no device, or nothing that runs on it.
  [[nodiscard]] std::vector<NamedConfiguration> device_seeds() const;

  /// What a configuration chooses for size `n` at the sites of the transform that is measured.
  [[nodiscard]] std::vector<int> main_choices(const Configuration& configuration, std::int64_t n) const;
  /// Whether a site of the configuration chooses a version for a device, at any size.
  [[nodiscard]] bool uses_device(const Configuration& configuration) const;
  /// Whether a site, or a tunable, took part in a run that executed `ran` (empty: not known, so yes).
  [[nodiscard]] bool is_site_relevant(int site, const std::vector<RanChoice>& ran) const;
  [[nodiscard]] bool is_tunable_relevant(int tunable, const std::vector<RanChoice>& ran) const;
  /// Whether the other values of the configuration give a tunable a say.
  [[nodiscard]] bool has_what_it_needs(int tunable, const Configuration& configuration) const;
  /// Makes a configuration of another machine fit this space: choices that do not exist here take their rule on the
  /// CPU.
  void fit(Configuration& configuration) const;
  /// Configurations that are nearer to the default: of the values that the run used, either all or only the number of
  /// threads are as in the default. Values that accuracy depends on stay. None of them equals `configuration`.
  [[nodiscard]] std::vector<NamedConfiguration> plainer(const NamedConfiguration& configuration,
                                                        const std::vector<RanChoice>& ran) const;
  /// Copies of `configuration` that each have one thing as in the default: the choice of a site at size `n`, or a value
  /// that neither accuracy nor a size depends on. For a program that calls itself there are also copies with one level
  /// less.
  [[nodiscard]] std::vector<NamedConfiguration> reversions(const Configuration& configuration, std::int64_t n) const;
  /// Values that are often good for a tunable: shapes of work-groups, shares of a device; none for other tunables.
  [[nodiscard]] std::vector<std::vector<double>> usual_values(const TunableGene& gene) const;
  /// The configuration with an accuracy value for calls of size `n` made smaller by `factor`, which is below 1; nothing
  /// if the tunable is none, or has its least value.
  [[nodiscard]] std::optional<Configuration> less_accurate(const Configuration& configuration, const TunableGene& gene,
                                                           std::int64_t n, double factor) const;
  /// Sets the size-specific values of all larger sizes to those of size `n`. Values of transforms that are not varied
  /// stay.
  void carry_up(std::int64_t n, Configuration& configuration) const;
  /// Sets each value that no choice uses at any size to the default's value.
  void forget_unused(Configuration& configuration) const;

 private:
  [[nodiscard]] Configuration uniform(int rule, pbrt::Version on) const;
  [[nodiscard]] Configuration wherever_possible(pbrt::Version on) const;
  [[nodiscard]] std::vector<std::vector<std::int64_t>> case_sizes() const;
  [[nodiscard]] NamedConfiguration more_accurate(const NamedConfiguration& seed, double factor, bool is_own) const;

  const InfoIndex* index_;
  SpaceOptions options_;
  std::vector<SiteGene> sites_;
  std::vector<TunableGene> tunables_;
  std::optional<int> large_pages_;
};

/// Drops each level that has the same choice as the level before it, since it changes nothing.
void simplify(Selector& selector);
/// Drops the schedules of a site that no level names.
void drop_unused_schedules(const InfoIndex& index, Configuration& configuration, int site);
/// Adds a level where the order of levels wants it: behind those that test the same size and begin below. Of a size
/// that no level tests yet, it is the last one. Returns false if there are 12 levels, or one that begins there.
bool insert_level(Selector& selector, const pbrt::Level& level);
/// Returns a selector that acts as `low` below `from`, and as `high` from there on. Levels that test size variables are
/// those of `high`. It acts as `high` alone if more than 12 levels would be needed.
[[nodiscard]] Selector graft(const Selector& low, const Selector& high, std::int64_t from);
/// A configuration with all sites grafted, and the tunables of `high`. Levels of `low` may name schedules that these do
/// not have (name_known_schedules).
[[nodiscard]] Configuration graft(const Configuration& low, const Configuration& high, std::int64_t from);

/// Makes levels that name a schedule which their site does not have name its first one.
void name_known_schedules(const InfoIndex& index, Configuration& configuration);

/// The entry of a size-specific value for calls of size `n`.
[[nodiscard]] int bucket_of(std::int64_t n);

/// How many choices and values differ.
[[nodiscard]] int num_differences(const Configuration& a, const Configuration& b);
/// Short stable name of a configuration, 12 hexadecimal digits.
[[nodiscard]] std::string fingerprint(const InfoIndex& index, const Configuration& configuration);

}  // namespace pbtune
