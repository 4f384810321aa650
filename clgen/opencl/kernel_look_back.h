// SPDX-License-Identifier: MIT
// How the group of a window finds what stands before it: see Note [Scans on devices] in kernel_scans.cpp. Private to
// this folder.
#pragma once

#include <functional>
#include <string>

#include "clgen/opencl/kernel_dialect.h"
#include "clgen/opencl/kernel_scan_parts.h"
#include "clgen/opencl/parts/decoupled_look_back.h"
#include "clgen/opencl/parts/scan_records.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The array with the value before the window of each line of the group.
inline constexpr const char* kScanStarts = "pb_starts";

class LookBackPrinter {
 public:
  /// Prints statements that give a value what stands before the line.
  using PrintFirstValue = std::function<void(const std::string& name)>;

  /// Pre: all arguments outlive this object
  LookBackPrinter(Writer& out, const KernelDialect& dialect, const LineScans& scans, const ScanPartPrinter& parts)
      : out_(out),
        dialect_(dialect),
        parts_(parts),
        records_(out, dialect, scans, parts),
        decoupled_(out, dialect, parts, records_, scans.dim == 0) {}

  /// Declares the arrays through which the work-items of a group show each other what they have read.
  void declare_arrays() const;
  /// Declares how many records a line has. Pre: `pb_windows` is its number of windows.
  void declare_counts() const;
  /// Publishes the window's part, `pb_total`, and puts what stands before it into kScanStarts.
  void print(const PrintFirstValue& print_first_value) const;
  /// Publishes `pb_value`, which is that behind the window, if others wait for it.
  void print_end() const;

 private:
  void print_near() const;
  void print_far(const PrintFirstValue& print_first_value) const;
  void print_seen(const std::string& count, const std::string& first, const std::string& record) const;
  void print_forgetting(const std::string& part) const;
  void print_append_seen(const std::string& to, const std::string& count, const std::string& first) const;

  Writer& out_;
  const KernelDialect& dialect_;
  const ScanPartPrinter& parts_;
  ScanRecordPrinter records_;
  DecoupledLookBackPrinter decoupled_;
};

}  // namespace pb
