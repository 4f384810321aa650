// SPDX-License-Identifier: MIT
// The text of kernels in blocks of rounds whose rounds several groups divide: which group runs which range, the records
// in which they keep what their instances carry, and the second launch, which combines these. Private to clgen/opencl.
//
// Builds have PB_STAGE, 1 or 2, and PB_RECORDS, the number of ranges. Groups that run the same instances follow one
// another along dimension 0: `pb_range` is the number of the range. In the second launch a work-item has one instance,
// or PB_PART_LANES of them have one together: each combines records that follow one another, and then all of them
// combine what all have, in order. So the result depends on the numbers of ranges and lanes alone.
//
// A carried value of 4 bytes has a plane of the scratch memory: the values of all instances in range 0, then those in
// range 1, and so on. One of 8 bytes has two planes.
#pragma once

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"

namespace pb {

class BlockPartPrinter {
 public:
  /// Pre: all arguments outlive this object, and the tree's blocks have parts
  BlockPartPrinter(Writer& out, const KernelTree& lowered, const KernelDialect& dialect);

  /// Declares the arrays through which work-items combine what they have of an instance.
  void print_arrays() const;
  /// Declares the range of the group, `pb_group_id`, its number along dimension 0 among those of its range, and
  /// `pb_local`, the place of the work-item along that dimension among those that do the same.
  void declare_range() const;
  /// Makes `pb_first` and `pb_count` those of the group's range.
  void print_range() const;
  /// Declares where the records lie.
  void declare_records() const;
  /// Has the carried values of all instances begin with neutral elements.
  void print_neutral_values() const;
  /// Keeps the carried values of the instance at `pb_own` in its record.
  void keep_record() const;
  /// Gives the carried values of the instance at `pb_own`, which are those before the fold, their values behind it.
  void combine_records() const;

 private:
  [[nodiscard]] const Accumulator& at(std::size_t i) const { return blocks_.fold.accumulators[i]; }
  [[nodiscard]] std::size_t size() const { return blocks_.fold.accumulators.size(); }
  /// A carried value as work-items combine it: that of an accumulator, or of a place of one.
  struct Value {
    std::string part, type, carried, plane, array;
  };
  [[nodiscard]] Value value_of(std::size_t i) const;
  [[nodiscard]] Value value_of(std::size_t i, std::size_t place) const;
  [[nodiscard]] std::vector<Value> values() const;
  [[nodiscard]] Value make_value(const std::string& name, const std::string& part, const std::string& type) const;
  void print_first_parts(bool are_new) const;
  void print_combination(bool is_in_records, const std::string& place) const;

  Writer& out_;
  const KernelTree& lowered_;
  const KernelDialect& dialect_;
  const RoundBlockFacts& blocks_;
};

}  // namespace pb
