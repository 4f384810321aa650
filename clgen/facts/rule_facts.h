// SPDX-License-Identifier: MIT
// What the code generators need to know of one rule's body: which regions it passes on as
// handles, which elements its own text may touch, whether it calls transforms.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lang/program.h"

namespace pb {

/// How a body uses one of its regions.
struct RegionUse {
  bool needs_handle = false;    ///< used as more than `.cell` and sizes: passed on, copied, given to C++
  bool is_touched = false;      ///< the body's own text may read or write elements
  bool is_overwritten = false;  ///< every instance writes all of it before it may read any of it
  bool is_read = false;         ///< the body's own text may read elements, not only assign to them
  bool is_copied = false;       ///< a plain copy reads or fills it (find_plain_copy)
  bool may_be_renamed = false;  ///< in parts of the body, its name may mean something else
};

struct RuleFacts {
  std::vector<RegionUse> outputs;  ///< uses of the outputs, by index in Rule::outputs
  std::vector<RegionUse> inputs;
  std::vector<RegionUse> temporaries;
  bool has_calls = false;        ///< the body calls transforms, or has a `sync`
  bool has_handles = false;      ///< some locals may be regions, perhaps other names of the rule's own
  bool touches_handles = false;  ///< elements of regions that locals name may be read or written
  bool may_fall_through = true;  ///< return form: the end of the body may be reached without a value
  /// Names from outside of the body that its tree uses for sure. Names of locals that hide them are not in it.
  std::set<std::string> used_names;
  std::set<std::string> opaque_names;  ///< words in pieces of the body that have no tree: they may be uses
};

/// `from.copyTo(to);` as a statement, where both are names of the rule's regions.
struct PlainCopy {
  std::string from, to;
};
/// Returns the copy that the statement is, if the body also calls transforms: it then counts as no access of the body's
/// own text, because generated code announces it by itself. Else the copy is announced with the instance.
[[nodiscard]] std::optional<PlainCopy> find_plain_copy(const Rule& rule, const Stmt& stmt);

/// `filled`: regions that are overwritten, by index in Rule::outputs (Computation::filled). Single elements need not be
/// among them.
[[nodiscard]] RuleFacts find_rule_facts(const Rule& rule, const std::vector<std::size_t>& filled = {});

/// Whether the binding of `access` is one element in the body, not a region.
[[nodiscard]] bool is_element(const RegionAccess& access);

/// A matrix that a rule accesses, and what all of its accesses do with it.
struct RuleMatrix {
  MatrixId matrix;
  bool is_output = false;
  bool is_input = false;
  bool needs_handle = false;
  bool is_touched = false;
  bool is_overwritten = false;  ///< every written cell gets a new value, whatever it held
};
/// Returns the matrices that a rule accesses, each once: outputs, then inputs, then 0-D inputs that the body names
/// directly.
[[nodiscard]] std::vector<RuleMatrix> matrices_of_rule(const Transform& transform, const Rule& rule,
                                                       const RuleFacts& facts);
/// Returns the 0-D inputs that the body reads under the matrix's name.
[[nodiscard]] std::vector<MatrixId> scalar_inputs_of(const Transform& transform, const Rule& rule);

}  // namespace pb
