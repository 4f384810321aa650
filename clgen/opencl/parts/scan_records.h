// SPDX-License-Identifier: MIT
// Statements that publish parts of the lines of scans to other groups, and wait for those of others. Private to
// clgen/opencl.
#pragma once

#include <string>

#include "clgen/lower/tree/loop_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_scan_parts.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the functions and macros that these statements use.
void print_record_functions(Writer& out, const KernelDialect& dialect);

/// Each word of a record has 4 bytes of a number, and a tag that is not 0 beside them. So it is there as a whole or not
/// at all, and nobody needs to order memory accesses.
class ScanRecordPrinter {
 public:
  /// Pre: all arguments outlive this object
  ScanRecordPrinter(Writer& out, const KernelDialect& dialect, const LineScans& scans, const ScanPartPrinter& parts)
      : out_(out), dialect_(dialect), scans_(scans), parts_(parts) {}

  void publish(const std::string& name, const std::string& record, const std::string& tag, bool has_factors) const;
  /// Waits for a record that is published once. `tag` names a variable that becomes as large as the record's tag; it
  /// may be empty.
  void await(const std::string& name, const std::string& record, const std::string& tag, bool has_factors) const;
  /// Waits for a record, with its factors, that another one may replace at any time: all of its words have one tag.
  /// `tag` names a variable that becomes that.
  void await_latest(const std::string& name, const std::string& record, const std::string& tag) const;

 private:
  [[nodiscard]] int num_words(std::size_t k) const { return (size_bytes(scans_.types[k]) + 3) / 4; }
  void print_record(const std::string& record) const;
  void print_numbers(Factors factors, const ScanPartPrinter::VisitNumber& print) const;

  Writer& out_;
  const KernelDialect& dialect_;
  const LineScans& scans_;
  const ScanPartPrinter& parts_;
};

}  // namespace pb
