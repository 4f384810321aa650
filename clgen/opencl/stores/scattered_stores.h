// SPDX-License-Identifier: MIT
// The text of loops whose rounds store cells at computed places, each at other ones. Private to clgen/opencl.
//
// A lane runs some rounds together: what they store, and where, stays in registers, and memory gets it behind them. So
// the reads of later rounds do not wait for those of earlier ones. Without this, a filter of 2^26 floats takes twice as
// long on an H100.
//
// Stores at running places are always kept, because a round runs before it is known where it stores. Its own running
// place `k` begins with 0; what it stores goes as much further as `pb_base<k> + pb_raised<k>[pb_u]` says.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The rounds whose stores a lane keeps.
inline constexpr int kScattersInFlight = 4;

class ScatterPrinter {
 public:
  /// Finds the stores of the loop that may wait until its next rounds have read. There are none if a round reads the
  /// output, stores in a loop of its own, or stores in a branch that reads. Those at running places all wait.
  ///
  /// Pre: all arguments outlive this object
  ScatterPrinter(Writer& out, const Rule& rule, const DividedFold& divided);

  [[nodiscard]] bool has_kept() const { return !kept_.empty(); }
  [[nodiscard]] bool is_kept(StmtId stmt) const { return number_of(stmt).has_value(); }

  /// Declares what some rounds keep.
  void declare(int num_rounds) const;
  /// Prints a store that is kept: its value and place.
  void print_store(BodyCodePrinter& printer, StmtId stmt) const;
  /// Stores what some rounds have kept, in the order of the rounds and their statements.
  void print_stores(int num_rounds) const;

 private:
  /// `cell = value`.
  struct Store {
    StmtId stmt;
    ExprId cell, value;
    std::string ahead = {};  ///< how much further the running place lies than the round knows; empty: it has none
  };
  void find_stores(StmtId id, bool are_all_kept);
  void note_running(Store& store, const DividedFold& divided) const;
  [[nodiscard]] bool names_output(ExprId id) const;
  [[nodiscard]] bool reads_cells(StmtId id) const;
  [[nodiscard]] std::optional<std::size_t> number_of(StmtId stmt) const;

  Writer& out_;
  const Rule& rule_;
  std::vector<Store> kept_;
};

}  // namespace pb
