// SPDX-License-Identifier: MIT
// C++ of nests: instances that depend on each other, in tiles that wait for each other or slice by
// slice. A nest of one step is the inside of its step function; a nest of several stands in `run_T`.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/cpu_loops.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// One member of a nest with what its code needs.
struct NestPart {
  const RuleCode& code;
  const NestMember& member;
  std::string stem;                           ///< of its loops: `loops_T_0_n1`
  CpuLoops loops;                             ///< over a tile or a slice
  Condition condition = Condition::always();  ///< when it takes part

  [[nodiscard]] bool has_packs() const { return !loops.packed.empty(); }
};

/// The rules of the parts.
[[nodiscard]] std::vector<const RuleShape*> shapes_of(const std::vector<NestPart>& parts);

/// What a nest needs beside its members.
struct NestArgs {
  std::string frame;   ///< where it runs
  std::string split;   ///< the split size; nothing if no member splits slices
  std::string extent;  ///< pointer to the extents of its tiles
  std::string rule;    ///< what its tiles, or all its slices, are in traces
};

/// The functions of one member's loops: over a tile of the rows, or over a box of all its variables in slices.
void emit_member_loops(Writer& out, const TransformPlan& plan, const Nest& nest, const NestPart& part);

/// Statements that run the nest. For members whose care is that of the step (host_care.h) data must have arrived;
/// `pb_unit0`, … are not taken.
void emit_nest(Writer& out, const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
               const NestArgs& args);

}  // namespace pb
