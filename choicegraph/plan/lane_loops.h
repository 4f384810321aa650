// SPDX-License-Identifier: MIT
// Loops of a rule's body whose rounds may run side by side in the lanes of vectors: innermost folds and maps of
// floating-point numbers that count up by one, and read or store neighbouring elements in neighbouring rounds. It says
// what such a loop needs to be printed on packs (runtime/matrix/simd.h), where a lane is a round. choicegraph/passes
// offers the order of their updates as a choice, and clgen/lower says which of them run so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb {

/// A fold or map whose rounds may run in lanes.
struct LaneLoop {
  StmtId loop;                             ///< of a fold or a map
  bool is_map = false;                     ///< the rounds store cells
  std::vector<bool> is_varying;            ///< expressions of the loop that differ between rounds, by ExprId
  std::set<std::uint32_t> varying_locals;  ///< the accumulators and what the loop declares, by number of declaration
  std::set<ExprId> indices;                ///< uses of the loop's variable in an index: the first lane's value
  std::vector<std::string> regions;        ///< whose neighbouring elements neighbouring rounds use, each once
  MapRegions apart;                        ///< of a map: regions that must share no memory
  bool multiplies_quotients = false;       ///< quotients and roots would bound its time (bounding_quotients.h)
  bool is_wide_type = false;               ///< some value that differs between rounds has 8 bytes
  bool rounds = false;                     ///< in lanes the result is rounded in another way

  bool operator==(const LaneLoop&) const = default;
};

/// Whether the rule's text may do more than its tree says: it calls transforms, has lambdas, or parts without a tree.
[[nodiscard]] bool has_opaque_parts(const Rule& rule);

/// Whether packs have numbers of the type.
[[nodiscard]] bool is_packed_number(const BodyType& type);

/// What packs do with a call of a body.
enum class PackedCall : std::uint8_t {
  None,    ///< they have no such function
  Scalar,  ///< what compilers make vectors of by themselves
  Vector,  ///< they call a function of vectors, if the arguments vary
};
/// Pre: the expression is a call
[[nodiscard]] PackedCall packed_call(const Rule& rule, ExprId call, ElementType element);

/// Returns the loops of the rule's body that may run in lanes, folds first. `element` is the type that ElementT stands
/// for. Left to compilers is what they make vectors of by themselves: folds of whole numbers, and maps that neither add
/// nor call a vector function.
[[nodiscard]] std::vector<LaneLoop> find_lane_loops(const Rule& rule, const Computation& computation,
                                                    ElementType element);

/// Whether it is the rounds of loops, rather than neighbouring instances, that fill vectors: neighbouring instances
/// read elements that are no neighbours, or the same ones, or there is one instance.
[[nodiscard]] bool prefers_rounds_in_lanes(const Rule& rule);

/// Returns a description for `pbc --emit=lowered`: `i in lanes, sum in `s``.
[[nodiscard]] std::string to_words(const LaneLoop& loop, const Fold& fold);

}  // namespace pb
