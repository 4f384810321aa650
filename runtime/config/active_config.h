// SPDX-License-Identifier: MIT
// The configuration as a running program reads it: flat arrays indexed by the numbers of info.h.
// Light: generated code includes it. Immutable while a run is in progress; any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pbrt {

struct Configuration;
class InfoIndex;

/// Which of the 32 values of a size-specific tunable a call of size `n` takes: floor(log2 n).
[[nodiscard]] inline std::size_t size_bucket(std::int64_t n) noexcept {
  const int bucket = n <= 1 ? 0 : 63 - __builtin_clzll(static_cast<unsigned long long>(n));
  return static_cast<std::size_t>(bucket > 31 ? 31 : bucket);
}

class ActiveConfig {
 public:
  static constexpr int kMaxLevels = 12;

  ActiveConfig() = default;
  /// Takes the values of a configuration. Pre: it is valid for the program (validated by its reader or made by a
  /// generator).
  ActiveConfig(const InfoIndex& index, const Configuration& configuration);

  /// The level of `site` that counts for a call of size `n`: the last one whose `from` is <= n.
  ///
  /// Pre:     the levels test the largest size alone, as those of a transform with one size variable do
  [[nodiscard]] int level_at(int site, std::int64_t n) const noexcept {
    const SelectorRow& row = selectors_[static_cast<std::size_t>(site)];
    int level = row.num_levels - 1;
    while (level > 0 && n < row.from[level]) --level;
    return level;
  }
  /// The same for a call of these sizes: the largest one, then each size variable.
  [[nodiscard]] int level_at(int site, const std::int64_t* sizes) const noexcept {
    const SelectorRow& row = selectors_[static_cast<std::size_t>(site)];
    int level = row.num_levels - 1;
    while (level > 0 && sizes[row.by[level]] < row.from[level]) --level;
    return level;
  }
  /// The alternative (flattened over rule and version) of a level.
  [[nodiscard]] int alternative(int site, int level) const noexcept {
    return selectors_[static_cast<std::size_t>(site)].alternative[level];
  }
  /// The schedule of a level: it says which values of the site's tunables count.
  [[nodiscard]] int schedule(int site, int level) const noexcept {
    return selectors_[static_cast<std::size_t>(site)].schedule[level];
  }
  /// The alternative that `site` uses; `size` is what level_at takes.
  template <class Size>
  [[nodiscard]] int select(int site, Size size) const noexcept {
    return alternative(site, level_at(site, size));
  }

  /// Value of an integer tunable (its element 0) for a call of size `n`.
  [[nodiscard]] std::int64_t tunable_int(int id, std::int64_t n = 1) const noexcept { return *tunable_array(id, n); }
  [[nodiscard]] double tunable_real(int id, std::int64_t n = 1) const noexcept { return *tunable_real_array(id, n); }

  /// All elements of an array or a shape, for a call of size `n`; lives as long as this object.
  [[nodiscard]] const std::int64_t* tunable_array(int id, std::int64_t n = 1) const noexcept {
    return ints_.data() + offset(id, n);
  }
  [[nodiscard]] const double* tunable_real_array(int id, std::int64_t n = 1) const noexcept {
    return reals_.data() + offset(id, n);
  }

  /// The same for a tunable of which each schedule of a site has a value.
  [[nodiscard]] std::int64_t scheduled_int(int id, int schedule) const noexcept {
    return *scheduled_array(id, schedule);
  }
  [[nodiscard]] double scheduled_real(int id, int schedule) const noexcept {
    return *scheduled_real_array(id, schedule);
  }
  [[nodiscard]] const std::int64_t* scheduled_array(int id, int schedule) const noexcept {
    return ints_.data() + offset_in(id, schedule);
  }
  [[nodiscard]] const double* scheduled_real_array(int id, int schedule) const noexcept {
    return reals_.data() + offset_in(id, schedule);
  }

  [[nodiscard]] int num_sites() const noexcept { return static_cast<int>(selectors_.size()); }
  /// Workers to start: at least 1; the CPUs available to the process if the configuration says 0.
  [[nodiscard]] int threads() const noexcept { return threads_; }
  /// Calls whose largest extent is below this run sequentially.
  [[nodiscard]] std::int64_t sequential_cutoff() const noexcept { return sequential_cutoff_; }
  /// Threads that a call of OpenBLAS may use.
  [[nodiscard]] int openblas_threads() const noexcept { return openblas_threads_; }
  /// Whether large blocks of memory ask for large pages.
  [[nodiscard]] bool large_pages() const noexcept { return large_pages_; }
  /// How large the devices' parts of a step are, each compared with the others'; empty: they are alike.
  [[nodiscard]] const std::vector<std::int64_t>& device_weights() const noexcept { return device_weights_; }
  /// Sets the value of `--large-pages`.
  void set_large_pages(bool asks) noexcept { large_pages_ = asks; }
  /// The same with the folds of all rules in the other of their two orders; none if no order is open.
  [[nodiscard]] std::optional<ActiveConfig> in_other_fold_order(const InfoIndex& index) const;
  /// Sets the value of `--threads`.
  void set_threads(int threads) noexcept { threads_ = threads < 1 ? 1 : threads; }

 private:
  struct SelectorRow {
    int num_levels = 1;
    std::int64_t from[kMaxLevels] = {};
    int alternative[kMaxLevels] = {};
    int schedule[kMaxLevels] = {};
    int by[kMaxLevels] = {};  ///< index into the sizes of a call
  };
  struct TunableRow {
    std::size_t offset = 0;
    std::size_t count = 1;
    bool is_size_specific = false;
  };

  /// Values lie as [bucket][element]; bucket floor(log2 n).
  [[nodiscard]] std::size_t offset(int id, std::int64_t n) const noexcept {
    const TunableRow& row = tunables_[static_cast<std::size_t>(id)];
    return row.is_size_specific ? row.offset + size_bucket(n) * row.count : row.offset;
  }

  /// Values of schedules lie as [schedule][element].
  [[nodiscard]] std::size_t offset_in(int id, int schedule) const noexcept {
    const TunableRow& row = tunables_[static_cast<std::size_t>(id)];
    return row.offset + static_cast<std::size_t>(schedule) * row.count;
  }

  std::vector<SelectorRow> selectors_;
  std::vector<TunableRow> tunables_;
  std::vector<std::int64_t> ints_;  ///< every value, rounded
  std::vector<double> reals_;       ///< every value, as it is
  int threads_ = 1;
  std::int64_t sequential_cutoff_ = 64;
  int openblas_threads_ = 1;
  bool large_pages_ = false;
  std::vector<std::int64_t> device_weights_;
};

}  // namespace pbrt
