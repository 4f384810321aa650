// SPDX-License-Identifier: MIT
#include "lang/region/isl_access.h"

#include "lang/check.h"

namespace pb {

void RegionState::release() {
  if (--num_users != 0) return;
  isl_ctx_free(ctx);
  delete this;
}

void RegionState::note_failure() {
  const isl_error error = isl_ctx_last_error(ctx);
  if (error == isl_error_none) return;
  PB_CHECK(error == isl_error_quota, isl_ctx_last_error_msg(ctx));
  limit_exceeded = true;
  isl_ctx_reset_error(ctx);
}

bool is_true(RegionState& state, isl_bool value) {
  if (value < 0) state.note_failure();
  return value == isl_bool_true;
}

}  // namespace pb
