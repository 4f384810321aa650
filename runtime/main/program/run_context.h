// SPDX-License-Identifier: MIT
// What one run of a program shares: the configuration in force, the device in use, the counts
// of what ran and what fell back, the seed. Generated code reads and counts through it; program_main and the
// measurement server make it.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

#include "runtime/config/active_config.h"
#include "runtime/config/copy_error.h"
#include "runtime/config/errors.h"
#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/index_math.h"
#include "runtime/matrix/view.h"
#include "runtime/sched/frame.h"

namespace pbrt {

class InfoIndex;
class MemoTable;
namespace gpu {
class Launch;
class ManagerSet;
class StepCheck;
struct Piece;
}  // namespace gpu

/// How a run is set up. The configuration must live as long as the context.
struct RunSetup {
  const ActiveConfig* config = nullptr;
  const gpu::ManagerSet* devices = nullptr;  ///< outlive the context; null or empty: no device
  std::uint64_t seed = 0;
  bool is_strict = false;               ///< every fallback is an error
  const std::int64_t* sizes = nullptr;  ///< the sizes of the transform that is run, one per size variable
  int num_workers = 1;                  ///< number of workers of the scheduler that runs it
  const InfoIndex* index = nullptr;     ///< names of sites and rules, for messages
};

/// Counts and settings of a run.
///
/// Threads: any, unless said otherwise
class RunContext {
 public:
  /// Sets a run up. `num_alternatives[s]`: flattened alternatives of site s.
  RunContext(const RunSetup& setup, int num_sites, const int* num_alternatives);
  ~RunContext();
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  [[nodiscard]] const ActiveConfig& config() const { return *setup_.config; }
  /// The alternative (flattened over rule and version) of `site` for a call of this size, or of these sizes:
  /// what ActiveConfig::level_at takes.
  template <class Size>
  [[nodiscard]] int select(int site, Size size) const {
    return setup_.config->select(site, size);
  }
  [[nodiscard]] std::int64_t tunable_int(int id, std::int64_t n = 1) const { return setup_.config->tunable_int(id, n); }
  [[nodiscard]] double tunable_real(int id, std::int64_t n = 1) const { return setup_.config->tunable_real(id, n); }
  [[nodiscard]] const std::int64_t* tunable_array(int id, std::int64_t n = 1) const {
    return setup_.config->tunable_array(id, n);
  }
  [[nodiscard]] std::int64_t sequential_cutoff() const { return setup_.config->sequential_cutoff(); }

  /// The managers of the devices; null if the run uses none.
  [[nodiscard]] const gpu::ManagerSet* gpu() const { return setup_.devices; }
  /// A size variable that only the run knows, of the transform that it runs.
  [[nodiscard]] std::int64_t run_size(int size_var) const { return setup_.sizes[size_var]; }
  [[nodiscard]] std::uint64_t seed() const { return setup_.seed; }
  [[nodiscard]] bool is_strict() const { return setup_.is_strict; }

  /// Counts one execution of an alternative of `site`.
  ///
  /// Cost:    an addition in memory; each worker has its own counters
  void count(const Frame& frame, int site, int alternative) { add_one(counter_of(frame, site, alternative)); }
  /// A call below the sequential cut-off has chosen `chosen`. Returns the alternative that runs instead: `on_cpu`, the
  /// CPU version of the same rule. If the two differ, the call is counted. `size` is the call's largest extent.
  ///
  /// Pre:     `frame` is sequential
  /// Errors:  UserError if it is something else and the run is strict, naming the site, the size and the cut-off
  [[nodiscard]] int below_cutoff(const Frame& frame, int site, int chosen, int on_cpu, std::int64_t size) {
    if (chosen != on_cpu) count_below_cutoff(frame, site, chosen, size);
    return on_cpu;
  }
  /// Counts that `alternative` of `site` was wanted and another version of its rule ran.
  ///
  /// Pre:     `reason` is one line
  /// Errors:  UserError if the run is strict, naming the rule and the reason
  void fallback(int site, int alternative, const char* reason);
  /// Runs the kernel for an alternative of `site` and counts it; false, and counted as a fallback, if it did not run.
  /// If results are compared with the CPU's, `check` then has them. Of the pieces of a step, the first one counts, and
  /// one for which there is no room is no fallback if it may be smaller. Pieces of launches for several steps neither
  /// count nor are fallbacks: the caller counts the steps.
  ///
  /// Errors:  UserError if it did not and the run is strict
  [[nodiscard]] bool run(const Frame& frame, gpu::Launch& launch, int site, int alternative, gpu::StepCheck& check,
                         gpu::Piece* piece = nullptr);

  /// Results of memoized transforms in this run.
  [[nodiscard]] MemoTable& memos() { return *memos_; }

  // The counts below are read only while no run is in progress.
  struct FallbackCount {
    int site;
    int alternative;
    const char* reason;  ///< lives as long as the context
    std::int64_t count;
  };
  [[nodiscard]] std::int64_t times_run(int site, int alternative) const;
  /// How often a call below the cut-off had chosen `alternative`, a device version.
  [[nodiscard]] std::int64_t times_below_cutoff(int site, int alternative) const;
  [[nodiscard]] int num_fallbacks() const;
  [[nodiscard]] FallbackCount fallback_at(int index) const;

 private:
  struct Fallbacks;
  /// The counters of this worker for one alternative: of executions, and `num_choices_` further on of calls below the
  /// cut-off.
  std::atomic<std::int64_t>& counter_of(const Frame& frame, int site, int alternative) {
    return counters_[frame.worker_index() * num_counters_ + first_counter_[site] + alternative];
  }
  /// Adds one, relaxed and without a read-modify-write: only this worker writes the counter, and it is read when no run
  /// is in progress.
  static void add_one(std::atomic<std::int64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  PB_COLD void count_below_cutoff(const Frame& frame, int site, int alternative, std::int64_t size);
  [[nodiscard]] std::int64_t sum_of(std::int64_t counter) const;

  RunSetup setup_;
  const gpu::ManagerSet* weighted_ = nullptr;      ///< owned: the devices of the setup, with blocks as configured
  std::atomic<std::int64_t>* counters_ = nullptr;  // owned: num_counters_ per worker
  int* first_counter_ = nullptr;                   // owned: the first counter of each site
  std::int64_t num_counters_ = 0;                  // whole cache lines
  int num_choices_ = 0;                            // alternatives of all sites
  Fallbacks* fallbacks_;
  MemoTable* memos_;  // owned, as the fallbacks: the headers behind both are not for generated code
};

/// A template argument of a call that chooses the instance at run time, with its range.
struct TemplateArgument {
  const char* name;
  std::int64_t value, lo, hi;
};

/// The number of the instance that the arguments name: the first argument is the fastest
/// (docs/reference/language.md 4.6).
///
/// Errors:  UserError if an argument is outside its range
[[nodiscard]] int template_instance(const char* transform, std::initializer_list<TemplateArgument> args);

/// Reports a call with an argument that does not have the size in the header (docs/reference/language.md 4.3).
///
/// Errors:  always throws UserError, naming transform, matrix, formula, expected and actual size
[[noreturn]] void size_mismatch(const char* transform, const char* matrix, int dim, const char* formula,
                                std::int64_t expected, std::int64_t actual);

/// Reports a formula in a header that gives no size of a matrix for the sizes of a call: it is negative, or too large
/// for an index.
[[noreturn]] void impossible_size(const char* transform, const char* matrix, int dim, const char* formula,
                                  std::int64_t value);

/// Checks the size that the header's formula gives for a matrix that a call makes.
inline void check_extent(const char* transform, const char* matrix, int dim, const char* formula, std::int64_t value) {
  if (value < 0 || value > std::numeric_limits<IndexT>::max()) [[unlikely]]
    impossible_size(transform, matrix, dim, formula, value);
}

/// Compares the size of a call's argument with the header's formula.
inline void check_size(const char* transform, const char* matrix, int dim, const char* formula, std::int64_t expected,
                       std::int64_t actual) {
  if (expected == actual && expected >= 0) [[likely]]
    return;
  check_extent(transform, matrix, dim, formula, expected);
  size_mismatch(transform, matrix, dim, formula, expected, actual);
}

/// Reports a cell that no rule computes for the sizes of a call.
///
/// Errors:  always throws UserError, naming matrix and cell
[[noreturn]] void uncovered_cell(const char* transform, const char* matrix, std::initializer_list<std::int64_t> cell);

/// Reports a rule variable with values that do not fit an int.
///
/// Errors:  always throws UserError, naming rule, variable and values
[[noreturn]] void variable_too_large(const char* rule, const char* variable, std::int64_t lo, std::int64_t hi);

/// Reports a formula of a header or a rule that divides by zero.
///
/// Errors:  always throws UserError, naming the formula
[[noreturn]] void division_by_zero(const char* formula);

/// Reports a formula of a header whose value, or a product in it, does not fit 64 bits.
///
/// Errors:  always throws UserError, naming the formula
[[noreturn]] void beyond_64_bits(const char* formula);

/// The value of a formula that is computed by `compute`.
template <class Compute>
std::int64_t exact_value(const char* formula, const Compute& compute) {
  const Exact value = compute();
  if (value.is_beyond()) [[unlikely]]
    beyond_64_bits(formula);
  return value.value();
}

/// Checks that a rule's variable, with values from `lo` up to `hi`, fits an int, as bodies know it.
inline void check_rule_variable(const char* rule, const char* variable, std::int64_t lo, std::int64_t hi) {
  const bool fits = lo >= std::numeric_limits<IndexT>::min() && hi <= std::numeric_limits<IndexT>::max();
  if (lo < hi && !fits) [[unlikely]]
    variable_too_large(rule, variable, lo, hi);
}

/// The quotient in a formula. The quotient of whole numbers is rounded toward zero, as in C.
template <class Dividend, class Divisor>
constexpr auto quotient(Dividend dividend, Divisor divisor, const char* formula) {
  if constexpr (std::is_same_v<Divisor, Exact>) {
    if (!divisor.is_beyond() && divisor.value() == 0) division_by_zero(formula);
  }
  if constexpr (std::is_integral_v<Divisor>)
    if (divisor == 0) division_by_zero(formula);
  return dividend / divisor;
}

/// The number that, multiplied by `known`, gives `product`; 0 if `known` is 0, because then any number would do.
template <class Product, class Known>
constexpr auto factor(Product product, Known known) {
  return known == 0 ? decltype(product / known){} : product / known;
}

/// The least size from 0 up for which `value`, which never shrinks, gives `actual`. If there is none, a size for which
/// it gives something else.
template <class Value>
std::int64_t fitting_size(std::int64_t actual, Value value) {
  constexpr std::int64_t kMaxSize = std::numeric_limits<std::int32_t>::max();
  std::int64_t high = 1;
  if (value(0) >= actual) return 0;
  while (value(high) < actual) {
    if (high > kMaxSize) return 0;  // it does not grow: a size beside it is 0
    high *= 2;
  }
  std::int64_t low = high / 2;  // less than `actual`
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (value(middle) < actual ? low : high) = middle;
  }
  return value(high) == actual ? high : low;
}

/// Reports an instance with a coordinate that is not affine and lies outside of its matrix (docs/reference/language.md
/// 5.4).
///
/// Errors:  always throws UserError, naming rule, instance, region, dimension and its size
[[noreturn]] void outside_matrix(const char* rule, const char* region, int dim, std::int64_t size,
                                 std::initializer_list<std::pair<const char*, std::int64_t>> instance);

/// Reports a cell for which no `where` holds and that no other rule computes (docs/reference/language.md 5.8).
///
/// Errors:  always throws UserError, naming matrix and cell
[[noreturn]] void no_rule_holds(const char* transform, const char* matrix, std::initializer_list<std::int64_t> cell);

/// Checks two arguments of a call in a checked build; the call writes the first of them.
///
/// Errors:  OverlapError if they share elements
void check_apart(const char* written, const RawView& a, const char* other, const RawView& b, bool are_both_written);

/// Reports overlapping arguments together with the call that they belong to.
///
/// Errors:  always throws UserError
[[noreturn]] void overlap_in(const char* origin, const char* call, const OverlapError& error);

/// Reports the use of an element that lies elsewhere, together with the rule that used it.
///
/// Errors:  always throws RuntimeError
[[noreturn]] void copy_error_in(const char* rule, const char* origin, const CopyError& error);

/// Gives the run up for a body (docs/reference/language.md 8.7).
///
/// Errors:  always throws RunAborted
[[noreturn]] void abort_run(const char* why);

}  // namespace pbrt
