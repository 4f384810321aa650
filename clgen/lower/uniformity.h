// SPDX-License-Identifier: MIT
// Which values of a body are the same for all instances of a pack, and whether the body can
// run on packs at all: control flow must be the same for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// How an access moves from instance to instance of a pack.
struct LaneAccess {
  bool moves_along_row = false;  ///< neighbours touch neighbouring elements; else all touch the same
  int row_dim = -1;              ///< the dimension that the next row advances in; -1: none
  [[nodiscard]] bool is_uniform() const { return !moves_along_row && row_dim < 0; }
};

/// A body that can run on packs.
struct PackFacts {
  std::vector<LaneAccess> outputs;
  std::vector<LaneAccess> inputs;
  bool is_tall = false;                    ///< several rows at once: they share what they read
  bool is_plain = false;                   ///< straight-line code that compilers vectorise as well by themselves
  bool writes_regions = false;             ///< some output is not an element: bodies write it as they go
  bool is_wide_type = false;               ///< some value that differs between instances has 8 bytes
  std::set<std::uint32_t> varying_locals;  ///< by number of declaration
  std::vector<bool> is_varying;            ///< by ExprId
  std::string_view lane_var, row_var;      ///< rule variables; row_var may be empty
};

/// None if the body needs something that packs do not have.
///
/// Pre: `step` has loops; `element` is what ElementT is; `all_exist`: no optional cell is missing where it is to run, else
/// a body with such is none
[[nodiscard]] std::optional<PackFacts> find_pack_facts(const Rule& rule, const Step& step, ElementType element,
                                                       bool all_exist = false);

/// Whether what the rule accesses moves as packs need it, whatever its body is.
///
/// Pre: `step` has loops
[[nodiscard]] bool has_pack_accesses(const Rule& rule, const Step& step, bool all_exist = false);

}  // namespace pb
