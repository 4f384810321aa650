// SPDX-License-Identifier: MIT
// The text of a kernel that runs scans. A kernel has three forms, of which a build has one: see Note [Scans on devices]
// in kernel_scans.cpp. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_operands.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the functions that stand before a kernel that runs scans.
void print_scan_functions(Writer& out, const KernelDialect& dialect);

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
  /// What a name ends in: `pb_part` has the element `pb_part_e0` and the factor `pb_part_f0` of value 0.
  [[nodiscard]] static std::string element(const std::string& name, std::size_t k);
  [[nodiscard]] static std::string factor(const std::string& name, std::size_t k);
  [[nodiscard]] bool has_factor_of(std::size_t k) const { return has_factor(scans_.scan.values[k]); }
  [[nodiscard]] std::size_t size() const { return scans_.types.size(); }
  /// The numbers of the loops across lines.
  [[nodiscard]] std::vector<int> line_loops() const;
  [[nodiscard]] const std::string& type(std::size_t k) const { return words_[k]; }
  [[nodiscard]] bool may_overflow() const;
  [[nodiscard]] std::string neutral(std::size_t k) const;
  [[nodiscard]] std::string combined(std::size_t k, const std::string& a, const std::string& b) const;
  [[nodiscard]] const RegionAccess& before(std::size_t k) const;
  [[nodiscard]] std::string is_finite(const std::string& name, bool has_factors) const;

  // Statements about a part of a line, or about the value behind one, which has no factor.
  void declare(const std::string& name, bool has_factors) const;
  void append(const std::string& to, const std::string& part, bool has_factors) const;
  void copy(const std::string& to, const std::string& from, bool has_factors) const;
  void load(const std::string& name, const std::string& arrays, const std::string& place, bool has_factors) const;
  void store(const std::string& name, const std::string& arrays, const std::string& place, bool has_factors) const;
  void publish(const std::string& name, const std::string& record, const std::string& tag, bool has_factors) const;
  void await(const std::string& name, const std::string& record, const std::string& tag, bool has_factors) const;

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
  void print_look_back() const;
  void print_near() const;
  void print_far() const;
  void print_values() const;
  void print_in_order() const;
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
  std::vector<std::string> words_;  ///< types of the values
  std::string dim_;                 ///< number of the scan's loop
};

}  // namespace pb
