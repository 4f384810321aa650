// SPDX-License-Identifier: MIT
// The text of loops that update bins in an order that the shape of the launch decides, as sums of floating-point
// numbers need it (decision 70). Private to clgen/opencl.
//
// A group runs one instance, and a share of its neighbouring rounds, tile by tile. In a tile each lane keeps the
// operands of some rounds. Then the lanes that have the same copy of the bins take turns. At the end the group's bins
// are those of the copies in their order, and the output gets those of the groups in their order.
//
// A build with PB_STAGE, where several groups run the instance, keeps the bins of each group behind the values of its
// record. With PB_BINS_IN_RECORDS there is no room for them in memory of the group, and lanes update them there.
// Without PB_BIN_CELLS the one group of an instance updates the output's bins.
#pragma once

#include <cstddef>
#include <string>

#include "clgen/body_code_printer.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/opencl/parts/lane_parts.h"
#include "clgen/opencl/stores/bin_updates.h"
#include "clgen/writer/writer.h"

namespace pb {

class OrderedBinPrinter {
 public:
  /// Pre: all arguments outlive this object, and the loop has bins that are updated in order
  OrderedBinPrinter(Writer& out, BodyCodePrinter& printer, const Rule& rule, const DividedFold& divided,
                    const DividedFoldWords& words);

  /// Prints the loop.
  ///
  /// Pre: where the text stands, all work-items of the group come by, and the group runs one instance
  void print() const;

 private:
  void print_range(const Fold& fold, const std::string& prefix) const;
  void print_collection() const;
  void print_begin() const;
  void print_lane_place() const;
  void print_tiles() const;
  void print_kept_rounds() const;
  void print_round() const;
  void open_turns() const;
  void close_turns() const;
  void print_barrier() const;
  void print_end() const;
  void print_record(const std::string& group) const;
  void print_merge_of_records() const;
  [[nodiscard]] std::string record_cells(std::size_t bins) const;

  Writer& out_;
  BodyCodePrinter& printer_;
  const Rule& rule_;
  const DividedFold& divided_;
  const DividedFoldWords& words_;
  BinPrinter bins_;
  LanePartPrinter parts_;
  int rounds_in_tile_;     ///< of a lane
  bool is_in_line_order_;  ///< bins get the rounds in the order of the source
};

}  // namespace pb
