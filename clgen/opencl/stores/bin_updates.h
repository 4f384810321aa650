// SPDX-License-Identifier: MIT
// The text of loops that update bins: cells of outputs at places that their rounds compute. Private to this folder.
//
// An update runs its statement on a number of its own, which begins with the neutral element and becomes the operand.
// Then the operand goes to the bin by an update that no other work-item interrupts. A round has at most one number for
// each update at its top. Those are kept for several rounds, so that the reads of the next rounds do not wait.
//
// A build with PB_BIN_CELLS has room for so many words of 4 bytes for the bins of an instance in its group, and
// PB_BIN_COPIES of each bin. They begin with the neutral element, and go to the bins of the output behind the loop.
//
// Bins in the output are updated by all groups, and equal ones wait for one another. So a lane adds the operands of
// rounds that follow each other to a number of its own, the run, as long as their bin is the same. Keys that are all
// equal then cost an update per lane instead of one per key.
//
// Where the order of updates shows (ordered_bins.h), a lane updates bins that no other one updates meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "clgen/body_code_printer.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The rounds whose operands a lane keeps.
inline constexpr int kRoundsInFlight = 8;

/// Declares the bins of groups. `head` stands before an array of the group.
void print_bin_array(Writer& out, const LoopTree& tree, const std::string& head);

/// Declares the extents of outputs with bins. It stands before the body, which may declare names of the header again.
void print_bin_extents(Writer& out, const Rule& rule, const RuleInstance& instance);

/// The name of what the text knows of an output with bins: the number of its `cells`, its `first` word in the room for
/// bins, and the pointer to the bins that the group has of its `own`.
[[nodiscard]] std::string bins_name(const std::string& binding, const std::string& what);

class BinPrinter {
 public:
  /// Pre: all arguments outlive this object, and the loop has bins
  BinPrinter(Writer& out, const Rule& rule, const DividedFold& divided, const DividedFoldWords& words)
      : out_(out), rule_(rule), divided_(divided), words_(words) {}

  /// Prints what stands before the loop: the bins of the group as they begin.
  void print_begin() const;
  /// Prints what stands behind it.
  void print_end() const;
  /// Declares the pointers to bins of an instance that lie in `memory` from `bins` on, and gives them their first
  /// values.
  void print_first_values(const std::string& memory, const std::string& bins) const;
  /// The text of how far the cell of a number is from the output's first one.
  [[nodiscard]] std::string place_text(std::size_t bins, const std::string& cell) const;
  [[nodiscard]] std::string shared_cell(std::size_t bins, const std::string& place) const;
  /// Whether operands of several rounds are kept. Of bins that are updated in order, all are, or none.
  [[nodiscard]] bool keeps_rounds() const;
  /// Declares the operands of some rounds.
  void declare_operands(int num_rounds) const;
  /// Declares the runs, before the loop that updates bins by kept operands.
  void declare_runs() const;
  /// Updates the bins of the runs that the loop left.
  void print_end_of_runs() const;
  /// Updates the bins by the operands that were kept, of some rounds.
  void print_updates(int num_rounds) const;

  /// The bins that the statement updates; null if it updates none.
  [[nodiscard]] const Accumulator* updated_by(StmtId stmt) const;
  /// Prints the statement of an update. `print` prints it with operand() in the place of the bin.
  void print_update(BodyCodePrinter& printer, StmtId stmt, const std::function<void()>& print) const;

  [[nodiscard]] static const char* operand() { return "pb_operand"; }

 private:
  /// An update whose operands are kept.
  struct Kept {
    std::size_t bins;
    StmtId stmt;
  };
  [[nodiscard]] std::vector<Kept> kept_updates() const;
  [[nodiscard]] std::vector<Kept> updates_at_top() const;
  [[nodiscard]] std::size_t num_dims(std::size_t bins) const;
  [[nodiscard]] std::string own_cell(std::size_t bins, const std::string& place) const;
  void print_atomic(std::size_t bins, const std::string& memory, const std::string& cell,
                    const std::string& value) const;
  void print_ordered(std::size_t bins, const std::string& cell, const std::string& value) const;
  void print_either(std::size_t bins, const std::string& place, const std::string& value) const;
  void print_run(std::size_t bins, const std::string& number, const std::string& place,
                 const std::string& operand) const;
  void print_update_of_run(std::size_t bins, const std::string& number) const;
  void print_place(BodyCodePrinter& printer, std::size_t bins, ExprId cell, const std::string& target) const;
  void print_merge(std::size_t bins) const;

  Writer& out_;
  const Rule& rule_;
  const DividedFold& divided_;
  const DividedFoldWords& words_;
};

}  // namespace pb
