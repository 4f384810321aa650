// SPDX-License-Identifier: MIT
// C++ of nests: instances that depend on each other run in tiles that wait for each other, or slice by slice. A nest of
// one step is the body of its step function; a nest of several steps stands in `run_T`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/lower.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// One member of a nest with what its code needs.
struct NestPart {
  const RuleCode& code;
  const NestMember& member;
  std::string stem;  ///< stem of its loop functions: `T_0_n1` in `loops_T_0_n1`
  const LoweredNest::Member& lowered;
  bool has_launches = false;                  ///< a device may run its slices
  Condition condition = Condition::always();  ///< when it takes part

  [[nodiscard]] const Condition& in_packs() const { return lowered.loops.in_packs; }
};

/// What a nest needs beside its members.
struct NestArgs {
  std::string frame;   ///< the frame that it runs in
  std::string split;   ///< the split size; empty if no member splits slices
  std::string extent;  ///< pointer to the extents of its tiles
  std::string rule;    ///< the constant under which traces record its tiles or slices
  /// Prints the declaration of `pb_has_run`, which says whether a device runs the slice of a member that has launches.
  /// The third argument is the name of the slice's box.
  std::function<void(Writer&, StepId, const std::string&)> emit_tries = {};
  /// Counts a slice of such a member on the CPU, if a device was to run it.
  std::function<void(Writer&, StepId)> emit_fallen_back = {};
  /// Declares what launches all members of a sliced nest together (steps/version_launch_code.h); null: nothing does.
  std::function<void(Writer&)> emit_launches = {};
  /// How several versions are made in bands of rows; null: they are made one after the other.
  const VersionBands* bands = nullptr;
  std::string band_rows = {};              ///< how many rows a band has, as the configuration says
  Condition on_cpu = Condition::always();  ///< when no device is to run slices
};

/// Sets how the nest makes versions in bands, if it may.
void set_bands(NestArgs& args, const LoweredNest& nest, const std::vector<NestPart>& parts);

/// Prints the functions of one member's loops: over a tile of the rows or, in a sliced nest, over a box of all its
/// variables.
void emit_member_loops(Writer& out, const TransformPlan& plan, const Nest& nest, const NestPart& part);

/// Prints the statements that run the nest.
///
/// Pre: data of the members whose care is HostCare::Step (host_care.h) has arrived; the names `pb_unit0`, … are free
void emit_nest(Writer& out, const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
               const NestArgs& args);

}  // namespace pb
