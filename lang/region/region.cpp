// SPDX-License-Identifier: MIT
#include "lang/region/region.h"

#include <cstdlib>
#include <utility>

#include "lang/check.h"
#include "lang/region/isl_access.h"

namespace pb {
namespace {

using State = RegionState;
using Access = RegionAccessor;

SpacePtr make_space(State& state, const std::vector<std::string>& dims) {
  isl_space* space = isl_space_set_alloc(state.ctx, 0, static_cast<unsigned>(dims.size()));
  for (std::size_t i = 0; i < dims.size(); ++i)
    space = isl_space_set_dim_name(space, isl_dim_set, static_cast<unsigned>(i), dims[i].c_str());
  return SpacePtr(space);
}

std::vector<std::string> dim_names(isl_set* set, isl_dim_type type) {
  std::vector<std::string> out;
  const int count = isl_set_dim(set, type);
  for (int i = 0; i < count; ++i) {
    const char* name = isl_set_get_dim_name(set, type, static_cast<unsigned>(i));
    out.emplace_back(name != nullptr ? name : "");
  }
  return out;
}

/// `set` with the names of the dimensions of `like`.
isl_set* with_names_of(isl_set* set, isl_set* like) {
  if (set == nullptr || like == nullptr) return set;
  const int count = isl_set_dim(like, isl_dim_set);
  for (int i = 0; i < count && set != nullptr; ++i) {
    const char* name = isl_set_get_dim_name(like, isl_dim_set, static_cast<unsigned>(i));
    if (name != nullptr) set = isl_set_set_dim_name(set, isl_dim_set, static_cast<unsigned>(i), name);
  }
  return set;
}

enum class Sign { NonNegative, Zero };

Region constrain(const Region& region, const IndexExpr& expr, Sign sign) {
  State* state = Access::state(region);
  isl_set* set = Access::get(region);
  if (set == nullptr) return region;
  const SpacePtr space = add_parameters(*state, SpacePtr(isl_set_get_space(set)), expr);
  PwAffPtr function = to_pw_aff(*state, space.get(), expr);
  isl_set* holds =
      sign == Sign::Zero ? isl_pw_aff_zero_set(function.release()) : isl_pw_aff_nonneg_set(function.release());
  return Access::make(state, isl_set_intersect(isl_set_copy(set), holds));
}

/// An unknown region of the context of `a` or `b`, if they have one.
Region unknown_like(const Region& a, const Region& b) {
  State* state = Access::state(a) != nullptr ? Access::state(a) : Access::state(b);
  return state != nullptr ? Access::make(state, static_cast<isl_set*>(nullptr)) : Region();
}

using BinaryOp = isl_set* (*)(isl_set*, isl_set*);

Region combine(const Region& a, const Region& b, BinaryOp op) {
  State* state = Access::state(a);
  if (!a.is_known() || !b.is_known()) return unknown_like(a, b);
  PB_CHECK(state == Access::state(b), "regions of one context");
  PB_CHECK(a.num_dims() == b.num_dims(), "regions of equal rank");
  isl_set* out = op(isl_set_copy(Access::get(a)), isl_set_copy(Access::get(b)));
  return Access::make(state, with_names_of(out, Access::get(a)));
}

}  // namespace

Region::Region(RegionState* state, isl_set* set) : set_(set), state_(state) {
  if (set_ == nullptr) state_->note_failure();
  state_->acquire();
}
Region::Region(const Region& other) : set_(isl_set_copy(other.set_)), state_(other.state_) {
  if (state_ != nullptr) state_->acquire();
}
Region::Region(Region&& other) noexcept
    : set_(std::exchange(other.set_, nullptr)), state_(std::exchange(other.state_, nullptr)) {}
Region& Region::operator=(Region other) noexcept {
  std::swap(set_, other.set_);
  std::swap(state_, other.state_);
  return *this;
}
Region::~Region() {
  isl_set_free(set_);
  if (state_ != nullptr) state_->release();
}

Region Region::universe(const RegionContext& context, const std::vector<std::string>& dims) {
  State& state = context.state();
  return Access::make(&state, isl_set_universe(make_space(state, dims).release()));
}

Region Region::nothing(const RegionContext& context, const std::vector<std::string>& dims) {
  State& state = context.state();
  return Access::make(&state, isl_set_empty(make_space(state, dims).release()));
}

RegionContext Region::context() const {
  PB_CHECK(state_ != nullptr, "the region belongs to a context");
  return RegionContext::share(state_);
}

int Region::num_dims() const { return set_ == nullptr ? 0 : isl_set_dim(set_, isl_dim_set); }
std::vector<std::string> Region::dims() const {
  return set_ == nullptr ? std::vector<std::string>{} : dim_names(set_, isl_dim_set);
}

std::vector<std::string> Region::parameters() const {
  std::vector<std::string> out;
  if (set_ == nullptr) return out;
  const std::vector<std::string> all = dim_names(set_, isl_dim_param);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_true(*state_, isl_set_involves_dims(set_, isl_dim_param, static_cast<unsigned>(i), 1)))
      out.push_back(all[i]);
  return out;
}

Region Region::where_nonnegative(const IndexExpr& expr) const { return constrain(*this, expr, Sign::NonNegative); }
Region Region::where_zero(const IndexExpr& expr) const { return constrain(*this, expr, Sign::Zero); }

Region Region::intersect(const Region& other) const { return combine(*this, other, isl_set_intersect); }
Region Region::unite(const Region& other) const { return combine(*this, other, isl_set_union); }
Region Region::subtract(const Region& other) const { return combine(*this, other, isl_set_subtract); }

Region Region::intersect_parameters(const Region& parameters) const {
  if (!is_known() || !parameters.is_known()) return unknown_like(*this, parameters);
  isl_set* values = isl_set_params(isl_set_copy(parameters.set_));
  return Access::make(state_, isl_set_intersect_params(isl_set_copy(set_), values));
}

Region Region::parameter_values() const {
  if (!is_known()) return unknown_like(*this, *this);
  return Access::make(state_, isl_set_from_params(isl_set_params(isl_set_copy(set_))));
}

Region Region::coalesce() const {
  if (!is_known()) return unknown_like(*this, *this);
  return Access::make(state_, isl_set_coalesce(isl_set_copy(set_)));
}

Region Region::simplify_given(const Region& known) const {
  if (!is_known() || !known.is_known()) return unknown_like(*this, known);
  if (known.num_dims() == 0) {
    isl_set* values = isl_set_params(isl_set_copy(known.set_));
    return Access::make(state_, isl_set_gist_params(isl_set_copy(set_), values));
  }
  return combine(*this, known, isl_set_gist);
}

bool Region::is_empty() const { return set_ != nullptr && is_true(*state_, isl_set_is_empty(set_)); }

bool Region::is_subset(const Region& other) const {
  return set_ != nullptr && other.set_ != nullptr && is_true(*state_, isl_set_is_subset(set_, other.set_));
}
bool Region::is_equal(const Region& other) const {
  return set_ != nullptr && other.set_ != nullptr && is_true(*state_, isl_set_is_equal(set_, other.set_));
}
bool intersects(const Region& a, const Region& b) { return !a.intersect(b).is_empty(); }

std::string Region::to_string() const {
  if (set_ == nullptr) return "unknown";
  char* text = isl_set_to_str(set_);
  std::string out = text != nullptr ? text : "unknown";
  std::free(text);
  return out;
}

}  // namespace pb
