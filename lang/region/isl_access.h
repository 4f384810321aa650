// SPDX-License-Identifier: MIT
// Inside of lang/region only: owning pointers to isl objects, the context's state, and the door between the value types
// and isl. No file outside of this folder includes this header.
#pragma once

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/stride_info.h>
#include <isl/val.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lang/region/region.h"

namespace pb {

struct IslDelete {
  void operator()(isl_set* p) const { isl_set_free(p); }
  void operator()(isl_map* p) const { isl_map_free(p); }
  void operator()(isl_basic_set* p) const { isl_basic_set_free(p); }
  void operator()(isl_aff* p) const { isl_aff_free(p); }
  void operator()(isl_pw_aff* p) const { isl_pw_aff_free(p); }
  void operator()(isl_space* p) const { isl_space_free(p); }
  void operator()(isl_val* p) const { isl_val_free(p); }
  void operator()(isl_basic_set_list* p) const { isl_basic_set_list_free(p); }
  void operator()(isl_stride_info* p) const { isl_stride_info_free(p); }
  void operator()(isl_constraint* p) const { isl_constraint_free(p); }
  void operator()(isl_constraint_list* p) const { isl_constraint_list_free(p); }
};
using SetPtr = std::unique_ptr<isl_set, IslDelete>;
using MapPtr = std::unique_ptr<isl_map, IslDelete>;
using BasicSetPtr = std::unique_ptr<isl_basic_set, IslDelete>;
using AffPtr = std::unique_ptr<isl_aff, IslDelete>;
using PwAffPtr = std::unique_ptr<isl_pw_aff, IslDelete>;
using SpacePtr = std::unique_ptr<isl_space, IslDelete>;
using StrideInfoPtr = std::unique_ptr<isl_stride_info, IslDelete>;
using ValPtr = std::unique_ptr<isl_val, IslDelete>;

struct RegionContext::State {
  isl_ctx* ctx = nullptr;
  unsigned num_users = 0;  ///< number of handles and regions
  bool limit_exceeded = false;
  /// The terms for which parameters stand that are no names, such as `n*m`.
  std::map<std::string, IndexExpr> terms;

  void acquire() { ++num_users; }
  void release();
  /// Called after an isl call failed (null or isl_bool_error): notes that a limit was exceeded, and aborts on any other
  /// error.
  void note_failure();
};

/// The only way from the value types to isl's objects and back.
struct RegionAccessor {
  static isl_set* get(const Region& region) { return region.set_; }
  static isl_map* get(const RegionMap& map) { return map.map_; }
  static RegionContext::State* state(const Region& region) { return region.state_; }
  static RegionContext::State* state(const RegionMap& map) { return map.state_; }
  /// Takes `set`; null becomes an unknown region.
  static Region make(RegionContext::State* state, isl_set* set) { return {state, set}; }
  static RegionMap make(RegionContext::State* state, isl_map* map) { return {state, map}; }
};

/// True for isl_bool_true; an error is noted and counts as false.
[[nodiscard]] bool is_true(RegionContext::State& state, isl_bool value);

/// `space` with a parameter for every symbol and every non-affine term of `expr` that names none of its dimensions.
[[nodiscard]] SpacePtr add_parameters(RegionContext::State& state, SpacePtr space, const IndexExpr& expr);
/// `expr` over the set space `space`, which has all parameters (add_parameters).
[[nodiscard]] PwAffPtr to_pw_aff(RegionContext::State& state, isl_space* space, const IndexExpr& expr);
/// None if a coefficient does not fit 64 bits or a division is not known.
[[nodiscard]] std::optional<IndexExpr> from_aff(const RegionContext::State& state, isl_aff* aff);
/// The terms of the pieces of a function, each once; none if one of them cannot be said.
[[nodiscard]] std::vector<IndexExpr> terms_of(RegionContext::State& state, isl_pw_aff* function);
/// A piecewise function that is the minimum or the maximum of its pieces.
[[nodiscard]] std::optional<IndexExpr> from_pw_aff(RegionContext::State& state, isl_pw_aff* function);

}  // namespace pb
