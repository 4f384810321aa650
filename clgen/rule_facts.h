// SPDX-License-Identifier: MIT
// What the code generators need to know of one rule's body: which regions it passes on as
// handles, which elements its own text may touch, whether it calls transforms.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

/// How a body uses one of its regions.
struct RegionUse {
  bool needs_handle = false;    ///< used as more than `.cell` and sizes: passed on, copied, given to C++
  bool is_touched = false;      ///< the body's own text may read or write elements
  bool is_overwritten = false;  ///< an element that every instance writes before it may read it
  bool is_read = false;         ///< the body's own text may read elements, not only assign to them
  bool may_be_renamed = false;  ///< in places of the body, its name may be that of something else
};

struct RuleFacts {
  std::vector<RegionUse> outputs;  ///< by index in Rule::outputs
  std::vector<RegionUse> inputs;
  std::vector<RegionUse> temporaries;
  bool has_calls = false;        ///< of transforms, or sync
  bool has_handles = false;      ///< locals that may be regions, perhaps other names of the rule's
  bool touches_handles = false;  ///< and elements of such may be read or written
  bool may_fall_through = true;  ///< return form: the end of the body may be reached without a value
  /// Names from outside the body that its tree uses: a use is sure. Locals that hide them do not count.
  std::set<std::string> used_names;
  std::set<std::string> opaque_names;  ///< words of pieces without a tree: perhaps uses
};

[[nodiscard]] RuleFacts find_rule_facts(const Rule& rule);

/// Whether the binding of `access` is one element in the body, not a region.
[[nodiscard]] bool is_element(const RegionAccess& access);

/// Unique matrices that a rule accesses, outputs first; then 0-D inputs that the body names directly.
struct RuleMatrix {
  MatrixId matrix;
  bool is_output = false;
  bool is_input = false;
  bool needs_handle = false;
  bool is_touched = false;
  bool is_overwritten = false;  ///< every written cell gets a new value, whatever it held
};
[[nodiscard]] std::vector<RuleMatrix> matrices_of_rule(const Transform& transform, const Rule& rule,
                                                       const RuleFacts& facts);
/// 0-D inputs that the body reads under the matrix's name.
[[nodiscard]] std::vector<MatrixId> scalar_inputs_of(const Transform& transform, const Rule& rule);

}  // namespace pb
