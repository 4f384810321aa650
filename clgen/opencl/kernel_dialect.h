// SPDX-License-Identifier: MIT
// What the languages of kernels spell in different ways. The printers of lowered kernels use C that they have in common
// for everything else.
#pragma once

#include <functional>
#include <string>

#include "choicegraph/plan/computation.h"

namespace pb {

struct KernelDialect {
  std::string prelude;           ///< stands before every kernel; defines the macros of runtime/config/kernel_prelude.h
  bool may_run_on_cpus = false;  ///< devices may run the work-items of a group one after the other
  std::string fp64;              ///< a line that allows doubles; empty: they are allowed
  std::string no_contraction;    ///< a line that forbids fused multiply-add; empty: an option does
  std::string function;          ///< before a function that kernels call
  std::string kernel;            ///< before a kernel's name
  std::string group_bound;       ///< likewise, where a build has groups of PB_GROUP_ITEMS work-items
  std::string block_bound;       ///< likewise, of PB_GROUP0 x PB_GROUP1 x PB_GROUP2 work-items, PB_PART_LANES times
  std::string warp_size;         ///< likewise, where work-items run an instance together
  std::string global;            ///< before a pointer to memory of the device
  std::string local;             ///< before a pointer to memory of the group
  std::string restrict_;         ///< behind a pointer to memory that no other pointer leads to
  std::string barrier;           ///< the statement
  std::string cell_barrier;  ///< the statement behind which work-items of a group see each other's cells of matrices
  std::string local_array;   ///< before an array in memory of the group

  /// Returns the number that the counter at a pointer had, which the next one finds increased by one.
  std::function<std::string(const std::string& pointer)> ticket;

  /// Returns the statement that updates a cell of 32 bits so that no other update is lost. `memory` is `global` or
  /// `local`, and `type` an integer.
  std::function<std::string(FoldOp op, const std::string& memory, const std::string& type, const std::string& cell,
                            const std::string& value)>
      update;

  // Ids and sizes along loop `dim`, as unsigned integers.
  std::function<std::string(int dim)> group_id, group_size, local_id;

  /// Returns the parameter that says where a buffer of the group lies.
  std::function<std::string(const std::string& type, const std::string& name)> buffer_parameter;
  /// Returns the statement that makes a pointer of that parameter. Null: the parameter is a pointer.
  std::function<std::string(const std::string& type, const std::string& name)> buffer_pointer;

  /// Return the text before and after a kernel. It keeps apart functions of different kernels that have the same name.
  std::function<std::string(const std::string&kernel)> begin_unit, end_unit;
};

[[nodiscard]] const KernelDialect& opencl_dialect();
[[nodiscard]] const KernelDialect& cuda_dialect();

}  // namespace pb
