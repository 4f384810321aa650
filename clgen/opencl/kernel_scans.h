// SPDX-License-Identifier: MIT
// The text of a kernel that runs scans. A kernel has three forms, of which a build has one: see Note [Scans on devices]
// in kernel_scans.cpp. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_look_back.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/opencl/kernel_scan_parts.h"
#include "clgen/writer/writer.h"

namespace pb {

class KernelScanPrinter {
 public:
  /// Prints the instance at the rule's variables. If it does not store, it only gives values to the variables
  /// `pb_new0`, …, and to those of factors.
  using PrintInstance = std::function<void(bool stores)>;

  /// Pre: all arguments outlive this object, and the kernel runs scans
  KernelScanPrinter(Writer& out, const Program& program, const KernelTree& kernel, const KernelDialect& dialect,
                    const KernelOperandPrinter& operands, PrintInstance print_instance);

  /// Prints what stands in the kernel below its scalars.
  void print();

 private:
  /// The numbers of the loops across lines.
  [[nodiscard]] std::vector<int> line_loops() const;
  [[nodiscard]] const RegionAccess& before(std::size_t k) const;
  void declare_arrays() const;
  void declare_variable(const std::string& place) const;
  void declare_line(const std::function<std::string(int)>& place) const;
  void print_first_value(const std::string& name) const;
  void print_line() const;
  void print_windows() const;
  void print_places_of_window() const;
  void print_window() const;
  void print_elements() const;
  void print_parts() const;
  void print_scan_of_warp() const;
  void print_scan_in_memory() const;
  void print_scan_of_warps() const;
  void print_values() const;
  void print_in_order() const;
  void print_stored_values() const;
  void print_results() const;
  void print_run(bool stores) const;

  Writer& out_;
  const Transform& transform_;
  const Rule& rule_;
  const KernelTree& kernel_;
  const KernelDialect& dialect_;
  const KernelOperandPrinter& operands_;
  const LineScans& scans_;
  PrintInstance print_instance_;
  ScanPartPrinter parts_;
  LookBackPrinter look_back_;
  std::string dim_;  ///< number of the scan's loop
};

}  // namespace pb
