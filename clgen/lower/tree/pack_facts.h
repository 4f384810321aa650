// SPDX-License-Identifier: MIT
// What is known of a body that can run on packs of neighbouring instances (uniformity.h finds it).
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/scan.h"
#include "lang/program.h"

namespace pb {

/// How an access moves from instance to instance of a pack.
struct LaneAccess {
  bool moves_along_row = false;  ///< neighbours touch neighbouring elements; else all touch the same
  int row_dim = -1;              ///< the dimension that the next row advances in; -1: none
  bool reads_own_row = false;    ///< neighbours read neighbouring rows, which packs copy side by side
  [[nodiscard]] bool is_uniform() const { return !moves_along_row && !reads_own_row && row_dim < 0; }

  bool operator==(const LaneAccess&) const = default;
};

/// A loop `for (int i = a; i < b; i++)` whose body has no jumps, and changes neither i nor b.
struct CountedLoop {
  StmtId loop;
  std::string var;
  std::string type;  ///< as the body spells it
  ExprId first, last;
  bool is_inclusive = false;  ///< `i <= b`

  bool operator==(const CountedLoop&) const = default;
};

/// Returns the loop that the statement is; null if it is none of them.
[[nodiscard]] inline const CountedLoop* find_loop(const std::vector<CountedLoop>& loops, StmtId id) {
  const auto found = std::find_if(loops.begin(), loops.end(), [&](const CountedLoop& loop) { return loop.loop == id; });
  return found == loops.end() ? nullptr : &*found;
}

/// What is known of a body that can run on packs.
struct PackFacts {
  std::vector<LaneAccess> outputs;
  std::vector<LaneAccess> inputs;
  bool is_tall = false;                    ///< a pack covers several rows, which share what they read
  bool is_plain = false;                   ///< straight-line code that compilers vectorise as well by themselves
  bool writes_regions = false;             ///< some output is a region, whose elements the body writes itself
  bool calls_vector_functions = false;     ///< functions that take long and that packs have vector functions for
  bool multiplies_quotients = false;       ///< quotients and roots would bound its time (bounding_quotients.h)
  bool is_wide_type = false;               ///< some value that differs between instances has 8 bytes
  std::set<std::uint32_t> varying_locals;  ///< locals that differ between instances, by number of declaration
  std::vector<bool> is_varying;            ///< expressions that differ between instances, by ExprId
  std::string lane_var, row_var;           ///< rule variables; row_var may be empty
  std::vector<CountedLoop> counted_loops;  ///< loops without inner loops that packs unroll, in blocks of a few rounds
  /// Loops that packs unroll as a whole: their rounds are known here, as those of the loops inside of them, so that
  /// arrays which they index are registers.
  std::vector<CountedLoop> constant_loops;
  /// Branches and loops that instances go through in different ways, and those inside of them (masked_stmts.h). A pack
  /// runs them for some of its instances, which a mask says, and a loop while there are such.
  std::set<StmtId> masked_stmts;
  bool has_masked_loops = false;

  [[nodiscard]] bool has_own_rows() const {
    return std::any_of(inputs.begin(), inputs.end(), [](const LaneAccess& lanes) { return lanes.reads_own_row; });
  }
  /// Whether results may differ in a last digit from those of instances that run one by one.
  [[nodiscard]] bool rounds_otherwise() const { return calls_vector_functions || multiplies_quotients; }
  bool operator==(const PackFacts&) const = default;
};

/// Who reads the copy of an input's cells that lies in panels (runtime/matrix/blocks/tile_loops.h).
enum class PanelOf : std::uint8_t {
  None,   ///< the input is not copied
  Lanes,  ///< the instances of a column of a tile read the same cells
  Rows,   ///< those of a row do
};

/// What is known of a contraction that can run in tiles of instances.
struct TileFacts {
  PackFacts body;               ///< of the body on a tile; the row variable may be that of any loop but the innermost
  std::vector<StmtId> loops;    ///< those of the fold, the outermost first
  ExprId first, last;           ///< limits of the outermost one
  bool is_inclusive = false;    ///< `last` is among its rounds
  std::vector<PanelOf> panels;  ///< by input
  std::vector<std::size_t> walked;   ///< by input, the dimension that the rounds of the outermost loop walk along
  std::vector<std::string> carried;  ///< the accumulators

  bool operator==(const TileFacts&) const = default;
};

/// What is known of a scan that can run in packs of neighbours along its direction.
struct ScanFacts {
  PackFacts body;
  Scan scan;

  bool operator==(const ScanFacts&) const = default;
};

}  // namespace pb
