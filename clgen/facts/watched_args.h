// SPDX-License-Identifier: MIT
// Finds the arguments of a call whose elements the calling body's own text may touch. The device side must know what
// the text wrote before the call, and the text must wait for what a device made of it after the call.
#pragma once

#include <cstddef>
#include <vector>

#include "clgen/facts/rule_facts.h"
#include "lang/program.h"

namespace pb {

struct WatchedArg {
  std::size_t index = 0;  ///< in TransformCall::args
  bool is_plain = false;  ///< a name, not a part of something
  bool is_own =
      false;  ///< later no name is sure to mean the matrix: the body made it, or its name is another one or may change
};

[[nodiscard]] std::vector<WatchedArg> find_watched_args(const Program& program, const Rule& rule,
                                                        const RuleFacts& facts, const TransformCall& call);

/// Whether a spawned call has a watched argument for which WatchedArg::is_own is set.
[[nodiscard]] bool spawns_own_regions(const Program& program, const Rule& rule, const RuleFacts& facts);

}  // namespace pb
