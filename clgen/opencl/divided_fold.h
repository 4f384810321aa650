// SPDX-License-Identifier: MIT
// The text of a fold or map whose iterations the lanes of an instance divide among each other. Private to this folder.
//
// Each lane runs the loop's own statements with accumulators of its own. They begin with the operator's neutral
// element, or, for the smallest and the largest, with the value before the loop. The parts meet in arrays of the group,
// in a tree whose form only the number of lanes decides. Signed sums and products are computed unsigned, because parts
// may overflow where the whole does not.
//
// A kernel is built with PB_STAGE, from 1, where several groups run an instance together. In the stage of a fold, each
// group keeps its part as a record and ends. In later stages, lanes combine the records instead of running iterations.
// There are PB_RECORDS of each instance. A map that adds nothing up is in the text of its own stage alone.
//
// Running places are counted in the stage before that of their loop: each group runs a share of neighbouring rounds,
// and its record says how far the places run. In the loop's own stage a group begins where the records of those before
// it end. One group needs no counts: its tiles of rounds follow one another.
//
// Where lanes keep cells, a kernel is built with PB_KEPT_ROUNDS, which no lane has more rounds than. Their loop then is
// unrolled, so that the arrays of kept cells lie in registers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/parts/lane_parts.h"
#include "clgen/opencl/stores/bin_updates.h"
#include "clgen/opencl/stores/scattered_stores.h"
#include "clgen/writer/writer.h"

namespace pb {

/// A cell that a lane keeps, and where it lies in memory, at the loop's variable.
struct KeptCopy {
  std::string kept, in_memory;
};

/// What a loop copies beside its own statements: cells that it reads before its rounds, and that it writes at the end
/// of each round.
struct KeptCopies {
  std::vector<KeptCopy> reads, writes;
};

/// Opens and closes a text that only one stage has, and the kernel that runs all phases at once.
void open_stage(Writer& out, int stage);
void close_stage(Writer& out);

/// Declares the arrays that the divided folds of a kernel need. `head` stands before each.
void print_parts_arrays(Writer& out, const LoopTree& tree, const std::string& head);

/// Some rounds of a lane at a time: `variable` has the values from `first` on, `distance` apart, and the same `step`
/// further on. Where not all of them are below `end`, single ones follow, `last_step` apart.
struct RoundsInFlight {
  int number;
  std::string variable, first, distance, step, last_step, end;
};

/// Prints a fold or a map.
class DividedFoldPrinter {
 public:
  DividedFoldPrinter(Writer& out, BodyCodePrinter& printer, const Rule& rule, const DividedFold& divided,
                     const DividedFoldWords& words, KeptCopies copies)
      : out_(out),
        printer_(printer),
        rule_(rule),
        body_(rule.body),
        bins_(out, rule, divided, words),
        scatter_(out, rule, divided),
        parts_(out, divided, words),
        divided_(divided),
        fold_(divided.fold),
        words_(words),
        copies_(std::move(copies)) {}

  /// Prints all of it. For the loop of the fold inside, the body's printer must call `print_inner`.
  ///
  /// Pre: where the text stands, all work-items of the group come by
  void print();
  /// Prints the loop of the fold inside.
  void print_inner();

 private:
  /// The rounds of a lane: `variable` has the values from `first` on, `step` apart, below `end`.
  struct LaneRounds {
    std::string variable, first, end, step;
  };

  const Accumulator& at(std::size_t i) const { return fold_.accumulators[i]; }
  const FoldPart& part(std::size_t i) const { return divided_.parts[i]; }
  std::size_t size() const { return fold_.accumulators.size(); }

  void print_loops();
  void print_with_places();
  void print_count_of_places();
  void print_stores_at_places();
  void open_tiles();
  void print_tile();
  void print_range(const Fold& fold, const std::string& prefix);
  void print_iterations();
  void print_rounds();
  void print_loop(const Fold& fold, const std::string& prefix, const LaneRounds& rounds);
  void print_loop_in_flight(const Fold& fold, const std::string& prefix, const RoundsInFlight& rounds);
  void print_rounds_in_flight(const Fold& fold, const std::string& prefix, const RoundsInFlight& rounds,
                              int num_rounds);
  void print_kept_loop();
  void print_kept_reads();
  void open_kept_rounds(bool are_all_inside);
  [[nodiscard]] bool is_innermost(const Fold& fold) const;
  void print_round(const Fold& fold, const std::string& prefix);

  Writer& out_;
  BodyCodePrinter& printer_;
  const Rule& rule_;
  const Body& body_;
  BinPrinter bins_;
  ScatterPrinter scatter_;
  LanePartPrinter parts_;
  const DividedFold& divided_;
  const Fold& fold_;
  const DividedFoldWords& words_;
  KeptCopies copies_;
};

}  // namespace pb
