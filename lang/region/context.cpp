// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include "lang/check.h"
#include "lang/region/isl_access.h"
#include "lang/region/region.h"

namespace pb {

RegionContext::RegionContext() : state_(std::make_unique<RegionState>().release()) {
  state_->ctx = isl_ctx_alloc();
  PB_CHECK(state_->ctx != nullptr, "isl gives a context");
  isl_options_set_on_error(state_->ctx, ISL_ON_ERROR_CONTINUE);
  state_->acquire();
}
RegionContext::RegionContext(RegionState* state) : state_(state) { state_->acquire(); }
RegionContext RegionContext::share(RegionState* state) { return RegionContext(state); }
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

}  // namespace pb
