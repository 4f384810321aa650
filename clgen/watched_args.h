// SPDX-License-Identifier: MIT
// The arguments of a call whose elements the calling body's own text may touch: what the text wrote must be known to
// the device side before the call, and what a device made of it must be back before the text goes on.
#pragma once

#include <cstddef>
#include <vector>

#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

struct WatchedArg {
  std::size_t index = 0;  ///< in TransformCall::args
  bool is_plain = false;  ///< a name, not a part of something
  bool is_own =
      false;  ///< no name says later what it was: a matrix that the body made, another name, or one that changes
};

[[nodiscard]] std::vector<WatchedArg> find_watched_args(const Program& program, const Rule& rule,
                                                        const RuleFacts& facts, const TransformCall& call);

/// Whether a spawned call has a watched argument that is the body's own.
[[nodiscard]] bool spawns_own_regions(const Program& program, const Rule& rule, const RuleFacts& facts);

}  // namespace pb
