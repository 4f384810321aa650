// SPDX-License-Identifier: MIT
// The text of a lane's parts of a divided fold: the variables in which it adds up, the records in which groups keep
// their parts between launches, and what the accumulators become. Private to clgen/opencl.
#pragma once

#include <cstddef>
#include <string>

#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/fold_parts.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The variable that has an accumulator's value before the loop.
[[nodiscard]] std::string before_loop(std::size_t i);
/// The variable that has the value of a smallest or largest when a round was noted last.
[[nodiscard]] std::string seen_value(std::size_t i);

class LanePartPrinter {
 public:
  /// Pre: all arguments outlive this object
  LanePartPrinter(Writer& out, const DividedFold& divided, const DividedFoldWords& words)
      : out_(out), divided_(divided), fold_(divided.fold), words_(words) {}

  /// Declares the values before the loop, and the variables of parts.
  void declare() const;
  /// Declares the accumulators of a lane, from number `first` on, as the loop's statements name them; they begin with
  /// the parts.
  void open_own(std::size_t first) const;
  /// Gives the parts what these accumulators have now.
  void close_own(std::size_t first) const;
  /// Combines the part of a lane with those of the first `num_records` groups of earlier stages.
  void print_records(const std::string& num_records) const;
  /// Keeps the part of the group as a record, and ends.
  void keep_record() const;
  /// Gives an accumulator its value behind the loop.
  void print_result(std::size_t i) const;

 private:
  const Accumulator& at(std::size_t i) const { return fold_.accumulators[i]; }
  const FoldPart& part(std::size_t i) const { return divided_.parts[i]; }
  std::size_t size() const { return fold_.accumulators.size(); }
  /// Returns the value with which a part begins.
  [[nodiscard]] std::string first_text(std::size_t i) const;
  /// Returns a value of the record `pb_record`, whose declaration for a group is the other text.
  [[nodiscard]] std::string slot_text(const std::string& type, std::size_t slot) const;
  [[nodiscard]] std::string record_text(const std::string& group) const;

  Writer& out_;
  const DividedFold& divided_;
  const Fold& fold_;
  const DividedFoldWords& words_;
};

}  // namespace pb
