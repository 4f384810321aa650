// SPDX-License-Identifier: MIT
// Exact sets of integer points with symbolic sizes: `Region` (cells of a matrix, instances of a rule) and `RegionMap`
// (from instances to cells). Value types over isl, which is spelled in lang/region/*.cpp and nowhere else. Used by
// frontend/infer_regions and choicegraph.
//
// Parameters are named (size variables, tunables, terms that are not affine such as
// `n*m`); dimensions are named too, and a symbol of an IndexExpr means the dimension of
// that name if there is one, else the parameter. See Note [Life time and limits].
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lang/index/index_expr.h"

// isl's own names: only pointers to them are stored here.
struct isl_set;
struct isl_map;

namespace pb {

struct RegionState;  // isl_access.h

/// Half-open interval of one dimension.
struct Interval {
  IndexExpr lo, hi;
  bool operator==(const Interval&) const = default;
};

/// A handle of the arena in which regions live. Copies share the arena, and it is destroyed with the last of its
/// handles and regions.
class RegionContext {
 public:
  RegionContext();
  RegionContext(const RegionContext& other) noexcept;
  RegionContext(RegionContext&& other) noexcept;
  RegionContext& operator=(RegionContext other) noexcept;
  ~RegionContext();

  /// True once some operation was stopped by a RegionLimit; its result, and what was made from it, is unknown.
  [[nodiscard]] bool limit_exceeded() const;
  void clear_limit_exceeded() const;

  [[nodiscard]] RegionState& state() const { return *state_; }
  [[nodiscard]] static RegionContext share(RegionState* state);

 private:
  explicit RegionContext(RegionState* state);
  RegionState* state_;
};

/// Limits the work of all operations of one context while it lives; some 2 million elementary operations take a second.
/// A limit inside of another one counts for itself. When it ends, the outer one begins to count anew.
class RegionLimit {
 public:
  explicit RegionLimit(const RegionContext& context, std::uint64_t max_operations = 5'000'000);
  ~RegionLimit();
  RegionLimit(const RegionLimit&) = delete;
  RegionLimit& operator=(const RegionLimit&) = delete;

 private:
  RegionContext context_;
  unsigned long outer_max_;
};

/// A set of points over named dimensions. A default-constructed region is unknown: it has no space, and nothing may be
/// asked about its points.
class Region {
 public:
  Region() = default;
  Region(const Region& other);
  Region(Region&& other) noexcept;
  Region& operator=(Region other) noexcept;
  ~Region();

  [[nodiscard]] static Region universe(const RegionContext& context, const std::vector<std::string>& dims);
  [[nodiscard]] static Region nothing(const RegionContext& context, const std::vector<std::string>& dims);
  /// False for a default-constructed region and after a limit was exceeded.
  [[nodiscard]] bool is_known() const { return set_ != nullptr; }
  [[nodiscard]] RegionContext context() const;
  [[nodiscard]] int num_dims() const;
  [[nodiscard]] std::vector<std::string> dims() const;
  [[nodiscard]] std::vector<std::string> parameters() const;  ///< names that constrain this region

  /// Points at which `expr` >= 0, or == 0.
  [[nodiscard]] Region where_nonnegative(const IndexExpr& expr) const;
  [[nodiscard]] Region where_zero(const IndexExpr& expr) const;

  // Both sides have the same number of dimensions; the result has the names of the left one.
  [[nodiscard]] Region intersect(const Region& other) const;
  [[nodiscard]] Region unite(const Region& other) const;
  [[nodiscard]] Region subtract(const Region& other) const;
  /// Keeps the points for parameter values in `parameters`, a region without dimensions.
  [[nodiscard]] Region intersect_parameters(const Region& parameters) const;
  /// The parameter values for which there is a point, as a region without dimensions.
  [[nodiscard]] Region parameter_values() const;
  /// The same points as this region, in fewer pieces.
  [[nodiscard]] Region coalesce() const;
  /// A simpler region that equals this one within `known`.
  [[nodiscard]] Region simplify_given(const Region& known) const;

  /// True if there is no point. An unknown region is neither empty, nor a subset, nor equal.
  [[nodiscard]] bool is_empty() const;
  [[nodiscard]] bool is_subset(const Region& other) const;
  [[nodiscard]] bool is_equal(const Region& other) const;

  /// isl's text: `[n] -> { [x] : 0 <= x < n }`.
  [[nodiscard]] std::string to_string() const;

 private:
  friend class RegionMap;
  friend struct RegionAccessor;
  Region(RegionState* state, isl_set* set);
  isl_set* set_ = nullptr;
  RegionState* state_ = nullptr;
};

/// True if the regions have a point in common.
[[nodiscard]] bool intersects(const Region& a, const Region& b);

/// A relation from points to points, such as from instances of a rule to cells.
class RegionMap {
 public:
  RegionMap() = default;
  RegionMap(const RegionMap& other);
  RegionMap(RegionMap&& other) noexcept;
  RegionMap& operator=(RegionMap other) noexcept;
  ~RegionMap();

  /// The map from each point to the box whose bounds are expressions over the point's coordinates and parameters.
  [[nodiscard]] static RegionMap to_box(const RegionContext& context, const std::vector<std::string>& in_dims,
                                        const std::vector<std::string>& out_dims, const std::vector<Interval>& box);

  [[nodiscard]] bool is_known() const { return map_ != nullptr; }
  [[nodiscard]] RegionMap intersect_domain(const Region& domain) const;
  [[nodiscard]] RegionMap intersect_range(const Region& range) const;
  [[nodiscard]] Region domain() const;
  [[nodiscard]] Region range() const;
  [[nodiscard]] Region apply(const Region& points) const;
  [[nodiscard]] Region preimage(const Region& points) const;
  [[nodiscard]] RegionMap reverse() const;
  [[nodiscard]] RegionMap unite(const RegionMap& other) const;
  /// The map that applies first this one, then `next`.
  [[nodiscard]] RegionMap then(const RegionMap& next) const;
  /// Differences (out - in) of related points; in and out have the same number of dimensions.
  [[nodiscard]] Region deltas() const;
  /// True if each out point has at most one in point.
  [[nodiscard]] bool is_injective() const;
  /// True if each in point has at most one out point.
  [[nodiscard]] bool is_single_valued() const;
  /// For a map whose in and out points are of one space: from each point to whatever is reached from it in one step or
  /// more. The result may hold more than that.
  [[nodiscard]] RegionMap transitive_closure() const;
  [[nodiscard]] std::string to_string() const;

 private:
  friend struct RegionAccessor;
  RegionMap(RegionState* state, isl_map* map);
  isl_map* map_ = nullptr;
  RegionState* state_ = nullptr;
};

/// The only way from the value types to isl's objects and back, for use inside of lang/region.
struct RegionAccessor {
  static isl_set* get(const Region& region) { return region.set_; }
  static isl_map* get(const RegionMap& map) { return map.map_; }
  static RegionState* state(const Region& region) { return region.state_; }
  static RegionState* state(const RegionMap& map) { return map.state_; }
  /// Takes `set`; null becomes an unknown region.
  static Region make(RegionState* state, isl_set* set) { return {state, set}; }
  static RegionMap make(RegionState* state, isl_map* map) { return {state, map}; }
};

// Note [Life time and limits]
// Every region keeps its context alive, so a Program may be moved, copied and destroyed in any order with the
// passes that made it. Regions of different contexts must not meet in one operation.
// Some questions are expensive in the worst case. A pass holds a RegionLimit around its queries; when it runs out,
// operations return unknown regions (is_known() is false) and limit_exceeded() stays true until cleared: the
// pass reports it once as a diagnostic and drops what it was computing.

}  // namespace pb
