// SPDX-License-Identifier: MIT
// The beginning of a search for a program with device versions: which configurations run on the device wherever they
// can, with default shapes, and agree with the default. They are measured at the target before the small sizes take any
// time, because at large sizes nothing else may come near them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "autotuner/search/schedule.h"
#include "autotuner/search/search_options.h"
#include "autotuner/space/search_space.h"
#include "autotuner/trials/trials.h"

namespace pbtune {

/// What a first look works with. Holds references.
struct FirstLook {
  const Space& space;
  const SearchOptions& options;
  Schedule& schedule;
  Trials& trials;
  std::function<Prepared(std::int64_t n)> prepare;  ///< makes inputs of a size
  std::function<void(const char* phase)> on_phase;
};

/// The configurations that ran on the device and agreed with the default, the fastest first, at the largest size that
/// costs little. Sizes that matter only for recursion are left out, and so is the target. Empty if there are none, or
/// if they are behind the default on one thread.
///
/// Errors:  throws Interrupted, pbrt::RuntimeError
[[nodiscard]] std::vector<Candidate> find_agreeing_on_device(const FirstLook& look);

}  // namespace pbtune
