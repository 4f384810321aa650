// SPDX-License-Identifier: MIT
// What the languages of kernels spell in different ways. The printers of lowered kernels take everything else to be
// common C.
#pragma once

#include <functional>
#include <string>

namespace pb {

struct KernelDialect {
  std::string prelude;           ///< stands before every kernel
  bool may_run_on_cpus = false;  ///< devices may run the work-items of a group one after the other
  std::string fp64;              ///< a line that allows doubles; empty: they are allowed
  std::string no_contraction;    ///< a line that forbids to round once where C++ rounds twice; empty: an option does
  std::string function;          ///< before a function that kernels call
  std::string kernel;            ///< before a kernel's name
  std::string global;            ///< before a pointer to memory of the device
  std::string local;             ///< before a pointer to memory of the group
  std::string restrict_;         ///< behind a pointer that no other one leads to the memory of
  std::string barrier;           ///< the statement

  // Of loop `dim`, as unsigned integers.
  std::function<std::string(int dim)> group_id, group_size, local_id, global_id;

  /// The parameter that says where a buffer of the group lies.
  std::function<std::string(const std::string& type, const std::string& name)> buffer_parameter;
  /// The statement that makes a pointer of it; empty: it is one.
  std::function<std::string(const std::string& type, const std::string& name)> buffer_pointer;

  /// What stands before and behind a kernel, whose functions have names that those of others have, too.
  std::function<std::string(const std::string&kernel)> begin_unit, end_unit;
};

[[nodiscard]] const KernelDialect& opencl_dialect();
[[nodiscard]] const KernelDialect& cuda_dialect();

}  // namespace pb
