// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/read_neighbours.h"

#include <algorithm>
#include <optional>

#include "choicegraph/plan/launches/launch_steps.h"

namespace pb {

std::int64_t neighbours_read(const Step& step) {
  if (!step.device_share) return 0;
  const IndexExpr own = index_symbol(step.loops[step.device_share->loop].var);
  std::int64_t reach = 0;
  for (const InputBox& box : step.input_boxes)
    for (std::size_t d = 0; d < box.lo.size(); ++d) {
      const std::optional<std::int64_t> lo = constant_of(index_sub(box.lo[d], own)),
                                        hi = constant_of(index_sub(box.hi[d], own));
      if (lo && hi) reach = std::max({reach, -*lo, *hi - 1});
    }
  return reach;
}

}  // namespace pb
