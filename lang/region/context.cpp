// SPDX-License-Identifier: MIT
#include "lang/check.h"
#include "lang/region/isl_access.h"

namespace pb {

void RegionContext::State::release() {
  if (--num_users != 0) return;
  isl_ctx_free(ctx);
  delete this;
}

void RegionContext::State::note_failure() {
  const isl_error error = isl_ctx_last_error(ctx);
  if (error == isl_error_none) return;
  PB_CHECK(error == isl_error_quota, isl_ctx_last_error_msg(ctx));
  limit_exceeded = true;
  isl_ctx_reset_error(ctx);
}

bool is_true(RegionContext::State& state, isl_bool value) {
  if (value < 0) state.note_failure();
  return value == isl_bool_true;
}

RegionContext::RegionContext() : state_(std::make_unique<State>().release()) {
  state_->ctx = isl_ctx_alloc();
  PB_CHECK(state_->ctx != nullptr, "isl gives a context");
  isl_options_set_on_error(state_->ctx, ISL_ON_ERROR_CONTINUE);
  state_->acquire();
}
RegionContext::RegionContext(State* state) : state_(state) { state_->acquire(); }
RegionContext RegionContext::share(State* state) { return RegionContext(state); }
RegionContext::RegionContext(const RegionContext& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->acquire();
}
RegionContext::RegionContext(RegionContext&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
RegionContext& RegionContext::operator=(RegionContext other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
RegionContext::~RegionContext() {
  if (state_ != nullptr) state_->release();
}
bool RegionContext::limit_exceeded() const { return state_->limit_exceeded; }
void RegionContext::clear_limit_exceeded() const { state_->limit_exceeded = false; }

RegionLimit::RegionLimit(const RegionContext& context, std::uint64_t max_operations)
    : context_(context), outer_max_(isl_ctx_get_max_operations(context_.state().ctx)) {
  isl_ctx_reset_operations(context_.state().ctx);
  isl_ctx_set_max_operations(context_.state().ctx, static_cast<unsigned long>(max_operations));
}
RegionLimit::~RegionLimit() {
  isl_ctx_set_max_operations(context_.state().ctx, outer_max_);
  isl_ctx_reset_operations(context_.state().ctx);
}

// ---- values ----------------------------------------------------------------

Region::Region(RegionContext::State* state, isl_set* set) : set_(set), state_(state) {
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

RegionMap::RegionMap(RegionContext::State* state, isl_map* map) : map_(map), state_(state) {
  if (map_ == nullptr) state_->note_failure();
  state_->acquire();
}
RegionMap::RegionMap(const RegionMap& other) : map_(isl_map_copy(other.map_)), state_(other.state_) {
  if (state_ != nullptr) state_->acquire();
}
RegionMap::RegionMap(RegionMap&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), state_(std::exchange(other.state_, nullptr)) {}
RegionMap& RegionMap::operator=(RegionMap other) noexcept {
  std::swap(map_, other.map_);
  std::swap(state_, other.state_);
  return *this;
}
RegionMap::~RegionMap() {
  isl_map_free(map_);
  if (state_ != nullptr) state_->release();
}

}  // namespace pb
