// SPDX-License-Identifier: MIT
// Inside of lang/region only: owning pointers to isl objects, the state that the regions of a context share, and
// expressions as isl's functions and back. No file outside of this folder includes this header.
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

#include "lang/index/index_expr.h"

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

/// What the handles and regions of one context share.
struct RegionState {
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

/// True for isl_bool_true; an error is noted and counts as false.
[[nodiscard]] bool is_true(RegionState& state, isl_bool value);

/// `space` with a parameter for every symbol and every non-affine term of `expr` that names none of its dimensions.
[[nodiscard]] SpacePtr add_parameters(RegionState& state, SpacePtr space, const IndexExpr& expr);
/// `expr` over the set space `space`, which has all parameters (add_parameters).
[[nodiscard]] PwAffPtr to_pw_aff(RegionState& state, isl_space* space, const IndexExpr& expr);
/// None if a coefficient does not fit 64 bits or a division is not known.
[[nodiscard]] std::optional<IndexExpr> from_aff(const RegionState& state, isl_aff* aff);
/// The terms of the pieces of a function, each once; none if one of them cannot be said.
[[nodiscard]] std::vector<IndexExpr> terms_of(RegionState& state, isl_pw_aff* function);
/// A piecewise function that is the minimum or the maximum of its pieces.
[[nodiscard]] std::optional<IndexExpr> from_pw_aff(RegionState& state, isl_pw_aff* function);

}  // namespace pb
